package workshop

import (
	"regexp"
	"strconv"
	"strings"
)

// Answers are judged by their meaning: "97", "97 requests", "at least 97" and "97 or more" are read as
// ranges of whole numbers.

// amount is a range of whole numbers: from least to most, or without an upper end.
type amount struct {
	least, most int64
	open        bool // no upper end
	about       bool // said to be approximate
}

// exact reports whether an amount is one number.
func (a amount) exact() bool { return !a.open && a.least == a.most }

func (a amount) holds(n int64) bool { return n >= a.least && (a.open || n <= a.most) }

// mostNumber bounds the numbers of an answer.
const mostNumber = 1 << 40

var (
	wordNumbers = strings.NewReplacer("2^31-1", "2147483647", "2**31-1", "2147483647", "2^31 - 1", "2147483647",
		"2³¹-1", "2147483647", "2³¹ - 1", "2147483647", "0x7fffffff", "2147483647")
	spelled = map[string]string{"zero": "0", "none": "0", "nothing": "0", "no": "0", "one": "1", "single": "1", "once": "1",
		"two": "2", "twice": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
		"nine": "9", "ten": "10", "twelve": "12"}
	spelledWord = regexp.MustCompile(`[a-z]+`)
	// grouped matches a number with separators between thousands.
	grouped   = regexp.MustCompile(`\b\d{1,3}(?:[ ,._'\x{a0}\x{202f}]\d{3})+\b`)
	anyNumber = regexp.MustCompile(`\d+`)
	decimal   = regexp.MustCompile(`\d[.,]\d|\d%|\de\d|/`)
	// units are the words that may stand beside a number without changing it.
	units = regexp.MustCompile(`\b(?:requests?|reqs?|streams?|stages?|goaways?|frames?|connections?|per|each|a|an|the|` +
		`is|are|was|were|it|its|limit|id|of|on|in|for|one|exactly|precisely|just|only|all|sent|dropped|answered|so|` +
		`answer|i|measured|got|after|then|count)\b`)
)

// plain writes an answer in lower case, with one kind of minus, without separators between thousands.
func plain(s string) string {
	return grouped.ReplaceAllStringFunc(oneSpelling(s), func(n string) string {
		return strings.Join(anyNumber.FindAllString(n, -1), "")
	})
}

// oneSpelling is plain for a list, where a space separates numbers.
func oneSpelling(s string) string {
	s = strings.NewReplacer("−", "-", "–", "-", "≥", ">=", "≤", "<=", "≈", "~").Replace(inEnglishWords(strings.ToLower(s)))
	return wordNumbers.Replace(strings.Join(strings.Fields(s), " "))
}

// bounds are the words that make a number the end of a range.
var bounds = []struct {
	words *regexp.Regexp
	read  func(n int64) amount
}{
	{regexp.MustCompile(`>=|\bat least\b|\bno (?:less|fewer) than\b|\bnot (?:less|fewer|below|under)(?: than)?\b|\bor more\b|` +
		`\band more\b|\bor above\b|\band (?:above|up|higher)\b|\bor (?:higher|greater)\b|\bminimum\b|\bmin\b|\bonwards\b|` +
		`\bupwards\b|\d\+`), func(n int64) amount { return amount{least: n, open: true} }},
	{regexp.MustCompile(`<=|\bat most\b|\bup to\b|\bno more than\b|\bnot more than\b|\bmaximum\b|\bmax\b`),
		func(n int64) amount { return amount{least: 0, most: n} }},
	{regexp.MustCompile(`<|\bless than\b|\bfewer than\b|\bbelow\b|\bunder\b`),
		func(n int64) amount { return amount{least: 0, most: n - 1} }},
	{regexp.MustCompile(`>|\bmore than\b|\bover\b|\babove\b|\bbeyond\b|\bexceeds?\b|\bgreater than\b|\bhigher than\b|` +
		`\blarger than\b`), func(n int64) amount { return amount{least: n + 1, open: true} }},
}

var (
	roughly = regexp.MustCompile(`~|\babout\b|\bapprox(?:\.|imately)?\b|\broughly\b|\baround\b|\bnearly\b|\balmost\b|\bcirca\b|\bca\.`)
	between = regexp.MustCompile(`^(?:between |from )?(\d+) ?(?:-|to|and|\.\.+|…) ?(\d+)$`)
)

