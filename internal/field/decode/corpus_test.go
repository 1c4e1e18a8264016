package decode

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// corpusLine is a public error text with a judgement from the text alone: testdata/corpus.jsonl.
// The lists have what is acceptable.
type corpusLine struct {
	Text      string `json:"text"`
	Source    string `json:"source"`
	Ecosystem string `json:"ecosystem"`
	Happened  oneOf  `json:"happened"`
	Executed  oneOf  `json:"executed"`
	Retry     oneOf  `json:"retry"`
	Change    oneOf  `json:"change"`
	Forbidden oneOf  `json:"forbidden"`
	Why       string `json:"why"`
	// Second marks the texts that were collected later, Later those that came after them, Last the next ones and
	// Newest most of the latest set: all were scored unseen and then read. Aside marks what nobody who wrote the grammar has read.
	Second bool `json:"second,omitempty"`
	Later  bool `json:"later,omitempty"`
	Last   bool `json:"last,omitempty"`
	Newest bool `json:"newest,omitempty"`
	Aside  bool `json:"aside,omitempty"`
	// Failure is set in testdata/fresh.jsonl: false for a text that reports none.
	Failure *bool `json:"failure,omitempty"`
}

// part is the part of the corpus that a text belongs to.
func (l corpusLine) part() int {
	switch {
	case l.Aside:
		return 3
	case l.Newest:
		return 2
	case l.Last, l.Later:
		return 1
	}
	return 0
}

// parts are the parts of the corpus, with the least share of right answers and the highest share of wrong
// ones that the test accepts. The texts that nobody has read judge a change: the others were read by those who wrote the grammar.
var parts = []struct {
	name         string
	right, wrong float64
}{
	{"read while the grammar was written", 0.95, 0.01},
	{"scored unseen, then read", 0.90, 0.01},
	{"scored unseen last, then read", 0.90, 0.01},
	{"not read", 0.85, 0.01},
}

// oneOf is a string or a list of them in JSON.
type oneOf []string

func (o *oneOf) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*o = oneOf{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(o))
}

// happenedIn are the corpus' names of the kinds.
var happenedIn = map[Kind][]string{
	Unprocessed: {"goaway-no-error"}, Accepted: {"goaway-no-error"}, Ended: {"goaway-no-error"},
	Announced: {"goaway-no-error"}, Retried: {"goaway-no-error"}, Calm: {"goaway-calm"}, Choked: {"goaway-calm"},
	Failed: {"goaway-error"}, Exhausted: {"goaway-error"}, Refused: {"stream-refused"}, Cancelled: {"stream-cancelled"},
	Reset: {"stream-reset"}, Lost: {"connection-lost"}, NotSent: {"not-sent"},
	NoReconnect: {"not-sent", "connection-lost"},
	Confused:    {"not-sent", "protocol-violation", "connection-lost"}, Unreached: {"never-connected"},
	TLSFailed: {"tls-failure"}, LimitReached: {"local-limit"}, Malformed: {"protocol-violation"},
	GaveUp: {"caller-cancelled"}, TimeUp: {"timeout"}, ServerLog: {"server-log"}, ServerEnded: {"server-log"},
	ServerSkipped: {"server-log"}, Flood: {"server-log"}, Shortage: {"server-log"}, HandshakeLost: {"server-log"},
	Obsolete: {"server-log"}, Unrelated: {"unrelated"}, Status: {"unrelated"}, TooLarge: {"unrelated"}, Plain: {"unrelated"},
}

// answer is what decode says of a text, in the corpus' names.
type answer struct {
	happened        []string
	executed, retry string
	changes, also   []string
	unknown, hedged bool
	missed          bool // nothing was found, and decode says that it can't tell what failed
	label           string
}

