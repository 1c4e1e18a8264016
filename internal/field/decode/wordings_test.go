package decode

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// What the texts of testdata/wordings.txt are taken for.
func TestWordings(t *testing.T) {
	b, err := os.ReadFile("testdata/wordings.txt")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for line := range strings.Lines(string(b)) {
		want, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			continue
		}
		tried++
		text = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(text)
		got := "quiet"
		switch {
		case strings.HasPrefix(want, "event "):
			got = "event " + string(provedBy(text).Event)
		case want == "quiet":
			areQuiet(t, text)
		default:
			r := one(t, text)
			if got = "kind " + string(r.Kind); strings.Contains(want, " executed ") {
				got += " executed -"
				if r.Executed != nil {
					got = strings.TrimSuffix(got, "-") + string(*r.Executed)
				}
			}
		}
		if got != want {
			t.Errorf("%s\n  %s, want %s", text, got, want)
		}
	}
	if tried < 150 {
		t.Errorf("only %d texts", tried)
	}
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

// areOf checks the kind of the one failure in each text.
func areOf(t *testing.T, kinds map[string]Kind) {
	t.Helper()
	for text, want := range kinds {
		if r := one(t, text); r.Kind != want {
			t.Errorf("%s: %s, want %s", text, r.Kind, want)
		}
	}
}
