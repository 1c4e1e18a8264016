package translations

// chineseSweepPage are the headings and tables of a sweep's page.
var chineseSweepPage = map[Phrase]string{
	"No caller reached the limit of %s requests per connection often enough to tell what it " +
		"becomes.": "各调用方达到每条连接 %s 个请求上限的次数太少，无法判断这个上限的影响。",
	"# Callers under load, without and behind a limit on requests per connection\n\n": "# 负载下的调用方：有无单连接请求数上限" +
		"\n\n",
	"A limit of %s requests per connection becomes %s.": "每条连接最多承载 %s 个请求时：%s。",
	"errors and latency with %s":                        "%s 出错且变慢",
	"errors with %s":                                    "%s 出错",
	"latency with %s":                                   "%s 变慢",
	"nothing that users notice with %s":                 "%s 的用户没有察觉",
	"(%s compared with %s.)":                            "（%s 与 %s 对比。）",
	"This is a quick run: it has only the ends of each sweep. Run it without QUICK=1 before you rely on a " +
		"number.": "这是快速模式：每项扫描只测了两端。引用数据之前，请去掉 QUICK=1 重新运行。",
	"%s: in %s of %s measured cells all %s cores were busy (marked %s): the machine was the limit there, and only the " +
		"order of the callers is a statement.": "%[1]s：测量的 %[3]s 个单元中有 %[2]s 个占满了全部 %[4]s 个核（标 %[5]s）：" +
		"这些单元的瓶颈是机器，只有调用方之间的次序有意义。",
	"%s of %s planned cells are incomplete: the section Missing lists them.": "计划的 %[2]s 个单元中有 %[1]s 个不完整，" +
		"见“缺失”一节。",
	"For a decision":                   "供决策参考",
	"Sweep":                            "扫描",
	"The limit becomes":                "上限的后果",
	"Slower by":                        "变慢程度",
	"Stops mattering from":             "从多大延迟起不再有影响",
	"Behind %s, compared with %s:\n\n": "经由 %s，与经由 %s 对比：\n\n",

	"Without a proxy":              "没有代理",
	"Beside the published figures": "与公开发表的数字对照",
	"Behind the limit":             "有上限时",
	"Each user sends a request, waits for the answer, thinks for %s ms and sends the next one; the backend waits %s ms. " +
		"So 800 users offer at most %s requests/s. The service reads a row from its database and calls the backend once " +
		"for each request.": "每个用户发出请求，等到响应，停顿 %s ms 后再发下一个；后端等待 %s ms。因此 800 个用户每秒最多发出 " +
		"%s 个请求。服务处理每个请求时，从数据库读一行，再调用后端一次。",
	"%s connections are opened first; then each sends its request at the same moment. The time runs until the last " +
		"answer. Without a proxy the server itself waits and calls nothing; behind the limits it calls the backend, which " +
		"waits.": "先建好 %s 条连接，然后同时在每条连接上发出请求，计时到最后一个响应为止。没有代理时由服务端自己等待，不调用其" +
		"他服务；有上限时，它调用后端，由后端等待。",
	"Each thread of the load generator sends a POST with a JSON body, waits for the answer and sends the next one. The " +
		"whole sweep varies the delay at 100 threads, and has delays of 1, 10 and 50 ms at the other numbers of threads, so " +
		"that it ends in time.": "负载生成器的每个线程发出带 JSON 请求体的 POST，等到响应再发下一个。完整的扫描在 100 个线程下改变延迟；" +
		"其他线程数只测 1、10 和 50 ms，以便按时完成。",
	"`ab -k` keeps one connection for each user and sends the next request as soon as the answer is there. Without a " +
		"proxy the server itself waits and calls nothing; behind the limits it calls the backend, which waits.": "`ab -k` " +
		"为每个用户保持一条连接，得到响应后立即发出下一个请求。没有代理时由服务端自己等待，不调用其他服务；有上限时，它调用后端" +
		"，由后端等待。",
	"Ratios are compared, never rates.": "只比较比值，不比较绝对速率。",
	"Compared":                          "比较项",
	"Published":                         "公开数字",
	"Ratio there":                       "其比值",
	"Ratio here":                        "本次比值",
	"Same direction":                    "方向一致",
	"Published: %s. Here: %s":           "公开结论：%s。本次：%s",
	" (%s).":                            "（%s）。",
	"the same":                          "一致",
	"not the same":                      "不一致",
	"no statement":                      "无法下结论",
	"near 1, no direction":              "接近 1，没有方向",
	"yes":                               "是",
	"no":                                "否",
	"trials on both sides of 1":         "各次试验分居 1 的两侧",

	"%s: in %s of %s measured cells other programs, or other machines of the same host, took more than a fifth of a core: " +
		"measure again on an idle machine.": "%[1]s：测量的 %[3]s 个单元中有 %[2]s 个受到其他程序或同一宿主机上其他虚拟机的干扰" +
		"（占用超过五分之一个核）：请在空闲的机器上重新测量。",
	"Not part of this run: %s (%s).\n": "本次运行不包含：%s（%s）。\n",
	"Wait, ms":                         "等待，ms",
	"Delay, ms":                        "延迟，ms",
	"Users":                            "用户数",
	"Place":                            "位置",
	"%s all cores were busy in most trials: the machine was the limit.\n": "%s 表示大多数试验占满了全部核：瓶颈是机器。\n",
	"%s the service or its load generator failed in a trial: the section Missing has its message.\n": "%s 表示某次试验中服务" +
		"或负载生成器本身失败：信息见“缺失”一节。\n",
	"%s is an unknown number, or a cell that was not measured.\n\n": "%s 表示数值未知，或该单元没有测量。\n\n",
	"Each cell has: %s.\n\n": "每格依次为：%s。\n\n",
	"no service":             "没有服务",
	"(%s failed)":            "（失败 %s）",
	"No cell of this sweep was measured behind %s.\n": "这项扫描没有测量经由 %s 的单元。\n",
	"The numbers behind the limits":                   "有上限时的全部数据",
	"%s, %s":                                          "%s，%s",
	"Not measured: %s. The reason: %s":                "没有测量：%s。原因：%s",
	"trial %s of %s failed: %s":                       "%[2]s 的第 %[1]s 次试验失败：%[3]s",
	"The services' settings":                          "各服务的设置",
	"| Service | Settings |\n|:--|:--|\n":             "| 服务 | 设置 |\n|:--|:--|\n",
	"Line charts of the callers without a proxy. Panels: %s. The numbers are in the table below.": "没有代理时各调用方的" +
		"折线图，共 %s 幅；数值见下表。",
	"Line charts of each caller without a proxy and behind both limits. Panels: %s. The numbers are in the table " +
		"below.": "各调用方在没有代理和两种上限下的折线图，共 %s 幅；数值见下表。",

	"req/s": "req/s",
	"Requests answered with success, per second.": "每秒成功完成的请求数。",
	"p95, ms": "p95，ms",
	"The 95th percentile of the time of successful requests, as the users see it.": "成功请求耗时的第 95 百分位，以用户所见为准。",
	"p99.9, ms": "p99.9，ms",
	"The 99th percentile of the time of successful requests, as the users see it.": "成功请求耗时的第 99 百分位，以用户所见为准。",
	"The percentile 99.9 of the time of successful requests, as the users see it.": "成功请求耗时的第 99.9 百分位，以用户所见为准。",
	"Until all are answered, s":                                       "全部完成，s",
	"From the release of all requests to the last answer or failure.": "从同时发出所有请求到最后一个响应或失败。",
	"Mean, ms": "平均，ms",
	"ab's mean time of a request: users × elapsed time ÷ requests.":      "ab 的每请求平均时间：用户数 × 历时 ÷ 请求数。",
	"The largest number of live threads in the service.":                 "服务中存活线程数的最大值。",
	"The largest used heap of the service.":                              "服务已用堆的最大值。",
	"CPU, ms per request":                                                "CPU，ms/请求",
	"Processor time of the service, divided by the successful requests.": "服务耗费的 CPU 时间除以成功的请求数。",
	"Lag, s": "滞后，s",
	"How long after the window's end the last request was answered.": "测量窗口结束后多久，最后一个请求才得到响应。",
	"Requests of the users that failed, with the names of the errors as the service or its users report them.": "失败的用户" +
		"请求数，附服务或其用户报告的错误名称。",
	"Connections that the proxy accepted in the window.": "测量窗口内代理接受的连接数。",
	"The connections that this many requests need.":      "这些请求所需的连接数。",
}
