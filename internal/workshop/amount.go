package workshop

import (
	"regexp"
	"strconv"
	"strings"
)

// Answers are judged by their meaning: "97", "97 requests", "at least 97" and "97 or more" are read as ranges of whole
// numbers. A text is read clause by clause: "437, probed twice" has one number and a remark. Two different numbers, a
// doubt or a unit that the question doesn't ask for make it no answer.

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

// kind is what the number of an answer counts or names: a clause about something else is a remark.
type kind struct{ something *regexp.Regexp }

// otherUnits are units that no exercise asks for.
const otherUnits = `\d ?(?:m?s|secs?|[km]i?b)\b|\b(?:milli)?seconds?\b|\bminutes?\b|\bhours?\b|\bbytes?\b|%|\bper ?cent\b|百分|\busers?\b|` +
	`\bcores?\b|\bms\b|\bhex|\bdials?\b|\brenewals?\b|\bretr(?:y|ies)\b|\berrors?\b|\bfail\w*|\bpools?\b|\bhosts?\b|重试|失败|错误`

var (
	ofRequests = kind{regexp.MustCompile(otherUnits + `|\bconn(?:ection)?s?\b|\bstreams? (?:id |number |no\.? )?#?\d|\bstreams? is\b|` +
		`\blast[ _-]?stream|\bids?\b|\d goaways?\b|\bordinal\b|\bdropped\b|\bunanswered\b|\blost\b`)}
	ofIDs     = kind{regexp.MustCompile(otherUnits + `|\brequests?\b|\breqs?\b|\bconn(?:ection)?s?\b|\d goaways?\b`)}
	ofGoaways = kind{regexp.MustCompile(otherUnits + `|\brequests?\b|\bconn(?:ection)?s\b|\bordinal\b`)}
	ofDropped = kind{regexp.MustCompile(otherUnits + `|\bconn(?:ection)?s\b|\bordinal\b|\banswered\b|\bserved\b`)}
)

var (
	// grouped matches a number with separators between thousands.
	grouped   = regexp.MustCompile(`\b\d{1,3}(?:[ ,._'\x{a0}\x{202f}]\d{3})+\b`)
	kilo      = regexp.MustCompile(`\b(\d+) ?(?:k|thousand)\b`)
	anyNumber = regexp.MustCompile(`\d+`)
	decimal   = regexp.MustCompile(`\d[.,]\d|\de\d|\d\^|/`)
)

// plain writes an answer in lower case, with one kind of minus, without separators between thousands.
func plain(s string) string {
	s = grouped.ReplaceAllStringFunc(oneSpelling(s), func(n string) string {
		return strings.Join(anyNumber.FindAllString(n, -1), "")
	})
	return kilo.ReplaceAllString(s, "${1}000")
}

// oneSpelling is plain for a list, where a space separates numbers.
func oneSpelling(s string) string {
	s = strings.NewReplacer("−", "-", "–", "-", "≥", ">=", "≤", "<=", "≈", "~", "’", "'").Replace(inEnglishWords(strings.ToLower(s)))
	return strings.Join(strings.Fields(arithmetic(s)), " ")
}

// bounds are the words that make a number the end of a range.
var bounds = []struct {
	words *regexp.Regexp
	read  func(n int64) amount
}{
	{regexp.MustCompile(`>=|\bat least\b|\b(?:no|not|never) (?:less|fewer|below|under)(?: than)?\b|` +
		`\b(?:or|and) (?:(?:a few|some|any|slightly|a little|maybe) )?(?:more|above|up|upwards|higher|greater|over)\b|\bminimum(?: of)?\b|\bmin\b|` +
		`\bonwards\b|\bupwards\b|\bplus\b|\b(?:some|a few|several) more\b|\d\+`), func(n int64) amount { return amount{least: n, open: true} }},
	{regexp.MustCompile(`<=|\bat most\b|\bup to\b|\b(?:no|not|never) (?:more|above|over)(?: than)?\b|\bmaximum(?: of)?\b|\bmax\b|` +
		`\b(?:or|and) (?:fewer|less|below|lower)\b`), func(n int64) amount { return amount{least: 0, most: n} }},
	{regexp.MustCompile(`<|\bless than\b|\bfewer than\b|\bbelow\b|\bunder\b|\blower than\b`),
		func(n int64) amount { return amount{least: 0, most: n - 1} }},
	{regexp.MustCompile(`>|\bmore than\b|\bover\b|\babove\b|\bbeyond\b|\bexceeds?\b|\bgreater than\b|\bhigher than\b|` +
		`\blarger than\b|\bbigger than\b`), func(n int64) amount { return amount{least: n + 1, open: true} }},
}

