package workshop

import (
	"regexp"
	"strings"
)

// Learners of the Chinese pages answer in Chinese. inEnglishWords writes the words of their answers about numbers and names
// in English, in the order of English, so that one set of rules reads both.

// chineseOrder are the phrases whose number comes first in Chinese. 以上 and 以下 include the number, as
// article 1259 of the Civil Code of China defines them.
var chineseOrder = []struct {
	chinese *regexp.Regexp
	english string
}{
	{regexp.MustCompile(`从 ?(\d+) ?(?:开始|起|往上|向上)`), " from $1 "},
	{regexp.MustCompile(`(\d+) ?[个条次]?(?:之后|以后|往后)`), " after $1 "},
	{regexp.MustCompile(`([\d一二两三]+) ?[个条次]?(?:请求)?(?:及|或|或者)?(?:其)?(?:以上|更多|起)`), " at least $1 "},
	{regexp.MustCompile(`([\d一二两三]+) ?[个条次]?(?:请求)?(?:及|或|或者)?(?:其)?以下`), " at most $1 "},
}

// chineseWords are in the order in which they are tried at a place.
var chineseWords = strings.NewReplacer("而不是", " not ", "不是", " not ", "并非", " not ", "并不是", " not ",
	"不小于", " at least ", "不少于", " at least ", "不低于", " at least ", "至少", " at least ",
	"不大于", " at most ", "不超过", " at most ", "不多于", " at most ", "最多", " at most ", "至多", " at most ",
	"大于", " above ", "高于", " above ", "超过", " above ", "多于", " above ",
	"小于", " below ", "低于", " below ", "少于", " below ", "不到", " below ",
	"大约", " about ", "大概", " about ", "左右", " about ", "约", " about ",
	"没有一个", " none ", "没有", " none ", "无", " none ", "零", " zero ", "两", " two ", "二", " two ", "三", " three ", "四", " four ",
	"五", " five ", "六", " six ", "七", " seven ", "八", " eight ", "九", " nine ", "十", " ten ",
	"单个", " single ", "一次", " once ", "一个", " one ", "一条", " one ", "一", " one ",
	"恰好", " exactly ", "正好", " exactly ", "只有", " only ", "所有", " all ", "全部", " all ", "每个", " each ", "每条", " each ",
	"请求", " requests ", "阶段", " stages ", "连接", " connections ", "编号", " ids ", "流", " streams ", "个", " ", "条", " ", "次", " ",
	"倍", " times ", "便宜", " cheaper ", "的", " ", "、", ", ", "，", ", ", "。", ".", "和", " and ", "到", " to ", "至", " to ")

func inEnglishWords(s string) string {
	for _, o := range chineseOrder {
		s = o.chinese.ReplaceAllString(s, o.english)
	}
	return strings.TrimSpace(chineseWords.Replace(s))
}
