package translations

// chineseDecodeChanges are the changes that decode alone offers.
var chineseDecodeChanges = map[Phrase]string{

	// for whom, and where
	"client":                       "客户端",
	"the client":                   "客户端",
	"the server":                   "服务器",
	"client or server":             "客户端或服务器",
	"the client or the proxy":      "客户端或代理",
	"the client or the server":     "客户端或服务器",
	"the side that sent the error": "发送错误的一方",
	"a report to its project, with the frames of a connection's end": "" +
		"向其项目提交报告，附上连接结束时的帧",
	"its log at the time of the error, and that of a server behind it": "" +
		"出错时刻它的日志，以及后面服务器的日志",
	"its deadline":    "它的期限设置",
	"around the call": "包住这次调用",
	"the address, the port and the protocol of the client": "" +
		"客户端的地址、端口和协议",
	"its address and port of the server": "其中服务器的地址和端口",
	"certificates, TLS versions and ALPN": "" +
		"证书、TLS 版本和 ALPN",
	"in around the call": "包住这次调用",
	"in a report to its project, with the frames of a connection's end": "" +
		"用于向其项目提交报告，附上连接结束时的帧",

	// what to do, where it is no configuration line
	"send it again, once, on a new connection": "" +
		"在新连接上重发一次",
	"a new client object every 250 calls: a quarter of keepalive_requests 1000": "" +
		"每 250 次调用换一个新的客户端对象：keepalive_requests 1000 的四分之一",
	"OkHttp 3.14 or newer":       "OkHttp 3.14 或更高版本",
	"a JDK that has JDK-8335181": "包含 JDK-8335181 的 JDK",
	"a semaphore of 100 permits around HttpClient.send": "" +
		"用 100 个许可的信号量包住 HttpClient.send",
	"catch (RetryableRequestException e) → send the request again": "" +
		"catch (RetryableRequestException e) → 重发请求",
	"retry what fails with HttpClosedException or Http2Exception that says GOAWAY": "" +
		"以 HttpClosedException 或提到 GOAWAY 的 Http2Exception 失败的请求，重试",
	"grpc-java 1.54.2 or newer": "grpc-java 1.54.2 或更高版本",
	"a new session every 900 requests, below keepalive_requests 1000": "" +
		"每 900 个请求换一个新的会话，低于 keepalive_requests 1000",
	"a new Agent every 900 requests; close() the old one": "" +
		"每 900 个请求换一个新的 Agent；对旧的调用 close()",
	"fewer requests queued at once, or HTTP/1.1": "" +
		"减少同时排队的请求，或改用 HTTP/1.1",
	"a new transport every 900 requests, below keepalive_requests 1000": "" +
		"每 900 个请求换一个新的 transport，低于 keepalive_requests 1000",
	"catch (HttpRequestException) → send an idempotent request again": "" +
		"catch (HttpRequestException) → 请求幂等时重发",
	"a version after vespa-engine/vespa#26869": "" +
		"vespa-engine/vespa#26869 之后的版本",
	"again(() => fetch(url, options)) where err.cause.code is 'UND_ERR_INFO' and says GOAWAY": "" +
		"again(() => fetch(url, options))，条件是 err.cause.code 为 'UND_ERR_INFO' 且提到 GOAWAY",
	"session.on('goaway', () => { current = undefined }) // then connect() for the next request": "" +
		"session.on('goaway', () => { current = undefined }) // 下一个请求再调用 connect()",

	// why
	"an error code is no limit: the frame that caused it decides whose defect it is": "" +
		"错误码不代表上限：引起它的那一帧决定是谁的缺陷",
	"shows whether one request alone fails too: then its handler or a proxy's limit ended it": "" +
		"看单独一个请求是否也失败：如果是，结束它的是处理程序或代理的上限",
	"shows how long the server takes; a deadline shorter than that ends every call": "" +
		"看服务器需要多长时间；期限比它短，每次调用都会失败",
	"only if it was certainly not executed or is idempotent: a connection can end at any time": "" +
		"只重发肯定没有执行的或幂等的请求：连接随时可能结束",
	"one side may speak HTTP/2 where the other expects HTTP/1.1 or TLS: the line shows what ALPN" +
		" agrees on": "" +
		"可能一方使用 HTTP/2，另一方期待 HTTP/1.1 或 TLS：这条命令显示 ALPN 商定的协议",
	"shows whether the name resolves, the port is open and the server listens": "" +
		"看域名能否解析、端口是否开放、服务器是否在监听",
	"shows the versions, the certificate and the protocol that ALPN agreed on": "" +
		"显示版本、证书和 ALPN 商定的协议",
	"for what may be sent twice": "用于可以发送两次的请求",
	"with curl_easy_reset between transfers": "" +
		"在两次传输之间调用 curl_easy_reset",
	"http.NewRequest sets it for bytes.Reader, bytes.Buffer and strings.Reader": "" +
		"对 bytes.Reader、bytes.Buffer 和 strings.Reader，http.NewRequest 会自动设置",
	"one dial at a renewal instead of one for each waiting request (up to 128 requests in flight)": "" +
		"更换连接时只建一条连接，而不是每个等待的请求各建一条（在途请求不超过 128 个时）",
	"HTTP/1.1 instead of HTTP/2: each connection carries one request at a time": "用 HTTP/1.1 代替 HTTP/2：每条连接同一时刻只承载一个请求",
	"originRequest in its configuration: HTTP/1.1 to the origin": "" +
		"配置中的 originRequest：对源站使用 HTTP/1.1",
	"a newer version retries POSTs after a GOAWAY": "" +
		"较新的版本在 GOAWAY 之后会重试 POST",
	"a retry above net/http; x/net since September 2022 closes such connections in order" +
		" (golang/go#39752)": "" +
		"在 net/http 之上重试；自 2022 年 9 月起，x/net 会正常关闭这样的连接（golang/go#39752）",
	"x/net dials once at a time; Go 1.27: -tags http2legacy": "" +
		"x/net 同一时刻只建一条连接；Go 1.27：-tags http2legacy",
	"retryableStatusCodes UNAVAILABLE, for calls that may run twice; docs/clients.md has the complete policy": "" +
		"retryableStatusCodes 为 UNAVAILABLE，用于可以执行两次的调用；完整的策略见 docs/clients.md",
	"the default; requests survive, and each renewal dials many connections": "" +
		"默认值；请求不会丢失，但每次更换连接都要建立许多连接",
	"docs/clients.md has the code": "代码见 docs/clients.md",
	"with as many pooled connections as threads": "" +
		"连接池的连接数与线程数相同",
	"3.4 with retries executes some requests twice (docs/clients.md)": "" +
		"3.4 打开重试时，有些请求会执行两次（docs/clients.md）",
	"it retries streams above the last id; the lab's JDK 25 lost nothing and still dialled too often": "" +
		"它会重试编号大于 last-stream-id 的流；实验中的 JDK 25 没有丢失请求，但建连仍然过多",
	"below the server's streams": "低于服务器允许的并发流数",
	"the classic client, HTTP/1.1; setMaxConnPerRoute needs the number of threads": "" +
		"经典客户端，HTTP/1.1；setMaxConnPerRoute 要设为线程数",
	"on its MultiplexConnectionPool, below the server's limit": "" +
		"在它的 MultiplexConnectionPool 上设置，低于服务器的上限",
	"and reactor-netty 1.0.22 or newer": "并且使用 reactor-netty 1.0.22 或更高版本",
	"2 × maxConnections by default":     "默认为 2 × maxConnections",
	"as a RetryingClient decorator":     "作为 RetryingClient 装饰器",
	"the transparent retry tries once only; docs/clients.md has the complete policy": "" +
		"透明重试只尝试一次；完整的策略见 docs/clients.md",
	"as a channel option, for calls that may run twice": "" +
		"作为 channel 选项，用于可以执行两次的调用",
	"and again what fails with REFUSED_STREAM; docs/clients.md has the code": "" +
		"并重发以 REFUSED_STREAM 失败的请求；代码见 docs/clients.md",
	"retryableStatusCodes UNAVAILABLE": "retryableStatusCodes 为 UNAVAILABLE",
	"it connects again; with plugin(:retries) for idempotent requests": "" +
		"它会重新连接；幂等的请求可以加上 plugin(:retries)",
	"on SocketsHttpHandler; MaxConnectionsPerServer isn't applied to HTTP/2": "" +
		"在 SocketsHttpHandler 上设置；MaxConnectionsPerServer 对 HTTP/2 不起作用",
	"it retires a connection after its GOAWAY": "" +
		"收到 GOAWAY 之后，它不再使用这条连接",
	"it then retries what the server did not process": "" +
		"之后它会重试服务器没有处理的请求",
	"docs/clients.md has the class": "这个类见 docs/clients.md",
	"with limits as high as the number of requests in flight": "" +
		"limits 设为在途请求数",
	"for threads, which h2 doesn't support": "" +
		"用于多线程，h2 不支持多线程",
	"reqwest 0.13, for bodies that can be sent again": "" +
		"reqwest 0.13，用于可以重发的请求体",
	"a retry where h2's error is remote and is_go_away(); docs/clients.md has the code": "" +
		"h2 的错误来自对端且满足 is_go_away()，则重试；代码见 docs/clients.md",
	"the same for hyper-util's client": "hyper-util 的客户端同理",
	"the exception doesn't say whether the server processed the request": "" +
		"异常没有说明服务器是否处理了请求",
	"hyper 1.9 and newer": "hyper 1.9 及更高版本",
	"fewer at once":       "减少并发",
	"in upstream {}: below the upstream's idle time-out (Apache: 5s)": "" +
		"写在 upstream {} 里：低于上游的空闲超时（Apache：5s）",
	"idempotent requests are then sent to another server": "" +
		"幂等的请求会改发到另一台服务器",
	"no HTTP/2 to the upstream, no GOAWAY": "" +
		"对上游不使用 HTTP/2，就没有 GOAWAY",
	"each proxied request uses two connections": "" +
		"每个代理的请求占用两条连接",
	"the default; a smaller value refuses early bodies": "" +
		"默认值；太小会拒绝提前到达的请求体",
	"in the cluster: below the upstream's limit": "" +
		"写在集群（cluster）里：低于上游的上限",
	"with circuit_breakers max_retries 1024": "" +
		"同时设置 circuit_breakers 的 max_retries 1024",
	"in place of http2_protocol_options": "代替 http2_protocol_options",
	"or a hey, k6 or Go built after November 2021: older ones reset finished streams": "" +
		"或者使用 2021 年 11 月之后构建的 hey、k6 或 Go：更早的会重置已完成的流",
}