// parseAmount reads a number or a range with one end, in the usual ways to write them.
func parseAmount(s string) (amount, bool) {
	s = strings.TrimRight(plain(s), ".!")
	if decimal.MatchString(s) || strings.HasPrefix(s, "-") {
		return amount{}, false
	}
	a := amount{about: roughly.MatchString(s)}
	s = roughly.ReplaceAllString(s, " ")
	var read func(int64) amount
	for _, b := range bounds {
		if b.words.MatchString(s) {
			read = b.read
			s = b.words.ReplaceAllStringFunc(s, func(w string) string { return strings.TrimSuffix(keepDigit(w), "+") + " " })
			break
		}
	}
	if m := between.FindStringSubmatch(strings.TrimSpace(s)); m != nil && read == nil {
		low, ok := bounded(m[1])
		high, too := bounded(m[2])
		return amount{least: low, most: high, about: a.about}, ok && too && low <= high
	}
	if !anyNumber.MatchString(s) {
		s = spelledWord.ReplaceAllStringFunc(s, func(w string) string {
			if n, ok := spelled[w]; ok {
				return n
			}
			return w
		})
	}
	rest := strings.TrimSpace(units.ReplaceAllString(s, " "))
	n, ok := bounded(strings.Trim(rest, " :;,.\"'()"))
	if !ok {
		return amount{}, false
	}
	if read == nil {
		return amount{least: n, most: n, about: a.about}, true
	}
	out := read(n)
	out.about = a.about
	return out, out.open || out.most >= out.least
}

// keepDigit returns the digit that a pattern such as \d\+ took with it.
func keepDigit(w string) string {
	if w != "" && w[0] >= '0' && w[0] <= '9' {
		return w
	}
	return ""
}

// bounded reads digits.
func bounded(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= 0 && n <= mostNumber
}

var (
	condition = regexp.MustCompile(`\bonly (?:if|when|for)\b|\bunless\b|\bexcept\b|\bdepends\b|\bmaybe\b|\bperhaps\b|\bsometimes\b|` +
		`\bprobably\b|除非|如果|只有|取决|也许|\bnot sure\b|\bif (?:it|they) (?:is|are)\b|\bif idempotent\b|\bidempotency\b|\?`)
	refusal = regexp.MustCompile(`\bunsafe\b|\bdangerous\b|\b(?:may|must|can|should|could|do|does) ?not\b|\bcannot\b|` +
		`\b(?:can|must|should|don|doesn|may|isn|aren)['’]?t\b|\bnever\b|\bnot (?:safe|allowed|permitted|ok|okay|a post)\b|` +
		`\bforbidden\b|\brisk of\b|\bduplicates?\b`)
	consent = regexp.MustCompile(`\bsafe\b|\bmay\b|\bcan\b|\ballowed\b|\bpermitted\b|\bok(?:ay)?\b|\bsure(?:ly)?\b|\bcertainly\b|` +
		`\bdefinitely\b|\bof course\b|\btrue\b|\bany method\b|\ball methods\b|\bwhatever the method\b|\bany of them\b|` +
		`\bno (?:problem|risk|harm|danger|duplicates?|reason not)\b|\bboth\b|\balso\b|\btoo\b|\bharmless\b`)
	// because is what may follow a yes: that the requests were not processed is the reason.
	because = regexp.MustCompile(`\b(?:was|were|is|are|has|have|had)(?: ?n['’]?t| not| never)(?: been| yet| be)*` +
		`(?: processed| executed| run| seen| handled| read)?\b|\b(?:server )?(?:did|has|had|will)(?: ?n['’]?t| not| never) ` +
		`(?:be )?(?:process(?:ed)?|execute[d]?|run|see[n]?|read|handle[d]?)\b|\bno (?:problem|risk|harm|danger|duplicates?)\b(?: of (?:an? )?duplicates?)?|` +
		`\bnever (?:processed|executed|run|read|seen|handled)\b|\bnot (?:been )?(?:processed|executed|run|read|seen|handled)\b|` +
		`\bnot only\b`)
)

// noHarm matches a yes that begins with the word no; yesWords and noWords are whole answers or first words.
var (
	noHarm   = regexp.MustCompile(`^no (?:problem|risk|harm|danger|reason not|duplicates?)\b`)
	yesWords = regexp.MustCompile(`^(?:(?:yes|y|yep|yeah|true)\b|是|可以|能|对)`)
	noWords  = regexp.MustCompile(`^(?:(?:no|n|nope|false)\b|不|否)`)
)

// parseYes reads yes or no, with or without a reason. An answer with a condition is neither.
func parseYes(s string) (yes, ok bool) {
	s = strings.NewReplacer("’", "'").Replace(plain(s))
	switch rest := because.ReplaceAllString(s, " "); {
	case condition.MatchString(s):
		return false, false
	case noWords.MatchString(s) && !noHarm.MatchString(s):
		return false, true
	case refusal.MatchString(rest):
		return false, !yesWords.MatchString(s)
	case yesWords.MatchString(s):
		return true, true
	}
	return true, consent.MatchString(s)
}
