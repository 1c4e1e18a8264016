package translations

// chineseProbe are the labels and the facts of h2lab probe.
var chineseProbe = map[Phrase]string{
	"careful": "注意", "limit": "上限", "ending": "结束方式", "in flight": "在途", "after": "之后", "unused": "空闲",
	"light use": "轻度使用", "server": "服务器", "answers": "响应", "settings": "设置", "tls": "TLS", "cost": "开销",
	"this is": "判断", "it means": "含义", "but": "但是", "price": "代价",
	" (": "（",

	"one GOAWAY with the last stream that is processed": "一个 GOAWAY，给出处理的最后一个流",
	"two GOAWAYs: the first announces the end, the second has the last stream": "两个 GOAWAY：第一个预告结束，第二个带有" +
		"最后一个流",
	"one GOAWAY that only announces the end":              "一个只预告结束的 GOAWAY",
	"closed without Connection: close":                    "关闭，没有 Connection: close",
	"TCP reset without Connection: close":                 "TCP 重置，没有 Connection: close",
	"one GOAWAY with an id above all streams sent so far": "一个 GOAWAY，编号高于此前发出的所有流",
	"closed without a GOAWAY":                             "关闭，没有 GOAWAY",
	"TCP reset without a GOAWAY":                          "TCP 重置，没有 GOAWAY",
	"GOAWAY with an error":                                "带错误码的 GOAWAY",
	"before the last answer":                              "在最后一个响应之前",
	"after the last answer":                               "在最后一个响应之后",
	"TLS close_notify, TCP stays open":                    "TLS close_notify，TCP 连接保持打开",
	"TCP stays open":                                      "TCP 连接保持打开",

	"%d in flight, up to the GOAWAY's last-stream-id": "%d 个在途，编号不大于 GOAWAY 的 last-stream-id",
	"%d in flight, above it":                          "%d 个在途，编号大于它",
	"%d in flight":                                    "%d 个在途",
	"%d sent after the GOAWAY was read":               "%d 个在读到 GOAWAY 之后发出",
	"all answered":                                    "全部得到响应",
	"all refused (REFUSED_STREAM)":                    "全部被拒绝（REFUSED_STREAM）",
	"all reset":                                       "全部被重置",
	"all never answered":                              "始终没有响应",
	"%d answered":                                     "%d 个得到响应",
	"%d refused (REFUSED_STREAM)":                     "%d 个被拒绝（REFUSED_STREAM）",
	"%d reset":                                        "%d 个被重置",
	"%d never answered":                               "%d 个始终没有响应",

	"still open after %gs":                "%gs 后仍未关闭",
	"ended after %gs":                     "%gs 后结束",
	"TCP FIN %g later":                    "%g 后 TCP FIN",
	"TCP RST %g later":                    "%g 后 TCP RST",
	"HTTP/2 over %s":                      "HTTP/2（%s）",
	"HTTP/1.1 over %s":                    "HTTP/1.1（%s）",
	"ECDSA P-%d key":                      "ECDSA P-%d 密钥",
	"RSA %d key":                          "RSA %d 密钥",
	"Ed25519 key":                         "Ed25519 密钥",
	"unknown key":                         "未知密钥",
	"%g requests on %g connections in %g": "%[2]g 条连接，%[1]g 个请求，用时 %[3]g",
	"%g requests on 1 connection in %g":   "1 条连接，%g 个请求，用时 %g",
	"1 request on %g connections in %g":   "%g 条连接，1 个请求，用时 %g",
	"1 request on 1 connection in %g":     "1 条连接，1 个请求，用时 %g",
	"TLS %g handshake %g":                 "TLS %g 握手 %g",
	"not verified":                        "未验证",
	"Server header %q":                    "Server 响应头 %q",
	"%d with status %s":                   "%d 个状态码为 %s",
	"connect %g":                          "建连 %g",
	"resumed in %g":                       "会话复用 %g",
	"does not resume":                     "不支持会话复用",
	"%g a second on one":                  "单条连接每秒 %g 个",

	"no output: it isn't set there": "没有输出：那里没有设置",
	"give --rps and --in-flight to see what renewals cost at your traffic": "给出 --rps 和 --in-flight，即可看到更换连接在" +
		"你的流量下的代价",
	"At %s requests/s with %d in flight in one pool: %s renewals an hour.": "每秒 %s 个请求、一个连接池中 %d 个在途时：" +
		"每小时更换连接 %s 次。",
	"A client that dials for each waiting request (Go's net/http) opens about %s connections at each renewal and %s a " +
		"second; their handshakes use %s of a core, and %s requests wait, up to %s ms.": "为每个等待中的请求各建一条连接的" +
		"客户端（Go 的 net/http），每次更换约新建 %s 条连接，每秒 %s 条；它们的握手占用一个核的 %s，%s 个请求等待，最长 %s ms。",
	"With one dial at each renewal it opens %s a second, and handshakes use %s of a core.": "如果每次更换只建一条，则每秒" +
		"新建 %s 条，握手占用一个核的 %s。",
	"Of requests whose body can't be sent again, %s a second fail.": "请求体无法重发的请求，每秒失败 %s 个。",

	"h2lab: sending up to %d %s requests on a connection, %s, to %s (%s)": "h2lab: 将在一条连接上最多发送 %d 个 %s 请求，" +
		"%s，目标 %s（%s）",
	"as fast as it answers": "服务器响应多快就发多快",
	"at most %g a second":   "每秒最多 %g 个",
	"h2lab: opening up to six connections, one after another, until it is clear what ends them; while the second is open, " +
		"two more carry a few requests": "h2lab: 逐条建立连接，最多六条，直到查明结束原因；第二条打开期间，另有两条承载少量请求",
	"h2lab: %s may change something each time; you asked for it with --method": "h2lab: %s 每次都可能改变数据；这是你用 " +
		"--method 指定的",
	"h2lab: --insecure: the certificate is not verified, so any host may have answered": "h2lab: --insecure：没有验证证书，" +
		"响应可能来自任何主机",
}

