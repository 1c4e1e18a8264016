package translations

// chineseReport are the report's headings and sentences. Its longer prose is in
// internal/report/runreport/text/zh.
var chineseReport = map[Phrase]string{
	"Verdicts":                  "判定",
	"The numbers":               "数据",
	"Results for the callers":   "调用方看到的结果",
	"Cost":                      "连接与 CPU 开销",
	"Failure messages":          "失败信息原文",
	"Missing":                   "缺失",
	"Unsupported here":          "无法在此运行的",
	"Pictures":                  "图表",
	"What happened on the wire": "连接上发生了什么",
	"Why":                       "为什么",
	"The three cures":           "三种对策",
	"Comparison with the original demonstration": "与原始演示对照",
	"How it was measured":                        "如何测量",
	"The order of the trials":                    "试验的顺序",
	"Environment and versions":                   "环境与版本",
	"The servers":                                "服务器",
	"Columns":                                    "各列的含义",
	"Notes":                                      "数据注释",
	"Repeat this run":                            "重新运行",

	"● reproduced":     "● 已复现",
	"✓ fixed":          "✓ 已消除",
	"○ not reproduced": "○ 未复现",
	"? inconclusive":   "? 无法判定",
	"– unsupported":    "– 不支持",
	"✓ yes":            "✓ 是",
	"! no":             "! 否",

	"No rule could judge this run; only the numbers below are available.": "没有规则能对本次运行作出判定，只有下" +
		"面的数据可供参考。",
	"# %s: what a limit on requests per connection does to HTTP/2\n\n": "# %s：单连接请求数上限对 HTTP/2 的影响\n\n",
	"%s · run %s · %s · %s\n\n":                                        "%s · 运行 %s · %s · %s\n\n",
	"About the whole run:":                                             "关于本次运行的说明：",
	"This run was interrupted: the report has the finished trials and lists the missing ones.": "本次运行中途停" +
		"止：报告只含已完成的部分，缺失的部分另行列出。",
	"This run has not finished: the report has the trials so far and lists the missing ones.": "本次运行尚未结束" +
		"：报告只含目前已完成的部分，缺失的部分另行列出。",
	"This is a quick run without statistics: one short trial of each cell, no intervals, no significance. Run it " +
		"without QUICK=1 before you rely on a number.": "快速模式的结果没有统计意义：每个单元只有一次短试验，没" +
		"有置信区间，也没有显著性检验。引用数据之前，请去掉 QUICK=1 重新运行。",
	"Too few trials for statistics: %s of each cell, and a 95 %% interval of a median needs six. Run it with " +
		"TRIALS=6 or more before you rely on a number.": "本次结果没有统计意义：每个单元只有 %s，而中位数的 95 " +
		"%% 置信区间至少需要六次。引用数据之前，请用 TRIALS=6 或更大的值重新运行。",
	"%s of %s planned cells are incomplete: %s": "计划的 %[2]s 个单元中有 %[1]s 个不完整：%[3]s",
	"%s more":                               "另有 %s 项",
	"unlimited":                             "不限",
	"No rule gave a verdict on this run.\n": "没有规则对本次运行给出判定。\n",
	"Expected: %s":                          "预期：%s",
	"Next: %s":                              "接下来：%s",
	"%s more in `verdicts.json`":            "另有 %s 项，见 `verdicts.json`",
	"Source: %s":                            "出处：%s",
	"  <details><summary>evidence (rule %s)</summary>\n\n": "  <details><summary>依据（规则 %s）</summary>\n\n",

	"Nothing was measured.\n": "没有测量任何数据。\n",
	"Medians over the trials; the columns are explained [below](#columns). %s means unknown.\n": "各次试验的中位数；" +
		"每一列的含义见[下文](#columns)。%s 表示未知。\n",
	"%s: %s":                        "%s：%s",
	"%s has %s of %s":               "%[1]s 计划 %[3]s，完成 %[2]s 次",
	"%s was planned and is missing": "%s 已列入计划，但没有任何数据",

	"Nothing to draw.\n": "没有可绘制的数据。\n",
	"A timeline could not be read and is left out: %s.\n\n": "有一条时间线无法读取，因此没有绘制：%s。\n\n",
	"This run recorded no timeline.\n":                      "本次运行没有记录时间线。\n",
	"Bar chart of goodput by topology and protocol. %s":     "按拓扑和协议划分的有效吞吐柱状图。%s",
	"Connections accepted, used and expected for each topology, protocol and client, on a logarithmic scale; the " +
		"numbers are in the tables below.": "每个拓扑、协议和客户端的接受、使用与预期连接数，对数刻度；数值见下表。",
	"New connections per second over time: bursts at every GOAWAY where the limit " +
		"is low, a flat line where it is high or absent.": "每秒新建连接数随时间的变化：上限低时，每次 GOAWAY " +
		"都有一个尖峰；上限高或没有上限时是一条平线。",
	"Latency from the median to the 99.9th percentile for each topology, HTTP/1.1 beside HTTP/2, " +
		"on a logarithmic scale.": "每个拓扑从中位数到第 99.9 百分位的延迟，HTTP/1.1 与 HTTP/2 并列，对数刻度。",

	"This run traced no renewal.\n": "本次运行没有记录更换连接的过程。\n",
	"One connection to %s that reaches its limit, traced in this run, times in milliseconds.": "一条到 %s 的连接" +
		"用满的过程，由本次运行记录，时间单位为毫秒。",
	"The same on %s": "%s 上的同一过程",

	"\nThe complete difference: `diff nginx/keepalive-1000.conf nginx/keepalive-100000.conf`.\n": "\n完整差异：" +
		"`diff nginx/keepalive-1000.conf nginx/keepalive-100000.conf`。\n",
	"The complete difference of the two files: this line, names, ports and comments": "两个文件的完整差异：除这" +
		"一行外，只有名称、端口和注释不同",

	", with uncommitted changes":                       "，含未提交的改动",
	"The servers' configurations were not recorded.\n": "没有记录服务器的运行配置。\n",
	"Processors requested for each: %s. Configurations are listed with the first digits of their SHA-256; what each " +
		"server reported about its configuration is in the run's directory.\n\n": "每台服务器要求的 CPU 配额：%s" +
		"。配置文件附 SHA-256 的前几位；服务器导出的生效配置保存在运行目录中。\n\n",
	"server %s: %s processors were requested, %s was read back": "服务器 %s：要求的 CPU 配额为 %s，回读到 %s",
	"in every trial: %s": "每次试验：%s",
	"in trial %s: %s":    "第 %s 次试验：%s",
	"goodput of trial %s is more than 1.5 interquartile ranges outside the quartiles; it is marked, not " +
		"dropped": "第 %s 次试验的有效吞吐与四分位数的距离超过 1.5 倍四分位距；已标记，未剔除",

	"%s trial":            "%s 次试验",
	"%s trials":           "%s 次试验",
	"%s byte":             "%s 字节",
	"%s bytes":            "%s 字节",
	"%s connection pool":  "%s 个连接池",
	"%s connection pools": "%s 个连接池",
	"%s window":           "%s 个窗口",
	"%s windows":          "%s 个窗口",
	"%s frame":            "%s 帧",
	"%s frames":           "%s 帧",
	"%s session was":      "%s 个会话",
	"%s sessions were":    "%s 个会话",

	"%s\n`make report` draws the same report again from the saved numbers, byte for " +
		"byte.\n": "%s\n用保存的数据重新生成报告，逐字节相同：`make report`。\n",
	"were not recorded": "没有记录",
	"**Distance.** Load generators and servers were in two network namespaces. A program carried every IP packet " +
		"between them and held it for half of the round trip of %s ms (± %s ms).": "**网络距离**：压测程序和服务器位于" +
		"两个网络命名空间，由一个程序转发其间的每个 IP 包，并让它停留半个往返时间；往返时间为 %s ms（± %s ms）。",
	"%s %% of the packets were lost in each direction.": "每个方向丢包 %s %%。",
	"Each direction carried %s Mbit/s.":                 "每个方向的带宽为 %s Mbit/s。",
	"are the front's counters, sampled during the load; `make bench` measures the cost of " +
		"sampling": "取自入口代理的计数器，在压测期间采样；采样的开销由 `make bench` 测量",
	"limit not reached":  "未遇到上限",
	", then %s":          "，随后 %s",
	"not probed":         "未探测",
	" in %s requests":    "（共 %s 个请求）",
	"%s over %s %s":      "%s（%s）%s",
	"nothing was probed": "没有探测",
	"%s was negotiated (clients offer up to %s)": "协商到 %s（客户端最高支持 %s）",
	"; %s resumed, as far as clients report it":  "；在能提供该数据的客户端中，复用了 %s",
	"- Round %d: ": "- 第 %d 轮：",

	"- **The limit.** The original had 1,000, this run %s: in the rows of %s the fault is %s times as frequent, " +
		"so they are not comparable with it.\n": "- **上限**：原始演示是 1,000，本次运行是 %s：%s 各行的故障频率" +
		"是前者的 %s 倍，两者不可比较。\n",
	"none was requested":                                "没有要求配额",
	"%s was requested":                                  "要求 %s",
	"%s (read back below)":                              "%s（回读值见下）",
	"%s and %s was read back":                           "%s，回读到 %s",
	", limit 1,000":                                     "，上限 1,000",
	" there, %s here":                                   "（原始），本次 %s",
	"Goodput h2 / h1":                                   "有效吞吐 h2 / h1",
	"Goodput h2 / h1, limit 100,000":                    "有效吞吐 h2 / h1，上限 100,000",
	"Connections per 1,000 requests, h2":                "每 1,000 个请求的连接数，h2",
	"Connections per 1,000 requests, h2, limit 100,000": "每 1,000 个请求的连接数，h2，上限 100,000",
	"Failures per 1,000 requests, h2":                   "每 1,000 个请求的失败数，h2",
	"| | original":                                      "| | 原始演示",
	" | here, %s":                                       " | 本次，%s",
}
