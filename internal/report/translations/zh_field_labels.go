package translations

// chineseFieldLabels are the labels and the separators of the field tools, and what several of them print.
var chineseFieldLabels = map[Phrase]string{
	", ":             "，",
	": ":             "：",
	"; ":             "；",
	"(":              "（",
	")":              "）",
	"next: ":         "下一步：",
	"change: ":       "修改：",
	"note: ":         "注意：",
	"source: ":       "依据：",
	"not measured":   "没有实测",
	"1 request":      "1 个请求",
	"%g requests":    "%g 个请求",
	"1 connection":   "1 条连接",
	"%g connections": "%g 条连接",
	"1 line":         "1 行",
	"%g lines":       "%g 行",
	"1 file":         "1 个文件",
	"%g files":       "%g 个文件",
}
