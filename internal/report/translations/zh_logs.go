package translations

// chineseLogs are the facts and the labels of h2lab logs.
var chineseLogs = map[Phrase]string{
	"%g of %g opened (%s)":           "新建的 %[2]g 条中有 %[1]g 条（%[3]s）",
	"%g of %g connections":           "%[2]g 条连接中有 %[1]g 条",
	"%g of 1 connection":             "1 条连接中有 %g 条",
	"%g connections by %q, every %g": "%g 条连接，来自 %q，每隔 %g",
	"1 connection by %q, every %g":   "1 条连接，来自 %q，每隔 %g",
	"1 connection at %s":             "1 条连接，%s",
	"unknown":                        "未知",
	"%g connections at %s":           "%g 条连接，%s",
	"lasted %g":                      "持续 %g",
	"about %g":                       "约 %g",
	"under %g":                       "不到 %g",
	"over %g":                        "超过 %g",
	"%g and %g":                      "%g 和 %g",
	"ended at %g":                    "在 %g 处结束",
	"%g ended at the limit":          "%g 条在上限处结束",
	"%g ended at that number":        "%g 条在这个数处结束",
	"%g connections ended at %s.":    "%g 条连接在 %s 处结束。",
	"1 connection ended at %s.":      "1 条连接在 %s 处结束。",
	"%g and %g of them within a second of a renewal, as are %s of all seconds": "其中 %g 和 %g 个在更换连接前后一秒之内（这样的" +
		"时刻占全部秒数的 %s）",
	"format: %s":        "格式：%s",
	"%s to %s UTC (%s)": "%s 到 %s UTC（%s）",
	"not of the format: %s; the first is line %d of %s: %q": "不符合这一格式的有 %s；第一处是 %[3]s 的第 %[2]d 行：%[4]q",
	"%g times": "%g 次", "%g time": "%g 次", "%g other": "另外 %g 条",
	"%g others": "另外 %g 条",

	"connections that carried requests": "承载过请求的连接",
	"begun before the log":              "在日志之前建立",
	"perhaps open at the end":           "结束时可能仍未关闭",
	"server restarts":                   "服务器重启",
	"%s (the serials began again)":      "%s（连接编号重新开始）",
	"connections without a request":     "没有请求的连接",
	"%s to %s (serials without a line; the server's own connections to upstreams have serials too)": "%s 到 %s 条（没有" +
		"日志行的连接编号；服务器到上游的连接也占用编号）",
	"at most %s of %s (%s): serials without a line; the server's own": "%[2]s 条中至多 %[1]s 条（%[3]s）：没有日志行的连接编号；",
	"connections to upstreams have serials too; if it has none: --no-upstreams": "服务器到上游的连接也占用编号；如果它没有" +
		"这种连接，请用 --no-upstreams",
	"requests a connection":               "每条连接的请求数",
	"p50 %s, p90 %s, max %s (%s)":         "p50 %s，p90 %s，最大 %s（%s）",
	"%s that ended":                       "已结束的 %s",
	"all connections, ended or not":       "全部连接，不论是否已结束",
	"%g or more":                          "%g 或更多",
	"the limit":                           "上限",
	"that number":                         "这个数",
	"%s on %s: p50 %s, p90 %s, max %s":    "%[2]s，%[1]s：p50 %[3]s，p90 %[4]s，最大 %[5]s",
	"ended at exactly %s":                 "恰好在 %s 处结束",
	"such ends a minute":                  "每分钟这样结束",
	"%s (median), %s (the fastest tenth)": "%s（中位数），%s（最快的十分之一）",
	"each after":                          "每条历时",
	"carried more":                        "超过这个数",
	"%s (another server block, with another limit?)":                  "%s（上限不同的另一个 server 块？）",
	"silences before the next request":                                "下一个请求之前的空闲",
	"%s at most on the same connection, %s at least before a new one": "同一条连接上最长 %s，新建连接之前最短 %s",
	"ended together":         "同时结束",
	"health checks":          "健康检查",
	"requests":               "请求",
	"worst minutes":          "最差的几分钟",
	"new":                    "新建",
	"opened at most":         "至多新建",
	"requests a new one":     "请求/新建",
	"answers 499 and 5xx":    "499 和 5xx 响应",
	"Envoy's response flags": "Envoy 的响应标志",
	"%s of all seconds are within a second of a renewal, so errors near one prove nothing": "全部秒数中有 %s " +
		"靠近更换连接，因此时间接近说明不了问题",

	"combined with conn= and req=": "combined 加 conn= 和 req=",
	"combined, then $connection $connection_requests $connection_time": "combined，后接 $connection $connection_requests " +
		"$connection_time",
	"combined, then $connection $connection_requests": "combined，后接 $connection $connection_requests",
	"main with conn= and req=":                        "main 加 conn= 和 req=",
	"ingress-nginx's with conn= and req=":             "ingress-nginx 的格式加 conn= 和 req=",
	"combined with port=":                             "combined 加 port=",
	"Envoy's default with conn=":                      "Envoy 的默认格式加 conn=",
	"Istio's default":                                 "Istio 的默认格式",
	"HAProxy's httplog":                               "HAProxy 的 httplog",
	"Envoy's JSON":                                    "Envoy 的 JSON",
	"Traefik's JSON":                                  "Traefik 的 JSON",
	"Caddy's JSON":                                    "Caddy 的 JSON",
	"ingress-nginx's JSON":                            "ingress-nginx 的 JSON",
	"%s in docker's json-file":                        "%s，外层是 docker 的 json-file",
	"%s in journald's JSON":                           "%s，外层是 journald 的 JSON",
	"%s in JSON with a message":                       "%s，外层是带 message 的 JSON",
	"%s in CRI's log":                                 "%s，外层是 CRI 的日志",
	"%s in kubectl's --prefix":                        "%s，外层是 kubectl 的 --prefix",
	"%s in docker compose's log":                      "%s，外层是 docker compose 的日志",
	"%s in syslog":                                    "%s，外层是 syslog",
	"%s in kubectl's --timestamps":                    "%s，外层是 kubectl 的 --timestamps",
	"%s in a program's name":                          "%s，前面是程序名",
	"%s in Loki's logcli":                             "%s，外层是 Loki 的 logcli",
	"%s in a time and a name":                         "%s，前面是时间和名称",
	"%s in text before JSON":                          "%s，前面是 JSON 之前的文本",
	"%s in a word":                                    "%s，前面是一个词",
	"%s in a pod's and a container's name":            "%s，前面是 pod 名和容器名",
	"%s in CSV":                                       "%s，外层是 CSV",
	"%s in JSON with %s":                              "%s，外层是带 %s 的 JSON",
	"text with %s":                                    "文本：%s",
	"text with %s and %s":                             "文本：%s，%s",
	"a connection's number (%s)":                      "连接编号（%s）",
	"a connection's name (%s)":                        "连接名（%s）",
	"a client's address with its port (%s)":           "客户端地址和端口（%s）",
	"a client's port (%s)":                            "客户端端口（%s）",
	"a request's number (%s)":                         "请求编号（%s）",
	"a number of requests before (%s)":                "此前的请求数（%s）",
}

