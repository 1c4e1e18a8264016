package translations

// chineseReport are the report's headings and sentences. Its longer prose is in
// internal/report/runreport/text/zh.
var chineseReport = map[Phrase]string{
	"Verdicts":                          "判定",
	"The numbers":                       "数据",
	"What the callers got":              "调用方得到了什么",
	"What it took":                      "付出了什么代价",
	"Failures, word for word":           "失败信息原文",
	"Missing":                           "缺失",
	"What can't run here":               "无法在此运行的",
	"Pictures":                          "图",
	"What happened on the wire":         "线上发生了什么",
	"Why":                               "为什么",
	"The three cures":                   "三种对策",
	"Beside the original demonstration": "与原始演示对照",
	"How it was measured":               "如何测量",
	"The order of the trials":           "试验的顺序",
	"Environment and versions":          "环境与版本",
	"The servers":                       "服务器",
	"The columns":                       "各列的含义",
	"Notes to the numbers":              "数据注释",
	"Do it again":                       "再做一遍",

	"● reproduced":     "● 已复现",
	"✓ fixed":          "✓ 已消除",
	"○ not reproduced": "○ 未复现",
	"? inconclusive":   "? 无法判定",
	"– unsupported":    "– 不支持",
	"✓ yes":            "✓ 是",
	"! no":             "! 否",

	"No rule could judge this run; the numbers below are all there is.": "没有规则能对本次运行作出判定；" +
		"下面的数据就是全部内容。",
	"# %s: what a limit on requests per connection does to HTTP/2\n\n": "# %s：单连接请求数上限对 HTTP/2 的影响\n\n",
	"%s · run %s · %s · %s\n\n":                                        "%s · 运行 %s · %s · %s\n\n",
	"What to know about the whole run:":                                "关于整次运行，请先了解：",
	"This run was interrupted: what was finished is here, " +
		"and what is missing is named.": "本次运行被中断：已完成的部分在此，缺失的部分已列出。",
	"This run has not finished: what there is so far is " +
		"here, and what is missing is named.": "本次运行尚未结束：目前已有的部分在此，缺失的部分已列出。",
	"This is a quick look and no statistics: one short trial of each cell, no intervals, no significance. " +
		"Run it without QUICK=1 before you rely on a number.": "这只是快速一览，不是统计：每个单元只有一次短试验，" +
		"没有置信区间，也没有显著性。要引用数字，请先去掉 QUICK=1 重跑。",
	"This is no statistics: %s of each cell, and a 95 %% interval of a median needs six. Run " +
		"it with TRIALS=6 or more before you rely on a number.": "这不是统计：每个单元 %s；中位数要有 95 %% " +
		"置信区间，至少需要六次。要引用数字，请先用 TRIALS=6 或更大的值重跑。",
	"%s of %s planned cells are incomplete: %s": "计划的 %[2]s 个单元中有 %[1]s 个不完整：%[3]s",
	"%s more":                               "另有 %s 项",
	"unlimited":                             "不限",
	"No rule gave a verdict on this run.\n": "没有规则对本次运行给出判定。\n",
	"Expected: %s":                          "预期：%s",
	"What follows: %s":                      "接下来：%s",
	"%s more in `verdicts.json`":            "另有 %s 项，见 `verdicts.json`",
	"Source: %s":                            "出处：%s",
	"  <details><summary>what it rests on (rule %s)</summary>\n\n": "  <details><summary>依据（规则 %s）</summary>\n\n",

	"Nothing was measured.\n": "没有测量任何数据。\n",
	"Medians over the trials; every column is explained [below](#the-columns). " +
		"%s means that it isn't known.\n": "各次试验的中位数；每一列的含义见[下文](#the-columns)。%s 表示未知。\n",
	"%s: %s":                                "%s：%s",
	"%s has %s of %s":                       "%[1]s 只完成了 %[2]s 次，计划 %[3]s",
	"%s was planned and isn't there at all": "%s 已列入计划，却完全不存在",

	"There is nothing to draw.\n":                            "没有可画的内容。\n",
	"A timeline could not be read and is not drawn: %s.\n\n": "有一条时间线无法读取，因此没有画出：%s。\n\n",
	"The timeline was switched off in this run, so there is none to draw.\n": "本次运行关闭了时间线，" +
		"因此没有可画的。\n",
	"Bar chart of goodput by topology and protocol. %s": "按拓扑和协议划分的有效吞吐柱状图。%s",
	"Connections accepted, used and expected for each topology, protocol and client, on a logarithmic scale; the " +
		"numbers are in the tables below.": "每个拓扑、协议和客户端的接受、使用与预期连接数，对数刻度；数值见下表。",
	"New connections per second over time: bursts at every GOAWAY where the limit " +
		"is low, a flat line where it is high or absent.": "每秒新建连接数随时间的变化：上限低时，每次 GOAWAY " +
		"都有一个尖峰；上限高或没有上限时是一条平线。",
	"Latency from the median to the 99.9th percentile for each topology, HTTP/1.1 beside HTTP/2, " +
		"on a logarithmic scale.": "每个拓扑从中位数到第 99.9 百分位的延迟，HTTP/1.1 与 HTTP/2 并列，对数刻度。",

	"No renewal was traced in this run.\n": "本次运行没有记录更换连接的过程。\n",
	"One connection to %s being used up, traced in " +
		"this run, times in milliseconds.": "一条到 %s 的连接用到上限的过程，记录于本次运行，时间单位为毫秒。",
	"The same on %s": "%s 上的同一过程",

	"\nThe whole difference: `diff nginx/keepalive-1000.conf " +
		"nginx/keepalive-100000.conf`.\n": "\n完整差异：`diff nginx/keepalive-1000.conf " +
		"nginx/keepalive-100000.conf`。\n",
	"The whole difference of the two files: this line, names, ports and comments": "两个文件的完整差异：除这一行外，" +
		"只有名字、端口和注释",

	", with changes that are not committed":         "，含未提交的改动",
	"What the servers ran with was not recorded.\n": "没有记录服务器的运行配置。\n",
	"Processors asked for each: %s. Configurations are named with the first digits of their SHA-256; the server's " +
		"own account of what it read is kept beside `results.json`.\n\n": "每台要求的处理器数：%s。配置文件附其 " +
		"SHA-256 的前几位；服务器对所读配置的自述与 `results.json` 保存在一起。\n\n",
	"server %s: %s processors were asked for, %s was read back": "服务器 %s：要求 %s 个处理器，回读到 %s",
	"in every trial: %s": "每次试验：%s",
	"in trial %s: %s":    "第 %s 次试验：%s",
	"goodput of trial %s lies more than 1.5 interquartile ranges outside the quartiles; " +
		"it is marked and not dropped": "第 %s 次试验的有效吞吐偏离四分位数超过 1.5 倍四分位距；已标记，未剔除",

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

	"%s\nThe same report from the saved numbers, byte for byte: `make report`.\n": "%s\n用保存的数据重新生成" +
		"逐字节相同的报告：`make report`。\n",
	"were switched off": "已关闭",
	"are the front's counters, sampled while the load ran; what " +
		"that costs is measured by `make bench`": "取自前端的计数器，在加压期间采样；采样的开销由 `make bench` 测量",
	"none met":           "未遇到上限",
	", then %s":          "，随后 %s",
	"not probed":         "未探测",
	" in %s requests":    "（共 %s 个请求）",
	"%s over %s %s":      "%s（%s）%s",
	"nothing was probed": "没有做探测",
	"%s was negotiated (clients offer up to %s)": "协商到 %s（客户端最高支持 %s）",
	"; %s resumed where the client tells":        "；客户端能告知的范围内复用了 %s",
	"- Round %d: ":                               "- 第 %d 轮：",

	"- **The limit.** It had 1,000, this run %s: the rows of %s show a fault %s " +
		"times as frequent and aren't comparable with it.\n": "- **上限**：它是 1,000，本次运行是 %s：%s " +
		"各行的故障频繁程度是它的 %s 倍，不可与之比较。\n",
	"none was asked for":                                "没有提出要求",
	"%s was asked for":                                  "要求 %s",
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
