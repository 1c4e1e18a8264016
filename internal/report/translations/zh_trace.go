package translations

// chineseTrace are the lines of h2lab trace around its frames, and what it says while it works.
var chineseTrace = map[Phrase]string{
	"%g requests (streams 1 to %d) in %g ms, all answered": "%g 个请求（流 1 到 %d），用时 %g ms，全部得到响应",
	"1 request (streams 1 to %d) in %g ms, all answered":   "1 个请求（流 1 到 %d），用时 %g ms，全部得到响应",
	"%g requests in %g ms, all answered":                   "%g 个请求，用时 %g ms，全部得到响应",
	"1 request in %g ms, all answered":                     "1 个请求，用时 %g ms，全部得到响应",
	"connected to %s":                                      "已连接到 %s",
	"handshake done: %s, ALPN %s":                          "握手完成：%s，ALPN %s",
	"closed by the client":                                 "由客户端关闭",
	"in several frames":                                    "分成多个帧",
	"more in CONTINUATION":                                 "其余在 CONTINUATION 中",
	"trailers":                                             "trailer 字段",
	"can't be decoded":                                     "无法解码",
	"new connection, %s, TCP in %s ms, TLS in %s ms":       "新连接，%s，TCP 用时 %s ms，TLS 用时 %s ms",
	"new connection, %s":                                   "新连接，%s",
	"%d frames of requests and answers":                    "%d 个请求帧和响应帧",

	"h2lab: sending %d %s requests on one connection and one on another to %s": "h2lab: 将在一条连接上发送 %d 个 %s 请求，" +
		"再在另一条上发送一个，目标 %s",
	"h2lab: that finds the limit; then the same number again on a connection that is traced": "h2lab: 以此找出上限；" +
		"然后在被记录的连接上再发送同样多的请求",
	"h2lab: %s decrypts what was sent here, including headers: keep it as secret as a password": "h2lab: 用 %s 可以解密这里" +
		"发送的全部内容，包括头部：请像密码一样保管",
	"h2lab: the capture holds its own TLS secrets, including headers: keep it as secret as a password": "h2lab: " +
		"抓包文件包含" +
		"自己的 TLS 密钥，可以解密包括头部在内的全部内容：请像密码一样保管",
}
