package workshop

import (
	"regexp"
	"strings"
)

// A yes or no may come with a reason or a condition. A reason is removed before the rest is read: that the requests were not
// processed, or that it doesn't matter whether a method is idempotent. A condition makes it neither.

var (
	// reasons are what may follow a yes without changing it.
	reasons = regexp.MustCompile(
		// nobody processed them
		`\b(?:was|were|is|are|has|have|had)(?: ?n['’]?t| not| never)(?: been| yet| be)*(?: processed| executed| run| seen| handled| read)?\b|` +
			`\b(?:server )?(?:did|has|had|will)(?: ?n['’]?t| not| never) (?:be )?(?:process(?:ed)?|execute[d]?|run|see[n]?|read|handle[d]?)\b|` +
			`\bnever (?:saw|got|received|ran|executed|processed|touched|read)\b|\b(?:not|never) (?:been )?(?:processed|executed|run|read|seen|handled)\b|\b(?:none|no \w+) of them (?:was|were)\b|` +
			`\bno (?:post|order|stream|request)s? (?:was|were|has been|have been) (?:processed|executed|run|handled)\b|` +
			// nothing happens twice
			`\b(?:ca|can|could|wo|will|would|may|do|does)(?: ?n['’]?t| ?not| never) (?:be )?(?:run|runs|execute[ds]?|processed|happen|duplicated?)(?: twice| again)?\b|` +
			`\bno (?:problem|risk|harm|danger|doubt|duplicates?)\b(?: of (?:an? )?(?:duplicates?|double execution))?|\bnot (?:twice|a duplicate)\b|` +
			// the method or a key doesn't matter
			`\bidempoten\w+(?: or not)?(?: (?:does(?: ?n['’]?t| not)|is ?n['’]?t|is not|plays no|is)(?: matter| needed| required| role| irrelevant| necessary)*)|` +
			`\bidempotent or not\b|\b(?:regardless of|no matter|whatever|independent(?:ly)? of|irrespective of)[^,;.]*|` +
			`\b(?:without|no) (?:an? |any )?(?:idempotency )?key(?: is)?(?: needed| required| necessary)?\b|\bnot only (?:a |for )?gets?\b|\beven (?:if )?(?:it is |it's )?not idempotent\b|` +
			`(?:没有|没|未|不曾|从未|从来没有)被?(?:服务器)?(?:处理|执行)过?|不会(?:被)?(?:再次|重复)?(?:执行|处理|下单)?(?:两次|第二次)?|` +
			`(?:不管|无论|不论|与|跟)[^，。,;；]*(?:幂等|方法)[^，。,;；]*|(?:不需要|不必有?|无需|不用)[^，。,;；]*|不幂等也|非幂等也`)
	condition = regexp.MustCompile(`\bonly\b|\bunless\b|\bexcept\b|\bdepends\b|\bmaybe\b|\bperhaps\b|\bsometimes\b|\bprobably\b|\bhardly\b|` +
		`\bnot sure\b|\bif\b|\bwhen\b|\bprovided\b|\bas long as\b|\bidempoten|\bwith an?\b[^,;.]*\bkey\b|\bgets?\b|\bask|\bafter\b|\bor\b|\b(?:don'?t|do not) (?:know|think)\b|\?|` +
		`除|以外|之外|前提|如果|若|要是|只有|只能|仅|才|取决|看情况|要看|也许|可能|未必|不一定|不确定|不知道|吗|？|幂等|\bget\b`)
	refusal = regexp.MustCompile(`\bunsafe\b|\bdangerous\b|\brisk(?:y|s)?\b|\btwice\b|\bagain and again\b|\b(?:may|must|can|should|could|do|does|would) ?not\b|` +
		`\bcannot\b|\b(?:can|must|should|don|doesn|may|isn|aren|won|wouldn)['’]?t\b|\bnever\b|\bnot\b|\bforbidden\b|\bduplicates?\b|\bno\b|\bnope\b|` +
		`不|否|禁止|别|勿|危险|风险|重复|两次`)
	consent = regexp.MustCompile(`\bsafe(?:ly)?\b|\bmay\b|\bcan\b|\ballowed\b|\bpermitted\b|\bok(?:ay)?\b|\bsure(?:ly)?\b|\bcertainly\b|` +
		`\bdefinitely\b|\babsolutely\b|\bof course\b|\btrue\b|\bany method\b|\ball methods\b|\bany of them\b|\bfine\b|\bright\b|\bindeed\b|` +
		`\bboth\b|\balso\b|\btoo\b|\bas well\b|\bharmless\b|\beven\b|可以|能|是|对|行|允许|没问题|没有问题|当然|安全|好|没错`)
	// saysYes are reasons that are a yes by themselves.
	saysYes = regexp.MustCompile(`\bno (?:problem|risk|harm|danger|doubt|duplicates?|reason not)\b|\bwhatever the method\b|\bregardless of the method\b`)
	// yesWords are whole answers or first words.
	yesWords = regexp.MustCompile(`^(?:(?:yes|y|yep|yeah|true)\b|是|可以|能|对)`)
	noWords  = regexp.MustCompile(`^(?:(?:no|n|nope|false)\b|不|否)`)
)

// parseYes reads yes or no, with or without a reason. An answer with a condition, or with both, is neither.
func parseYes(s string) (yes, ok bool) {
	s = strings.Join(strings.Fields(strings.ToLower(s)), " ")
	s = strings.NewReplacer("’", "'", "，", ", ", "no reason not", "fine", "why not", "fine").Replace(s)
	rest := reasons.ReplaceAllString(s, " ")
	switch {
	case condition.MatchString(rest):
		return false, false
	case refusal.MatchString(rest):
		return false, noWords.MatchString(s) && !yesWords.MatchString(rest) || !consent.MatchString(rest) && !yesWords.MatchString(rest)
	case yesWords.MatchString(s), saysYes.MatchString(s):
		return true, true
	}
	return true, consent.MatchString(rest)
}
