package translations

// chineseStory are the texts of the verdicts on a story.
var chineseStory = map[Phrase]string{
	"Through the reverse proxy the users get less and wait longer than from the gateway alone, and its limit on " +
		"requests per connection does the damage": "经过反向代理时，用户得到的响应比直接经过网关时更少、更慢，而" +
		"原因是代理的单连接请求数上限",
	"This is what the service's team sees, and what nobody sees who tests the " +
		"gateway alone.": "服务团队看到的就是这个现象；只测网关的人看不到。",
	"goodput significantly lower and p99 significantly higher than at %s, and failures, repeated requests or " +
		"more than %d connections for each expected one": "有效吞吐显著低于 %s，p99 显著高于它，并且有失败、重复" +
		"执行的请求，或者每条预期连接对应 %d 条以上的连接",
	"Look at the proxy's limit: `h2lab lint` and `h2lab probe` " +
		"find it.": "检查代理的上限：`h2lab lint` 和 `h2lab probe` 可以找到它。",
	"Look at the failures of these cells.": "查看这些单元的失败。",
	"; no connection reached the limit in the window, so none " +
		"was renewed": "；窗口内没有连接达到上限，因此没有更换连接",
	"Raise DURATION or lower LIMIT.": "提高 DURATION 或降低 LIMIT。",
	"Compare the versions of nginx and of the service with the " +
		"recorded run's.": "对比 nginx 和服务的版本与存档运行中的版本。",
	"; not all of it is beyond noise":                     "；并非各项都超出了噪声",
	"A pool of 100 connections instead of 5 doesn't help": "连接池从 5 条加到 100 条，没有帮助",
	"The pool is the first setting that a team changes, and it can't help: the server ends every connection at " +
		"its limit.": "连接池往往是最先被调整的设置，但它帮不上忙：服务端在每条连接达到上限时都会关闭它。",
	"no significantly higher goodput and no significantly lower p99 than with 5, and the damage of the renewals " +
		"remains": "与 5 条时相比，有效吞吐没有显著提高，p99 没有显著降低，更换连接造成的损害仍在",
	"Leave the pool as it is.": "不必改动连接池。",
	"Compare the pools' settings in results.json (service.settings).": "对比 results.json 中两个连接池的设置（" +
		"service.settings）。",
	"The API is not the cause: its own p99 is not what the users " +
		"wait for": "原因不是 API：用户等待的并不是 API 自己的 p99",
	"The team behind the API measures its own time and sees no fault " +
		"in it.": "API 团队测的是自己的耗时，看不出任何问题。",
	"The database is not the cause: reading the row takes a small part of what the users " +
		"wait for": "原因不是数据库：读取一行只占用户等待时间的一小部分",
	"A slow query is the usual suspect, so it is measured in the " +
		"same minutes.": "慢查询通常最先受到怀疑，因此在同一时段里也测量了它。",
	"cells %s and %s have no such times": "单元 %s 和 %s 没有这项耗时",
	"less than %.0f %% of what the users' p99 rises by from %s to %s, where it " +
		"rises significantly": "从 %[2]s 到 %[3]s，用户的 p99 显著上升，而它只占上升量的 %.0[1]f %% 以下",
	"its p99 is %s ms (%s ms at %s), the users' p99 is %s ms (%s ms there, " +
		"%s)": "它的 p99 是 %s ms（在 %[3]s 是 %[2]s ms），用户的 p99 是 %[4]s ms（在那里是 %[5]s ms，比值 " +
		"%[6]s）",
	"Look between the two: at the connections of the reverse proxy.": "检查两者之间的环节：反向代理的连接。",
	"; the users' p99 doesn't rise beyond noise, so there is no rise " +
		"to explain": "；用户的 p99 没有超出噪声的上升，因此没有需要解释的上升量",
	": it explains %s %% of the rise": "：它占上升量的 %s %%",
	"Look at the processor time of this cell: the machine may be " +
		"the limit.": "查看该单元的 CPU 时间：瓶颈可能是机器本身。",
	"The limit of the reverse proxy is the cause: the gateway alone does no damage, nor does the same chain with " +
		"another limit or another proxy": "原因是反向代理的上限：只有网关时没有损害，同一条链路换一个上限或换一" +
		"种代理也没有",
	"This cut finds the place: the same service, gateway and API, with and without the proxy " +
		"between them.": "这一对比给出了位置：服务、网关和 API 都相同，只看中间有没有代理。",
	"failures, repeated requests or more than %d connections for each expected one at %s, and less than a tenth " +
		"of them elsewhere": "在 %[2]s 有失败、重复执行的请求，或者每条预期连接对应 %[1]d 条以上的连接，而在别处" +
		"不到其十分之一",
	"%s: %s; %s: %s":                              "%s：%s；%s：%s",
	"Change the proxy's limit first.":             "先调整代理的上限。",
	"Look at the warnings of these trials.":       "查看这些试验的警告。",
	"; the proxy with the limit does none either": "；有上限的代理也没有造成损害",
	"Look at the failures of the other cells.":    "查看其他单元的失败。",
	"With the client's retry some POSTs run twice; without it " +
		"calls fail": "客户端打开重试，部分 POST 会执行两遍；关闭重试，调用就会失败",
	"A retry turns an error into a request that runs twice.":   "重试把一个错误变成了执行两遍的请求。",
	"repeated requests with the retry, failed ones without it": "打开重试时有重复执行的请求，关闭重试时有失败的请求",
	"with the retry: %s; without it: %s":                       "打开重试：%s；关闭重试：%s",
	"Give each POST a key that the server recognises, or end the cause at " +
		"the proxy.": "给每个 POST 加上服务端能识别的幂等键，或者在代理处消除原因。",
	"; only the failures appeared":                              "；只出现了失败",
	"; only the repeated requests appeared":                     "；只出现了重复执行的请求",
	"The incident, with keepalive_requests 100000 on the proxy": "代理设置 keepalive_requests 100000 之后的故障",
	"The incident, with Envoy in place of nginx":                "用 Envoy 代替 nginx 之后的故障",
	"The incident, with HTTP/1.1 between service and proxy":     "服务与代理之间改用 HTTP/1.1 之后的故障",
	"The incident, with a newer OkHttp":                         "换用新版 OkHttp 之后的故障",
	"The incident, with one dial at a time before the limit " +
		"is reached": "达到上限之前换连接、同一时刻只建一条之后的故障",
	"The failures without the client's retry, with " +
		"keepalive_requests 100000": "关闭重试、设置 keepalive_requests 100000 之后的失败",
	"A cure ends the damage; what it costs is on the page.": "对策消除损害；代价见报告。",
	"less than a tenth of the failures, repeated requests and extra connections of %s, and a significantly " +
		"higher goodput or lower p99 where the incident costs the users " +
		"either": "失败、重复执行的请求和多余的连接不到 %s 的十分之一；如果故障使有效吞吐降低或 p99 升高，则" +
		"其中一项还要显著改善",
	"Look at the failures and connections of this cell.": "查看该单元的失败和连接。",
	"; the damage is gone, but the users' figures don't improve " +
		"beyond noise": "；损害已经消除，但用户的数据没有超出噪声的改善",
	"in this run the incident costs the users nothing beyond noise, so only the counts " +
		"are compared": "本次运行中，故障对用户的影响没有超出噪声，因此只比较计数",
	"%s of %s failed":            "%[2]s中有 %[1]s 个失败",
	" (%q)":                      "（%q）",
	"; %s executed again":        "；重复执行 %s",
	"; %s accepted, %s expected": "；接受 %s，预期 %s 条",
	", %s used":                  "，使用 %s 条",
	"%s: %s requests/s, %s of the %s at %s; p99 %s ms, %s of the %s ms " +
		"there": "%[1]s：每秒 %[2]s 个请求，是 %[5]s 的 %[4]s 个的 %[3]s；p99 %[6]s ms，是那里 %[8]s ms 的 " +
		"%[7]s",
	"The incident is %s in this run": "本次运行中，故障的判定为“%s”",
	"%s users got %s requests/s with a p99 of %s ms through %s": "%[1]s 个用户经过 %[4]s，每秒得到 %[2]s 个响应，" +
		"p99 为 %[3]s ms",
	", and with keepalive_requests 100000 %s requests/s (%s) with a p99 of %s " +
		"ms (%s)": "；设置 keepalive_requests 100000 之后，每秒 %s 个（%s 倍），p99 为 %s ms（%s 倍）",
	"%s were executed again and %s failed": "重复执行 %s，%s 失败",
	"%s failed":                            "%s 失败",
	"%s failed without the client's retry": "客户端关闭重试时，%s 失败",
}

// chineseStoryPage are the headings, sentences and columns of a story's page. Its longer prose is in
// internal/report/storyreport/text/zh.
var chineseStoryPage = map[Phrase]string{
	"Threads":  "线程",
	"Heap, MB": "堆，MB",
}

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
