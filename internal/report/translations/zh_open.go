package translations

// chineseOpen are the verdicts, tables and notes of an open loop and of merged histograms.
var chineseOpen = map[Phrase]string{
	// verdicts
	"At the same rate, the slowest HTTP/2 requests take longer than those of HTTP/1.1": "在同一速率下，最慢的 HTTP/2 " +
		"请求比最慢的 HTTP/1.1 请求耗时更长",
	"Requests that arrive during a renewal wait for a new connection and are among the slowest.": "更换连接期间到达的请" +
		"求要等待新连接，它们属于最慢的那一部分。",
	"h2's p99 significantly above %.2f × h1's, latency counted from when a request was due": "h2 的 p99 显著高于 h1 的 " +
		"%.2f 倍；延迟从请求到期的时刻起算",
	"Compare the connections accepted (dial-stampede) and the latency by percentile.": "对照接受的连接数" +
		"（dial-stampede）和按百分位的延迟。",
	"Look at the higher percentiles, raise RATE or lower LIMIT.": "查看更高的百分位，提高 RATE 或降低 LIMIT。",
	"fewer than one request in a hundred met a renewal":          "遇到更换连接的请求不到百分之一",
	"cell %s has too few successful requests for a p99":          "单元 %s 成功的请求太少，得不出 p99",
	"p99 of %s %s ms against %s ms of %s at %s requests/s (%s times)": "每秒 %[5]s 个请求时，%[1]s 的 p99 为 %[2]s ms，%[4]s " +
		"为 %[3]s ms（%[6]s 倍）",
	"; p99.9 %s ms against %s ms":                                  "；p99.9 为 %s ms，对照 %s ms",
	"; %s answered %s of %s requests/s":                            "；%[1]s 每秒只响应了 %[3]s 个请求中的 %[2]s 个",
	"had a p99 of %s ms at %s requests/s%s and ":                   "在每秒 %[2]s 个请求下 p99 为 %[1]s ms%[3]s，",
	"had a p99 of %s ms and ":                                      "的 p99 为 %s ms，",
	" (%s: %s ms)":                                                 "（%s：%s ms）",
	"The slowest HTTP/2 requests, with the load on %s":             "在 %s 上压测：最慢的 HTTP/2 请求",
	"This is the waiting time that one changed number saves.":      "这是改一个数字就能省下的等待时间。",
	"a p99 at the low limit significantly above %.2f × that of %s": "低上限下的 p99 显著高于 %[2]s 的 %.2[1]f 倍",
	"at %s requests/s at most %s were in flight on all pools, and a renewal makes only these dial": "每秒 %s 个请求时，" +
		"全部连接池最多有 %s 个在途请求，更换连接时只有它们会建连",
	"Raise RATE, or lower LIMIT or POOLS.": "提高 RATE，或者降低 LIMIT 或 POOLS。",
	"; in cell %s %s of %s requests due were never sent, since as many as allowed were in flight: its p99 is a lower " +
		"bound": "；单元 %[1]s 到期的 %[3]s 个请求中有 %[2]s 个因在途请求已达到允许的数目而未发出：其 p99 只是" +
		"下限",
	"The load generator sent the requests when they were due": "负载生成器按时发出了请求",
	"Latency counts from when a request was due, so a late generator's delay would look like the servers'.": "延迟从请" +
		"求到期的时刻起算，因此负载生成器自身的延误看上去会像是服务器的延误。",
	"99 %% of each trial's requests sent at most %s ms late, or a tenth of the latency's p99": "每次试验中 99 %% 的请求晚发" +
		"不超过 %s ms，或不超过延迟 p99 的十分之一",
	"%d trials, p99 at most %s ms late":                    "%d 次试验，晚发时间的 p99 不超过 %s ms",
	"no trial says how its generator kept to the schedule": "没有一次试验记录了负载生成器是否跟上时间表",
	"in %d of %d trials the load generator fell behind its schedule, p99 up to %s ms late; their numbers are marked, " +
		"and left out where a cell has other trials": "%[2]d 次试验中有 %[1]d 次负载生成器没有跟上时间表，晚发" +
		"时间的 p99 最高 %[3]s ms；这些试验的数据已标记，单元有其他试验时不计入",
	"; %s of %s requests due were never sent, since as many as allowed were in flight: the servers did not keep up with " +
		"the rate": "；到期的 %[2]s 个请求中有 %[1]s 个因在途请求已达到允许的数目而未发出：服务器跟不上这个速率",
	"Lower RATE, or run on an idle machine with more cores.": "降低 RATE，或者换一台核数更多、没有其他任务的机器。",
	"cell %s: in trial %s the load generator fell behind its schedule (p99 up to %s ms late)": "单元 %s：第 %s 次试验中" +
		"负载生成器没有跟上时间表（晚发时间的 p99 最高 %s ms）",
	"%s; the other trials decide": "%s；由其余试验判定",
	"but %s":                      "但是，%s",
	"%d of %d cells were strained: their latencies are an upper bound": "%[2]d 个单元中有 %[1]d 个 CPU 资源紧张：其延迟" +
		"只能视为上限",

	// notes
	"in every trial the load generator fell behind its schedule (p99 up to %s ms late): the latencies are partly its " +
		"own": "每次试验中负载生成器都没有跟上时间表（晚发时间的 p99 最高 %s ms）：延迟有一部分是它自己造成的",
	"in trial %s the load generator fell behind its schedule (p99 up to %s ms late); left out of this number": "第 %s 次" +
		"试验中负载生成器没有跟上时间表（晚发时间的 p99 最高 %s ms）；不计入此数",
	"%s of %s requests due were never sent, since as many as allowed were in flight: the percentiles are a lower " +
		"bound": "到期的 %[2]s 个请求中有 %[1]s 个因在途请求已达到允许的数目而未发出：百分位只是下限",
	"trial %d has no histogram: p50 and p99 are medians of the trials' own percentiles": "第 %d 次试验没有直方图：p50 和 " +
		"p99 取各次试验自身百分位的中位数",
	"the histogram of trial %d can't be used (%s): p50 and p99 are medians of the trials' own percentiles": "第 %d 次试验" +
		"的直方图无法使用（%s）：p50 和 p99 取各次试验自身百分位的中位数",

	// story and sweeps
	"The median latency of successful requests of all trials, as the users see it, from merged histograms.": "全部试验中成功" +
		"请求延迟的中位数（用户所见），由合并后的直方图得出。",
	"The 99th percentile of the same latency. Comparisons rest on the trials' own percentiles.": "同一延迟的第 99 百分位。比" +
		"较依据各次试验自身的百分位。",
	"Percentiles of latency are those of all requests of a cell's trials, from their merged histograms, where each trial has " +
		"one; pairs and all other numbers rest on the trials.\n\n": "如果每次试验都有直方图，延迟的百分位取该单元全部试验所有请求" +
		"的百分位，由合并后的直方图得出；配对比较和其他数据依据各次试验。\n\n",

	// page
	"Latency from the median to the 99.99th percentile for each topology, protocol and client, on a logarithmic scale; " +
		"the numbers are in the table below.": "每个拓扑、协议和客户端从中位数到第 99.99 百分位的延迟，对数刻度；数值见下" +
		"表。",
	"The original demonstration kept a number of requests in flight, a closed loop. At a rate, goodput is the rate as " +
		"long as the servers keep up, so its figures can't be compared with these; run without RATE for " +
		"that.\n": "原演示保持固定数目的在途请求，即闭环。按速率发送时，只要服务器跟得上，有效吞吐就等于速率，因此两者的数据不" +
		"能比较；要比较，请不带 RATE 运行。\n",
	"independent of one another (a Poisson process)": "到达彼此独立（泊松过程）",
	"evenly spaced":               "到达间隔均匀",
	"The schedule":                "时间表",
	"Connects and TLS handshakes": "建连与 TLS 握手",
	"p99, h2 / h1":                "p99，h2 / h1",
	"This row's p99 divided by that of the same topology and client on HTTP/1.1, with its 95 % interval, from the " +
		"trials' own p99. `~` means that the difference is not significant. Goodput is the rate as long as the servers " +
		"keep up.": "本行的 p99 与同一拓扑、同一客户端在 HTTP/1.1 上的 p99 之比，附 95 % 置信区间，依据各次试验自身的百分位。" +
		"`~` 表示差异不显著。只要服务器跟得上，有效吞吐就等于速率。",
	"The median latency of successful requests of all trials, waiting for a connection included, from their merged " +
		"histograms.": "全部试验中一半的成功请求耗时不超过此值，含等待连接的时间；由合并后的直方图得出。",
	"The 99th percentile of the latency of successful requests of all trials, from their merged " +
		"histograms.": "全部试验中 99 % 的成功请求耗时不超过此值；由合并后的直方图得出。",
	"Rate, req/s": "速率，req/s",
	"Requests that were to arrive each second, whether or not earlier ones were answered.": "每秒应到达的请求数，与先前的请" +
		"求是否得到响应无关。",
	"Due":                                   "到期",
	"Requests that were due in all trials.": "全部试验中到期的请求数。",
	"Not started":                           "未发出",
	"Requests due that were never sent, in all trials, because as many as allowed were in flight: the servers did not " +
		"keep up. They have no latency, and it would have been the longest.": "全部试验中已到期、但因在途请求已达到允许的数目" +
		"而未发出的请求数：服务器跟不上。它们没有延迟数据，而其延迟本会是最长的。",
	"In flight": "在途",
	"The largest number of requests in flight at the same time, in any trial.": "各次试验中同时在途请求数的最大值。",
	"Late p99, ms": "晚发 p99，ms",
	"How much later than due the generator sent requests: the 99th percentile of the worst trial. Above 1 ms and a " +
		"tenth of the latency's p99 the generator fell behind, and the trial is marked and left out of the " +
		"medians.": "负载生成器比到期时刻晚多久发出请求：取最差一次试验的第 99 百分位。超过 1 ms 且超过延迟 p99 的十分之一，" +
		"即没有跟上时间表，这次试验会被标记，不计入中位数。",
	"Late max, ms":                         "晚发最大值，ms",
	"The largest such delay in any trial.": "各次试验中这一延误的最大值。",
	"p99 since due, ms":                    "到期起算 p99，ms",
	"The 99th percentile of latency counted from when a request was due (median of the trials).": "从请求到期时刻起算的延迟" +
		"的第 99 百分位（各次试验的中位数）。",
	"p99 since sent, ms": "发出起算 p99，ms",
	"The same counted from when the request was sent. A generator that waits before it sends sees only this one " +
		"(coordinated omission).": "同上，但从请求发出的时刻起算。先等待、后发出的负载生成器只能看到这个数（coordinated " +
		"omission，协同遗漏）。",
	"Connect p50, ms": "建连 p50，ms",
	"The median time of a TCP connect in the window, as the client measured it (median of the trials). Unknown where " +
		"the client can't tell, or none was made.": "测量窗口内 TCP 建连耗时的中位数，由客户端测得（各次试验的中位数）。客户" +
		"端无法测量或没有建连时未知。",
	"Connect p99, ms": "建连 p99，ms",
	"Its 99th percentile (median of the trials).": "其第 99 百分位（各次试验的中位数）。",
	"TLS p50, ms": "TLS p50，ms",
	"The median time of a TLS handshake, after the connect (median of the trials).": "建连之后 TLS 握手耗时的中位数（各次" +
		"试验的中位数）。",
	"TLS p99, ms": "TLS p99，ms",
	"Samples":     "样本数",
	"Successful requests of all trials, whose latencies the histograms hold.": "全部试验中成功的请求数，其延迟记录在直方图" +
		"中。",
	"p50": "p50", "p90": "p90", "p99.9": "p99.9", "p99.99": "p99.99", "Max": "最大值",
	"Half of all these requests took at most this long, in milliseconds; the next columns accordingly. A percentile " +
		"that no request is above is unknown.": "这些请求中有一半的耗时不超过此值，单位 ms；后面各列依此类推。没有任何请求超过" +
		"的百分位视为未知。",
	"The 90th percentile of all these requests.":                      "这些请求耗时的第 90 百分位。",
	"The 99th percentile of all these requests.":                      "这些请求耗时的第 99 百分位。",
	"All but one in 1,000 of these requests took at most this long.":  "每 1,000 个请求中只有一个超过此值。",
	"All but one in 10,000 of these requests took at most this long.": "每 10,000 个请求中只有一个超过此值。",
	"The longest of these requests, to three digits.":                 "这些请求中的最大耗时，三位有效数字。",
}
