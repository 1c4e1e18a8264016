package translations

import (
	"io"
	"sync"
)

// Watch returns a writer for the output of watch, whole lines of English. It writes them in the language; configuration
// lines, commands and the reasons of changes stay as they are.
func (l Language) Watch(to io.Writer) io.Writer {
	if l != Chinese {
		return to
	}
	return translated{to, watchForms()}
}

var watchForms = sync.OnceValue(func() []form { return compiled(chineseWatch) })

// chineseWatch are the lines of watch and their parts.
var chineseWatch = map[Phrase]string{
	"http%s is %s": "http%s 是 %s",
	"alarm: below %s requests a new connection, %s of them or more in %s": "" +
		"告警条件：每条新连接的请求数低于 %s，并且 %[3]s 内新建的连接达到 %[2]s 条",
	"time       requests/s   new conn/s   requests a new   active": "" +
		"时间           请求/s     新连接/s      请求/新连接     活动",
	"%s  !":                     "%s  !",
	"%s  %s at the limit":       "%s  达到上限：%s",
	"%s  %s at the maximum age": "%s  达到最长时间：%s",
	"%s ALARM connections are wasted: %s (below %s)": "%s 告警：连接被浪费：%s（低于 %s）",
	"%s cleared: %s":                  "%s 告警解除：%s",
	"%s for %s in %s s":               "%[3]s s 内%[2]s，%[1]s",
	"%s, %s requests each":            "%s，每条 %s 个请求",
	"%s; the limit alone requires %s": "%s；仅按上限需要 %s 条",
	"%s new connections":              "新建 %s 条连接",
	"%s new connection":               "新建 %s 条连接",
	"%s connections":                  "%s 条连接",
	"%s connection":                   "%s 条连接",
	"%s requests":                     " %s 个请求",
	"%s request":                      " %s 个请求",
	"%s: %s requests, %s new connections, %s requests each": "%s：%s 个请求，新建 %s 条连接，每条 %s 个请求",
	"%s: %s requests, %s new connections":                   "%s：%s 个请求，新建 %s 条连接",
	"%s: %s requests, %s new connection, %s requests each":  "%s：%s 个请求，新建 %s 条连接，每条 %s 个请求",
	"%s: %s requests, %s new connection":                    "%s：%s 个请求，新建 %s 条连接",
	"%s: %s request, %s new connections, %s requests each":  "%s：%s 个请求，新建 %s 条连接，每条 %s 个请求",
	"%s: %s request, %s new connections":                    "%s：%s 个请求，新建 %s 条连接",
	"%s: %s request, %s new connection, %s requests each":   "%s：%s 个请求，新建 %s 条连接，每条 %s 个请求",
	"%s: %s request, %s new connection":                     "%s：%s 个请求，新建 %s 条连接",
	"server restarts: %s":                                   "服务器重启：%s 次",
	"not reachable for %s s":                                "有 %s s 无法访问",
	"alarms: %s, the last one is up; the worst window: %s":  "告警 %s 次，最后一次仍未解除；最严重的窗口：%s",
	"alarms: %s, none is up; the worst window: %s":          "告警 %s 次，均已解除；最严重的窗口：%s",
	"No connection was opened.":                             "没有新建连接。",
	"No alarm: each new connection brought enough requests, or too few connections were opened to judge.": "" +
		"没有告警：每条新连接承载的请求足够多，或者新建的连接太少，无法判断。",
	"change: %s": "修改：%s",
	"next: %s":   "下一步：%s",
	"Connections end at a request limit: %s at or above it.": "" +
		"连接在达到请求数上限时结束：达到或超过上限的有%s。",
	"Connections end at an age: %s reached it. A higher request limit changes nothing here.": "" +
		"连接在达到最长时间时结束：达到的有 %s。调高请求数上限在这里没有作用。",
	"Connections end at a request limit (%s at or above it) and at an age (%s).": "" +
		"连接在达到请求数上限时结束（达到或超过上限的有%s），也在达到最长时间时结束（%s）。",
	"Connections end after a silence: %s were idle for too long. A higher request limit changes nothing here.": "" +
		"连接在空闲之后结束：空闲过久的有 %s。调高请求数上限在这里没有作用。",
	"The server ends no connection at a limit or an age: its clients do, or something before it.": "" +
		"服务器没有因为上限或时间结束连接：是它的客户端，或者它前面的某个程序。",
	"The counters can't tell which: a request limit, an age, an idle time, or clients that leave. h2lab logs can.": "" +
		"计数器无法区分原因：请求数上限、最长时间、空闲时间，或者客户端自己离开。h2lab logs 可以。",
	"%s If connections end at exactly %s requests:": "" +
		"%s 如果连接恰好在 %s 个请求时结束：",
}
