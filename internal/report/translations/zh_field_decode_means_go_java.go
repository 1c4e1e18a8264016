package translations

// chineseDecodeMeansGoJava are what decode's data says of the texts of curl, Go and Java.
var chineseDecodeMeansGoJava = map[Phrase]string{
	"Each of curl's tries met a connection that was ending. Parallel transfers at a request limit do" +
		" that.": "" +
		"curl 每次尝试遇到的都是正在结束的连接。并行传输达到请求数上限时就会这样。",
	"curl counts connections, not requests; none of the lab's 36 and 38 was executed": "" +
		"curl 统计的是连接而不是请求；实验中的 36 个和 38 个都没有执行",
	"The HTTP/2 session had ended when curl used it; a GOAWAY is the usual reason.": "" +
		"curl 使用 HTTP/2 会话时它已经结束，通常是因为 GOAWAY。",
	"the text has neither proof of RFC 9113 §8.7": "" +
		"文字里没有 RFC 9113 §8.7 的两种证据之一",
	"REFUSED_STREAM is how curl's nghttp2 names streams above a GOAWAY's last id. Without a code the" +
		" connection ended under the transfer.": "" +
		"curl 的 nghttp2 用 REFUSED_STREAM 称呼编号大于 GOAWAY 的 last-stream-id" +
		" 的流。没有错误码时，说明传输中途连接结束了。",
	"curl wrote to a connection that had ended. HTTP/1.1 has the same text.": "" +
		"curl 向已经结束的连接写入。HTTP/1.1 也有同样的文字。",
	"The connection broke while curl read. In parallel HTTP/2 transfers a GOAWAY may be behind it;" +
		" the text names neither.": "" +
		"curl 读取时连接中断。并行的 HTTP/2 传输中，原因可能是 GOAWAY；文字没有提到任何一种。",
	"curl's own trace of the frame.": "curl 自己对这一帧的跟踪记录。",
	"h2load -c 1 opens one connection only; after the server's limit all its requests are errored.": "" +
		"h2load -c 1 只建立一条连接；达到服务器的上限之后，它的请求全部计为 errored。",
	"Go retries such requests, but this one's body was already read, and without GetBody it can't be" +
		" read again.": "" +
		"Go 会重试这样的请求，但这个请求的请求体已经读过，没有 GetBody 就不能再读一遍。",
	"cloudflared streams the body, so Go can't send it again: its callers receive 502 or 524.": "" +
		"cloudflared 以流的方式传送请求体，Go 无法重发：它的调用方会收到 502 或 524。",
	"Newer versions of k6 set GetBody, so Go retries; this one doesn't.": "" +
		"较新的 k6 会设置 GetBody，Go 因此能够重试；这个版本没有。",
	"Go lost the connection before it wrote the request, and the body it had begun to read can't be" +
		" read again.": "" +
		"Go 在写出请求之前失去了连接，而已经开始读取的请求体不能再读一遍。",
	"net/http writes it only for requests that were not written or not processed": "" +
		"net/http 只对没有写出或没有处理的请求给出这段文字",
	"Go doesn't retry it, because the server had accepted the stream. Behind an AWS ALB it occurs" +
		" when the connection reaches its age.": "" +
		"服务器已经接收了这个流，所以 Go 不重试。在 AWS ALB 后面，连接达到最长存续时间时会出现。",
	"Go aborts the streams above the last id and retries those it can.": "" +
		"Go 中止编号大于 last-stream-id 的流，并重试其中能够重试的。",
	"The pool handed out a connection that was ending.": "" +
		"连接池给出的是一条正在结束的连接。",
	"A health check's PING was not answered, or reading failed.": "" +
		"健康检查的 PING 没有得到响应，或者读取失败。",
	"The server was slow, or the request sat in a connection that had died. No GOAWAY is named.": "" +
		"服务器太慢，或者请求停留在已经失效的连接上。文字没有提到 GOAWAY。",
	"Go names the stream and the code; 'received from peer' says that the server reset it.": "" +
		"Go 写明了流和错误码；\"received from peer\" 表示由服务器重置。",
	"grpc-go retries calls that the server can't have seen; this one it could not retry.": "" +
		"服务器不可能见到的调用，grpc-go 会重试；这一个它无法重试。",
	"The connection had received a GOAWAY, and the call got no stream on it.": "" +
		"连接已经收到 GOAWAY，调用没有在它上面得到流。",
	"The transport closed during the call. If 'received prior goaway' follows, a GOAWAY came first.": "" +
		"调用期间传输层关闭。如果后面有 \"received prior goaway\"，说明之前收到过 GOAWAY。",
	"A handler wrote to a stream that its client had already closed.": "" +
		"处理程序向客户端已经关闭的流写入。",
	"The program itself closed the body of an answer and read on.": "" +
		"程序自己关闭了响应体，又继续读取。",
	"OkHttp closes streams above a GOAWAY's last id as REFUSED_STREAM, and its retry on another" +
		" connection was off or had been used up.": "" +
		"OkHttp 以 REFUSED_STREAM 关闭编号大于 GOAWAY 的 last-stream-id" +
		" 的流；它在另一条连接上的重试被关闭，或者已经用过。",
	"REFUSED_STREAM is a stream above the last id. CANCEL: OkHttp cancelled all streams of the" +
		" connection; the lab saw some of them executed.": "" +
		"REFUSED_STREAM 是编号大于 last-stream-id 的流。CANCEL：OkHttp" +
		" 取消了这条连接上的全部流；实验中有一部分已经执行。",
	"The call got a connection that a GOAWAY had ended in between.": "" +
		"调用拿到的连接，此前已被 GOAWAY 结束。",
	"OkHttp throws it where a stream would be opened; the lab counted none executed": "" +
		"OkHttp 在打开流的地方抛出它；实验中没有一个已经执行",
	"OkHttp 3.4 throws it for a connection that a GOAWAY ended. Without okhttp3 in the stack trace it" +
		" has many other causes.": "" +
		"连接被 GOAWAY 结束时，OkHttp 3.4 抛出它。如果调用栈里没有 okhttp3，还可能有许多其他原因。",
	"in the lab 82 of this client's 746 failed requests were executed": "" +
		"实验中，这个客户端的 746 个失败请求有 82 个已经执行",
	"The JDK failed every request of the connection, those below the last id too. Maven, Tycho and" +
		" others download through it.": "" +
		"JDK 让这条连接上的所有请求失败，包括编号小于 last-stream-id 的。Maven、Tycho 等通过它下载。",
	"in the lab 7 of 384 failed requests were executed, as streams at or below the last id may be" +
		" (RFC 9113 §6.8)": "" +
		"实验中，384 个失败请求有 7 个已经执行：编号不大于 last-stream-id 的流可能如此（RFC 9113 §6.8）",
	"The client removed a stream that its connection did not have (WindowController.removeStream):" +
		" the connection ended while the stream was being registered. That is an error of the library;" +
		" InternalError is Java's class, not HTTP/2's code. The text doesn't say why the connection" +
		" ended.": "" +
		"客户端移除了连接上不存在的流（WindowController.removeStream）：流正在登记时，连接结束了。这是库的错误" +
		"；InternalError 是 Java 的类，不是 HTTP/2 的错误码。文字没有说明连接为什么结束。",
	"the text doesn't say whether the request left before the connection ended": "" +
		"文字没有说明请求是否在连接结束之前发出",
	"The connection closed while the client waited for the server's frames.": "" +
		"客户端等待服务器的帧时，连接关闭。",
	"The client had more requests in flight than the server's SETTINGS_MAX_CONCURRENT_STREAMS (nginx:" +
		" 128).": "" +
		"客户端的在途请求超过了服务器的 SETTINGS_MAX_CONCURRENT_STREAMS（nginx：128）。",
	"The connection was ended by a GOAWAY before the request went out.": "" +
		"请求发出之前，连接已被 GOAWAY 结束。",
	"Apache throws this class only for requests that it did not send": "" +
		"Apache 只对没有发出的请求抛出这个类",
	"in the lab some of these requests were executed (25 of 440, 51 of 263)": "" +
		"实验中，这样的请求有一部分已经执行（440 个中 25 个，263 个中 51 个）",
	"A connection was used after it had closed. In the lab Apache 5 and Jetty 12 end this way at a" +
		" GOAWAY; any Java program may for other reasons.": "" +
		"连接关闭之后又被使用。实验中，Apache 5 和 Jetty 12 遇到 GOAWAY 时如此；其他 Java 程序可能另有原因。",
	"in the lab some of these requests were executed (25 of 440, 4 of 248)": "" +
		"实验中，这样的请求有一部分已经执行（440 个中 25 个，248 个中 4 个）",
	"The class means that the request may be sent again; Jetty leaves that to the caller.": "" +
		"这个类表示请求可以重发；Jetty 把重发留给调用方。",
	"Jetty's HTTP/2 client throws it when it opens a stream on a session that a GOAWAY ended; then" +
		" nothing was sent. Without org.eclipse.jetty in the trace it can be another library's session.": "" +
		"Jetty 的 HTTP/2 客户端在已被 GOAWAY 结束的会话上打开流时抛出它；这时什么也没有发出。如果调用栈里没有" +
		" org.eclipse.jetty，也可能是其他库的会话。",
	"the text has neither proof of RFC 9113 §8.7; none of the lab's 97 (BEFORE response, at a GOAWAY)" +
		" was executed": "" +
		"文字里没有 RFC 9113 §8.7 的两种证据之一；实验中的 97 个（BEFORE response，发生在 GOAWAY 时）都没有执行",
	"BEFORE response: the connection had received a GOAWAY or was closed while idle (with HTTP/1.1" +
		" too). DURING: the answer was cut off.": "" +
		"BEFORE response：连接已经收到 GOAWAY，或者在空闲时被关闭（HTTP/1.1 也会）。DURING：响应被截断。",
	"The client opened a stream after it received the GOAWAY; Netty refused it before anything was" +
		" sent.": "" +
		"客户端收到 GOAWAY 之后又打开流；Netty 在发送任何内容之前就拒绝了。",
	"More requests were in flight than the server's SETTINGS_MAX_CONCURRENT_STREAMS (nginx: 128).": "" +
		"在途请求超过了服务器的 SETTINGS_MAX_CONCURRENT_STREAMS（nginx：128）。",
	"A server on Netty got frames of a stream that it dropped after its own GOAWAY.": "" +
		"基于 Netty 的服务器发出 GOAWAY 之后丢弃了一个流，又收到它的帧。",
	"Vert.x writes it for streams above the last id, and for others whose connection closes after the" +
		" GOAWAY (DefaultHttp2Stream.onClose); the lab counted none of 74 executed": "" +
		"Vert.x 对编号大于 last-stream-id 的流，以及 GOAWAY 之后连接关闭的其他流，都给出这段文字（DefaultHttp2S" +
		"tream.onClose）；实验中的 74 个都没有执行",
	"Vert.x 4 has this text for streams that a GOAWAY ended, too.": "" +
		"Vert.x 4 对被 GOAWAY 结束的流也给出这段文字。",
	"Armeria throws this class only for requests that were not processed": "" +
		"Armeria 只对没有处理的请求抛出这个类",
	"The class means that the server didn't process the request. Armeria retries only with a" +
		" RetryingClient.": "" +
		"这个类表示服务器没有处理请求。Armeria 只有使用 RetryingClient 才会重试。",
	"The class means that the request was not processed; its cause follows it.": "" +
		"这个类表示请求没有处理；后面是原因。",
}
