package decode

import (
	"regexp"
	"slices"
	"strings"
)

// Programs write the names of failures without having one: a metric, a setting, a test and a function are called after
// the failure that they count, bound, try or handle, a report says that there was none, and a connection that is ready
// was not so before. Such words are taken out of a text before it is read.

// gap stands in place of what was taken out: no phrase and no shape crosses it.
const gap = '\n'

// unsaid is what such words look like, with parts of words of which every match has one.
var unsaid = []struct {
	needs []string
	match func() *regexp.Regexp
}{
	{[]string{"test", "Test", "Spec"}, tests},
	{[]string{" failures", " failed", "Failed ", "FAIL", "[xUnit"}, scenarios},
	{[]string{"- ", "* ", "• "}, listed},
	{[]string{"no ", "No ", "not ", "without", "Not ", "never", "zero", "Zero ", "0 ", "kein", "sin ", "sans", "aucun",
		"nessun", "nenhum", "nor ",
		"n't ", "none "}, none},
	{[]string{"->", "=>", "→", "state", "previous", "was: "}, earlier},
	{[]string{"onnected to ", "connection to "}, otherAddress},
	{[]string{"count"}, counted},
	{[]string{"etry", "gnore", "ecord", "_next_upstream", "on_"}, conditions},
}

var (
	// tests matches the names of tests.
	tests = lazily(`\b(?:test_\w+|Test[A-Z]\w+|[A-Z]\w+(?:Test|Tests|Spec|TestCase)\b(?:\.\w+)?|tests?::\w+)`)
	// scenarios matches the names of tests that say what is done, in which state and what comes of it.
	scenarios = lazily(`\b[A-Z][a-z]+[A-Z]\w*_[A-Z][a-z]\w+_[A-Z][a-z]\w+`)
	listed    = lazily(`^[*•-] [A-Z][a-z]\w*_[A-Z][a-z]\w+_[A-Z][a-z]\w+$`)
	// none matches what there was not.
	none = lazily(`(?i)\b(?:no|none|without(?: an?| any)?|zero|0(?: of \d+)?|never (?:saw|got|received|sent) an?|kein(?:e[nrms]?)?|` +
		`sin|sans|aucune?|nessun\w*|nenhum\w*) (?:(?:http/2|h2|stream|connection|transport|network|tls|client|server|` +
		`upstream|more|further|other|such|in-flight) ){0,2}` +
		`(?:errors|failures|failed|errored|resets?|time-?outs?|timeouts|go_?aways?|rst_streams?|refused(?: streams)?|` +
		`timed out|disconnects|reconnects|retries|lost|aborted|fehler|erreurs?)\b` +
		`(?: (?:frames?|received|empfangen|was|were|sent|seen)\b)*` +
		`|\b(?:no|zero|not (?:a single|one)|without any) ` + denied + `(?:(?: ?[/,] ?| or | and | nor | )` + denied + `)*` +
		`|\b(?:did not|didn't|never|has not|hasn't) (?:receive|get|see|saw|got|send|sent|seen|received)d? (?:an? |` +
		`any )?(?:go_?away|rst_?stream)\b` +
		`|\b(?:go_?away|rst_?stream)(?: frame)? (?:was |is )?(?:not|never) (?:received|sent|seen)\b` +
		`|\b(?:not|nor|never) (?:been )?(?:reset|refused|cancell?ed|lost|timed out|aborted)\b|\bdid not (?:time out|fail)\b`)
	// earlier matches the state that a connection or a circuit breaker is no longer in.
	earlier = lazily(`\b[A-Z][A-Z_]{2,} ?(?:->|=>|→) ?(?:[A-Z][A-Z_]+ ?(?:->|=>|→) ?)*` + good +
		`\b|\bstate\b[^.;:]{0,24} from \w+ to ` + good + `\b|` +
		`\bprevious (?:state|status): [^);,]{1,80}|[;(] ?was: [^);,]{1,80}`)
	// otherAddress matches the addresses that curl tried before the one that it connected to.
	otherAddress = lazily(`\* +(?:Trying|Immediate connect fail|connect to) .*?\* (?:Connected|Established connection) to `)
	// counted matches counts of nothing.
	counted = lazily(`\b[\w.:]+: count ?= ?\d+|\b[\w-]+(?: [\w-]+)? count ?[=:] ?0\b`)
	// conditions matches the lists of failures that a proxy is to retry, and what it does about an event.
	conditions = lazily(`\b(?:[Rr]etry|[Ii]gnore|[Rr]ecord)[_-]?(?:on|for|` +
		`[Ee]xceptions?)(?:\[\d+\])?["']?[:= ]+["']?[\w,.$ -]*|\b\w+_next_upstream [^;]*;|["']?\bon_[a-z_]+["']?\s?[:=]`)
)

