package translations

// chineseMerge has the sentences of reports of merged runs.
var chineseMerge = map[Phrase]string{
	"One test is too few for statistics: no number has an interval. Repeat the test, merge each time, and compare the " +
		"results before you rely on a number.": "只有一次测试，不足以做统计：所有数值都没有置信区间。" +
		"请重复测试，每次都合并结果，相互比较之后再引用其中的数值。",
}
