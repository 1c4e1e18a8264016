package translations

// chineseReport are the report's headings and sentences. Its longer prose is in
// internal/report/runreport/text/zh.
var chineseReport = map[Phrase]string{

	"%s more": "另有 %s 项",

	"limit not reached": "未遇到上限",
}
