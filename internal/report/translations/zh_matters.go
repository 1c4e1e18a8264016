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
}