func answerTo(t *testing.T, text string) answer {
	t.Helper()
	tally := tallied(t, text)
	groups := tally.Groups()
	if len(groups) == 0 {
		return answer{happened: []string{"unrelated"}, executed: "n/a", retry: "n/a", label: "nothing", missed: tally.Missed()}
	}
	r := groups[0].reported("")
	a := answer{happened: happenedIn[r.Kind], executed: "n/a", retry: "n/a", label: strings.Join(names(groups), " + ")}
	a.unknown = r.Kind == Unclear || r.Kind == Ambiguous
	a.hedged = r.Kind == Plain || a.unknown
	if r.Kind == Plain { // it says both: the event, and that nothing is about HTTP/2
		a.happened = append(slices.Clone(a.happened), happenedIn[groups[0].eventKind()]...)
	}
	for _, k := range r.Also {
		a.also = append(a.also, happenedIn[k]...)
	}
	for _, k := range r.MayBe {
		a.also = append(a.also, happenedIn[k]...)
	}
	if r.Executed != nil {
		a.executed = map[Answer]string{CantSay: "maybe"}[*r.Executed]
		if a.executed == "" {
			a.executed = string(*r.Executed)
		}
	}
	if r.Retry != nil {
		a.retry = string(*r.Retry)
	}
	for _, c := range r.Changes {
		if c.Class == Upgrade || c.Class == HTTP1 { // the corpus has no names for them
			continue
		}
		a.changes = append(a.changes, string(c.Class))
	}
	if distinct(groups) > 1 {
		a.hedged = true // two findings for one failure: never right
		a.happened = append(slices.Clone(a.happened), "two findings")
	}
	return a
}

// distinct counts the findings that are not about something else.
func distinct(groups []*Group) (n int) {
	for _, g := range groups {
		if g.Kind != Unrelated && g.Kind != Plain {
			n++
		}
	}
	return n
}

// The verdicts on an answer.
const (
	right   = "right"
	part    = "partly"
	wrong   = "wrong"
	unknown = "unknown"
)

func meet(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// score judges an answer. Wrong is what would mislead: "not executed" that isn't proved, a change
// that doesn't fit, another event without a reservation.
func score(l corpusLine, a answer) (verdict, why string) {
	event := meet(a.happened, l.Happened)
	a.hedged = a.hedged || meet(a.also, l.Happened)
	two := slices.Contains(a.happened, "two findings")
	switch {
	case a.executed == "no" && !slices.Contains(l.Executed, "no"):
		return wrong, "executed no"
	case meet(a.changes, l.Forbidden):
		return wrong, fmt.Sprintf("changes %v", a.changes)
	case a.unknown, a.missed && !event:
		return unknown, ""
	case !event && !a.hedged:
		return wrong, "event"
	case !event:
		return part, "event"
	case two:
		return part, "two findings"
	case !slices.Contains(l.Executed, a.executed):
		return part, "executed " + a.executed
	case !slices.Contains(l.Retry, a.retry):
		return part, "retry " + a.retry
	case len(a.changes) > 0 && !meet(a.changes, l.Change):
		return part, fmt.Sprintf("changes %v", a.changes)
	}
	return right, ""
}

func corpus(t *testing.T, file string) (lines []corpusLine) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var l corpusLine
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			t.Fatalf("%s: %v: %.100s", file, err, s.Text())
		}
		lines = append(lines, l)
	}
	return lines
}

