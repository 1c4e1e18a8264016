package translations

// chineseWatch are the lines of watch and their parts.
var chineseWatch = map[Phrase]string{
	"A higher request limit changes nothing here.": "调高请求数上限在这里没有作用。",
	"http%s is %s": "http%s 是 %s",
	"alarm: below %s requests a new connection, %d of them or more in %s": "" +
		"告警条件：每条新连接的请求数低于 %s，并且 %[3]s 内新建的连接达到 %[2]d 条",
	"time": "时间", "requests/s": "请求/s", "new conn/s": "新连接/s", "requests a new": "请求/新连接", "active": "活动",
	"%s at the limit":                "达到上限：%s",
	"%s at the maximum age":          "达到最长时间：%s",
	"ALARM connections are wasted: ": "告警：连接被浪费：",
	"below %g":                       "低于 %g",
	"cleared: ":                      "告警解除：",
	"gone: ":                         "无法访问：",
	"back: ":                         "恢复：",
	"restart: ":                      "重启：",
	"back after %g s":                "%g s 后恢复",
	"the counters went back":         "计数器变小",
	"the counters went back: the server was started again": "计数器变小：服务器已重新启动",
	"counting from here":  "从这里重新计数",
	"trying again for %s": "将在 %s 内重试",
	"%g new connections for %s in %g s, %g requests each": "%[3]g s 内新建 %[1]g 条连接，%[2]s，每条连接 %[4]g 个请求",
	"1 new connection for %s in %g s, %g requests each":   "%[2]g s 内新建 1 条连接，%[1]s，每条连接 %[3]g 个请求",
	"%g new connections for %s in %g s":                   "%[3]g s 内新建 %[1]g 条连接，%[2]s",
	"1 new connection for %s in %g s":                     "%[2]g s 内新建 1 条连接，%[1]s",
	"the limit alone requires %g":                         "仅按上限需要 %g 条",
	"%g new connections":                                  "新建 %g 条连接",
	"1 new connection":                                    "新建 1 条连接",
	"%g requests each":                                    "每条 %g 个请求",
	"server restarts: %d":                                 "服务器重启：%d 次",
	"not reachable for %g s":                              "有 %g s 无法访问",
	"alarms: %d, the last one is up":                      "告警 %d 次，最后一次仍未解除",
	"alarms: %d, none is up":                              "告警 %d 次，均已解除",
	"the worst window: %s":                                "最严重的窗口：%s",
	"No connection was opened.":                           "没有新建连接。",
	"No alarm: each new connection brought enough requests, or too few connections were opened to judge.": "" +
		"没有告警：每条新连接承载的请求足够多，或者新建的连接太少，无法判断。",
	"No alarm: --limit is not given, so the threshold is %g requests a new connection.": "没有告警：没有给出 --limit，因此" +
		"阈值是每条新连接 %g 个请求。",
	"With nginx's default limit, %g, it is %g, and this is an alarm.": "如果上限是 nginx 的默认值 %g，阈值就是 %g，这就是告警。",
	"No alarm.":              "没有告警。",
	"for longer, under load": "时间更长，在有负载时",
	"if the server's limit is nginx's default": "如果服务器的上限是 nginx 的默认值",
	"why do connections end?":                  "连接为什么结束？",
	"Connections end at a request limit: %s at or above it.": "" +
		"连接在达到请求数上限时结束：达到或超过上限的有 %s。",
	"Connections end at an age: %s reached it.": "连接在达到最长时间时结束：达到的有 %s。",
	"Connections end at a request limit (%s at or above it) and at an age (%s).": "" +
		"连接在达到请求数上限时结束（达到或超过上限的有 %s），也在达到最长时间时结束（%s）。",
	"Connections end after a silence: %s were idle for too long.": "连接在空闲之后结束：空闲过久的有 %s。",
	"The server ends no connection at a limit or an age: its clients do, or something before it.": "" +
		"服务器没有因为上限或时间结束连接：是它的客户端，或者它前面的某个程序。",
	"The counters don't show why connections end: at a request limit, at an age, after a silence, or because clients " +
		"leave.": "计数器不显示连接为什么结束：达到请求数上限、达到最长时间、空闲之后，或者客户端自己离开。",
	"h2lab logs shows it.":                       "h2lab logs 可以显示。",
	"If connections end at exactly %g requests:": "如果连接恰好在 %g 个请求时结束：",
}
