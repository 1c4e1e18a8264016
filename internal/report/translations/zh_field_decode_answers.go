package translations

// chineseDecodeAnswers say whether a request was executed, whether to retry it, and what is uncertain.
var chineseDecodeAnswers = map[Phrase]string{

	// executed, and whether to retry
	"certainly not: %s": "肯定没有：%s",
	"maybe: %s":         "可能：%s",
	"yes: %s":           "是：%s",
	"unknown: %s":       "未知：%s",
	"safe for any method, by the program or automatically: send it again on a new connection": "" +
		"不论什么方法都可以安全重试，由程序或自动完成均可：在新连接上重发",
	"only what is idempotent (GET, PUT, DELETE…) or carries an idempotency key": "" +
		"只重试幂等的请求（GET、PUT、DELETE……），或带有幂等键的请求",
	"streams above a GOAWAY's last id were not and will not be processed (RFC 9113 §6.8, §8.7)": "" +
		"编号大于 GOAWAY 的 last-stream-id 的流没有、也不会被处理（RFC 9113 §6.8、§8.7）",
	"a stream at or below the last id may have been processed (RFC 9113 §6.8)": "" +
		"编号不大于 last-stream-id 的流可能已经处理（RFC 9113 §6.8）",
	"the text has neither of the two proofs of RFC 9113 §8.7: a last stream id below the request's," +
		" or REFUSED_STREAM": "" +
		"文字里没有 RFC 9113 §8.7 的两种证据之一：小于该请求流编号的 last-stream-id，或 REFUSED_STREAM",
	"it fails again until the cause is removed; after that, any request may be sent again": "" +
		"消除原因之前，重试仍会失败；之后任何请求都可以重试",
	"above the last stream id: no; at or below it: maybe (RFC 9113 §6.8). The text doesn't say which": "" +
		"流编号大于 last-stream-id：没有执行；不大于它：可能已经执行（RFC 9113 §6.8）。文字没有说明是哪一种",
	"above the last stream id: no; at or below it: maybe (RFC 9113 §6.8)": "" +
		"流编号大于 last-stream-id：没有执行；不大于它：可能已经执行（RFC 9113 §6.8）",
	"any request where the client knows that its stream was above the last id": "" +
		"如果客户端知道流编号大于 last-stream-id，任何请求都可以重试",
	"this frame excludes no stream; what failed, failed later (RFC 9113 §6.8)": "" +
		"这一帧没有排除任何流；失败发生在它之后（RFC 9113 §6.8）",
	"no stream was opened, so the server received nothing": "" +
		"没有打开流，服务器什么也没有收到",
	"and only after the cause is removed: until then the error comes again": "" +
		"而且要先消除原因，否则会再次出现",
	"a stream reset with REFUSED_STREAM was not processed (RFC 9113 §8.7)": "" +
		"被 REFUSED_STREAM 重置的流没有处理（RFC 9113 §8.7）",
	"streams at or below the last id may have been executed, and the text doesn't name them": "" +
		"编号不大于 last-stream-id 的流可能已经执行，文字没有列出它们",
	"without a connection no request is sent": "" +
		"没有连接，就发不出请求",
	"safe for any method; it fails again while the address, the port, DNS or the server is not right": "" +
		"不论什么方法都可以安全重试；在地址、端口、DNS 或服务器恢复正常之前，仍会失败",
	"requests are sent after the handshake": "" +
		"请求在握手之后才发送",
	"the request was refused before it was sent": "" +
		"请求在发出之前就被拒绝",
	"safe for any method, after a pause: the limit is reached now": "" +
		"不论什么方法都可以安全重试，但要等一会儿：现在正处于上限",
	"it fails the same way until the cause is removed; then only what is idempotent (GET, PUT," +
		" DELETE…) or carries an idempotency key": "" +
		"消除原因之前，重试会同样失败；之后只重试幂等的请求（GET、PUT、DELETE……），或带有幂等键的请求",
	"the text doesn't say how far the server was": "" +
		"文字没有说明服务器处理到哪一步",
	"the text doesn't say whether the server received the request": "" +
		"文字没有说明服务器是否收到了请求",
	"the client does it already": "客户端已经自动重试",
	"the text doesn't distinguish the requests": "" +
		"文字没有区分各个请求",
	"run it again with more connections": "增加连接数，重新运行",
	"nginx skips the frame: ngx_http_v2_state_headers(), RFC 9113 §6.8": "" +
		"nginx 跳过这一帧：ngx_http_v2_state_headers()，RFC 9113 §6.8",
	"the text doesn't say whether the proxy had sent the request on": "" +
		"文字没有说明代理是否已经转发了请求",
	"an answer that is too large comes from a request that was executed": "" +
		"过大的响应来自已经执行的请求",
	"different causes have this same text": "" +
		"不同的原因会产生相同的文字",
	"the text names no event that decode knows": "" +
		"文字里没有 decode 认识的事件",
	"only the order of the words names the event, and nothing is about HTTP/2": "" +
		"只有词的顺序指向这个事件，也没有任何与 HTTP/2 有关的内容",
	"the handshake did not end, and requests are sent after it": "" +
		"握手没有完成，而请求在握手之后才发送",
	"the two sides did not agree on HTTP/2, so no request was processed": "" +
		"双方没有就 HTTP/2 达成一致，因此没有处理任何请求",
	"the text says that the request still waited for a connection": "" +
		"文字说明请求还在等待连接",
	"the text says that the request was not sent or not processed": "" +
		"文字说明请求没有发出或没有处理",
	"the limit may be the service's own, reached while it worked on the request": "该限制可能是服务自身的，在它处理请求时达到",
	"the server answered with it: the connection that failed is one behind the server": "" +
		"这是服务器返回的内容：失败的是服务器后面的连接",
	"the time ran out while the stream was opened: its headers may have been sent": "" +
		"打开流时超时：其头部可能已发送",
	"an attempt before the last one may have reached the server": "" +
		"最后一次尝试之前的某次尝试可能已到达服务器",
	"the connection may have been in use when TLS failed": "" +
		"TLS 失败时，连接可能正在使用",
	"a server wrote it while it worked on the request": "" +
		"服务器在处理请求时写下了它",
	"not by itself: it was executed or answered": "" +
		"不会自动重试：请求已经执行或得到响应",

	// why it is one reading only
	"a line of this level is no failure by itself": "" +
		"这个级别的日志行本身不代表故障",
	"the sentence may tell what programs do, and not what happened": "" +
		"这句话可能是在说明程序的一般行为，而不是在报告发生的事情",
	"only the order of the words names the event": "" +
		"只有词的顺序指向这个事件",
	"several failures have this wording": "" +
		"多种故障都使用这样的词",
	"a test of conformance or a standard says what has to happen": "" +
		"这是一致性测试或标准对行为的规定",
	"a sentence of a manual or of a release's notes": "" +
		"这是手册或发行说明中的句子",
	"a sentence explains a setting or a behaviour": "" +
		"这句话在解释某个设置或行为",
	"someone describes a failure in free text": "" +
		"有人用自己的话描述故障",
	"the text names another protocol or a store, whose failure it may be": "" +
		"文字提到另一种协议或存储，故障可能来自它",
	"the text says that it went well in the end": "" +
		"文字表明最后成功了",
	"no word of the text says that something failed": "" +
		"文字里没有词表明有什么失败了",
	"a test of a program failed, and what it expected stands in the text": "" +
		"某个程序的测试失败，文字里是测试的预期",
	"a program checks its own settings": "程序在检查自己的设置",

	// what would decide
	"the event: was it a GOAWAY, a RST_STREAM, a closed connection or a time-out? The log line before" +
		" this one, or a debug log, has it": "" +
		"事件：是 GOAWAY、RST_STREAM、连接关闭，还是超时？上一行日志或调试日志里有答案",
	"whether the server's log has the call: then the service gave the status": "" +
		"服务器日志里有没有这次调用：如果有，状态就是服务给出的",
	"a service that threw an exception and a library that hides the cause give UNKNOWN without a word": "" +
		"抛出异常的服务会给出不带说明的 UNKNOWN，隐藏原因的库也会",
	"a service and a gRPC library that has no connection give UNAVAILABLE": "" +
		"服务会给出 UNAVAILABLE，没有连接的 gRPC 库也会",
	"the cause inside: JavaScript keeps it in error.cause; a browser shows it in its network panel": "" +
		"内层原因：JavaScript 放在 error.cause 里，浏览器在网络面板里显示",
	"the cause inside: reqwest keeps it in the error's source(), which its Debug format prints": "" +
		"内层原因：reqwest 把它放在错误的 source 里，用 Debug 格式可以打印",
	"the cause inside: Chrome's network log (chrome://net-export, Electron's netLog) has the code": "" +
		"内层原因：Chrome 的网络日志（chrome://net-export、Electron 的 netLog）里有错误码",
	"the cause inside: the status's code and details, which the exception has, and the server's log of" +
		" the call": "" +
		"内层原因：异常里的状态码和详情，以及服务器对这次调用的日志",
	"the cause inside: the exception below this one (\"Caused by\")": "" +
		"内层原因：下面的那个异常（“Caused by”）",
	"the error code, and a GOAWAY's last stream id and debug data": "" +
		"错误码，以及 GOAWAY 的 last-stream-id 和调试数据",
	"whether the request was sent, and on which stream": "" +
		"请求是否已经发出，在哪个流上",
}
