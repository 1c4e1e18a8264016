package decode

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// What the texts of testdata/wordings.txt are taken for. A line has what is expected, a tab and the text.
func TestWordings(t *testing.T) {
	b, err := os.ReadFile("testdata/wordings.txt")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for line := range strings.Lines(string(b)) {
		want, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		tried++
		text = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(text)
		got := observed(t, text)
		switch want {
		case "quiet":
			want = "failures 0"
		case "nothing":
			want = "findings 0"
		}
		for words := strings.Fields(want); len(words) > 0; words = words[2:] {
			key, not := strings.CutPrefix(words[0], "!")
			if key == "" || got[key] == nil || meet(got[key], strings.Split(words[1], "|")) == not {
				t.Errorf("%s\n  want %s %s, got %v", text, words[0], words[1], got)
			}
		}
	}
	if tried < 700 {
		t.Errorf("only %d texts", tried)
	}
}

// Neither bytes that are no text nor a long word is a failure, and in a long log nobody asks for each of its lines.
func TestNothingIsFoundInNothing(t *testing.T) {
	for _, text := range []string{"", "\x00\x01\x02\xff\xfe", strings.Repeat("a", 300000),
		strings.Repeat("12:01:07 I worker 7 is idle\n", 40)} {
		if tally := tallied(t, text); len(tally.Groups()) > 0 || len(text) > 5 && len(text) < 5000 && tally.Missed() {
			t.Errorf("%.60q: %v", text, names(tally.Groups()))
		}
	}
}

// observed is what decode says of a text, by the names of testdata/wordings.txt; "-" stands for none.
func observed(t *testing.T, text string) map[string][]string {
	tally := tallied(t, text)
	groups, alone := tally.Groups(), provedBy(text)
	failures := len(groups)
	out := map[string][]string{"findings": {fmt.Sprint(len(groups))}, "events": {fmt.Sprint(tally.Events)},
		"missed": {yes(tally.Missed())}, "event": {string(alone.Event)}, "facts": {fmt.Sprintf("%s,%s,%s,%s,%s", alone.Frame,
			alone.Code, shown(alone.LastStreamID, "%d"), shown(alone.StreamID, "%d"), shown(alone.Debug, "<%s>"))}}
	for _, g := range groups {
		if g.Kind == Unrelated {
			failures--
		}
		out["count"] = append(out["count"], fmt.Sprint(g.Count))
		out["id"] = append(out["id"], name(g))
	}
	out["failures"] = []string{fmt.Sprint(failures)}
	if len(groups) == 0 {
		out["flags"], out["id"] = []string{"-"}, []string{"-"}
	}
	if len(groups) != 1 {
		return out
	}
	r := groups[0].reported("")
	out["kind"], out["flags"], out["code"] = []string{string(r.Kind)}, orNone([]string{r.Facts.Flags}), orNone([]string{r.Facts.Code})
	out["executed"], out["retry"] = []string{shown(r.Executed, "%s")}, []string{shown(r.Retry, "%s")}
	out["found-event"], out["also"], out["maybe"] = []string{string(r.Facts.Event)}, orNone(r.Also), orNone(r.MayBe)
	reading := r.Reservation.String() != ""
	if reading && (!strings.HasPrefix(r.Title.String(), "perhaps") || !strings.HasPrefix(r.Happened.String(), "If so: ")) {
		t.Errorf("%s\n  a reading: %s, %s", text, r.Title, r.Happened)
	}
	out["reading"] = []string{yes(reading)}
	out["unsure"] = []string{yes(reading || r.Kind == Unclear || r.Kind == Plain)}
	var changes, decides []string
	for _, c := range r.Changes {
		changes = append(changes, string(c.Class))
	}
	for _, d := range r.Decides {
		decides = append(decides, strings.FieldsFunc(d.String(), func(r rune) bool { return strings.ContainsRune(" `:;,/()\"", r) })...)
	}
	out["change"], out["decides"] = orNone(changes), orNone(decides)
	out["first"] = out["change"][:1]
	return out
}

func yes(v bool) string { return map[bool]string{true: "yes", false: "no"}[v] }

func orNone[T ~string](all []T) (out []string) {
	for _, v := range all {
		out = append(out, cmp.Or(string(v), "-"))
	}
	if out == nil {
		return []string{"-"}
	}
	return out
}

func shown[T any](v *T, format string) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf(format, *v)
}

// publicReport is a public report of this fault and similar texts: the first as the report has it
// (or as the library writes it, if the report quotes none), the others as in real logs, with other
// numbers.
type publicReport struct {
	Row, Client, Where, ID string
	Kind                   Kind
	Texts                  []string
	// Made is set if neither the report nor its library's source quotes the text.
	Made bool
}

// publicReports are testdata/reports.toml.
var publicReports = func() []publicReport {
	var all struct{ Report []publicReport }
	if _, err := toml.DecodeFile("testdata/reports.toml", &all); err != nil {
		panic(err)
	}
	return all.Report
}()

// siblings are wordings of many libraries for the same events, in testdata/siblings.txt: what happened,
// whether the request was executed (both with alternatives), and the text, where \n is a new line.
func siblings(t *testing.T) []corpusLine { return siblingsOf(t, "testdata/siblings.txt") }

