package translations

// chineseLintOthers are the reasons of lint's findings in other servers' files.
var chineseLintOthers = map[Phrase]string{

	// Envoy
	"%s answers with GOAWAY.":    "%s 会返回 GOAWAY。",
	"Cluster %s sends no PINGs.": "集群 %s 不发送 PING。",
	"%d is not below nginx's default of %d.": "" +
		"%d 不低于 nginx 的默认值 %d。",
	"(%d of %d routes have a policy.)": "（%[2]d 条路由中有 %[1]d 条设置了重试策略。）",
	"Cluster %s: %s is %d, for %d requests in flight.": "" +
		"集群 %s：%s 为 %d，而在途请求有 %d 个。",
	"The same holds at line %s.":  "第 %s 行同样如此。",
	"The same holds at lines %s.": "第 %s 行同样如此。",
	"drain_timeout is %s: the final GOAWAY follows the first at once, and requests that were on their" +
		" way are dropped.": "" +
		"drain_timeout 为 %s：最终的 GOAWAY 紧跟第一个发出，正在途中的请求会被丢弃。",
	"The socket is closed as soon as the last byte is written.": "" +
		"写完最后一个字节就立即关闭套接字。",
	"Every %d requests the connection is replaced. A client with %d in flight that dials once for" +
		" each of them, as Go's net/http does, opens up to %d connections then.": "" +
		"每 %d 个请求就更换一次连接。如果客户端有 %d 个在途请求，又像 Go 的 net/http" +
		" 那样各自建连，这时最多会新建 %d 条连接。",
	"1 turns keep-alive off: every request needs a connection and a TLS handshake of its own, HTTP/2" +
		" as well.": "" +
		"1 会关闭连接保持：每个请求都需要单独的连接和 TLS 握手，HTTP/2 也不例外。",
	"Connections that were opened together end together.": "" +
		"同时建立的连接会同时结束。",
	"idle_timeout 0 turns the timeout off.": "" +
		"idle_timeout 0 会关闭超时。",
	"%s is %d; the default is %d.": "%s 为 %d；默认值是 %d。",
	"codec_type is HTTP2 and alpn_protocols is %v.": "" +
		"codec_type 是 HTTP2，而 alpn_protocols 为 %v。",
	"alpn_protocols is %v: every client speaks HTTP/1.1, one request at a time on a connection.": "" +
		"alpn_protocols 为 %v：所有客户端都使用 HTTP/1.1，一条连接上同一时刻只有一个请求。",

	// HAProxy
	"Each client of %s has connections of its own to the servers.": "" +
		"%s 的每个客户端各自使用到服务器的连接。",
	"max-reuse %d lets %d requests go over a connection, which is not below nginx's default of %d.": "" +
		"max-reuse %d 允许一条连接承载 %d 个请求，不低于 nginx 的默认值 %d。",
	"Server %s speaks HTTP/2 and has no max-reuse: where it is nginx, its GOAWAY refuses requests" +
		" that HAProxy had sent.": "" +
		"服务器 %s 使用 HTTP/2，又没有 max-reuse：如果它是 nginx，HAProxy 已经发出的请求会被它的 GOAWAY 拒绝。",
	"retry-on sends most of them again, not all.": "" +
		"retry-on 会重发其中大部分，但不是全部。",
	"%s 0 of server %s: every request dials.": "" +
		"服务器 %[2]s 的 %[1]s 0：每个请求都要建连。",
	"pool-max-conn of server %s is %d, for %d requests in flight.": "" +
		"服务器 %s 的 pool-max-conn 为 %d，而在途请求有 %d 个。",
	"Clients of %s speak HTTP/1.1, one request at a time on a connection.": "" +
		"%s 的客户端使用 HTTP/1.1，一条连接上同一时刻只有一个请求。",
	"%s %s has none of the three.": "%s %s 三个都没有设置。",
	"timeout http-keep-alive is not set for %s %s, so timeout http-request ends an idle connection" +
		" after %s.": "" +
		"%s %s 没有设置 timeout http-keep-alive，所以空闲连接由 timeout http-request 在 %s 之后结束。",
	"timeout http-keep-alive is not set for %s %s, so timeout client ends an idle connection after" +
		" %s.": "" +
		"%s %s 没有设置 timeout http-keep-alive，所以空闲连接由 timeout client 在 %s 之后结束。",
	"HTTP/2 clients of %s keep their connections all the same.": "" +
		"%s 的 HTTP/2 客户端仍会保持连接。",
	"HAProxy %s doesn't know %s, which came with %d.%d, and refuses the file.": "" +
		"HAProxy %s 没有 %s（自 %d.%d 起才有），会拒绝这个文件。",
	"%q is read as a number.": "%q 会被当作数字读取。",
	"After %d requests the connection is replaced. A client with %d in flight that dials once for" +
		" each of them, as Go's net/http does, opens up to %d connections then.": "" +
		"%d 个请求之后更换连接。如果客户端有 %d 个在途请求，又像 Go 的 net/http 那样各自建连，这时最多会新建 %d" +
		" 条连接。",
	"%s is %d. One client's renewal may open %d connections at once.": "" +
		"%s 为 %d。一个客户端更换连接，可能同时新建 %d 条连接。",
	"maxconn of bind %s": "bind %s 的 maxconn",
	"maxconn of %s":      "%s 的 maxconn",

	// ingress-nginx
	"Clients speak HTTP/1.1.":   "客户端使用 HTTP/1.1。",
	"keep-alive-requests is 0.": "keep-alive-requests 为 0。",
	"After %d requests nginx ends the connection. Of a client's %d in flight those above the id in" +
		" the GOAWAY are dropped, and a client like Go's net/http dials up to %d times.": "" +
		"%d 个请求之后 nginx 结束连接。客户端的 %d 个在途请求中，编号大于 GOAWAY 所带编号的会被丢弃；Go 的" +
		" net/http 这样的客户端最多会建连 %d 次。",
	"keep-alive is 0.": "keep-alive 为 0。",
	"After %d s without a request the connection ends.": "" +
		"空闲 %d s，连接就会结束。",
	"%d connections a worker, clients' and pods' together; one client's renewal may bring %d at once.": "" +
		"每个 worker 共 %d 条连接，客户端和 pod 的合计；一个客户端更换连接可能一次带来 %d 条。",
	"upstream-keepalive-connections is 0.": "" +
		"upstream-keepalive-connections 为 0。",
	"http2-max-requests %s has no effect.": "" +
		"http2-max-requests %s 不起作用。",
	"%s is no text.": "%s 不是文本。",
	"%s: %s is no string to YAML, and a ConfigMap takes nothing else.": "" +
		"%s：%s 在 YAML 里不是字符串，而 ConfigMap 只接受字符串。",
	"Earlier controllers read %s; this one doesn't.": "" +
		"更早的控制器读取 %s；这个版本不读取。",
	"The controller has no key %s.": "控制器没有 %s 这个键。",
	"Its name is %s, which is set as well, and counts.": "" +
		"正确的名称是 %s，它也有设置，并且有效。",
	"%s is nearest to it.":      "最接近的是 %s。",
	"%s in line %d isn't read.": "第 %[2]d 行的 %[1]s 不会被读取。",
	"nginx 1.19.7 and newer take keep-alive-requests for it: update the controller.": "" +
		"nginx 1.19.7 及更新版本对此采用 keep-alive-requests：请升级控制器。",
	"%s is %q, which is no whole number.": "" +
		"%s 是 %q，不是整数。",
	"%s sets %s: it stands in http{} already, and nginx refuses to have it twice.": "" +
		"%s 设置了 %s：http{} 里已经有它，重复设置会被 nginx 拒绝。",
	"%s sets %s: nginx takes it from the server for HTTP/2, so here it has no effect.": "" +
		"%s 设置了 %s：对 HTTP/2，nginx 从 server 读取它，所以写在这里不起作用。",
	"%s sets %s: it wins over the ConfigMap's value, which is the one that is listed here.": "" +
		"%s 设置了 %s：它优先于 ConfigMap 的值，而这里列出的是 ConfigMap 的值。",

	// Traefik
	"%s has no option %q: field not found.": "" +
		"%s 没有选项 %q：Traefik 会报告 \"field not found\"。",
	"%s came with Traefik 2.11; %s doesn't know it: field not found.": "" +
		"%s 自 Traefik 2.11 起才有；%s 没有这个选项，会报告 \"field not found\"。",
	"%s is %q, which is no number.": "%s 是 %q，不是数字。",
	"After %d requests the connection is replaced. Of a client's %d in flight those that reach" +
		" Traefik after the GOAWAY are dropped, and a client like Go's net/http dials up to %d times.": "" +
		"%d 个请求之后更换连接。客户端的 %d 个在途请求中，在 GOAWAY 之后到达 Traefik 的会被丢弃；Go 的 net/http" +
		" 这样的客户端最多会建连 %d 次。",
	"With the first request after %s the connection ends, and what else is on its way with it.": "" +
		"%s 之后的第一个请求会结束连接，正在途中的其他请求也随之丢失。",
	"%s is %q, which is no duration.": "%s 是 %q，不是时长。",
	"maxIdleConnsPerHost is %d, for %d requests in flight.": "" +
		"maxIdleConnsPerHost 为 %d，而在途请求有 %d 个。",
	"serversTransport %s speaks HTTP/2 with servers that offer it.": "" +
		"serversTransport %s 对支持的服务器使用 HTTP/2。",
}