// denied is what a report says that it didn't find: a message in quotes, a class of statuses, the noun of a failure.
const denied = `(?:["'\x60][^"'\x60]{1,60}["'\x60]|[45]xx\b|[\w-]*(?:errors?|resets?|time-?outs?|go_?aways?|rst_streams?|` +
	`tracebacks?|exceptions?|broken[ -]pipes?|disconnects?|retries)\b)`

// good are states without a failure.
const good = `(?:READY|IDLE|CONNECTING|CONNECTED|HEALTHY|UP|CLOSED|HALF_OPEN|OPEN|ACTIVE|SERVING|ESTABLISHED)`

// reported is a text without the names of failures that it doesn't have; less is whether it has any of them.
func reported(normal string) (out string, less bool) {
	var parts, ones []span
	for _, u := range unsaid {
		if containsAny(normal, u.needs) {
			for _, m := range u.match().FindAllStringIndex(normal, -1) {
				parts = append(parts, span{m[0], m[1]})
			}
		}
	}
	counts := 0
	for i := range len(normal) {
		switch normal[i] {
		case '(':
			if at, ok := call(normal, i); ok {
				parts = append(parts, at)
			}
		case '=', ':':
			switch at, says := field(normal, i); says {
			case oneOfMany:
				ones = append(ones, at)
			case count, noFact:
				parts = append(parts, at)
				if says == count {
					counts++
				}
			}
		}
	}
	if counts > 0 || len(ones) > 1 { // a 1 beside other counts is one of them
		parts = append(parts, ones...)
	}
	if parts = append(parts, series(normal)...); parts == nil {
		return normal, false
	}
	return blanked(normal, parts), true
}

// deeds are what functions do about an event.
var deeds = []string{"on", "handle", "is", "should", "process", "do", "with", "test", "throw", "get", "set", "has", "check", "assert",
	"raise", "emit", "notify", "make", "new", "call", "log", "report", "translate", "map", "wrap", "to", "from", "retry", "expect",
	"verify", "can", "will", "did", "register", "add", "remove"}

// called matches the values that a function was called with: its line reports the event.
var called = lazily(`^[^()]*[\w"]\s?[=:]\s?["'\d]`)

// call is the name of the function before a bracket, if it does something about an event and is no frame of a stack.
func call(s string, bracket int) (at span, ok bool) {
	from := nameBefore(s, bracket)
	name := s[from:bracket]
	if from > 0 && strings.IndexByte(".$", s[from-1]) >= 0 || !slices.ContainsFunc(deeds, func(d string) bool {
		rest, ok := strings.CutPrefix(name, d)
		return ok && rest != "" && (rest[0] == '_' || upper(rest[0]))
	}) {
		return span{}, false
	}
	return span{from, bracket}, !called().MatchString(s[bracket+1 : min(len(s), bracket+80)])
}

// nameBefore is where the name begins that ends at an index.
func nameBefore(s string, end int) int {
	for end > 0 && wordByte(s[end-1]) {
		end--
	}
	return end
}

var (
	// quantity is a number as settings and counts have it.
	quantity = lazily(`^\d+(?:\.\d+)?(?:ms|[smhdSMHD])?["']?(?:[\s,;)}\]|]|$)`)
	// absent are values that say that there is nothing.
	absent = lazily(`^(?:null|nil|<none>|none|n/a|undefined)["']?(?:[\s,;)}\]]|$)`)
	// fact matches names whose number is a fact of a failure, counter those of counts, failureName those of failures.
	fact = lazily(`(?i)(?:code|id|errno|err|error|status|reason|stream|sid|number|port|exit|line|len|length|` +
		`window|version|(?:code|err|error|reason|id|stream)[_.-]?(?:no|num|value|int|hex|raw))$`)
	counter = lazily(`(?i)^(?:\w+_)*(?:resets?|refused|refusals|goaways?|timeouts|timed_?out|errors|failures|` +
		`failed|lost|dropped|retries|retried|aborted|cancell?ed|rejected|disconnects|reconnects|errored)$`)
	// bare matches a number without a unit.
	bare = lazily(`^\d+["']?(?:[,;)}\]|]|\s*$|\s+["']?[\w.:-]+["']? ?[=:])`)
	// several matches the plural names of failures: any number of them is a count.
	several     = lazily(`(?i)^(?:\w+_)*(?:resets|refusals|goaways|timeouts|errors|failures|retries|disconnects|reconnects)$`)
	failureName = lazily(`^[\w.-]*(?:[Gg]o_?[Aa]way|[Rr]eset|[Ee]rror|[Ff]ail(?:ure)?|[Tt]ime_?[Oo]ut|[Rr]efus\w+|` +
		`[Cc]ancel\w*|[Aa]bort\w*|[Ll]ost|[Cc]los\w+|[Dd]isconnect\w*|[Tt]erminat\w+)` +
		`(?:[_.-]?(?:reason|[Dd]etails?|[Cc]ode|[Mm]essage|[Cc]ause|[Ss]tate))?$`)
)

