package translations

// chineseColumns are the heads of the report's tables and their meanings.
var chineseColumns = map[Phrase]string{
	"Topology": "拓扑",
	"The path to the backend. The number in a name is the front's limit on requests per " +
		"connection.": "通往后端的路径。名字里的数字是入口代理允许一条连接承载的请求数。",
	"Protocol": "协议",
	"The protocol between client and front: h1 is HTTP/1.1, h2 is HTTP/2.": "客户端与入口代理之间的协议：h1 即 HTTP/1.1，" +
		"h2 即 HTTP/2。",
	"Goodput, req/s": "有效吞吐，req/s",
	"Successful requests per second: the median of the trials, with its 95 % interval in parentheses. Failed " +
		"requests don't count.": "每秒成功的请求数：各次试验的中位数，括号内为其 95 % 置信区间。失败的请求一律不" +
		"计入吞吐。",
	"h2 / h1": "h2 / h1",
	"This row's goodput divided by that of the same topology and client on HTTP/1.1, with its 95 % interval. `~` " +
		"means that the difference is not significant.": "本行的有效吞吐与同一拓扑、同一客户端在 HTTP/1.1 上的有" +
		"效吞吐之比，附 95 % 置信区间。`~` 表示差异不显著。",
	"p50, ms": "p50，ms",
	"The median latency of successful requests, waiting for a connection included. Median of the " +
		"trials.": "一半的成功请求耗时不超过此值，含等待连接的时间。取各次试验的中位数。",
	"p99, ms": "p99，ms",
	"The 99th percentile of the latency of successful requests. Median of the trials.": "99 % " +
		"的成功请求耗时不超过此值。取各次试验的中位数。",
	"Failed": "失败",
	"Requests that failed in a trial (median), with their cause. The messages are below the tables, " +
		"verbatim.": "一次试验中失败的请求数（中位数）及其原因。错误信息的原文列在表格下方。",
	"Duplicates": "重复执行",
	"Requests that the backend executed more than once in a trial (median), counted by " +
		"id.": "一次试验中后端重复执行的请求数（中位数），按请求 id 识别。",
	"Accepted": "接受",
	"Connections the front accepted in the measured window of a trial (median): nginx `accepts`, Envoy " +
		"`downstream_cx_total`, the backend's own count for `direct`.": "一次试验的测量窗口内入口代理接受的连接数" +
		"（中位数）：nginx 取 `accepts`，Envoy 取 `downstream_cx_total`，`direct` 取后端自己的计数。",
	"Used": "使用",
	"Connections that carried their first request in the window (median). Left out for HTTP/1.1 if more were " +
		"used than accepted: the cold start opened the others.": "在测量窗口内承载了首个请求的连接数" +
		"（中位数）。HTTP/1.1 下若使用数多于接受数，则不列出：多出的连接是冷启动时建立的。",
	"Expected": "预期",
	"The connections that this many requests take (median): over h2 requests ÷ limit, shared by a pool; over h1 " +
		"one for each request in flight, with the requests spread evenly.": "这些请求所需的连接数（中位数）：h2 " +
		"下每个连接池共用“请求数 ÷ 上限”条；h1 下每个在途请求各占一条，请求由这些连接分担。",
	"Waste": "浪费",
	"1 − used ÷ accepted over all trials: the share of handshakes whose connection carried no request.": "1 − 使用 ÷ " +
		"接受，按全部试验计：握手之后没有承载任何请求的连接所占的比例。",
	"Accepted per 1,000": "接受/1,000 请求",
	"Accepted connections per 1,000 requests attempted (median). It doesn't depend on the machine's speed.": "每发起 " +
		"1,000 个请求所接受的连接数（中位数），与机器快慢无关。",
	"Client saw": "客户端所见",
	"New connections that the client counts (median): its own dials, or what its metrics " +
		"report.": "客户端自己得知的新建连接数（中位数）：能统计自身建连次数的标“自计”，其余取自客户端指标的标“" +
		"上报”。",
	"Cold start": "冷启动",
	"Connections accepted in the warm-up, from an empty pool (median). No other column includes " +
		"them.": "预热期间，连接池尚空时接受的连接数（中位数）。不计入其他任何列。",
	"Proxy CPU, ms per 1,000": "代理 CPU，ms/1,000 请求",
	"Processor time of all proxies of the topology for 1,000 requests, in milliseconds " +
		"(median).": "该拓扑的所有代理处理 1,000 个请求耗费的 CPU 时间，单位 ms（中位数）。",

	"%s over %s: %s requests a connection are configured, the probe got %s": "%s（%s）：配置为每条连接 %s 个请求，" +
		"探测得到 %s 个",
	"%s can't run here: %s":           "%s 无法在此运行：%s",
	"%s was planned but has no trial": "%s 已列入计划，但没有试验",
	"%s\u00a0dialled":                 "%s\u00a0自计",
	"%s\u00a0reported":                "%s\u00a0上报",

	"one connection pool for all requests, as in an application": "所有请求共用一个连接池，与应用程序一样",
	"the usual script, one connection for each user, which hides the fault": "常见的压测脚本，每个用户一条连接：" +
		"会掩盖故障",
	"Go's net/http, bodies that can be sent again":     "Go 的 net/http，请求体可以重发",
	"Go's net/http, a body that can be sent only once": "Go 的 net/http，请求体只能发送一次",
	"Go's net/http, MaxConnsPerHost 1 on HTTP/2":       "Go 的 net/http，HTTP/2 上设 MaxConnsPerHost 1",

	"| Column | Meaning |\n|:--|:--|\n": "| 列 | 含义 |\n|:--|:--|\n",
	"| Server | Version | Configuration | SHA-256 | As reported by the server | SHA-256 | Processors read back " +
		"|\n|:--|:--|:--|:--|:--|:--|--:|\n": "| 服务器 | 版本 | 配置 | SHA-256 | 服务器导出的配置 | SHA-256 | " +
		"回读的 CPU 配额 |\n|:--|:--|:--|:--|:--|:--|--:|\n",
	"| Where | Cause | In all trials | Message |\n|:--|:--|--:|:--|\n": "| 位置 | 原因 | 全部试验合计 | 错误信息 " +
		"|\n|:--|:--|--:|:--|\n",
	"Processor": "处理器", "Cores": "核数", "Memory": "内存", "System": "系统", "Kernel": "内核",
	"Commit of the lab": "本实验的提交", "Peak memory of h2lab": "h2lab 自身内存峰值",
}