// The scores on public texts.
func TestTheCorpus(t *testing.T) {
	lines := corpus(t, "testdata/corpus.jsonl")
	if len(lines) < 300 {
		t.Fatalf("only %d lines", len(lines))
	}
	counts := make([]map[string]int, len(parts))
	for i := range counts {
		counts[i] = map[string]int{}
	}
	tolerance := 0.0
	if oneIn > 1 && os.Getenv("SCORES") == "" {
		tolerance = 0.05 // a sample
	}
	for i, l := range lines {
		if tolerance > 0 && i%oneIn != 0 {
			continue
		}
		a := answerTo(t, l.Text)
		verdict, why := score(l, a)
		counts[l.part()][verdict]++
		counts[l.part()]["all"]++
		if verdict != right && testing.Verbose() {
			t.Logf("%d %s %s (%s): %.600q\n  got  %s; executed %s, retry %s, changes %v\n"+
				"  want %v; executed %v, retry %v, changes %v, not %v (%s)", i+1, verdict, why, l.Ecosystem, l.Text, a.label, a.executed, a.retry, a.changes,
				l.Happened, l.Executed, l.Retry, l.Change, l.Forbidden, l.Why)
		}
	}
	var table strings.Builder
	table.WriteString("| Texts | Number | Right | Partly | Unknown | Wrong |\n|:--|--:|--:|--:|--:|--:|\n")
	for i, of := range parts {
		c := counts[i]
		if c["all"] == 0 {
			continue
		}
		share := func(v string) string { return fmt.Sprintf("%d (%.1f %%)", c[v], 100*float64(c[v])/float64(c["all"])) }
		fmt.Fprintf(&table, "| %s | %d | %s | %s | %s | %s |\n", of.name, c["all"], share(right), share(part),
			share(unknown), share(wrong))
		if float64(c[right]) < (of.right-tolerance)*float64(c["all"]) {
			t.Errorf("%s: %d of %d are right, fewer than %.0f %%", of.name, c[right], c["all"], 100*of.right)
		}
		if float64(c[wrong]) > (of.wrong+tolerance)*float64(c["all"]) {
			t.Errorf("%s: %d of %d are wrong, more than %.0f %%", of.name, c[wrong], c["all"], 100*of.wrong)
		}
	}
	if os.Getenv("SCORES") != "" { // for TestAblation
		fmt.Print(table.String())
		return
	}
	if tolerance == 0 {
		between(t, "scores", table.String())
	}
}

// The scores on texts that others collected and labelled after the rules stood, of which no guard was made: every claim counts that is printed,
// in each finding, and a failure without a sign of HTTP/2 as well. Of a text that reports no failure, any finding is a wrong claim.
func TestFreshTexts(t *testing.T) {
	counts := map[bool]map[string]int{true: {}, false: {}}
	for i, l := range corpus(t, "testdata/fresh.jsonl") {
		groups := tallied(t, l.Text).Groups()
		a := answerTo(t, l.Text)
		verdict, why := wrong, "a claim"
		switch {
		case *l.Failure:
			a.hedged = a.unknown                                                                                      // a plain connection error is a claim
			a.changes = slices.DeleteFunc(a.changes, func(c string) bool { return !slices.Contains(l.Forbidden, c) }) // the others aren't labelled
			verdict, why = score(l, a)
			for _, g := range groups[min(1, len(groups)):] {
				if r := g.reported(""); r.Executed != nil && *r.Executed == No && !slices.Contains(l.Executed, "no") {
					verdict, why = wrong, "executed no, in a further finding"
				}
			}
		case len(groups) == 0:
			verdict = right
		}
		counts[*l.Failure][verdict]++
		counts[*l.Failure]["all"]++
		if verdict != right && testing.Verbose() {
			t.Logf("%d %s %s (%s): got %s, executed %s; want %v, executed %v", i+1, verdict, why, l.Ecosystem, a.label, a.executed, l.Happened, l.Executed)
		}
	}
	table := "| Texts | Number | Right | Partly | Unknown | Wrong |\n|:--|--:|--:|--:|--:|--:|\n"
	// The bounds are what was reached, so that nothing gets worse; docs/decode.md has the goals.
	for _, of := range []struct {
		name         string
		failure      bool
		right, wrong float64
	}{{"failures", true, 0.87, 0.03}, {"no failures", false, 0.74, 0.26}} {
		c := counts[of.failure]
		share := func(v string) string { return fmt.Sprintf("%d (%.1f %%)", c[v], 100*float64(c[v])/float64(c["all"])) }
		table += fmt.Sprintf("| %s | %d | %s | %s | %s | %s |\n", of.name, c["all"], share(right), share(part), share(unknown), share(wrong))
		if float64(c[right]) < of.right*float64(c["all"]) || float64(c[wrong]) > of.wrong*float64(c["all"]) {
			t.Errorf("%s: %v", of.name, c)
		}
	}
	between(t, "fresh", table)
}