// value is what the value of a field says.
type value int

const (
	aFact  value = iota
	noFact       // a setting, or nothing
	count
	oneOfMany // 1: a count beside other counts, else perhaps a flag
)

// field is the setting or the count around a colon or an equals sign: a name of several words with a number, a count of
// failures or of nothing, or a failure that is null.
func field(s string, mark int) (at span, says value) {
	end := mark
	for end > 0 && strings.IndexByte(` "'`, s[end-1]) >= 0 && mark-end < 2 {
		end--
	}
	quoted := end < mark && s[mark-1] != ' '
	begin := mark + 1
	if begin < len(s) && s[mark] == '=' && s[begin] == '>' {
		begin++
	}
	twice := mark > 0 && s[mark] == ':' && s[mark-1] == ':' // name::0
	if twice {
		end--
	}
	if s[mark] == ':' && !quoted && !twice && (begin == len(s) || s[begin] != ' ') {
		return span{}, aFact // an address
	}
	for begin < len(s) && strings.IndexByte(` "'`, s[begin]) >= 0 && begin-mark < 4 {
		begin++
	}
	if begin == len(s) || !digit(s[begin]) && strings.IndexByte("n<u", s[begin]) < 0 {
		return span{}, aFact
	}
	from := end
	for from > 0 && (wordByte(s[from-1]) || s[from-1] == '.' || s[from-1] == '-') {
		from--
	}
	for from < end && !letter(s[from]) {
		from++
	}
	if from == end {
		return span{}, aFact
	}
	return span{from, begin}, idle(s[from:end], s[begin:min(len(s), begin+40)], quoted || s[mark] == '=')
}

// idle is what a field of this name and value says.
func idle(name, said string, plain bool) value {
	if m := absent().FindString(said); m != "" {
		if failureName().MatchString(name) && !thrown(name) && (plain || !upper(name[0])) {
			return noFact
		}
		return aFact
	}
	m := quantity().FindString(said)
	if m == "" || fact().MatchString(name) {
		return aFact
	}
	m = strings.TrimRight(m, " ,;)}]|\"'")
	long := strings.ContainsAny(strings.Trim(name, "_.-"), "_.-")
	switch {
	case m == "1" && long:
		return oneOfMany
	case m == "0" && counter().MatchString(name), several().MatchString(name), m != "1" && long && bare().MatchString(said):
		return count
	case m != "1" && long:
		return noFact
	}
	return aFact
}

// series are the names of metrics.
func series(s string) (out []span) {
	for _, end := range metricEnds {
		for from := 0; ; {
			i := strings.Index(s[from:], end)
			if i < 0 {
				break
			}
			from += i + len(end)
			if from == len(s) || !wordByte(s[from]) {
				out = append(out, span{nameBefore(s, from-len(end)), withLabels(s, from)})
			}
		}
	}
	return out
}

// withLabels is where a metric ends: the labels behind its name say what it counts, and not what happened.
func withLabels(s string, from int) int {
	rest := strings.TrimLeft(s[from:], " ")
	if rest == "" || rest[0] != '{' || !labels().MatchString(rest) {
		return from
	}
	begin := len(s) - len(rest)
	if end := strings.IndexByte(rest, '}'); end >= 0 {
		return begin + end + 1
	}
	return len(s)
}

// labels matches the first label of a metric.
var labels = lazily(`^\{\s*\w+\s*[=!]~?"`)

var metricEnds = []string{"_total", "_count", "_counter", "_sum", "_bucket", "_seconds", "_milliseconds", "_rate", "_ratio", "_gauge",
	"_threshold", "_policy", "_chance", "_window", "_per_second", "_per_connection", "_per_window", "_per_request", "_per_host",
	"_per_peer"}
