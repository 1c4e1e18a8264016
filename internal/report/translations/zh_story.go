package translations

// chineseStoryRecorded are the forms of sentences that a story's results.json holds: what the manifests of services/
// say about the callers, and the warnings of their trials.
var chineseStoryRecorded = map[Phrase]string{
	"RestTemplate over one OkHttpClient with its defaults: a pool of 5, " +
		"retry on": "RestTemplate 使用一个默认设置的 OkHttpClient：连接池 5 条，重试打开",
	"the same with ConnectionPool(100)": "同上，但使用 ConnectionPool(100)",
	"the same with retryOnConnectionFailure(false), as often advised " +
		"for POSTs": "同上，但设置 retryOnConnectionFailure(false)，这是对 POST 常见的建议",
	"the same over HTTP/1.1 with a pool as large as the users": "同上，但使用 HTTP/1.1，连接池与用户数一样大",
	"a new pool after 250 calls, dialled by one caller":        "每 250 次调用换一个新的连接池，由一个调用方负责建立连接",
	"the first row with a newer OkHttp on the class path":      "与第一行相同，但类路径上是新版 OkHttp",
	"One connection for each call at a time, and none of " +
		"HTTP/2's multiplexing.": "每个同时进行的调用各占一条连接，不再有 HTTP/2 的多路复用。",
	"Four times as many connections as expected; the server's limit must be known; reloads and age limits still " +
		"send GOAWAY.": "连接数是预期的四倍；必须知道服务端的上限；重新加载配置和连接存活时间的限制仍会触发 " +
		"GOAWAY。",
	"Refused streams are sent again safely, but each renewal still dials tens " +
		"of connections.": "被拒绝的流可以安全重发，但每次更换连接仍会建立几十条连接。",
	"%d of the %d calls of %s failed because its machine had no file, port, thread or memory for them: nothing " +
		"follows from this trial": "%[3]s 的 %[2]d 次调用中有 %[1]d 次失败，原因是它所在机器的文件描述符、端口、" +
		"线程或内存不足：这次试验不能说明任何问题",
	"its code assumes a limit of %d requests a connection or more, and this run " +
		"has LIMIT=%d": "它的代码假定每条连接的上限不低于 %d 个请求，而本次运行是 LIMIT=%d",
}