var (
	roughly = regexp.MustCompile(`~|\babout\b|\bapprox(?:\.|imately)?\b|\broughly\b|\baround\b|\bnearly\b|\balmost\b|\bcirca\b|\bca\.?(?: |$)`)
	between = regexp.MustCompile(`^(?:between |from )?(\d+) ?(?:-|to|and|\.\.+|…) ?(\d+)$`)
	// perConnection is what one connection gets; the number counts something else.
	perConnection = regexp.MustCompile(`(?:/ ?|\b(?:per|for each|on each|in each|on one|on an?|on the|each|every|one|(?:an? )single|the same|that|this) )` +
		`(?:conn(?:ection)?)\b`)
	wrapped   = regexp.MustCompile(`\( ?((?:or|and|at|exactly|more|about)\b[a-z ]*)\)`)
	clauseEnd = regexp.MustCompile(`[,;:!(){}\[\]"]+|\.(?: |$)| - |\band (?:it )?(?:still )?(?:answers|serves)\b|\b(?:because|since|so|then|but|as|while|whereas)\b`)
	// someMore is how learners say that a server answers requests after it announced the end.
	someMore = regexp.MustCompile(`\b(?:some|more|others?|a few|several)\b[a-z ]*\b(?:served|answered|after(?:wards)?|later|follow(?:ed)?)\b`)
	doubt    = regexp.MustCompile(`\?|\bnot sure\b|\bmaybe\b|\bperhaps\b|\bguess|\bunknown\b|\bdon't know\b|\bprobably\b|\bdepends\b|` +
		`\b(?:all|any\w*|every\w*|none|nothing) but\b`)
	denied  = regexp.MustCompile(`\bnot\b|\w+n't\b|\bnever\b|\bno\b|\bneither\b|\bnor\b`)
	altered = regexp.MustCompile(`\bor\b|\bhalf\b|\bdouble\b|\bthird\b|\bexcept|\bwithout\b|\bevery other\b|\band\b|\bto\b`)
	// besides matches a clause whose number is the answer only if no other clause has one.
	besides = regexp.MustCompile(`\bsent\b|\bgoaway\b`)
	bare    = regexp.MustCompile(`^(?:limit|id|stream|last[ _-]?stream[ _-]?id|requests?|it|answer|stages?|first|goaways?|dropped)? ?=`)
)

// parseAmount reads a number or a range with one end, in the usual ways to write them.
func parseAmount(s string, k kind) (amount, bool) {
	s = strings.TrimRight(plain(s), ".!")
	if strings.HasPrefix(s, "-") || doubt.MatchString(s) {
		return amount{}, false
	}
	switch k {
	case ofIDs:
		s = idNoise.ReplaceAllString(s, " ")
	case ofDropped:
		s = asDropped(s)
	}
	s = sums(inDigits(pronoun.ReplaceAllString(s, " ")))
	s = bare.ReplaceAllString(perConnection.ReplaceAllString(s, " "), "")
	if n, ok := whole(s); ok {
		return amount{least: n, most: n}, true
	}
	var found, weak []amount
	for _, clause := range parts(wrapped.ReplaceAllString(s, " $1 ")) {
		a, says := k.clause(clause)
		switch {
		case says == nonsense:
			return amount{}, false
		case says == number && besides.MatchString(clause):
			weak = append(weak, a)
		case says == number:
			found = append(found, a)
		}
	}
	if len(found) == 0 {
		found = weak
	}
	for i := range found {
		if found[i].about = found[0].about; found[i] != found[0] {
			return amount{}, false
		}
	}
	if len(found) == 0 {
		return amount{}, false
	}
	if found[0].about && k != ofRequests {
		return amount{}, false // an id, and a small count, are exact
	}
	if a := found[0]; a.exact() && someMore.MatchString(s) {
		return amount{least: a.least, open: true}, true
	}
	return found[0], true
}

// pronoun matches a one that is no number.
var pronoun = regexp.MustCompile(`\b(?:the|this|that|which)(?: [a-z]+)? ones?\b`)

// idNoise are words beside a stream's number that bound other numbers.
var idNoise = regexp.MustCompile(`\bmax(?:imum)?\b|\b(?:larg|high|bigg|great)est\b|#|\bordinal\b`)

