package translations

// chineseSweepPage are the headings and tables of a sweep's page.
var chineseSweepPage = map[Phrase]string{

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