// chineseLogsWarnings say what may make the result of logs wrong.
var chineseLogsWarnings = map[Phrase]string{
	"lines of several servers are mixed: different connections have the same number.": "多台服务器的日志行混在一起：不同的" +
		"连接有相同的编号。",
	"Read each server's log by itself, or add $hostname to the log_format": "请逐台读取日志，或在 log_format 中加上 $hostname",
	"%s more lines than requests: two access_log to one file, log_subrequest, or lines of several servers": "%s，日志行比" +
		"请求多：两条 access_log 写入同一文件、log_subrequest，或多台服务器的日志行",
	"%g connection has":   "有 %g 条连接",
	"%g connections have": "有 %g 条连接",
	"%s of connections in this log have no line in it (another access_log, access_log off, or if=); a connection " +
		"counts as empty if none of its requests has a line": "日志中的连接有 %s 没有日志行（写入另一个 access_log、access_log off " +
		"或 if=）；所有请求都不在这里的连接按空连接计",
	"%s came too late to be counted in their minute": "有 %s 来得太晚，无法归入任何一分钟",
	"the lines have no time, so rates are unknown and all connections may be open": "日志行没有时间，因此速率未知，所有连接" +
		"都可能仍未关闭",
	"the log doesn't number a connection's requests: they were counted by the client's address and port, from the log's " +
		"beginning on": "日志没有给连接的请求编号：请求数按客户端的地址和端口，从日志开头数起",
	"the log doesn't number a connection's requests: they were counted by the connection's id, from the log's beginning on": "" +
		"日志没有给连接的请求编号：请求数按连接的 id，从日志开头数起",
	"%s forgotten after a long silence, and counted from 1 again": "%s 在长时间空闲后被遗忘，又从 1 数起",
	"%g connection was":   "有 %g 条连接",
	"%g connections were": "有 %g 条连接",
	"the numbers of requests, of connections and of ends at the limit are exact; %s forgotten, came back, and may " +
		"be counted twice in the distribution": "请求数、连接数和在上限处结束的连接数是准确的；%s 被遗忘后又出现，可能在分布中计了两次",
	"%s is empty": "%s 是空的",
	"%s: its last line is cut off and was left out": "%s：最后一行不完整，没有计入",
}

