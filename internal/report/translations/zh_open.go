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

	// story and sweeps

	// page
	"p99.9": "p99.9"}
