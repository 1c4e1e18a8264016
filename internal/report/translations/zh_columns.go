package translations

// chineseColumns are the heads of the report's tables and their meanings.
var chineseColumns = map[Phrase]string{
	"p99, ms":  "p99，ms",
	"Failed":   "失败",
	"Accepted": "接受",
	"Expected": "预期",
}