// chineseLogsVerdicts are the verdicts of logs.
var chineseLogsVerdicts = map[Phrase]string{
	"would tell: ": "可据此判断：",

	"Too little to judge: %s.": "数据太少，无法判断：%s。",
	"Lines of several servers are mixed, so the log can't say which requests shared a connection.": "多台服务器的日志行混在" +
		"一起，因此日志无法说明哪些请求共用一条连接。",
	"$hostname in the log_format": "log_format 中的 $hostname",
	"each server's log by itself": "逐台服务器的日志",
	"Every connection carried one request: keepalive_timeout 0 or keepalive_requests 1 here, or clients that ask once and " +
		"leave.": "每条连接只承载一个请求：这里设置了 keepalive_timeout 0 或 keepalive_requests 1，或者客户端发一个请求就离开。",
	"Connections end early: %s requests each on average, and no common number of requests.": "连接很早就结束：平均每条 %s " +
		"个请求，而且没有共同的请求数。",
	"Clients close them, or are idle for longer than the server allows.": "是客户端关闭连接，或者空闲得比服务器允许的更久。",
	"A higher request limit changes nothing here.":                       "调高请求数上限在这里没有作用。",
	"Which of them ended is not known: the log covers %s, and a connection that is silent for less than %s may still be open " +
		"(--idle).": "其中哪些已经结束无从得知：日志只有 %s，静默时间不到 %s 的连接可能仍然打开（--idle）。",
	"Connections carry %s requests each on average, and none ends at a limit.": "每条连接平均承载 %s 个请求，没有连接在上限处" +
		"结束。",
	"Connections carry %s requests each on average, and no limit shows.":      "每条连接平均承载 %s 个请求，看不出有上限。",
	"This format doesn't show connections without a request.":                 "这种格式看不到没有请求的连接。",
	"The server's own %s to upstreams explain the serials that have no line.": "没有日志行的连接编号是服务器到上游的 %s 造成的。",
	"the client's address in the log: does the client go on with a new connection?": "日志中的客户端地址：客户端是否用新连接" +
		"继续？",
	"times with fractions of a second: does a new connection follow at once?": "精确到小数秒的时间：是否立即新建连接？",

	"Connections end at a request limit: %s ended at %s.":                "连接在请求数上限处结束：%s 在 %s 处结束。",
	"Connections end at a request limit: %s ended at %s, each after %s.": "连接在请求数上限处结束：%s 在 %s 处结束，每条历时 %s。",
	"Connections end at a request limit: %s ended at %s, %g a minute.":   "连接在请求数上限处结束：%s 在 %s 处结束，每分钟 %g 条。",
	"Connections end at a request limit: %s ended at %s, %g a minute, each after %s.": "连接在请求数上限处结束：%s 在 %s 处结束，" +
		"每分钟 %g 条，每条历时 %s。",
	"exactly %g requests":                      "恰好 %g 个请求",
	"%g requests or slightly more":             "%g 个或稍多的请求",
	"Each lasts for %s, so that does no harm.": "每条持续 %s，因此没有危害。",
	"Only %s of the requests were on such connections; the others end earlier.": "只有 %s 的请求在这样的连接上；其余连接结束得" +
		"更早。",
	"With %s requests a connection lasts %s times as long.": "上限为 %s 个请求时，连接持续的时间是现在的 %s 倍。",
	"Serials without a line grow with time and not with renewals, so they are no stampede: virtual hosts that log " +
		"elsewhere, the server's upstreams, or something that only checks the port.": "没有日志行的连接编号随时间增长，与更换" +
		"连接无关，因此不是连接风暴：可能是日志写到别处的虚拟主机、服务器到上游的连接，或只检查端口的程序。",
	"It is a stampede: at least %s empty connections for each one that ended.": "这是连接风暴：每结束一条连接，至少有 %s 条" +
		"空连接。",
	"A client dials once for each waiting request, uses one connection and drops the others.": "客户端为每个等待中的请求各建" +
		"一条连接，只用一条，丢弃其余的。",
	"(Virtual hosts that log elsewhere look the same.)": "（日志写到别处的虚拟主机看起来也是这样。）",
	"It may be a stampede: up to %s empty connections for each one that ended.": "可能是连接风暴：每结束一条连接，至多有 %s " +
		"条空连接。",
	"The server's own connections to upstreams have serials too.":  "服务器到上游的连接也占用编号。",
	"It is no stampede: hardly any connection carried no request.": "不是连接风暴：几乎没有不承载请求的连接。",
	"is the limit %d? If not, the clients stop at that number":     "配置里是 %d 吗？如果不是，就是客户端在这里停止",
	"the same question after the change":                           "修改之后再问一次",
	"The clients end the connections: %s ended at %s, and hardly any client went on with a new one.": "连接由客户端结束：%s " +
		"在 %s 处结束，几乎没有客户端用新连接继续。",
	"A server's limit would have a new connection follow at once.": "如果是服务器的上限，会立即新建连接。",
	"A higher limit changes nothing here.":                         "调高上限在这里没有作用。",
	"Either the server has that limit, or each client sends that many and leaves: the log can't tell.": "要么服务器的上限就是" +
		"这个数，要么每个客户端发这么多请求就离开：日志无法区分。",
	"%s ended at %s, and %s carried more.": "%s 在 %s 处结束，%s 承载得更多。",
	"So it is not the whole server's limit: it is one server block's, or clients send that many requests and " +
		"leave.": "因此" +
		"不是整台服务器的上限：要么是某个 server 块的上限，要么是客户端发这么多请求就离开。",
	"whether MaxKeepAliveRequests is %d: Apache allows one more": "MaxKeepAliveRequests 是否为 %d：Apache 会多允许一个",
	"whether the server's configuration says %d":                 "服务器的配置是否为 %d",
	"h2lab probe, with the server's address: it asks the server for its limit": "h2lab probe 加服务器的地址：它向服务器探测" +
		"上限",

	"Connections end at an age: %s of %s lasted %s, with %s.": "连接在达到最长时间时结束：%[2]s 条中有 %[1]s 条持续了 %[3]s，" +
		"承载 %[4]s。",
	"%s of %s connections lasted %s and carried %s.": "%[2]s 条连接中有 %[1]s 条持续了 %[3]s，承载 %[4]s。",
	"Either an age or a request limit ends them: the log can't tell which, since the clients send at the same " +
		"rate.": "结束它们的是" +
		"最长时间或请求数上限：客户端的速率相同，日志无法区分。",
	"the same log with a client at another rate: a limit keeps the number, an age the time": "同样的日志，但客户端用另一个" +
		"速率：上限不变的是请求数，最长时间不变的是时间",
	"The server's maximum age, one of a proxy or balancer before it, or the client's own ends them.": "结束它们的是服务器的" +
		"最长时间、它前面的代理或负载均衡器的最长时间，或客户端自己的。",
	"%s ended at %s instead.":       "%s 则在 %s 处结束。",
	"So rarely, that does no harm.": "这样少见，没有危害。",

	"Connections ended together, at different numbers of requests: %s, at %s (UTC).": "一些连接同时结束，请求数各不相同：%s，" +
		"时间是 %s（UTC）。",
	"%s, %g more times": "%s，以及另外 %g 次",
	"A reload or a restart of the server, or of a proxy before it, closes every connection at once.": "重新加载或重启服务器" +
		"（或它前面的代理）会同时关闭所有连接。",
	"Schedule it.": "请安排好时间。",
	"Connections end after a silence: %s of %s new connections followed one of %s or more, and no client used a connection " +
		"again after more than %s.": "连接在空闲之后结束：%[2]s 条新连接中有 %[1]s 条出现在 %[3]s 或更久的空闲之后，没有客户端" +
		"在空闲超过 %[4]s 之后继续使用同一条连接。",
	"The server's idle timeout, one of a proxy or balancer before it, or the client's own closes them.": "关闭它们的是服务器" +
		"的空闲超时、它前面的代理或负载均衡器的空闲超时，或客户端自己的。",
	"%s of the %s are health checks, with one request each and by intention: %q asks %q every %s.": "%[2]s 中有 %[1]s 条是" +
		"健康检查，每条有意只发一个请求：%[3]q 每隔 %[5]s 请求 %[4]q。",
	"%s of the %s are health checks, with one request each and by intention: %q asks %q every %s, and %s.": "%[2]s 中有 %[1]s " +
		"条是健康检查，每条有意只发一个请求：%[3]q 每隔 %[5]s 请求 %[4]q，还有 %[6]s。",
	"The other %s are too few to judge.":      "其余 %s 太少，无法判断。",
	"with older files before these, or later": "在前面加上更早的文件，或稍后再试",

	"whether a balancer checks the port by opening connections: its configuration says how often": "负载均衡器是否通过建立" +
		"连接来检查端口：它的配置里有频率",
	"h2lab watch, with the address of the server's counters: when are they opened?": "h2lab watch 加服务器计数器的地址：它们" +
		"是什么时候建立的？",
	"Most connections carry nothing: %s of %s opened had no request (%s).": "大多数连接不承载任何请求：新建的 %[2]s 条中有 " +
		"%[1]s 条没有请求（%[3]s）。",
	"The others carried %s requests each on average, and no limit ends them.": "其余连接平均每条 %s 个请求，没有在上限处结束。",
	"Clients dial more often than they need, something only checks the port, or virtual hosts log elsewhere.": "" +
		"可能是客户端建连过多，有程序只检查端口，或某些虚拟主机把日志写到别处。",
	"Connections with a request carry %s each on average, and none ends at a limit.": "有请求的连接平均每条承载 %s 个，没有连接" +
		"在上限处结束。",
	"But %s of %s serials (%s) have no line: connections without a request, the server's own to upstreams, or those of " +
		"virtual hosts that log elsewhere.": "但 %[2]s 个连接编号中有 %[1]s 个（%[3]s）没有日志行：没有请求的连接、服务器到" +
		"上游的连接，或日志写到别处的虚拟主机的连接。",
	"The log can't tell.": "日志无法区分。",
	"$upstream_addr in the log_format, or --no-upstreams if nginx has no upstreams": "log_format 中的 $upstream_addr；如果 " +
		"nginx 没有上游，则用 --no-upstreams",
	"--no-upstreams, if the server has no upstreams": "--no-upstreams，如果服务器没有上游",
	"one access log for all virtual hosts":           "所有虚拟主机写入同一个访问日志",
	"at level notice":                                "日志级别为 notice",
	"then: kubectl logs POD | grep -i reload":        "然后执行：kubectl logs POD | grep -i reload",
}
