package translations

// chineseMatters are the sentences of SWEEP=matters and of its page.
var chineseMatters = map[Phrase]string{
	"Go's pool": "Go 的连接池",
	"Go's pool (bodies that can be read only once)": "Go 的连接池（请求体只能读一次）",
	"Go's pool (one dial at a time)":                "Go 的连接池（一次只拨号一条）",

	"%s in flight":                      "%s 个在途请求",
	"%s in flight in %s pools":          "%[2]s 个连接池共 %[1]s 个在途请求",
	"resumed sessions":                  "恢复会话",
	"at a rate":                         "按速率到达",
	"no round trip":                     "无往返时间",
	"a round trip of %s ms":             "往返 %s ms 处",
	" (± %s ms, %s %% loss, %s Mbit/s)": "（± %s ms，丢包 %s %%，%s Mbit/s）",
	"a backend of %s ms and %s":         "后端 %s ms、%s",
	" or ":                              "或",

	"costs less than %s %% of goodput and adds less than %s %% to p99": "使有效吞吐损失不到 %s %%、p99 增加不到 %s %%",
	"costs less than %s %% of goodput":                                 "使有效吞吐损失不到 %s %%",
	"adds less than %s %% to p99":                                      "使 p99 增加不到 %s %%",
	"%s %% of goodput or %s %% of p99":                                 "有效吞吐的 %s %% 或 p99 的 %s %%",
	"%s %% of goodput":                                                 "有效吞吐的 %s %%",
	"%s %% of p99":                                                     "p99 的 %s %%",

	"With %s, limit %s %s":                                   "使用 %s 时，上限 %s %s",
	"%s %s (%s)%s.":                                          "%s：%s（%s）%s。",
	"%s at no place of the map (%s).":                        "%s：图上没有一处如此（%s）。",
	"at every place of the map":                              "图上处处如此",
	"from a backend of %s ms on, whatever the distance":      "从后端 %s ms 起，不论距离",
	"from a round trip of %s ms on, whatever the backend":    "从往返 %s ms 起，不论后端",
	"from a backend of %s ms on, with %s":                    "从后端 %s ms 起，%s",
	"from a round trip of %s ms on, with a backend of %s ms": "从往返 %s ms 起，后端 %s ms",
	"only %s":              "仅限于：%s",
	": at %s of %s places": "：%[2]s 处中有 %[1]s 处如此",
	"; more than that, but within noise, with %s": "；超过阈值、但在噪声之内的有：%s",
	"; without numbers with %s":                   "；没有数据的有：%s",
	"; %s extrapolated from a lower limit":        "；其中 %s 处由更低的上限外推",
	"The run can't tell from where on limit %s stops mattering with %s (%s): more than %s, but within noise, at %s of %s " +
		"places. Measure again on an idle machine, with more trials.": "本次运行无法判断上限 %s 对 %s 从哪里起不再有影响（%s）：" +
		"代价超过%[4]s、但在噪声之内的位置，在 %[6]s 处中有 %[5]s 处。请在空闲的机器上增加试验次数，重新测量。",
	"The run can't tell from where on limit %s stops mattering with %s: no place of its map has numbers behind both " +
		"limits.": "本次运行无法判断上限 %s 对 %s 从哪里起不再有影响：图上没有一处在两种上限下都有数据。",
	"This run has no place that was measured behind two limits, so it can't tell where a limit matters.": "本次运行没有一处在两" +
		"种上限下都测量过，因此无法判断上限在哪里有影响。",
	"Limit %s with %s (%s): %s.":                            "上限 %s，%s（%s）：%s。",
	"with %s nothing was measured":                          "%s没有测量",
	"with %s it costs %s of goodput, and p99 is %s as high": "%s，有效吞吐损失 %s，p99 为原来的 %s",
	"Where limit %s stops mattering: %s, %s":                "上限 %s 从哪里起不再有影响：%s，%s",
	"a place where the limit costs %s, or more":             "有一处，上限的代价达到%s",
	"Find your place on the map, or ask `h2lab advise` with your own numbers.": "在图上找到自己的位置，或者用自己的数字运行 " +
		"`h2lab advise`。",

	"# When a limit on requests per connection matters\n\n": "# 单连接请求数上限在什么情况下有影响\n\n",
	"Find your place":         "找到自己的位置",
	"The maps":                "图",
	"Other loads and clients": "其他负载与客户端",
	"Every number":            "全部数据",
	"limit %s":                "上限 %s",
	"%s, %s. Rows are the backend's time, columns the round trip between client and server.\n\n": "%s，%s。行是后端时间，列是" +
		"客户端与服务器之间的往返时间。\n\n",
	"Maps of the lost goodput by backend and round trip, one for each limit. The numbers are in the tables below.": "按后端时间" +
		"和往返时间画的有效吞吐损失图，每种上限一张。数据见下面的表。",
	"Maps of the 99th percentile as a multiple, by backend and round trip, one for each limit. The numbers are in the tables " +
		"below.": "按后端时间和往返时间画的 99 百分位倍数图，每种上限一张。数据见下面的表。",
	"Maps of the milliseconds added to the 99th percentile, by backend and round trip, one for each limit. The numbers are " +
		"in the tables below.": "按后端时间和往返时间画的 99 百分位增加的毫秒数，每种上限一张。数据见下面的表。",
	"Maps of the connections accepted for one renewal, by backend and round trip, one for each limit. The numbers are in the " +
		"tables below.": "按后端时间和往返时间画的每次更换所接受的连接数，每种上限一张。数据见下面的表。",
	"Maps by requests in flight, one for each limit. The numbers are in the tables below.": "按在途请求数画的图，每种上限一张。" +
		"数据见下面的表。",
	"The name of a load says how it differs from that of the maps. The columns *On the map* have the numbers of the same " +
		"place with the load of the maps.\n\n": "每种负载的名称说明它与图中负载的差别。*图中*两列是图中负载在同一位置的数据。\n\n",
	"Load":                     "负载",
	"On the map":               "图中",
	"Lost goodput":             "有效吞吐损失",
	"p99 as a multiple":        "p99 倍数",
	"Renewals/s":               "每秒更换",
	"Accepted per renewal":     "每次更换接受的连接",
	"Accepted per used":        "接受数与使用数之比",
	"Accepted per expected":    "接受数与预期数之比",
	"at %s":                    "上限 %s 时",
	"backend %s ms, RTT %s ms": "后端 %s ms，往返 %s ms",
	"%s within noise: the interval in brackets doesn't exclude that there is no difference. %s extrapolated from a lower limit " +
		"of the same place. %s unknown, or not measured.\n\n": "%s 在噪声之内：方括号中的置信区间不能排除没有差别。%s 由同一位置更" +
		"低的上限外推。%s 未知，或没有测量。\n\n",
	"This is a quick run: it has a part of the map, with short windows. Run it without QUICK=1 before you rely on a " +
		"number.": "这是快速模式：只测了图的一部分，窗口也短。引用数据之前，请去掉 QUICK=1 重新运行。",
	"No cell was measured twice: the intervals assume a scatter of %s %% between trials, so that only large differences " +
		"are beyond noise.": "没有单元测量过两次：置信区间假定各次试验之间的离散程度为 %s %%，因此只有很大的差别才超出噪声。",
	"In %s of %s measured cells all %s cores were busy: the machine was the limit there.": "测量的 %[2]s 个单元中有 %[1]s 个占满" +
		"了全部 %[3]s 个核：这些单元的瓶颈是机器。",
	"In %s of %s measured cells other programs, or other machines of the same host, took more than a fifth of a core: measure " +
		"again on an idle machine.": "测量的 %[2]s 个单元中有 %[1]s 个被其他程序或同一宿主机上的其他虚拟机占用了超过五分之一个核：请" +
		"在空闲的机器上重新测量。",
}
