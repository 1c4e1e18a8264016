package decode

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	format "h2lab/internal/base/text"
)

// Tally groups findings by diagnosis: those that differ only in ids, hosts and times are one group.
type Tally struct {
	Inputs []Input
	// Events is the number of messages, Other the number of those that are not about HTTP/2.
	Events, Other int
	groups        map[string]*Group
	// first is a finding for the first message if decode can't read it: it counts if there is no other.
	first *Group
	// foreign is set if a message that decode can't read is of another protocol.
	foreign bool
	// missed is set if nothing shows that a message of a short input reports no failure of a connection.
	missed bool
	// told is set if a message says of a failure that it is something else.
	told bool
}

// Group is all findings with the same diagnosis.
type Group struct {
	*Finding // the first
	Proves   []Statement
	Count    int
	Input    int // input and line of the first
	Line     int
	Text     string
	// IDs counts the last-stream-ids; More is how many findings had an id that is no longer counted
	// separately.
	IDs     map[uint32]int
	More    int
	Origins []string
}

const (
	mostIDs     = 64
	mostOrigins = 3
	// enoughOrigins is how many findings of a group are searched for a host.
	enoughOrigins = 1000
	mostText      = 240
)

// key identifies a diagnosis by its parts.
func key(f *Finding) string {
	id := "-"
	if f.Signature != nil {
		id = f.Signature.ID
	}
	return id + "\x00" + string(f.Kind) + "\x00" + f.Code + "\x00" + f.Direction
}

func (t *Tally) add(f *Finding, raw []byte, input, line int) {
	if t.groups == nil {
		t.groups = map[string]*Group{}
	}
	g := t.groups[key(f)]
	if g == nil {
		f.text.details(f)
		g = &Group{Finding: f, Proves: f.statements(f.text), Input: input, Line: line,
			Text: excerpt(raw), IDs: map[uint32]int{}}
		t.groups[key(f)] = g
	}
	g.Count++
	if id := f.LastStreamID; id != nil {
		if _, known := g.IDs[*id]; known || len(g.IDs) < mostIDs {
			g.IDs[*id]++
		} else {
			g.More++
		}
	}
	if len(g.Origins) < mostOrigins && g.Count <= enoughOrigins {
		if o := f.text.origin(); o != nil && !slices.Contains(g.Origins, *o) {
			g.Origins = append(g.Origins, *o)
		}
	}
	if f != g.Finding { // the words of a group's first text decide what is said of the group
		f.text, f.low = text{}, ""
	}
}

// failing matches the words of a failure.
var failing = lazily(`(?i)error|exception|fail|panic|fatal|cannot|could ?n[o']t|unable|refus|time-?d? ?out|closed|` +
	`abort|never|missing|` +
	`stall|violat|exceed|instead of|oversized|reset|lost|invalid|unexpected|terminat|unavailable|denied|reject|` +
	`dropped|going away|` +
	`gone|broken|err_|err!|fehler|erreur|ошибк|错误|失败|エラー|失敗|오류|실패|http[ _-]?status(?:[ _-]?code)?[ :=]{1,2}0\b|` +
	`not (?:be(?:en)? )?(?:received|sent|answered|acknowledged|supported|ready|available)`)

// plainly matches the words that only a failure has: of several messages without a sign of HTTP/2 one
// must have them.
var plainly = lazily(`(?i)\b(?:error|fatal|panic|exception|fail(?:ed|ure)?|terminated|` +
	`http[ _-]?status[ :=]{1,2}0)\b|err!|[a-z](?:error|exception)\b`)

// noValue matches fields in JSON that say that nothing happened or how often, and settings of a time-out.
var noValue = lazily(`"[\w.]+" ?: ?(?:null|\d[\d.]*|false|""|"-")|(?i)[\w-]*timeout="?\d\w*`)

// ofPrograms matches failures of programs that have nothing to do with connections.
var ofPrograms = lazily(`(?i)nullpointer|outofmemory|out of memory|index out of|runtime error|` +
	`segmentation|` +
	`no such file|syntax ?error|constraint|undefined method|keyerror|valueerror|importerror|modulenotfound|` +
	`classnotfound|` +
	`forbidden|unauthorized|not found|assertion|deadlock|resolve dependenc|permission denied|already in use|` +
	`clauseerror|arithmeticerror|badmaperror|badarityerror|undefinedfunctionerror|typeerror|` +
	`argumenterror|nomethoderror|attributeerror|nameerror|referenceerror|rangeerror|classcast|numberformat|` +
	`file_not_found|` +
	`illegalargument|illegalstate|nosuchmethod|file:/|bufferedinputstream|access denied|command failed|` +
	`tests run: \d|\b\d+ (?:tests? )?passed\b|\b\d+ (?:examples?|tests?), \d+ failures?|test result: |failed \((?:failures|errors)=|` +
	`exit (?:code|status)|routing ?error|: failed to start |entered failed state|` +
	`failed with result|http (?:error|status) [1-5]\d\d\b|http response at [1-5]|` +
	`\b0 (?:failed|failures|errors)\b|curl(?: error)?:? \(?(?:1|2|3|4|22|23|26|27|43|47|61|63|67)\b|` + levelInfo + `|` +
	// an API that was used wrongly, a field that HTTP itself has, and what was done with a body that had come
	`not (?:yet )?implemented|unsupportedoperation|has already been (?:bound|used|called)|_setopt\b|` +
	`\b(?:content-(?:length|range|encoding)|range|host|origin|authorization) header\b|` +
	`\b(?:extract|unpack|untar|unzip)(?:ing|ed)?\b|_extract\b|checksum|integrity check`)

