package workshop

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
)

// Learners of the Chinese pages answer in Chinese. inEnglishWords writes the words of their answers about numbers and names
// in English, in the order of English, so that one set of rules reads both.

// chineseOrder are the phrases whose number comes first in Chinese. 以上 and 以下 include the number, as
// article 1259 of the Civil Code of China defines them.
var chineseOrder = []struct {
	chinese *regexp.Regexp
	english string
}{
	{regexp.MustCompile(`(\d+) ?次(?:探测|测量|实测|测试)`), " measured "},
	{regexp.MustCompile(`ordinal *(\d+) ?个?请求(?:之后|以后|时|处)?`), " $1 requests "},
	{regexp.MustCompile(`从 ?(\d+) ?(?:开始|起|往上|向上|往后)`), " from $1 "},
	{regexp.MustCompile(`比 ?(\d+) ?[更还]?(?:大|高)`), " above $1 "},
	{regexp.MustCompile(`比 ?(\d+) ?[更还]?(?:小|低)`), " below $1 "},
	{regexp.MustCompile(`(\d+) ?之上`), " above $1 "},
	{regexp.MustCompile(`(\d+) ?[个条次]?(?:往后|起|开始)`), " at least $1 "},
	{regexp.MustCompile(`(\d+) ?[个条次]?(?:请求)?(?:之后|以后)(?:仍未|还没有?|没有?|未)(?:结束|断开|关闭|达到)`), " not ended after $1 "},
	{regexp.MustCompile(`(\d+) ?[个条次]?(?:之后|以后)`), " after $1 "},
	{regexp.MustCompile(`(\d+) ?[个条次]?(?:请求)?(?:及|或|或者)?(?:其)?(?:以上|更多)`), " at least $1 "},
	{regexp.MustCompile(`(\d+) ?[个条次]?(?:请求)?(?:及|或|或者)?(?:其)?(?:以下|以内|更少)`), " at most $1 "},
}

// chineseWords are in the order in which they are tried at a place.
// answersInChinese has the words of answers in Chinese, in two parts.
//
//go:embed text/answers.zh.txt
var answersInChinese string

// chineseReplacers are of the words that are read before numerals and of those after them.
var chineseReplacers = sync.OnceValue(func() (out [2]*strings.Replacer) {
	for i, part := range strings.SplitN(strings.TrimSpace(answersInChinese), "\n\n", 2) {
		var words []string
		for line := range strings.Lines(part) {
			if word, english, ok := strings.Cut(strings.TrimSpace(line), " ="); ok && !strings.HasPrefix(line, "#") {
				words = append(words, word, " "+strings.TrimSpace(english)+" ")
			}
		}
		out[i] = strings.NewReplacer(words...)
	}
	return out
})

var chineseMarks = strings.NewReplacer("（", " (", "）", ") ", "：", ": ", "；", "; ", "～", "-", "？", "?", "、", ", ", "，", ", ",
	"。", ".", "２", "2", "１", "1", "＝", "=")

var chineseNone = regexp.MustCompile(`[一半][个条次][也都]没有?`)

// onOneConnection matches what a connection gets, said with a numeral.
var onOneConnection = regexp.MustCompile(`(^|[^\d一二三四五六七八九十百千])[一单][条个]连接上?`)

func inEnglishWords(s string) string {
	s = chineseMarks.Replace(s)
	s = chineseNone.ReplaceAllString(onOneConnection.ReplaceAllString(s, "$1 per connection "), " none ")
	s = chineseInDigits(chineseReplacers()[0].Replace(s))
	s = chineseMul.ReplaceAllString(s, "$1^$2")
	for _, o := range chineseOrder {
		s = o.chinese.ReplaceAllString(s, o.english)
	}
	return strings.TrimSpace(chineseReplacers()[1].Replace(s))
}
