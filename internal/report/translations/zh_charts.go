package translations

// chineseCharts are the texts of charts: titles, readings, axes, legends and notes.
var chineseCharts = map[Phrase]string{
	"– not measured":         "– 没有测量",
	"not part of this run":   "不属于本次运行",
	"no trial":               "没有试验",
	"unsupported: %s":        "不支持：%s",
	"unsupported here":       "无法在此运行",
	"extrapolated":           "外推",
	"with a fault":           "有故障",
	"percentile of requests": "请求的百分位",

	"successful requests per second":                                   "每秒成功的请求数",
	"Goodput by topology and protocol, successful requests per second": "各拓扑和协议的有效吞吐，每秒成功的请求数",
	"Median of %s%s. Failed requests don't count.":                     "%s的中位数%s。失败的请求不计入。",
	"; whiskers are its 95 % interval":                                 "；须线为其 95 % 置信区间",
	", too few for intervals":                                          "，次数太少，没有置信区间",

	"Connections accepted, used and expected in one trial's window": "一次试验的窗口内接受、使用和预期的连接数",
	"Medians. Logarithmic scale: each line is ten times the one before; 0 is left of the break.": "中位数。对数刻度：" +
		"每条竖线是前一条的十倍；0 在断开处的左侧。",
	"At the right: accepted connections divided by expected ones.": "右侧：接受的连接数除以预期的连接数。",
	"connections in the window (log scale)":                        "窗口内的连接数（对数刻度）",
	"accepted":                                                     "接受",
	"used (carried a request)":                                     "使用（承载过请求）",
	"expected":                                                     "预期",
	"none wasted":                                                  "没有浪费",
	"%s for 0":                                                     "预期 0，接受 %s",
	"as expected":                                                  "与预期相同",
	"%s × expected":                                                "预期的 %s 倍",

	"New connections per second, as the front accepts them": "每秒新建的连接数，以入口代理接受的为准",
	"Client %s; the trial nearest to the median of each, in bins of %.0f ms, all on one scale. Over HTTP/2 each burst " +
		"follows a GOAWAY. Shaded: the warm-up, from an empty pool.": "客户端 %s；各取最接近中位数的一次试验，每 %.0f ms 为一" +
		"格，刻度相同。HTTP/2 下每个尖峰都跟在一次 GOAWAY 之后。阴影部分：从空连接池开始的预热。",
	"The cold start is in the shaded warm-up; after it, a pool opens new connections only at a GOAWAY.": "冷启动在阴影部分的" +
		"预热期内；之后，连接池只在收到 GOAWAY 时新建连接。",
	"seconds since the measured window opened": "测量窗口开始后的秒数",
	"trial %d: %s":                "第 %d 次试验：%s",
	"%s accepted for %s requests": "%[2]s 个请求接受 %[1]s 条连接",

	"Latency by percentile, milliseconds": "各百分位的延迟，毫秒",
	"milliseconds (log scale)":            "毫秒（对数刻度）",
	"All requests of all trials, from merged histograms; successful requests, waiting for a connection included. A line " +
		"ends where no request is above it.": "所有试验的全部成功请求，取自合并的直方图；含等待连接的时间。曲线止于没有更慢的请求" +
		"之处。",
	" Latency counts from when a request was due.": "延迟从请求计划发出的时刻算起。",
	"Client %s; medians over the trials; successful requests, waiting for a connection included.": "客户端 %s；各次试验的中位数；" +
		"成功的请求，含等待连接的时间。",
	"A renewal makes the requests in flight wait for a new handshake: it shows in the tail.": "更换连接使在途请求等待新的握手：" +
		"这体现在分布的尾部。",

	"What the users get, successful requests per second":           "用户得到的响应：每秒成功的请求数",
	"How long 1 % of the users wait at least: p99 in milliseconds": "1 % 的用户至少等待多久：p99，毫秒",
	"p99, milliseconds": "p99，毫秒",
	"Median of %s; whiskers are its 95 %% interval where there are six or more. Through %s, unless the row says " +
		"otherwise.": "%s的中位数；不少于六次时，须线为其 95 %% 置信区间。除非行名另有说明，都经由 %s。",
	" A bar of latency is that of all trials' requests.": "延迟的柱取自所有试验的全部请求。",
	"users of the service":                               "服务的用户",
	"The incident and the search for its place":          "故障现场与逐段排查",
	"The cures, one at a time":                           "逐个尝试对策",

	"Percentiles of all trials' requests where they have histograms, otherwise medians of the trials. ": "有直方图时为所有试验的" +
		"全部请求的百分位，否则为各次试验的中位数。",
	"Medians of the trials. ":                                          "各次试验的中位数。",
	"A gap is an unknown number.":                                      "缺口表示数值未知。",
	"The axis of the time is logarithmic. A gap is an unknown number.": "时间轴为对数刻度。缺口表示数值未知。",
	"Both axes are logarithmic. A gap is an unknown number.":           "两轴均为对数刻度。缺口表示数值未知。",
	"A server that failed a request has no point. Both axes are logarithmic.": "有请求失败的服务端没有点。两轴均为对数" +
		"刻度。",
	"The numbers are in the table below the chart.": "数值见图下的表。",
	"%s without a proxy":                            "%s（没有代理）",
	"%s: %s without a proxy and behind both limits": "%s：%s，没有代理与两种上限对照",
	"users":                               "用户数",
	"the backend's delay, ms (log scale)": "后端延迟，ms（对数刻度）",
	"the server's wait, ms (log scale)":   "服务端的等待，ms（对数刻度）",
	"Throughput":                          "吞吐",
	"requests per second":                 "每秒请求数",
	"milliseconds":                        "毫秒",
	"seconds":                             "秒",
	"Time until all are answered":         "全部完成的时间",
	"Mean time":                           "平均时间",
	"live in the service":                 "服务中的存活线程数",
	"Heap":                                "堆",
	"MB":                                  "MB",
	"Processor time":                      "CPU 时间",
	"milliseconds per request":            "每请求毫秒数",
	"Lag":                                 "滞后",
	"requests":                            "请求数",
	"connections":                         "连接数",

	"%s by backend and round trip": "%s，按后端时间和往返时间",
	"%s by requests in flight":     "%s，按在途请求数",
	"%s, %s.":                      "%s，%s。",
	"Rows are the backend's time and the round trip.": "行是后端时间和往返时间。",
	"The numbers are in the tables below.":            "数值见下面的表。",
	"backend":                                         "后端时间",
	"round trip":                                      "往返时间",
	"backend, rtt":                                    "后端，往返",
	"requests in flight":                              "在途请求数",
	"Share of the goodput at limit %s that a lower limit loses. ~ is within noise.": "较低的上限使上限 %s 时的有效吞吐损失的" +
		"比例。~ 表示在噪声之内。",
	"The 99th percentile divided by that of the same place at limit %s. ~ is within noise.": "第 99 百分位与同一位置在上限 %s " +
		"时的比值。~ 表示在噪声之内。",
	"Added p99, ms": "p99 增加量，ms",
	"Milliseconds that a limit adds to the 99th percentile at limit %s. ~ is within noise.": "第 99 百分位比上限 %s 时增加的" +
		"毫秒数。~ 表示在噪声之内。",
	"Connections accepted for one renewal": "每次更换接受的连接数",
	"1 is a renewal without waste.":        "1 表示更换时没有浪费。",

	"below 5 %":      "低于 5 %",
	"5 % to 10 %":    "5 % 到 10 %",
	"10 % to 20 %":   "10 % 到 20 %",
	"20 % to 40 %":   "20 % 到 40 %",
	"40 % to 60 %":   "40 % 到 60 %",
	"60 % or more":   "60 % 或以上",
	"below 1.1 ×":    "低于 1.1 ×",
	"1.1 to 1.25 ×":  "1.1 到 1.25 ×",
	"1.25 to 1.5 ×":  "1.25 到 1.5 ×",
	"1.5 to 2 ×":     "1.5 到 2 ×",
	"2 to 4 ×":       "2 到 4 ×",
	"4 × or more":    "4 × 或以上",
	"below 1 ms":     "低于 1 ms",
	"1 to 10 ms":     "1 到 10 ms",
	"10 to 30 ms":    "10 到 30 ms",
	"30 to 100 ms":   "30 到 100 ms",
	"100 to 300 ms":  "100 到 300 ms",
	"300 ms or more": "300 ms 或以上",
	"below 1.5":      "低于 1.5",
	"1.5 to 5":       "1.5 到 5",
	"5 to 15":        "5 到 15",
	"15 to 30":       "15 到 30",
	"30 to 60":       "30 到 60",
	"60 or more":     "60 或以上",

	"%s at a limit of %s requests per connection": "%s，每条连接最多 %s 个请求",
	"Left: connections, each line ten times the one before. Right: requests that failed, ran twice, hung; the " +
		"verdict.": "左侧：连接数，每条竖线是前一条的十倍。右侧：失败、重复执行和挂起的请求数，以及判定。",
	"connections accepted per renewal": "每次更换接受的连接数",
	"one per renewal":                  "每次更换一条",
	"failed":                           "失败",
	"ran twice":                        "重复执行",
	"hung":                             "挂起",
	"the program failed":               "程序失败",
	"none accepted":                    "没有接受连接",
	"none accepted (HTTP/1.1)":         "没有接受连接（HTTP/1.1）",
	"%s accepted, none renewed":        "接受 %s 条，没有更换",
}
