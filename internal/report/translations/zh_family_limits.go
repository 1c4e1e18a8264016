package translations

// chineseLimits say what ends connections.
var chineseLimits = map[Phrase]string{
	"Connections end at request %d, which gets no answer (%s, at different paces).": "连接在第 %d 个请求处结束，" +
		"而这个请求没有响应（%s，发送速率各不相同）。",
	"A crash or a limit in bytes looks like this.":           "崩溃或按字节计的上限会是这样。",
	"A connection gets exactly %s (%s, at different paces).": "一条连接恰好得到 %s（%s，发送速率各不相同）。",
	"A connection gets at most %s (%s); %s ended earlier, after %s, at ages of %s: by a reload, an age or chance.": "" +
		"一条连接最多得到 %s（%s）；另有 %s 更早结束，当时各处理了 %s，当时已建立 %s：原因是重新加载配置、存活时间上限或随机。",
	"No single limit: connections ended after %s, at ages of %s.": "没有单一的上限：各连接在 %s 后结束，当时已建立 %s。",
	"The counts differ far more than the ages, so time ends them: a reload, or an age that varies.": "" +
		"请求数的差别远大于时间的差别，所以结束它们的是时间：重新加载配置，或不固定的存活时间。",
	"Unclear: the server ended %s as unused, after %s, at ages of %s: it does not count these requests as use, or pauses " +
		"between them are too long.": "" +
		"原因不明：服务器把 %s 当作空闲连接结束，当时各处理了 %s，已建立 %s：它不把这些请求算作使用，或者请求之间的间隔太长。",
	"Unclear: the server ended %d of %s, some before a request: it may be shutting down.": "原因不明：%[2]s 中有 %[1]d 条被服务器" +
		"结束，有的还没有发送请求：服务器可能正在停止。",
	"No request limit: connections end at an age of %s, after %s.":            "没有请求数上限：连接在建立 %s 后结束，当时各处理了 %s。",
	"Connections differ: %s.":                                                 "各连接不一致：%s。",
	"No single limit: connections ended after %g requests, %s.":               "没有单一的上限：各连接在 %g 个请求后结束，%s。",
	"%g connections ended after %g requests":                                  "%g 条连接在 %g 个请求后结束",
	"%g connections ended after 1 request":                                    "%g 条连接在 1 个请求后结束",
	"1 connection ended after %g requests":                                    "1 条连接在 %g 个请求后结束",
	"Several servers may stand behind this address, each with its own limit.": "这个地址后面可能有多台服务器，上限各不相同。",
	"No request limit: the server ended %d of %s with an error (%s), after %s, at ages of %s.": "没有请求数上限：%[2]s 中有 " +
		"%[1]d 条被服务器以错误（%[3]s）结束，当时各处理了 %[4]s，已建立 %[5]s。",
	"No request limit was met: a connection ends when it is unused for %s (%s).": "没有遇到请求数上限：连接空闲 %s 后结束（%s）。",
	"One in use got %s.":                                             "使用中的一条得到 %s。",
	"%s that carried nothing for %s ended earlier.":                  "另有 %s 空闲 %s，更早结束。",
	"Unclear: %s ended when they were unused for %s, after %s.":      "原因不明：%s 在空闲 %s 后结束，当时各处理了 %s。",
	"An idle time-out fits, but is not proven.":                      "空闲超时说得通，但还没有证实。",
	"One connection ended when it was unused for %s, after %s.":      "有一条连接在空闲 %s 后结束，当时处理了 %s。",
	"An idle time-out fits, but one is not enough to prove it.":      "空闲超时说得通，但只凭一条还不能证实。",
	"The server ended %s before a request: it may be shutting down.": "服务器在收到请求之前就结束了 %s：服务器可能正在停止。",
	"Unclear: one connection ended after %s, and the %d after it at their first request.": "原因不明：一条连接在 %s 后结束，" +
		"之后的 %d 条都在第一个请求处结束。",
	"A limit that all connections of a client share looks like this, and so does a server that is shutting down.": "同一客户端的" +
		"所有连接共用的上限会是这样，正在停止的服务器也会是这样。",
	"One connection got %s, then the server broke the protocol, which ends the connection in any client.": "一条连接得到 %s，" +
		"随后服务器违反了协议，任何客户端都会因此结束连接。",
	"Ends at random (kube-apiserver's --goaway-chance), a limit in bytes, an idle time-out, a reload or several servers " +
		"look like this.": "" +
		"随机结束（kube-apiserver 的 --goaway-chance）、按字节计的上限、空闲超时、重新加载配置或多台服务器都会是这样。",
	"Ends at random (kube-apiserver's --goaway-chance), a limit in bytes, a reload or several servers look like this.": "" +
		"随机结束（kube-apiserver 的 --goaway-chance）、按字节计的上限、重新加载配置或多台服务器都会是这样。",
	"one got %s without an end":                                "有一条得到 %s 仍未结束",
	"another got %s without an end":                            "另有一条得到 %s 仍未结束",
	"at ages of %s":                                            "当时已建立 %s",
	"The server left requests without an answer after %s: %s.": "服务器在响应 %s 之后不再响应：%s。",
	"The server stopped answering after %s: %s.":               "服务器在响应 %s 之后不再响应：%s。",
	"No limit was met: one connection got %s, and none was ended in %s; the server reset %s instead of answering.": "" +
		"没有遇到上限：一条连接得到 %s，%s 内没有连接被结束；服务器重置了 %s，没有响应。",
	"No limit was met: one connection got %s, then the probe stopped: %s.": "没有遇到上限：一条连接得到 %s，随后探测" +
		"停止：%s。",
	"the time of one connection (--max-time %s) was over": "一条连接的时间（--max-time %s）已用完",
	"No limit was met: one connection got %s, and none was ended in %s.": "没有遇到上限：一条连接得到 %s，%s 内没有连接" +
		"被结束。",
	"The probe did not ask for a limit.":              "探测没有查找上限。",
	"One connection ended after %s, at an age of %s.": "有一条连接在 %s 后结束，当时已建立 %s。",
	"No other one could be asked: a server that is shutting down looks like this too.": "" +
		"没有其他连接可供查询：正在停止的服务器也会是这样。",
	"One is not enough to tell a request limit from an age.": "只凭一条无法区分请求数上限和最长时间。",
	"Unclear: connections ended after %s, at ages of %s.":    "原因不明：各连接在 %s 后结束，当时已建立 %s。",
	"Both a request limit and an age fit.":                   "请求数上限和最长时间都说得通。",
	"An age fits, but is not proven: restarts at intervals look like this too.": "" +
		"最长时间说得通，但还没有证实：按固定间隔重启也会是这样。",
	"A request limit fits, but is not proven: a server that counts the requests of all connections together looks like this too.": "" +
		"请求数上限说得通，但还没有证实：把所有连接的请求合在一起计数的服务器也会是这样。",
}
