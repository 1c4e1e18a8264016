package translations

// chineseDecodeMeansOthers are what decode's data says of the texts of other programs.
var chineseDecodeMeansOthers = map[Phrase]string{
	"The call met nginx's one-stage GOAWAY twice, and grpc-java retries transparently only once.": "" +
		"调用两次遇到 nginx 的单阶段 GOAWAY，而 grpc-java 只透明重试一次。",
	"The server had accepted the call: an AWS ALB, or a server that stopped at once.": "" +
		"服务器已经接收了调用：可能是 AWS ALB，或立即停止的服务器。",
	"grpc-java writes it for streams above the last id only; the lab counted none of 251 executed" +
		" (RFC 9113 §6.8)": "" +
		"grpc-java 只对编号大于 last-stream-id 的流给出这段文字；实验中的 251 个都没有执行（RFC 9113 §6.8）",
	"Abrupt means a GOAWAY in one stage, as nginx sends it. The stream was above the last id, and the" +
		" transparent retry was off or already used.": "" +
		"Abrupt 指单阶段的 GOAWAY，nginx 发送的就是这种。流的编号大于" +
		" last-stream-id，而透明重试被关闭或已经用过。",
	"An nginx reload, limit or time-out ended the channel's connection while the call was on it.": "" +
		"调用进行中，nginx 的重新加载、上限或超时结束了 channel 的连接。",
	"Node throws it where a stream would be opened": "" +
		"Node 在打开流的地方抛出它",
	"The program keeps a session that received a GOAWAY. Node doesn't open another one by itself.": "" +
		"程序保留着已收到 GOAWAY 的会话。Node 不会自动打开新的会话。",
	"Node throws it where a stream would be opened; the lab counted none of 75,454 executed": "" +
		"Node 在打开流的地方抛出它；实验中的 75,454 个都没有执行",
	"The program keeps a session that has ended: every further request fails.": "" +
		"程序保留着已经结束的会话：之后的每个请求都会失败。",
	"Node gives NGHTTP2_REFUSED_STREAM to streams above a GOAWAY's last id.": "" +
		"对编号大于 GOAWAY 的 last-stream-id 的流，Node 给出 NGHTTP2_REFUSED_STREAM。",
	"The session got a GOAWAY with a code that is an error; Node prints the code's number.": "" +
		"会话收到的 GOAWAY 带有表示错误的错误码；Node 打印它的编号。",
	"The stream had not been opened yet when its session ended.": "" +
		"会话结束时，流还没有打开。",
	"in the lab all 8 with UND_ERR_SOCKET were executed and none of 427 with UND_ERR_INFO; other" +
		" texts don't distinguish them": "" +
		"实验中，带 UND_ERR_SOCKET 的 8 个全部已经执行，带 UND_ERR_INFO 的 427 个都没有执行；其他文字不区分二者",
	"undici fails all requests of the connection. UND_ERR_SOCKET: some were executed. UND_ERR_INFO (8" +
		" and newer): only those above the last id.": "" +
		"undici 让这条连接上的所有请求失败。UND_ERR_SOCKET：有一部分已经执行。UND_ERR_INFO（8" +
		" 及更高版本）：只有编号大于 last-stream-id 的。",
	"type 1 (HEADERS) was never sent; for other types the text proves nothing": "" +
		"类型 1（HEADERS）没有发出；其他类型，文字证明不了什么",
	"A frame could not be sent because its session had ended. Type 1 is HEADERS: the request was not" +
		" sent.": "" +
		"会话已经结束，帧无法发送。类型 1 是 HEADERS：请求没有发出。",
	"fetch-h2 before its reconnect fix fails at the 999th request or so.": "" +
		"修复重新连接之前的 fetch-h2，大约在第 999 个请求失败。",
	"Chrome tries one more connection and then shows this. It was seen with nginx 1.19.7 to 1.19.9" +
		" (limit 100) and with keepalive_timeout 0.": "" +
		"Chrome 再试一条连接，之后显示这段文字。在 nginx 1.19.7 到 1.19.9（上限 100）以及 keepalive_timeout 0" +
		" 的情况下出现过。",
	"The causes are mostly invalid headers, or a proxy that cut an answer off; a request limit is not" +
		" the cause.": "" +
		"原因多半是头部无效，或者代理截断了响应；不是请求数上限。",
	"Chrome writes it for many failures, CORS most often. With nginx 1.19.7 to 1.19.9 (limit 100 for" +
		" HTTP/2) it occurred together with ERR_HTTP2_SERVER_REFUSED_STREAM.": "" +
		"Chrome 在许多故障中都给出这段文字，最常见的是 CORS。在 nginx 1.19.7 到 1.19.9（HTTP/2 的上限为" +
		" 100）的情况下，它与 ERR_HTTP2_SERVER_REFUSED_STREAM 一起出现。",
	"Firefox itself sent the GOAWAY, because of what the server sent.": "" +
		"GOAWAY 由 Firefox 自己发出，起因是服务器发送的内容。",
	"The client closed the connection at a graceful GOAWAY, while the server was still answering the" +
		" streams that it had accepted.": "" +
		"客户端收到正常结束的 GOAWAY 就关闭了连接，而服务器还在响应它已接收的流。",
	"httpx fails all open and waiting requests, also those that the server did not accept.": "" +
		"httpx 让所有进行中和等待中的请求失败，包括服务器没有接收的。",
	".NET Core 3.0 and newer retry REFUSED_STREAM by themselves, older ones don't.": "" +
		".NET Core 3.0 及更高版本自动重试 REFUSED_STREAM，更早的版本不会。",
	"The server sent a GOAWAY. .NET Core before 3.0 aborted the streams above the last id; newer ones" +
		" retry them.": "" +
		"服务器发送了 GOAWAY。3.0 之前的 .NET Core 中止编号大于 last-stream-id 的流；更新的版本会重试。",
	"The connection ended during an HTTP/2 request. .NET 8 and older write the same text for a" +
		" GOAWAY.": "" +
		"HTTP/2 请求期间连接结束。.NET 8 及更早版本对 GOAWAY 也给出同样的文字。",
	"NIO closes streams above a GOAWAY's last id with REFUSED_STREAM, and those under way with CANCEL" +
		" when the connection goes.": "" +
		"对编号大于 GOAWAY 的 last-stream-id 的流，NIO 以 REFUSED_STREAM 关闭；连接断开时，进行中的流以 CANCEL" +
		" 关闭。",
	"The server closed the connection under the request, or a request came to one that a GOAWAY had" +
		" ended.": "" +
		"请求进行中服务器关闭了连接，或者请求用到了已被 GOAWAY 结束的连接。",
	"All requests that wait in the connection's queue fail with it.": "" +
		"在这条连接的队列里等待的请求全部以此失败。",
	"The connection had received a GOAWAY: Mint opens no more streams on it, and the answers to the" +
		" open ones still come.": "" +
		"连接已经收到 GOAWAY：Mint 不再在它上面打开流，已打开的流仍会得到响应。",
	"Mint gives refused_stream to requests above a GOAWAY's last id.": "" +
		"对编号大于 GOAWAY 的 last-stream-id 的请求，Mint 给出 refused_stream。",
	"httpx fails the request and doesn't retry. It prints the frame itself.": "" +
		"httpx 让请求失败，不重试。它打印的就是这一帧。",
	"Another request read the GOAWAY, and h2 refuses everything after it. RECV_ inputs are answers" +
		" that were discarded.": "" +
		"另一个请求读到了 GOAWAY，此后 h2 拒绝一切操作。RECV_ 开头的输入是被丢弃的响应。",
	"in the lab 48 of 115 failed requests were executed (RFC 9113 §6.8)": "" +
		"实验中，115 个失败请求有 48 个已经执行（RFC 9113 §6.8）",
	"The server closed its connection after a GOAWAY, and httpx failed the requests that it still had" +
		" on it.": "" +
		"服务器在 GOAWAY 之后关闭连接，httpx 让仍在这条连接上的请求失败。",
	"in the lab 48 of 115 failed requests were executed": "" +
		"实验中，115 个失败请求有 48 个已经执行",
	"h2 doesn't support threads: one request read the frames of another while the connection was" +
		" renewed.": "" +
		"h2 不支持多线程：更换连接时，一个请求读到了另一个请求的帧。",
	"in the lab 1 of this client's 434 failed requests was executed": "" +
		"实验中，这个客户端的 434 个失败请求有 1 个已经执行",
	"Two threads used one object. In the lab httpx's HTTP/2 failed so at a renewal, when threads" +
		" shared it; any threaded program can.": "" +
		"两个线程使用了同一个对象。实验中，多线程共用 httpx 时，它的 HTTP/2" +
		" 在更换连接时如此失败；任何多线程程序都可能这样。",
	"h2 was closed when the request's HEADERS were to be sent.": "" +
		"要发送请求的 HEADERS 时，h2 已经关闭。",
	"SEND_HEADERS is the request itself: h2 refused to send it": "" +
		"SEND_HEADERS 就是请求本身：h2 拒绝发送",
	"A table has no such key. httpcore's table of streams fails so when threads share an HTTP/2" +
		" client at a renewal; any program can.": "" +
		"表里没有这个键。多线程共用一个 HTTP/2 客户端，更换连接时 httpcore" +
		" 的流表会如此失败；任何程序都可能这样。",
	"h2 doesn't support threads: another request removed this stream while the connection was" +
		" renewed.": "" +
		"h2 不支持多线程：更换连接时，另一个请求移除了这个流。",
	"The server met a frame of a stream that it had already removed.": "" +
		"服务器收到了一个流的帧，而这个流已被它移除。",
	"h2 gives NO_ERROR to the streams that a GOAWAY ends, and hyper has discarded the request by" +
		" then, so it can't send it again.": "" +
		"h2 对 GOAWAY 结束的流给出 NO_ERROR，这时 hyper 已经丢弃了请求，无法重发。",
	"the text has no last stream id; the lab counted none of 585 and 298 such requests executed": "" +
		"文字里没有 last-stream-id；实验中这样的请求有 585 个和 298 个，都没有执行",
	"hyper discarded the request and names no cause; at a request limit it is a stream above the last" +
		" id.": "" +
		"hyper 丢弃了请求，没有说明原因；达到请求数上限时，它是编号大于 last-stream-id 的流。",
	"h2 counts the streams it resets itself (cancelled requests, broken answers) and ends the" +
		" connection at its limit.": "" +
		"h2 统计它自己重置的流（取消的请求、损坏的响应），达到上限就结束连接。",
	"hyper writes it for HTTP/1.1: a kept connection was closed while the request was sent. HTTP/2" +
		" has other texts.": "" +
		"这是 hyper 在 HTTP/1.1 下的文字：正在发送请求时，保持的连接被关闭。HTTP/2 有别的文字。",
	"nginx answered 502 and marked the peer as failed, although the upstream did not process the" +
		" request: nginx logs this only for a stream above the last id.": "" +
		"上游并没有处理请求，nginx 却返回 502，并把这个上游节点标记为失败：nginx 只对编号大于 last-stream-id" +
		" 的流记录这段文字。",
	"ngx_http_proxy_v2_process_control_frame() and the gRPC module log it only for a stream above the" +
		" last id (RFC 9113 §8.7)": "" +
		"记录它的是 gRPC 模块和 ngx_http_proxy_v2_process_control_frame()，只针对编号大于 last-stream-id" +
		" 的流（RFC 9113 §8.7）",
	"This is the only end of an HTTP/2 connection that nginx logs without debug.": "" +
		"HTTP/2 连接的结束，nginx 在 debug 级别以外只记录这一种。",
	"This is REFUSED_STREAM from nginx itself: more requests in flight on one connection than" +
		" http2_max_concurrent_streams.": "" +
		"这是 nginx 自己发出的 REFUSED_STREAM：一条连接上的在途请求超过了 http2_max_concurrent_streams。",
	"Envoy treats streams above an upstream's last id as refused, doesn't retry them by itself, and" +
		" answers 503.": "" +
		"编号大于上游 last-stream-id 的流，Envoy 视为被拒绝，不会自动重试，返回 503。",
	"Flag UPE: the upstream violated the protocol, or sent a GOAWAY with an error.": "" +
		"标志 UPE：上游违反了协议，或者发送了带错误的 GOAWAY。",
	"Envoy's upstream ended the connection or the stream: flags UC (connection), UR (stream), UF" +
		" (connect), URX (no retries left). HTTP/1.1 upstreams cause the same text.": "" +
		"Envoy 的上游结束了连接或流：标志 UC（连接）、UR（流）、UF（建立连接）、URX（重试次数用尽）。HTTP/1.1" +
		" 的上游也会产生同样的文字。",
	"Flag DPE: Envoy's nghttp2 ended a client's connection with an error. If the counter" +
		" http2.rx_reset is at 1000 + 33 a second, it is the limit on resets; other floods have the same" +
		" text.": "" +
		"标志 DPE：Envoy 的 nghttp2 以错误结束了客户端的连接。如果计数器 http2.rx_reset 达到 1000 外加每秒" +
		" 33，就是重置次数的上限；其他帧泛滥也有同样的文字。",
	"Flag DPE: Envoy ended the stream or the connection for what the client sent.": "" +
		"标志 DPE：Envoy 因为客户端发送的内容结束了流或连接。",
	"Flag UPE: the upstream violated the protocol; DPE: the client did. %RESPONSE_CODE_DETAILS% has" +
		" the details.": "" +
		"标志 UPE：上游违反了协议；DPE：客户端违反了协议。详情见 %RESPONSE_CODE_DETAILS%。",
	"Flag UC: the upstream's connection closed; UR: its stream was reset; URX: no retries were left." +
		" %RESPONSE_CODE_DETAILS% has the details.": "" +
		"标志 UC：上游的连接关闭；UR：它的流被重置；URX：重试次数用尽。详情见 %RESPONSE_CODE_DETAILS%。",
	"A client opened more streams than tune.h2.fe.max-total-streams and the streams it may have at" +
		" once.": "" +
		"客户端打开的流超过了 tune.h2.fe.max-total-streams 加上它可以同时打开的流数。",
	"Vespa's server limits the requests on a connection; newer versions announce the end in two" +
		" stages.": "" +
		"Vespa 的服务器限制单条连接的请求数；较新的版本分两阶段预告结束。",
	"A kept HTTP/1.1 connection was closed while the request was sent: the same race as with GOAWAY," +
		" without HTTP/2's guarantees.": "" +
		"正在发送请求时，保持的 HTTP/1.1 连接被关闭：与 GOAWAY 是同样的竞争，但没有 HTTP/2 的保证。",
	"The connection closed before the answer was complete. The client writes that for HTTP/1.1 and" +
		" for HTTP/2.": "" +
		"响应还不完整，连接就关闭了。客户端在 HTTP/1.1 和 HTTP/2 下都给出这段文字。",
	"The upstream closed an HTTP/1.x or FastCGI connection without an answer. It has no GOAWAY.": "" +
		"上游没有响应就关闭了 HTTP/1.x 或 FastCGI 连接。这些协议没有 GOAWAY。",
	"A WebSocket was closed; that is HTTP/1.1's Upgrade and has its own close codes.": "" +
		"WebSocket 被关闭；它由 HTTP/1.1 的 Upgrade 而来，有自己的关闭码。",
	"A call of a client program neither succeeded nor failed before the lab's time-out. httpx shared" +
		" by threads does that after a GOAWAY; the text is the lab's own.": "" +
		"客户端程序的一次调用在实验的超时之前既没有成功也没有失败。多线程共用的 httpx 在 GOAWAY" +
		" 之后会这样；这段文字是实验自己的。",
	"The lab could not reset or read the counters of a service that it tests. It asks for them over" +
		" HTTP/1.1.": "" +
		"实验无法重置或读取被测服务的计数器。它通过 HTTP/1.1 读取。",
	"A program used more memory than it may and was ended; its connections ended with it.": "" +
		"程序用的内存超过限制，被终止；它的连接也随之结束。",
	"The test tool counted answers whose status is no success. Each of these requests was answered;" +
		" the tool doesn't say with which status.": "" +
		"压测工具统计了状态码不表示成功的响应。这些请求都得到了响应；工具没有说明状态码是什么。",
	"The server answered; the request was executed or judged. A GOAWAY leaves no status.": "" +
		"服务器作出了响应；请求已经执行，或者已被判定。GOAWAY 不会带来状态码。",
	"there is an answer":             "已有响应",
	"The text has the status alone.": "文字里只有状态码。",
	"The program reads an answer that it has closed itself.": "" +
		"程序读取的是它自己已经关闭的响应。",
}
