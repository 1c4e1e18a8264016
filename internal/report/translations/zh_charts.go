package translations

// chineseCharts are the texts of charts: titles, readings, axes, legends and notes.
var chineseCharts = map[Phrase]string{

	"Throughput":                  "吞吐",
	"requests per second":         "每秒请求数",
	"milliseconds":                "毫秒",
	"seconds":                     "秒",
	"Time until all are answered": "全部完成的时间",
	"Mean time":                   "平均时间",
	"live in the service":         "服务中的存活线程数",
	"Heap":                        "堆",
	"MB":                          "MB",
	"Processor time":              "CPU 时间",
	"milliseconds per request":    "每请求毫秒数",
	"Lag":                         "滞后",
	"requests":                    "请求数",
	"connections":                 "连接数",
}