func siblingsOf(t *testing.T, file string) (out []corpusLine) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		parts := strings.SplitN(s.Text(), "\t", 3)
		if len(parts) < 3 {
			continue // a headline
		}
		l := corpusLine{Happened: strings.Split(parts[0], "|"), Executed: strings.Split(parts[1], "|"),
			Text: strings.ReplaceAll(parts[2], `\n`, "\n"), Retry: oneOf{"safe", "if-idempotent", "useless", "n/a", ""},
			Forbidden: oneOf{"request-limit"}}
		if slices.ContainsFunc(l.Happened, func(h string) bool {
			return slices.Contains([]string{"goaway-no-error", "connection-lost", "not-sent", "stream-refused"}, h)
		}) {
			l.Forbidden = nil
		}
		out = append(out, l)
	}
	return out
}

// One event has many wordings: noun and verb, code by name and by number, plain, in JSON and in a trace.
func TestSiblings(t *testing.T) {
	lines := siblings(t)
	if len(lines) < 900 {
		t.Fatalf("only %d texts", len(lines))
	}
	count := map[string]int{}
	for i, l := range lines {
		if i%oneIn != 0 {
			continue
		}
		a := answerTo(t, l.Text)
		a.changes = slices.DeleteFunc(a.changes, func(c string) bool { return !slices.Contains(l.Forbidden, c) })
		verdict, why := score(l, a)
		count[verdict]++
		if verdict == wrong {
			t.Logf("%s: %q\n  got  %s; executed %s\n  want %v; executed %v", why, l.Text, a.label, a.executed, l.Happened,
				l.Executed)
		}
	}
	if tried := len(lines) / oneIn; count[right] < tried*95/100 || count[wrong] > max(4, tried/200) {
		t.Errorf("%d of %d are right, fewer than 95 %%, or more than 0.5 %% are wrong: %v", count[right], tried, count)
	}
}

// Text decodes one text, of one line or several; nil means unknown.
func (d *Decoder) Text(raw []byte) *Finding {
	f := d.find(raw)
	if f != nil {
		f.evidence = f.detailed()
	}
	return f
}

// provedBy is what the grammar reads in a text, without signatures.
func provedBy(raw string) *Finding {
	d := NewDecoder()
	return &Finding{evidence: d.evidence(d.norm.normal([]byte(raw))).detailed()}
}

// Each statement has its words in the text.
func TestStatementsAreTraceable(t *testing.T) {
	for _, r := range publicReports {
		for _, text := range r.Texts {
			d := NewDecoder()
			normal := strings.ToLower(string(d.norm.normal([]byte(text))))
			for _, s := range decoded(t, text)[0].Proves {
				words := strings.TrimSuffix(strings.ToLower(s.Words), " …")
				if !strings.Contains(normal, words) {
					t.Errorf("%s says %q by %q, which isn't in %q", s.About, s.Says, s.Words, text)
				}
			}
		}
	}
}

// Each failure of the corpus that has one line becomes none as an entry of a list of changes, and stays the same below
// the prose of a bug report.
func TestFailuresInProse(t *testing.T) {
	tried := 0
	for i, l := range corpus(t, "testdata/corpus.jsonl") {
		groups := decoded(t, l.Text)
		if i%2 != 0 || len(groups) != 1 || strings.Contains(l.Text, "\n") || len(l.Text) > piece/2 {
			continue
		}
		tried++
		entry := "What's Changed: * Fix " + l.Text
		if got := decoded(t, entry); len(got) > 0 {
			t.Errorf("%d as an entry of a list of changes: %v: %q", i+1, names(got), entry)
		}
		report := "Since Tuesday some calls do this:\n\n" + strings.TrimLeft(l.Text, " \t") + "\n"
		tally := tallied(t, report)
		got := tally.Groups()
		if groups[0].Kind == Unclear && tally.Missed() { // it says so of all messages together
			continue
		}
		if len(got) != 1 || got[0].Kind != groups[0].Kind || got[0].Code != groups[0].Code {
			t.Errorf("%d below prose: %v, alone %v: %q", i+1, names(got), names(groups), report)
		}
	}
	if tried < 300 {
		t.Errorf("only %d texts were tried", tried)
	}
}

func TestAlternativesOfPhrases(t *testing.T) {
	want := []string{"a x c", "b x c", "a y c", "b y c"}
	if got := expanded("[[a,b]] [[x,y]] c"); !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}

func TestRequestsOnAConnection(t *testing.T) {
	for id, want := range map[uint32]struct {
		n     uint32
		round bool
	}{
		1999: {1000, true}, 2001: {1000, true}, 199: {100, true}, 201: {100, true}, 39: {20, true}, 1: {1, false},
		19999: {10000, true}, 20001: {10000, true}, 4861: {2431, false}, 1045: {523, false}, 199999: {100000, true},
		41: {21, false}, 3: {2, false},
	} {
		if n, round := requests(id); n != want.n || round != want.round {
			t.Errorf("last stream id %d: %d %v, want %d %v", id, n, round, want.n, want.round)
		}
	}
}

func TestImpossibleIDsAreSaid(t *testing.T) {
	id := func(n uint32) *uint32 { return &n }
	for _, tt := range []struct {
		id   *uint32
		odd  bool
		have bool
	}{{id(1998), true, false}, {id(4294967295), true, false}, {id(1999), false, true}, {id(0), false, false},
		{id(maxID), false, false}, {nil, false, false}} {
		f := Facts{LastStreamID: tt.id}
		if got := !f.impossible().IsZero(); got != tt.odd {
			t.Errorf("%s: impossible is %v", shown(tt.id, "%d"), got)
		}
		if tt.id == nil {
			continue
		}
		g := provedBy(fmt.Sprintf("GOAWAY frame, last_stream_id: %d, error code 0", *tt.id))
		if (g.Requests != nil) != tt.have {
			t.Errorf("%d: requests %v", *tt.id, g.Requests)
		}
	}
}