// chineseMachine is what doctor says about limits of processor time.
var chineseMachine = map[Phrase]string{
	"can be set (cgroups)":   "可以设置（cgroups）",
	"can't be set here (%s)": "这里不能设置（%s）",
	"servers run unlimited":  "服务器不受限制地运行",
}

// chineseStops say why a probe stopped before its end, where that is a part of the result.
var chineseStops = map[Phrase]string{
	"%s answers %d (%s) by request %d; ask more slowly (--rate), or another path": "%[1]s 对第 %[4]d 个请求" +
		"返回 %[2]d（%[3]s）；请放慢请求（--rate），或换一个路径",
	"the answers of %s exceed %d MiB after %d requests; choose a path with smaller answers, or --method HEAD": "" +
		"%[3]d 个请求之后，%[1]s 的响应已超过 %[2]d MiB；请换一个更轻的路径，或用 --method HEAD",
	"%s answers %d (%s) by request %d, so the probe stops; ask more slowly (--rate), or another path": "%[1]s 对第 %[4]d 个请求" +
		"返回 %[2]d（%[3]s），因此探测停止；请放慢请求（--rate），或换一个路径",
	"the answers of %s exceed %d MiB after %d requests, so the probe stops; choose a path with smaller answers, or " +
		"--method HEAD": "" +
		"%[3]d 个请求之后，%[1]s 的响应已超过 %[2]d MiB，因此探测停止；请换一个更轻的路径，或用 --method HEAD",
	"%s resets streams (%s, %d in a row) after %d answers; its log may say why": "%[4]d 个响应之后，%[1]s 连续重置 %[3]d 个流" +
		"（%[2]s）；它的日志里可能有原因",
	"%s resets the first stream (%s) instead of answering; its log may say why": "%s 重置了第一个流（%s），没有响应；它的日志" +
		"里可能有原因",
	"%s left %d of %d requests unanswered for %s; its log may say why, or wait longer with --timeout": "%[1]s 在 %[4]s 内没有" +
		"响应 %[3]d 个请求中的 %[2]d 个；它的日志里可能有原因，也可以用 --timeout 等待更久",
	"%s left request %d unanswered for %s; its log may say why, or wait longer with --timeout": "%s 在 %[3]s 内没有响应请求 " +
		"%[2]d；它的日志里可能有原因，也可以用 --timeout 等待更久",
	"the probe of %s was stopped after %d requests: %s": "对 %s 的探测在 %d 个请求之后停止：%s",
}
