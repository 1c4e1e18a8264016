package translations

// chineseDecodeRules are what decode says of each kind of event.
var chineseDecodeRules = map[Phrase]string{

	// titles
	"GOAWAY: the server did not process the request": "" +
		"GOAWAY：服务器没有处理这个请求",
	"GOAWAY, and the connection closed before the answer": "" +
		"收到 GOAWAY，连接在响应之前关闭",
	"GOAWAY: the connection ends in order": "" +
		"GOAWAY：连接正常结束",
	"GOAWAY announced: the first of two stages": "" +
		"GOAWAY 预告：两阶段中的第一阶段",
	"the client did not send the request": "" +
		"客户端没有发出这个请求",
	"GOAWAY with INTERNAL_ERROR and no debug data": "" +
		"GOAWAY 带 INTERNAL_ERROR，没有调试数据",
	"ENHANCE_YOUR_CALM: the server objects to what the client sends": "" +
		"ENHANCE_YOUR_CALM：服务器不接受客户端发送的内容",
	"the connection ended with an HTTP/2 error": "" +
		"连接因 HTTP/2 错误而结束",
	"REFUSED_STREAM: the request was not processed": "" +
		"REFUSED_STREAM：请求没有处理",
	"CANCEL: one side gave the stream up": "" +
		"CANCEL：一方放弃了这个流",
	"the stream was reset": "流被重置",
	"the connection closed or failed under the request": "" +
		"请求进行中，连接关闭或中断",
	"the client's HTTP/2 state failed after a GOAWAY": "" +
		"GOAWAY 之后，客户端的 HTTP/2 状态出错",
	"no connection was made": "没有建立连接",
	"TLS failed":             "TLS 失败",
	"a limit on this side refused the request": "" +
		"请求被本侧的上限拒绝",
	"frames or headers that HTTP/2 doesn't allow": "" +
		"HTTP/2 不允许的帧或头部",
	"the caller gave up": "调用方放弃了",
	"no answer in time":  "没有及时得到响应",
	"the client ended the connection: too many resets": "" +
		"客户端结束了连接：重置过多",
	"GOAWAY, and the client sends the request again": "" +
		"收到 GOAWAY，客户端自动重发请求",
	"the client makes no new connection": "客户端不再建立新连接",
	"a server's log: it ends, reloads or reaches a limit": "" +
		"服务器日志：退出、重新加载或达到上限",
	"a server's log: GOAWAY was sent": "服务器日志：发送了 GOAWAY",
	"a server's log: a request was discarded after GOAWAY": "" +
		"服务器日志：GOAWAY 之后丢弃了一个请求",
	"a server's log: a flood of frames": "服务器日志：帧泛滥（flood）",
	"a server's log: no free connections": "" +
		"服务器日志：没有空闲连接",
	"a server's log: a client left during the TLS handshake": "" +
		"服务器日志：客户端在 TLS 握手期间离开",
	"a server's log: a directive without effect": "" +
		"服务器日志：不起作用的指令",
	"an HTTP status in place of the answer": "" +
		"没有得到应有的响应，却得到一个 HTTP 状态码",
	"a gRPC message is too large":     "gRPC 消息过大",
	"known, and not caused by HTTP/2": "已知，与 HTTP/2 无关",
	"something else: another protocol, an error of the service's own, or no failure": "" +
		"其他情况：别的协议、服务自身的错误，或没有故障",
	"a connection error without a sign of HTTP/2 or gRPC": "" +
		"连接错误，看不出与 HTTP/2 或 gRPC 有关",
	"several causes have this text": "多种原因都会产生这段文字",
	"unknown: the text doesn't say what happened": "" +
		"未知：文字没有说明发生了什么",
	"perhaps: %s": "可能是：%s",
	"the service answered with a status of its own": "服务返回了自己的状态",

	// what happened
	"The server ended the connection with GOAWAY, whose last stream id was below this request's" +
		" stream. The request was already sent, and the server discarded it.": "" +
		"服务器用 GOAWAY 结束了连接，它的 last-stream-id 小于这个请求的流编号。请求当时已经发出，被服务器丢弃。",
	"The server ended the connection with GOAWAY and closed it before it answered this request, whose" +
		" stream it had accepted.": "" +
		"服务器用 GOAWAY 结束了连接；这个请求的流它已经接收，却在响应之前就关闭了连接。",
	"One side told the other to open no more streams on this connection. Requests above the last" +
		" stream id are not processed; the others are finished.": "" +
		"一方通知另一方不要再在这条连接上开新流。编号大于 last-stream-id 的请求不会处理，其余的会处理完。",
	"The server announced the end of the connection: last stream id 2147483647 excludes no stream. It" +
		" serves on until it names a real id. Envoy, H2O, nghttpx and gRPC servers do that; nginx and" +
		" Go's server don't.": "" +
		"服务器预告连接即将结束：last-stream-id 2147483647 没有排除任何流。在它给出真实编号之前，服务照常。Envo" +
		"y、H2O、nghttpx 和 gRPC 服务器是这种做法；nginx 和 Go 的服务器不是。",
	"The client's connection had ended or was ending, and the client opened no stream for this" +
		" request.": "" +
		"客户端的连接已经结束或正在结束，客户端没有为这个请求打开流。",
	"The server met an internal error and doesn't name it. nghttp2 (in Envoy, Node and Apache) ends" +
		" connections so when a client resets too many streams: 1000 at once, 33 more each second," +
		" against CVE-2023-44487. Go clients built before November 2021, such as Debian's hey, reset" +
		" complete streams and reach that after some 50,000 requests.": "" +
		"服务器遇到内部错误，但没有说明是什么。客户端重置的流过多时，nghttp2（Envoy、Node 和 Apache" +
		" 使用）会这样结束连接：一次最多 1000 个，此后每秒 33 个，用来防范 CVE-2023-44487。2021 年 11" +
		" 月之前构建的 Go 客户端，例如 Debian 的 hey，会重置已完成的流，大约 50,000" +
		" 个请求之后就会达到这个数量。",
	"The server ended the connection because of the client's pings, resets or streams: there were" +
		" more than its limit permits. The debug data says which, if there is any.": "" +
		"服务器结束连接，是因为客户端的 PING、重置或流超过了它允许的数量。如果有调试数据，里面写明是哪一种。",
	"One side found an error and ended the connection. No request limit does that: limits end" +
		" connections with NO_ERROR.": "" +
		"一方发现错误，结束了连接。这不是请求数上限所致：达到上限时，连接以 NO_ERROR 结束。",
	"The stream was refused before the application saw it: by the peer, which had too many streams," +
		" or by the client's own library for streams above a GOAWAY's last id. nginx sends it for more" +
		" than http2_max_concurrent_streams (128), never for its request limit.": "" +
		"流在到达应用之前就被拒绝：或者是对端，因为流太多；或者是客户端自己的库，因为编号大于 GOAWAY 的" +
		" last-stream-id。nginx 只在超过 http2_max_concurrent_streams（128）时发送它，达到请求数上限时从不发送" +
		"。",
	"The stream was reset with CANCEL. Clients do that when the caller gives up or its time runs out;" +
		" servers and proxies when the request is no longer of use to them.": "" +
		"流被 CANCEL 重置。调用方放弃或超时，客户端会这样做；请求对服务器或代理不再有用时，它们也会这样做。",
	"One request's stream was reset; the connection may go on. No request limit does that by itself.": "" +
		"一个请求的流被重置；连接可能继续使用。请求数上限本身不会造成这种情况。",
	"The connection ended while the request was open or as it was sent: an end in order, a time-out," +
		" a reload, a crash or the network. The text doesn't say which.": "" +
		"请求尚未完成或正在发送时，连接结束了：可能是正常结束、超时、重新加载、崩溃或网络故障。文字没有说明是哪" +
		"一种。",
	"The client's HTTP/2 library was closed by a GOAWAY while other requests still used it, and" +
		" discarded the answers that the server was sending.": "" +
		"其他请求还在使用连接时，GOAWAY 使客户端的 HTTP/2 库进入关闭状态，服务器正在发送的响应被它丢弃。",
	"The client or the proxy did not reach the server: nothing was sent.": "" +
		"客户端或代理没有连上服务器：什么也没有发出。",
	"Client and server did not agree on TLS, or one refused the other's certificate.": "" +
		"客户端和服务器没有就 TLS 达成一致，或者一方拒绝了另一方的证书。",
	"The client's or the proxy's own limit was reached: a pool, a queue, a circuit breaker or the" +
		" streams that the connection may have at once. Behind a request limit that happens at renewals," +
		" when all wait.": "" +
		"达到了客户端或代理自己的上限：连接池、队列、熔断器，或一条连接同时允许的流数。如果前面有请求数上限，这" +
		"种情况出现在更换连接时，因为所有请求都在等待。",
	"One side received what the protocol doesn't allow: malformed frames or headers, lost header" +
		" compression, or another protocol than it expects. No request limit does that.": "" +
		"一方收到了协议不允许的内容：格式错误的帧或头部、头部压缩状态不一致，或者与预期不同的协议。这不是请求数" +
		"上限所致。",
	"The program or the user that wanted the answer ended the call itself. The server may have worked" +
		" on it.": "" +
		"等待响应的程序或用户自己结束了调用。服务器可能已经在处理。",
	"A deadline passed before the answer came: the server was slow, or the connection was dead" +
		" without a sign of it.": "" +
		"响应到达之前，期限已过：服务器太慢，或者连接已经失效却没有任何迹象。",
	"The client's library counted more reset streams than it allows and closed the connection itself" +
		" (GOAWAY from the client).": "" +
		"被重置的流超过了客户端库允许的数量，它自己关闭了连接（GOAWAY 由客户端发出）。",
	"The server had not processed the request, and the client retries it by itself. Nothing is lost;" +
		" each line is a request that needed a new connection.": "" +
		"服务器没有处理这个请求，客户端会自动重试。没有丢失任何请求；每一行对应一个需要新连接的请求。",
	"The program's connection ended and it never opens another: the rest of its requests fail. That" +
		" is a limit of the tool.": "" +
		"程序的连接结束后不再建立新的连接，其余请求全部失败。这是该工具本身的局限。",
	"A server reports about itself or its connections; the line is about no request that failed.": "" +
		"服务器在记录它自己或它的连接；这一行与失败的请求无关。",
	"The server ended an HTTP/2 connection. With error 0 the reason is the request limit, the" +
		" connection's age, an idle time-out or a reload.": "" +
		"服务器结束了一条 HTTP/2 连接。错误码为 0 时，原因是请求数上限、连接的存续时间、空闲超时或重新加载。",
	"nginx had sent its GOAWAY and discarded a request that the client had already sent. One such" +
		" line is one request that the client must send again; no access log shows it.": "" +
		"nginx 已经发出 GOAWAY，丢弃了客户端当时已发出的一个请求。每出现一行，就有一个请求需要客户端重发；访问" +
		"日志里看不到它。",
	"nginx ended a connection with too many frames for its requests: more than 10 ×" +
		" keepalive_requests frames without a new request, or far more bytes than payload. A very low" +
		" keepalive_requests causes it too.": "" +
		"相对于请求数，帧太多，nginx 因此结束了连接：没有新请求的帧超过 10 × keepalive_requests，或者字节数远大" +
		"于有效载荷。keepalive_requests 过低也会造成这种情况。",
	"nginx's worker_connections were all in use, so it closes idle connections, healthy HTTP/2 ones" +
		" among them. A stampede of reconnecting clients can cause it, and then makes it worse.": "" +
		"nginx 的 worker_connections 已经用完，于是它关闭空闲连接，其中包括正常的 HTTP/2" +
		" 连接。客户端重新建连的连接风暴可能是起因，又会使情况恶化。",
	"A connection was opened and dropped before it carried a request. Clients that dial once for each" +
		" waiting request cause that at every renewal; scanners and health checks do so too.": "" +
		"连接建立后，还没有承载请求就断开了。为每个等待的请求各建一条连接的客户端，每次更换连接都会这样；扫描器" +
		"和健康检查也会。",
	"nginx ignores this directive: HTTP/2 reads keepalive_requests, keepalive_timeout and" +
		" client_header_timeout since 1.19.7.": "" +
		"nginx 会忽略这条指令：自 1.19.7 起，HTTP/2 读取的是 keepalive_requests、keepalive_timeout 和" +
		" client_header_timeout。",
	"A proxy or a server answered with an HTTP status or a page where the client expects another" +
		" answer. The connection to it is not the cause.": "" +
		"客户端期待的是另一种响应，代理或服务器却返回了 HTTP 状态码或网页。原因不在到它的连接。",
	"A gateway gives it: its log says whether it had sent the request to a server behind it.": "" +
		"它由网关给出：网关的日志会说明请求是否已发往后面的服务器。",
	"Cloudflare got an empty or an invalid answer from the origin.": "" +
		"Cloudflare 从源站得到的响应为空或无效。",
	"Cloudflare did not reach the origin, or not in time.": "" +
		"Cloudflare 没有连上源站，或没有及时连上。",
	"Cloudflare reached the origin, which did not answer in time: it may still execute the request.": "" +
		"Cloudflare 连上了源站，但源站没有及时响应：它仍可能在执行请求。",
	"TLS between Cloudflare and the origin failed.": "Cloudflare 与源站之间的 TLS 失败。",
	"The server answered with an error of its own: the connection carried the request and the answer.": "" +
		"服务器以自己的错误作了响应：连接传送了请求和响应。",
	"A request or an answer is larger than one side accepts (4 MiB by default). Neither the" +
		" connection nor a limit on requests is the cause.": "" +
		"请求或响应超过了一方接受的大小（默认 4 MiB）。原因既不在连接，也不在请求数上限。",
	"HTTP/1.1 and other protocols have the same error, and nothing in the text is about HTTP/2. If" +
		" the client does speak HTTP/2, the answer below holds too.": "" +
		"HTTP/1.1 和其他协议也有同样的错误，文字里没有任何与 HTTP/2 有关的内容。如果客户端使用的确实是" +
		" HTTP/2，下面的结论同样成立。",
	"The text reports a failure in wording that decode doesn't know, or beside a defect of the" +
		" program. The facts below would decide.": "" +
		"文字报告了一个故障，但 decode 不认识这种写法，或者其中夹杂着程序自身的缺陷。下列事实可以帮助判断。",
	"If so: %s": "如果是这样：%s",
}