// whole reads arithmetic whose value is a whole number.
func whole(s string) (int64, bool) {
	if between.MatchString(s) {
		return 0, false
	}
	v, ok := calculated(s)
	n := int64(v)
	return n, ok && v >= 0 && v <= mostNumber && float64(n) == v
}

// parts cuts an answer into clauses. A clause of bounding words alone belongs to the one before.
func parts(s string) []string {
	var out []string
	for _, c := range clauseEnd.Split(s, -1) {
		c = strings.TrimSpace(c)
		switch {
		case c == "":
		case len(out) > 0 && !anyNumber.MatchString(c) && bounding(c):
			out[len(out)-1] += " " + c
		default:
			out = append(out, c)
		}
	}
	return out
}

// bounding reports whether a clause is one of the words in bounds.
func bounding(s string) bool {
	for _, b := range bounds {
		if b.words.FindString(s) == s {
			return true
		}
	}
	return false
}

// reading is what a clause is.
type reading int

const (
	aside reading = iota
	number
	nonsense
)

// clause reads one clause.
func (k kind) clause(s string) (amount, reading) {
	switch {
	case !anyNumber.MatchString(s):
		return amount{}, aside
	case k.something.MatchString(s):
		return amount{}, aside
	}
	if n, ok := whole(s); ok {
		return amount{least: n, most: n}, number
	}
	if decimal.MatchString(s) {
		return amount{}, nonsense
	}
	a := amount{about: roughly.MatchString(s)}
	s = strings.TrimSpace(roughly.ReplaceAllString(s, " "))
	if m := between.FindStringSubmatch(s); m != nil {
		low, ok := bounded(m[1])
		high, too := bounded(m[2])
		if !ok || !too || low > high {
			return amount{}, nonsense
		}
		return amount{least: low, most: high, about: a.about}, number
	}
	var read func(int64) amount
	for _, b := range bounds {
		if b.words.MatchString(s) {
			read = b.read
			s = b.words.ReplaceAllStringFunc(s, func(w string) string { return strings.TrimSuffix(keepDigit(w), "+") + " " })
			break
		}
	}
	if bareNo.MatchString(s) && read == nil { // "not 100" says what it isn't
		return amount{}, aside
	}
	all := anyNumber.FindAllString(s, -1)
	n, ok := bounded(all[0])
	if !ok || len(all) > 1 || denied.MatchString(s) || altered.MatchString(s) || strings.Contains(s, "-"+all[0]) {
		return amount{}, nonsense
	}
	a.least, a.most = n, n
	if read != nil {
		about := a.about
		a = read(n)
		a.about = about
	}
	if !a.open && a.most < a.least {
		return amount{}, nonsense
	}
	return a, number
}

// bareNo matches a clause that denies its number.
var bareNo = regexp.MustCompile(`^(?:it |is |it's |it is )*not (?:stream |exactly |just )?\d+$`)

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
	unanswered  = regexp.MustCompile(`\b(?:never|not|n't)(?: been)? (?:answered|served)\b|\bunanswered\b|\b(?:without an?|no) (?:answer|response|reply)\b`)
	noneAnswers = regexp.MustCompile(`\b(?:none|no ?one|nobody|nothing|0)(?: of [\w ]+?)?(?: was| were)? (?:answered|served)\b`)
	allAnswered = regexp.MustCompile(`\b(?:all|every(?:thing|one|body)?)(?: of them| the)?(?: \d+| [a-z]+)?(?: streams| requests)?(?: was| were| got| are)*` +
		` (?:answered|served)\b|\b\d+ all (?:answered|served)\b`)
	noneDropped = regexp.MustCompile(`\b(?:none|no ?one|nobody|nothing|nil|not (?:a single |even )?(?:one|1)|no 1|no (?:streams?|requests?))\b(?: of (?:them|\d+|the \w+))?`)
	ofAll       = regexp.MustCompile(`\b(\d+) ?(?:/|(?:out )?of (?:the )?) ?\d+`)
)

// asDropped writes what an answer says about the requests that were or weren't answered as a number of dropped ones.
func asDropped(s string) string {
	s = unanswered.ReplaceAllString(s, "dropped")
	s = noneAnswers.ReplaceAllString(s, "? answered")
	s = allAnswered.ReplaceAllString(s, "0")
	return ofAll.ReplaceAllString(noneDropped.ReplaceAllString(s, "0"), "$1")
}