const (
	// statisticsLine matches a number with its name, and a metric; levelInfo the level of a line that reports no failure.
	statisticsLine = `(?m:^[\w.:-]+: \d+\s*$)|\w\{\w+="[^}]*\} [\d.e+]+\s*$`
	levelInfo      = `\blevel["']?[=:] ?"?info|\bINFO\b`
)

// otherwise matches texts about HTTP/1.1, QUIC, a browser's policy or an answer's status, and lines of statistics.
var otherwise = lazily(`(?i)http/1\.[01]|response code [1-5]\d\d\b|\berror '?(?:code:? )?5[0-3]\d\b|` +
	`etcdserver: |very short watch|err_blocked_by|` +
	`http/2(?:\.0)?\\?"[ ,|]+"?[1-4]\d\d\b|cors policy|http1|httpurlconnection|\bquic\b|http/3|application error 0x1|` +
	`status(?: code)?[ :=]+[1-5]\d\d\b|` + statisticsLine)

// succeeded matches a request's status in a log's line, and lines of statistics.
var succeeded = lazily(`(?i)http/2(?:\.0)?\\?"[ ,|]+"?[1-4]\d\d\b|` +
	`status(?: code)?["']?[ :=]+"?[1-5]\d\d\b|` +
	statisticsLine)

// records matches lines of an access log and of statistics.
var records = lazily(`(?i)http/[\d.]+\\?"|` + statisticsLine + `|` + levelInfo)

// Missed reports whether nothing was found in a short input, and nothing in it excludes that a connection failed.
func (t *Tally) Missed() bool {
	return t.missed && !t.foreign && !t.told && t.Events <= fewLines && len(t.groups) == 0 && t.first == nil
}

// unread keeps the first message of a short input if it is about a failure that decode can't read: silence would say that
// no connection failed. signed is set if it has a sign of HTTP/2 or gRPC. Another protocol in the input explains it.
func (t *Tally) unread(raw []byte, signed bool, input, line int) {
	if t.Events > fewLines || t.Events > 1 && !signed && !plainly().Match(raw) {
		return
	}
	other := otherwise
	if signed {
		other = succeeded
	}
	t.foreign = t.foreign || !signed && ofAnother(strings.ToLower(string(raw)))
	if t.foreign || explained(raw) {
		return
	}
	t.missed = true
	said := string(raw)
	f, n := &Finding{Kind: Unclear}, normaliser{}
	f.low, f.answer = strings.ToLower(said), answeredBy(string(n.normal([]byte(said))))
	switch {
	case !failing().MatchString(noValue().ReplaceAllString(said, "")):
		return
	case gateways[f.answer] != "" && !records().Match(raw):
		f.Kind, f.Event = Status, onStatus
	case f.answer != "", ofPrograms().Match(raw), other().Match(raw), !signed && !ofNetwork(said):
		return
	}
	if t.first == nil || t.first.Kind == Unclear && f.Kind == Status {
		t.first = &Group{Finding: f, Count: 1, Input: input, Line: line, Text: excerpt(raw)}
	}
}

// excerpt is the part of an event to show: the original text without colours, from shortly before
// the match.
func excerpt(raw []byte) string {
	n := normaliser{}
	shown := n.uncoloured(raw)
	if len(shown) <= mostText {
		return format.ClipLine(string(shown), mostText)
	}
	b := theBook()
	if at := b.scan.firstEnd(shown); at > mostText {
		shown = shown[at-mostText/2:]
	}
	return format.ClipLine(string(shown), mostText)
}

// Groups are the groups, the largest first.
func (t *Tally) Groups() []*Group {
	if len(t.groups) == 0 && t.Events <= fewLines && t.first != nil && !t.foreign {
		t.Other = t.Events - 1
		return []*Group{t.first}
	}
	return slices.SortedFunc(maps.Values(t.groups), func(a, b *Group) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Input, b.Input),
			cmp.Compare(a.Line, b.Line))
	})
}

// rank orders diagnoses that need a change before the others.
func rank(g *Group) int {
	switch g.Kind {
	case Unrelated: // what it says of a connection says less than an event does
		return 4
	case Plain:
		return 3
	case Ambiguous, Unclear:
		return 2
	case ServerLog, Flood, Shortage, HandshakeLost, Obsolete:
		return 1
	}
	return 0
}
