package translations

// chineseColumns are the heads of the report's tables and their meanings.
var chineseColumns = map[Phrase]string{
	"Topology": "拓扑",
	"The way to the backend. The number in a name is how many requests " +
		"the front allows on one connection.": "通往后端的路径。名字里的数字是前端允许一条连接承载的请求数。",
	"Protocol": "协议",
	"What the client speaks to the front: h1 is HTTP/1.1, h2 is HTTP/2.": "客户端与前端之间的协议：h1 即 HTTP/1.1，" +
		"h2 即 HTTP/2。",
	"Goodput, req/s": "有效吞吐，请求/秒",
	"Successful requests per second: the median of the trials, with its 95 % interval in " +
		"parentheses. A failed request is never throughput.": "每秒成功的请求数：各次试验的中位数，括号内为其 95 % " +
		"置信区间。失败的请求绝不计入吞吐。",
	"h2 / h1": "h2 / h1",
	"This row's goodput over that of the same topology and client on HTTP/1.1, with its 95 % interval. " +
		"`~` means that these trials can't tell the two apart.": "本行的有效吞吐与同一拓扑、同一客户端在 HTTP/1.1 " +
		"上的有效吞吐之比，附 95 % 置信区间。`~` 表示凭这些试验无法区分两者。",
	"p50, ms": "p50，毫秒",
	"Half of the successful requests took no longer than this, waiting for a connection " +
		"included. Median of the trials.": "一半的成功请求耗时不超过此值，含等待连接的时间。取各次试验的中位数。",
	"p99, ms": "p99，毫秒",
	"99 % of the successful requests took no longer " +
		"than this. Median of the trials.": "99 % 的成功请求耗时不超过此值。取各次试验的中位数。",
	"Failed": "失败",
	"Requests that failed in a trial (median), with their cause. Every message stands " +
		"word for word below the tables.": "一次试验中失败的请求数（中位数）及其原因。每条错误信息的原文列在表格下方。",
	"Duplicates": "重复执行",
	"Requests that the backend executed more than once in a " +
		"trial (median), seen by their ids.": "一次试验中被后端执行了不止一次的请求数（中位数），按请求 id 识别。",
	"Accepted": "接受",
	"Connections the front accepted in the measured window of a trial (median): nginx `accepts`, Envoy " +
		"`downstream_cx_total`, the backend's own count for `direct`.": "一次试验的测量窗口内前端接受的连接数" +
		"（中位数）：nginx 取 `accepts`，Envoy 取 `downstream_cx_total`，`direct` 取后端自己的计数。",
	"Used": "使用",
	"Connections that carried their first request in the window (median). Left out where more were " +
		"used than accepted over HTTP/1.1: the cold start opened them.": "在测量窗口内承载了首个请求的连接数" +
		"（中位数）。HTTP/1.1 下若使用数多于接受数，则不列出：多出的连接是冷启动时建立的。",
	"Expected": "预期",
	"Connections that this many requests needed (median): over h2 a pool shares requests ÷ limit of them, over " +
		"h1 every request in flight has its own and each carries its share.": "这么多请求所需的连接数（中位数）：h2 " +
		"下一个连接池共用“请求数 ÷ 上限”条；h1 下每个在途请求各占一条，请求由各条分担。",
	"Waste": "浪费",
	"1 − used ÷ accepted over all trials: the share of handshakes " +
		"that carried no request at all.": "1 − 使用 ÷ 接受，按全部试验计：没有承载任何请求的握手所占的比例。",
	"Accepted per 1,000": "每 1,000 请求接受",
	"Accepted connections per 1,000 requests attempted (median). It " +
		"doesn't depend on how fast the machine is.": "每发起 1,000 个请求所接受的连接数（中位数）。与机器快慢无关。",
	"Client saw": "客户端所见",
	"New connections the client itself knows of (median): dialled where it counts its own dials, else what its " +
		"metrics report.": "客户端自己知道的新建连接数（中位数）：能自己统计建连的记“自计”，否则取其指标的“上报”值。",
	"Cold start": "冷启动",
	"Connections accepted while the pool was still cold, in the warm-up (median). " +
		"They are in no other column.": "预热期间连接池还是冷的时候接受的连接数（中位数）。不计入其他任何列。",
	"Proxy CPU, ms per 1,000": "代理 CPU，毫秒/1,000 请求",
	"Processor time all proxies of the topology took for 1,000 requests, " +
		"in milliseconds (median).": "该拓扑的所有代理处理 1,000 个请求所花的处理器时间，单位毫秒（中位数）。",

	"%s over %s: %s requests a connection are configured, the probe got %s": "%s（%s）：配置为每条连接 %s 个请求，" +
		"探测得到 %s 个",
	"%s can't run here: %s":           "%s 无法在此运行：%s",
	"%s was planned and has no trial": "%s 已列入计划，但没有试验",
	"%s\u00a0dialled":                 "%s\u00a0自计",
	"%s\u00a0reported":                "%s\u00a0上报",

	"one connection pool for all requests, as an application has":      "所有请求共用一个连接池，与应用程序一样",
	"the usual script, a connection for each user: it hides the fault": "常见的脚本，每个用户一条连接：会掩盖故障",
	"Go's net/http, bodies that can be sent again":                     "Go 的 net/http，请求体可以重发",
	"Go's net/http, a body that can be sent only once":                 "Go 的 net/http，请求体只能发送一次",
	"Go's net/http, MaxConnsPerHost 1 on HTTP/2":                       "Go 的 net/http，HTTP/2 上设 MaxConnsPerHost 1",

	"| Column | What it means |\n|:--|:--|\n": "| 列 | 含义 |\n|:--|:--|\n",
	"| Server | Version | Configuration | SHA-256 | Own account | SHA-256 | Processors " +
		"read back |\n|:--|:--|:--|:--|:--|:--|--:|\n": "| 服务器 | 版本 | 配置 | SHA-256 | 自述 | SHA-256 | " +
		"回读的处理器数 |\n|:--|:--|:--|:--|:--|:--|--:|\n",
	"| Where | Cause | In all trials | Message |\n|:--|:--|--:|:--|\n": "| 位置 | 原因 | 全部试验合计 | 错误信息 " +
		"|\n|:--|:--|--:|:--|\n",
	"Processor": "处理器", "Cores": "核数", "Memory": "内存", "System": "系统", "Kernel": "内核",
	"Commit of the lab": "本实验的提交", "h2lab's own memory, at most": "h2lab 自身内存峰值",
}
