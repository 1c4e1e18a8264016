package translations

// chineseCure are the changes of internal/field/cure.
var chineseCure = map[Phrase]string{
	"change":                   "修改",
	"client":                   "客户端",
	"the client":               "客户端",
	"the client or the server": "客户端或服务器",
	"measured":                 "实测",
	"in %s":                    "位置：%s",
	"text":                     "原文",
	"links":                    "链接",
	"executed":                 "是否执行",
	"library":                  "来源库",
	"no answer in time":        "没有及时得到响应",
	"not known":                "未知",
	"also":                     "另外",

	// products
	"a Go program":                  "Go 程序",
	"a gRPC server in Go":           "Go 的 gRPC 服务器",
	"a gRPC server in Java":         "Java 的 gRPC 服务器",
	"a gRPC server on the C++ core": "基于 C++ core 的 gRPC 服务器",
	"a gRPC client in Go":           "Go 的 gRPC 客户端",
	"a gRPC client in Java":         "Java 的 gRPC 客户端",
	"a gRPC client in Python, C++, Node or Ruby": "" +
		"Python、C++、Node 或 Ruby 的 gRPC 客户端",
	"the client, in Go (others: docs/clients.md)": "" +
		"Go 的客户端（其他语言见 docs/clients.md）",

	// places
	"http{} or server{}, not location{}: HTTP/2 does not read it there": "" +
		"http{} 或 server{}，不能写在 location{}：HTTP/2 不读取那里的值",
	"http{} or server{}, not location{}": "http{} 或 server{}，不能写在 location{}",
	"http{} or server{}":                 "http{} 或 server{}",
	"http{}, server{} or location{}":     "http{}、server{} 或 location{}",
	"http{} or server{} (128 by default)": "" +
		"http{} 或 server{}（默认 128）",
	"the controller's ConfigMap, data": "控制器 ConfigMap 的 data",
	"the section global (0 is no limit, and the default)": "" +
		"global 段（0 表示没有上限，也是默认值）",
	"nghttpx.conf (leave the line out for no limit)": "" +
		"nghttpx.conf（不写这一行就没有上限）",
	"nghttpx.conf (frontend-http2-idle-timeout in newer versions)": "" +
		"nghttpx.conf（较新的版本用 frontend-http2-idle-timeout）",
	"the server's or the virtual host's configuration (0 is no limit)": "" +
		"服务器或虚拟主机的配置（0 表示没有上限）",
	"the server's or the virtual host's configuration": "" +
		"服务器或虚拟主机的配置",
	"its http.Transport": "它的 http.Transport",
	"the HttpConnectionManager of the listener (leave the line out for no limit)": "" +
		"监听器的 HttpConnectionManager（不写这一行就没有上限）",
	"the HttpConnectionManager of the listener": "" +
		"监听器的 HttpConnectionManager",
	"an EnvoyFilter that merges into the gateway's HttpConnectionManager": "" +
		"合并到网关 HttpConnectionManager 的 EnvoyFilter",
	"the static configuration (0 is no limit)": "" +
		"静态配置（0 表示没有上限）",
	"the static configuration": "静态配置",
	"its command line":         "它的命令行",
	"its handlers and middleware: remove": "" +
		"它的处理程序和中间件：删除这一行",
	"its http.Server": "它的 http.Server",
	"the section defaults, or the frontend": "" +
		"defaults 段或 frontend",
	"the global section":             "全局段",
	"the Caddyfile's global options": "Caddyfile 的全局选项",
	"its configuration file (hypercorn.toml)": "" +
		"它的配置文件（hypercorn.toml）",
	"server.xml, an attribute of the Connector (-1 is no limit)": "" +
		"server.xml 中 Connector 的属性（-1 表示没有上限）",
	"the call of grpc.NewServer": "调用 grpc.NewServer 处",
	"the call of grpc.NewServer, if the client can't be changed": "" +
		"调用 grpc.NewServer 处，用于客户端无法修改的情况",
	"the call of grpc.NewClient":                             "调用 grpc.NewClient 处",
	"its ServerBuilder":                                      "它的 ServerBuilder",
	"its ServerBuilder (0 is no limit, and the default)":     "它的 ServerBuilder（0 表示没有上限，也是默认值）",
	"Armeria ends a connection at this age with two GOAWAYs": "Armeria 在连接达到这个时间时用两个 GOAWAY 结束它",
	"its NettyServerBuilder":                                 "它的 NettyServerBuilder",
	"its channel arguments (here in Python)": "" +
		"它的 channel 参数（这里以 Python 为例）",
	"its channel builder":             "它的 channel builder",
	"the channel's options":           "channel 的选项",
	"its deadlines and cancellations": "它的期限和取消",
	"the cluster (1024 by default)":   "集群（cluster，默认 1024）",
	"the DestinationRule of the host, spec": "" +
		"该主机的 DestinationRule 的 spec",

	// a line that is no configuration
	"fewer cancelled requests, longer deadlines": "" +
		"减少取消的请求，延长期限",

	// reasons
	"nothing in flight is lost at the limit, but every client opens a new connection there": "" +
		"达到上限时不会丢失在途请求，但每个客户端都要建立新连接",
	"HTTP/1.1 connections end at this count": "" +
		"HTTP/1.1 连接达到这个请求数就结束",
	"one dial at a time; a slow one delays every waiting request (golang/go#34941)": "" +
		"同一时刻只建一条连接；建连慢时，所有等待的请求都会延迟（golang/go#34941）",
	"connections are renewed less often; keepalive_time (1h) still bounds a connection's age": "" +
		"更换连接的次数减少；连接的存续时间仍受 keepalive_time（1h）限制",
	"keepalive_requests counts for HTTP/2 since 1.19.7 only": "" +
		"keepalive_requests 自 1.19.7 起才对 HTTP/2 有效",
	"the same directive, written by the controller": "" +
		"同一条指令，由控制器写入",
	"DestinationRule's maxRequestsPerConnection is about connections to the backends, not about these": "" +
		"DestinationRule 的 maxRequestsPerConnection 针对的是到后端的连接，不是这里的连接",
	"net/http itself has no limit; Traefik sets Connection: close at this count": "" +
		"net/http 本身没有上限；Traefik 达到这个请求数时设置 Connection: close",
	"ends connections at random, request by request": "" +
		"对每个请求随机决定是否结束连接",
	"over HTTP/2 it ends the whole connection, not one answer (h2_bundle.go, writeChunk)": "" +
		"在 HTTP/2 下，它结束的是整条连接，而不只是一个响应（h2_bundle.go 的 writeChunk）",
	"1h is the default; a connection older than this ends after its next answer": "" +
		"1h 是默认值；超过这个时间的连接在下一个响应之后结束",
	"Envoy drains a connection at this age": "" +
		"连接达到这个时间，Envoy 就将它排空",
	"1h is nginx's default; the controller has no key of its own for it": "" +
		"1h 是 nginx 的默认值；控制器没有对应的键",
	"Traefik sets Connection: close on connections older than this": "" +
		"连接超过这个时间，Traefik 就设置 Connection: close",
	"the server closes a pooled connection that its client hasn't used for this long": "" +
		"连接池里的连接空闲超过这个时间，就会在客户端不知情时被关闭",
	"1000 is the default": "默认值是 1000",
	"the grace lets calls in flight end before the connection is closed": "" +
		"宽限期让在途的调用在连接关闭之前完成",
	"a server that permits a ping each 5 minutes (gRPC's default) ends connections that ping more" +
		" often": "" +
		"服务器只允许每 5 分钟一个 PING（gRPC 的默认值），更频繁的连接会被结束",
	"the shortest interval that the server permits": "" +
		"服务器允许的最短间隔",
	"each cancelled request resets a stream; servers limit resets since CVE-2023-44487": "" +
		"每取消一个请求就重置一个流；自 CVE-2023-44487 起，服务器限制重置次数",
	"nghttp2's defaults are 1000 at once and 33 more each second": "" +
		"nghttp2 的默认值是一次最多 1000 个，此后每秒 33 个",
	"requests beyond these thresholds are refused at once": "" +
		"超过这些阈值的请求会立即被拒绝",
	"Istio writes Envoy's thresholds from it": "" +
		"Istio 根据它写入 Envoy 的阈值",
	"the server refuses streams beyond this number on one connection": "" +
		"一条连接上的流超过这个数，服务器就会拒绝",
}
