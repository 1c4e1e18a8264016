package decode

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"h2lab/internal/facts"
)

const recordedRuns = "../../../testdata/recorded"

// messages collects every "message" below a list of errors in a recorded run.
func messages(v any, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		if m, ok := v["message"].(string); ok {
			into[m] = true
		}
		for _, below := range v {
			messages(below, into)
		}
	case []any:
		for _, below := range v {
			messages(below, into)
		}
	}
}

// The lab's own messages and plain answers of the server are known, and no GOAWAY's.
var recordedUnrelated = []string{
	"HTTP status 400",
	"it ended with exit status 1 before WARM",
	"no answer within 4s (the call never settled)",
	"its last line: Terminating due to java.lang.OutOfMemoryError",
	"ab: another HTTP status than 2xx",
	" does not begin: ",
}

func TestEveryRecordedMessageIsRecognised(t *testing.T) {
	files, _ := filepath.Glob(recordedRuns + "/*/results.json")
	all := map[string]bool{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var doc any
		if err := json.Unmarshal(b, &doc); err != nil {
			t.Fatal(err)
		}
		messages(doc, all)
	}
	if len(all) < 40 {
		t.Fatalf("only %d messages found in %d recorded runs: the walk is broken", len(all), len(files))
	}
	for m := range all {
		groups := decoded(t, m)
		if len(groups) != 1 || groups[0].Signature == nil {
			t.Errorf("not recognised, and not called unrelated: %q %v", m, names(groups))
			continue
		}
		unrelated := slices.ContainsFunc(recordedUnrelated, func(u string) bool { return strings.Contains(m, u) })
		if is := groups[0].Kind == Unrelated; is != unrelated {
			t.Errorf("%q: unrelated is %v, want %v (%s)", m, is, unrelated, name(groups[0]))
		}
	}
}

type recordedRow struct {
	Client string
	Cures  []struct{ Client, Outcome string }
	Low    struct {
		Errors []struct{ Message string }
	}
}

