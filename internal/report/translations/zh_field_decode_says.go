package translations

// chineseDecodeSays are the labels, the headings and the statements of decode.
var chineseDecodeSays = map[Phrase]string{

	// labels
	"text":     "原文",
	"library":  "来源库",
	"proves":   "证据",
	"last ids": "末尾流号",
	"also":     "另外",
	"may be":   "也可能",
	"weak":     "存疑",
	"happened": "经过",
	"executed": "是否执行",
	"retry":    "能否重试",
	"decides":  "待确认",
	"change":   "修改",
	"measured": "实测",
	"links":    "链接",
	"as in":    "例如",
	"means":    "含义",

	// the summary and the headings
	"nothing to decode: the input is empty": "" +
		"没有可解读的内容：输入为空",
	"nothing to decode: the text states no failure of HTTP/2 or gRPC, and no connection error": "" +
		"没有可解读的内容：文字里没有 HTTP/2 或 gRPC 的故障，也没有连接错误",
	"nothing that decode knows: the text names no event of HTTP/2, gRPC or a connection": "" +
		"没有 decode 认识的内容：文字里没有 HTTP/2、gRPC 或连接的事件",
	"If a request over HTTP/2 or gRPC failed, the lines before it or the client's debug log say why.": "" +
		"如果有 HTTP/2 或 gRPC 请求失败，原因要看它前面的日志行，或客户端的调试日志。",
	"%s, %s: %s recognised, %s unrelated, %s unknown, %s about something else": "" +
		"%s，%s：识别 %s 条，无关 %s 条，未知 %s 条，其他内容 %s 条",
	"1 message":   "1 条消息",
	"%s messages": "%s 条消息",
	"%s lines longer than 64 KiB, read in pieces: each diagnosis is counted once a line": "" +
		"有 %s 行超过 64 KiB，分段读取：每种诊断在一行里只计一次",
	"1 line longer than 64 KiB, read in pieces: each diagnosis is counted once a line": "" +
		"有 1 行超过 64 KiB，分段读取：每种诊断在一行里只计一次",
	"line %s":           "第 %s 行",
	"%s ×, first at %s": "%s 次，首次出现：%s",
	"not known":         "未知",
	"%s (versions: %s)": "%s（版本：%s）",
	"%s: one id recurs, which suggests a request limit": "" +
		"%s：反复出现同一个编号，说明有请求数上限",
	"%s: they differ, which suggests age, idleness or reloads, not a limit": "" +
		"%s：编号各不相同，更可能是存续时间、空闲或重新加载，而不是上限",
	"in %s":                     "位置：%s",
	"measured: it cures":        "实测：有效",
	"measured: it cures a part": "实测：部分有效",
	"measured: too few renewals to decide": "" +
		"实测中更换连接的次数太少，无法判定",
	"%s texts, %s public reports and sources": "" +
		"%s 条文字，%s 个公开报告和来源",
	"the server that the client talks to: its limit, in a minute": "" +
		"填客户端所连的服务器：一分钟内测出它的上限",
	"does this server end connections?": "这台服务器是否结束连接？",
	"add the port of its TLS listener: probe speaks TLS only": "" +
		"加上它的 TLS 监听端口：probe 只使用 TLS",
	"every text that is known": "列出所有已知的文字",

	// statements
	"its writer is a server": "写日志的是服务器",
	"its writer is a client": "写日志的是客户端",
	"its writer is a proxy":  "写日志的是代理",
	"its writer sent it":     "由写日志的一方发出",
	"its writer received it": "由写日志的一方收到",
	"GOAWAY: one side ends the connection": "" +
		"GOAWAY：一方结束连接",
	"one stream was reset": "一个流被重置",
	"the peer objects to what it is sent": "" +
		"对端不接受发给它的内容",
	"the request was not sent": "请求没有发出",
	"a frame or a header that the protocol doesn't allow": "" +
		"协议不允许的帧或头部",
	"the connection closed or failed": "连接关闭或中断",
	"the time ran out":                "超时",
	"the application answered":        "应用作出了响应",
	"a server's own log":              "服务器自己的日志",
	"a message is larger than one side accepts": "" +
		"消息超过一方接受的大小",
	"an HTTP status was the answer": "响应是一个 HTTP 状态码",
	"error code %s: %s":             "错误码 %s：%s",
	"the request's stream is %d":    "请求的流编号是 %d",
	"the request was not processed": "请求没有处理",
	"last stream id 2147483647: the end is announced, no stream is excluded yet": "" +
		"last-stream-id 2147483647：预告结束，还没有排除任何流",
	"last stream id 0: none of the connection's requests was processed": "" +
		"last-stream-id 0：这条连接上的请求都没有处理",
	"last stream id %d: %s": "last-stream-id %d：%s",
	"no stream id is that large: they end at 2147483647": "" +
		"流编号不可能这么大：最大为 2147483647",
	"an even id is a server's stream; a client's are odd, so this names no request (or was copied" +
		" wrongly)": "" +
		"偶数编号是服务器打开的流；客户端的编号都是奇数，所以它不对应任何请求（或者抄写有误）",
	"the connection carried %s requests": "这条连接承载了 %s 个请求",
	"the connection carried %s requests, a round number: a limit of that size, perhaps": "" +
		"这条连接承载了 %s 个请求，是整数：可能有同样大小的上限",
	"the connection carried 1 request": "这条连接承载了 1 个请求",
	"not a round number, which suggests a reload, the connection's age or idleness, not a limit": "" +
		"不是整数，更可能是重新加载、存续时间或空闲，而不是上限",
	"nginx's default since 1.19.10 (http2_max_requests 1000 before 1.19.7), and ingress-nginx's since" +
		" controller 1.6": "" +
		"nginx 自 1.19.10 起的默认值（1.19.7 之前是 http2_max_requests 1000），也是 ingress-nginx 控制器自 1.6" +
		" 起的默认值",
	"the default of nginx 1.19.7 to 1.19.9, and of ingress-nginx before controller 1.6": "" +
		"nginx 1.19.7 到 1.19.9 的默认值，也是 ingress-nginx 控制器 1.6 之前的默认值",
	"users report this number for AWS ALB; no document names it": "" +
		"有用户报告 AWS ALB 如此；没有文档提到",
	"one request on a connection: nginx's keepalive_timeout 0 does that": "" +
		"每条连接一个请求：nginx 的 keepalive_timeout 0 会这样",
	"no debug data": "没有调试数据",
	"debug data %s": "调试数据 %s",
	"debug data %s: a gRPC server's MaxConnectionAge ended the connection": "" +
		"调试数据 %s：gRPC 服务器的 MaxConnectionAge 结束了连接",
	"debug data %s: a gRPC server's MaxConnectionIdle ended the connection": "" +
		"调试数据 %s：gRPC 服务器的 MaxConnectionIdle 结束了连接",
	"debug data %s: a gRPC server is shutting down": "" +
		"调试数据 %s：gRPC 服务器正在关闭",
	"debug data %s: a gRPC server's application ended the connection": "" +
		"调试数据 %s：gRPC 服务器上的应用结束了连接",
	"debug data %s: the client's keepalive pings come more often than the server permits": "" +
		"调试数据 %s：客户端的 keepalive PING 比服务器允许的更频繁",
	"debug data %s: h2, the Rust library, counted too many reset streams": "" +
		"调试数据 %s：Rust 库 h2 统计到过多被重置的流",
	"debug data %s: Envoy with the oghttp2 codec": "" +
		"调试数据 %s：使用 oghttp2 编解码器的 Envoy",
	"debug data %s: H2O": "调试数据 %s：H2O",
	"debug data %s: Apache ends unused connections so": "" +
		"调试数据 %s：Apache 以此结束未使用的连接",
	"debug data %s: the connection was unused for too long": "" +
		"调试数据 %s：连接空闲过久",
	"debug data %s: the server had too much to do": "" +
		"调试数据 %s：服务器负载过高",

	// error codes of RFC 9113 §7
	"no error":                     "没有错误",
	"a breach of the protocol":     "违反协议",
	"an unexpected internal error": "意外的内部错误",
	"a breach of the flow control": "违反流量控制",
	"SETTINGS was not acknowledged in time": "" +
		"SETTINGS 没有及时得到确认",
	"a frame for a stream that was half-closed": "" +
		"流已半关闭，又收到它的帧",
	"a frame of an invalid size": "帧的大小无效",
	"refused before the application saw it": "" +
		"在到达应用之前被拒绝",
	"the stream is no longer needed": "不再需要这个流",
	"the state of the header compression was lost": "" +
		"头部压缩的状态丢失",
	"the connection behind a CONNECT was reset": "" +
		"CONNECT 后面的连接被重置",
	"the peer may cause excessive load": "对端可能造成过高的负载",
	"TLS doesn't meet the minimum requirements": "" +
		"TLS 不满足最低要求",
	"HTTP/1.1 must be used instead": "必须改用 HTTP/1.1",
}
