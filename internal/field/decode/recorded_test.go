package decode

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