func recordedRows(t *testing.T, run string) map[string]recordedRow {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(recordedRuns, run, "clients.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Clients []recordedRow }
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	rows := map[string]recordedRow{}
	for _, r := range doc.Clients {
		rows[r.Client] = r
	}
	return rows
}

// If the callers of a cell got only texts that mean "certainly not executed", the backend must have
// executed none of the failed requests.
func TestCertainlyNotIsNeverContradictedByWhatWasMeasured(t *testing.T) {
	checked := 0
	for _, run := range []string{"clients", "clients-again"} {
		for _, c := range recordedCells(t, run) {
			messages, executed := unansweredIn(c)
			if len(messages) == 0 || executed == nil ||
				slices.ContainsFunc(messages, func(m string) bool { return !certainlyNot(t, m) }) {
				continue
			}
			checked++
			if *executed > 0 {
				t.Errorf("%s %s: %d requests were executed whose texts are said to mean that they were not: %v", run,
					c.ID(), *executed, messages)
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d cells checked", checked)
	}
}

func recordedCells(t *testing.T, run string) []facts.Cell {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(recordedRuns, run, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc facts.Result
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Cells
}

// unansweredIn returns a cell's error texts, and how many requests the backend executed whose
// callers got no answer (nil if unknown).
func unansweredIn(c facts.Cell) (messages []string, executed *int64) {
	var n int64
	for _, trial := range c.Trials {
		for _, e := range trial.Errors {
			messages = append(messages, e.Message)
		}
		b := trial.Backend
		if b.Executed == nil || b.Distinct == nil || *b.Executed > *b.Distinct {
			// A client that sends requests again may have had one executed before; its text is about the last.
			return messages, nil
		}
		n += *b.Executed - trial.Succeeded
	}
	return messages, &n
}

// certainlyNot reports whether decode reads a text as: the request was not executed.
func certainlyNot(t *testing.T, message string) bool {
	t.Helper()
	var tally Tally
	if err := Read(t.Context(), "", strings.NewReader(message), &tally); err != nil {
		t.Fatal(err)
	}
	found := tally.Report().Findings
	return len(found) == 1 && found[0].Executed != nil && *found[0].Executed == No
}

// renewalsCounted reports whether the recorded run measured its windows in renewals.
func renewalsCounted(t *testing.T) bool {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(recordedRuns, "clients", "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Contains(b, []byte(`"used_up"`))
}

// The rows, cures and outcomes must be those of the recorded run.
func TestLabRowsAreAsRecorded(t *testing.T) {
	rows := recordedRows(t, "clients")
	outcome := map[string]string{}
	for _, r := range rows {
		for _, c := range r.Cures {
			if outcome[c.Client] != "cured" {
				outcome[c.Client] = c.Outcome
			}
		}
	}
	page, err := os.ReadFile("../../../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range Known() {
		for _, c := range s.changes {
			if c.Row == "" {
				continue
			}
			if !strings.Contains(string(page), `<a id="client-`+c.Row+`">`) {
				t.Errorf("%s: docs/clients.md has no row %s", s.ID, c.Row)
			}
			// see cmd/h2lab's recorded_clients_test.go
			undecided := outcome[c.Row] == "cant-be-told" && !renewalsCounted(t)
			if said := cmp.Or(c.Outcome, cured); outcome[c.Row] != said && !undecided {
				t.Errorf("%s: row %s is recorded as %q and said to be %q", s.ID, c.Row, outcome[c.Row], said)
			}
		}
		for _, row := range s.Seen {
			r, ok := rows[row]
			if !ok {
				t.Errorf("%s: no row %s", s.ID, row)
				continue
			}
			found := slices.ContainsFunc(r.Low.Errors, func(e struct{ Message string }) bool {
				f := NewDecoder().Text([]byte(e.Message))
				return f != nil && f.Signature != nil && f.Signature.ID == s.ID
			})
			if !found {
				t.Errorf("%s says that %s saw it, and no message of that row is it", s.ID, row)
			}
		}
	}
}

// decoded runs a text through the whole decoder, as pasted by a user.
func decoded(t *testing.T, text string) []*Group {
	t.Helper()
	return tallied(t, text).Groups()
}

// tallied is the decoder's count of a text.
func tallied(t *testing.T, text string) *Tally {
	t.Helper()
	var tally Tally
	if err := Read(t.Context(), "test", strings.NewReader(text), &tally); err != nil {
		t.Fatal(err)
	}
	return &tally
}

func name(g *Group) string {
	if g.Signature == nil {
		return "-"
	}
	return g.Signature.ID
}

func TestEveryPublicReportIsRecognised(t *testing.T) {
	rows := map[string]bool{}
	for _, r := range publicReports {
		rows[r.Row] = true
		if len(r.Texts) < 2 {
			t.Errorf("row %s has %d texts; two differently worded ones are needed", r.Row, len(r.Texts))
		}
		for _, text := range r.Texts {
			groups := decoded(t, text)
			if len(groups) != 1 || groups[0].Count != 1 {
				t.Errorf("row %s: %d findings for one text: %.120q %v", r.Row, len(groups), text, names(groups))
				continue
			}
			g := groups[0]
			if name(g) != r.ID || g.Kind != r.Kind {
				t.Errorf("row %s: %s %s, want %s %s: %.160q\n%+v", r.Row, name(g), g.Kind, r.ID, r.Kind, text, g.Facts)
			}
		}
		s := signature(t, r.ID)
		if !slices.Contains(s.Links, r.Where) {
			t.Errorf("row %s: %s has no link to %s", r.Row, r.ID, r.Where)
		}
	}
	want := []string{"31b", "31c"}
	for n := 1; n <= 37; n++ {
		want = append(want, fmt.Sprint(n))
	}
	for _, row := range want {
		if !rows[row] {
			t.Errorf("no text for row %s", row)
		}
	}
}

func names(groups []*Group) (out []string) {
	for _, g := range groups {
		out = append(out, name(g)+" "+string(g.Kind))
	}
	return out
}

func signature(t *testing.T, id string) Signature {
	t.Helper()
	for _, s := range Known() {
		if s.ID == id {
			return s
		}
	}
	t.Fatalf("no signature %s", id)
	return Signature{}
}

func TestSignaturesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Known() {
		if seen[s.ID] {
			t.Errorf("two signatures are called %s", s.ID)
		}
		seen[s.ID] = true
		if _, ok := rules()[s.Kind]; !ok {
			t.Errorf("%s: no rule for kind %q", s.ID, s.Kind)
		}
		if len(s.All)+len(s.Any) == 0 || s.Library.IsZero() || s.Example == "" {
			t.Errorf("%s lacks terms, library or example", s.ID)
		}
		for _, w := range slices.Concat(s.All, s.Any, s.None) {
			if w != strings.ToLower(w) || w == "" {
				t.Errorf("%s: the term %q is not lower case", s.ID, w)
			}
		}
		if f := NewDecoder().Text([]byte(s.Example)); f == nil || f.Signature == nil || f.Signature.ID != s.ID {
			t.Errorf("%s is not what its own example is taken for: %q → %+v", s.ID, s.Example, f)
		}
	}
}

// Each text of the data files has its Chinese beside it, with the same numbers.
func TestTheDataAreInBothLanguages(t *testing.T) {
	figures := regexp.MustCompile(`\d+`)
	texts := 0
	var walk func(file string, v any)
	walk = func(file string, v any) {
		switch v := v.(type) {
		case []map[string]any:
			for _, of := range v {
				walk(file, of)
			}
		case map[string]any:
			if en, ok := v["en"].(string); ok {
				texts++
				zh, _ := v["zh"].(string)
				zh = strings.NewReplacer("年 11 月", "年 November", "年 9 月", "年 September").Replace(zh)
				if zh == "" || !slices.Equal(slices.Sorted(slices.Values(figures.FindAllString(en, -1))), slices.Sorted(slices.Values(figures.FindAllString(zh, -1)))) {
					t.Errorf("%s: %q, %q", file, en, zh)
				}
			}
			for _, of := range v {
				walk(file, of)
			}
		}
	}
	files, _ := filepath.Glob("data/*.toml")
	more, _ := filepath.Glob("data/*/*.toml")
	for _, file := range append(files, more...) {
		var v map[string]any
		if _, err := toml.DecodeFile(file, &v); err != nil {
			t.Fatal(err)
		}
		walk(file, v)
	}
	if texts < 250 {
		t.Errorf("only %d texts found", texts)
	}
}
