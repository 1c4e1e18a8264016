package systems

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/cause"
)

var update = flag.Bool("update", false, "write testdata/answers.json (with -tags integration) and the table in docs/systems.md")

// answersFile is what the integration test wrote with -update.
var answersFile = filepath.Join("testdata", "answers.json")

func kept(t *testing.T) map[string]answer {
	t.Helper()
	var out map[string]answer
	if err := json.Unmarshal([]byte(labtest.Read(t, answersFile)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// keep writes the answers; those of systems that were not asked stay.
func keep(t *testing.T, c catalogue, answers map[string]answer) {
	t.Helper()
	all := map[string]answer{}
	if _, err := os.Stat(answersFile); err == nil {
		all = kept(t)
	}
	out := map[string]answer{}
	for _, s := range c.Systems {
		if a, asked := answers[s.Name]; asked {
			out[s.Name] = a
		} else if a, before := all[s.Name]; before {
			out[s.Name] = a
		}
	}
	b, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(answersFile, append(b, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// count counts grades.
func count(c catalogue, answers map[string]answer) map[grade]int {
	out := map[grade]int{}
	for _, s := range c.Systems {
		if a, there := answers[s.Name]; there {
			out[gradeAll(s.Truth, a)]++
		}
	}
	return out
}

// table is the part of docs/systems.md between its markers.
func table(c catalogue, answers map[string]answer) string {
	n := count(c, answers)
	var b strings.Builder
	fmt.Fprintf(&b, "%d systems: %d right, %d unknown, %d wrong but unsure, %d wrong and sure.\n\n", len(c.Systems), n[right],
		n[unknown], n[unsure], n[wrongSure])
	b.WriteString("| system | truth | the probe's answer | family | change | grade |\n|---|---|---|---|---|---|\n")
	for _, s := range c.Systems {
		a := answers[s.Name]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", s.What, s.Truth, a, a.family(), a.offered(), gradeAll(s.Truth, a))
	}
	return b.String()
}

// String is the answer in a cell.
func (a answer) String() string {
	out := map[string]string{
		cause.None:    fmt.Sprintf("none met in %d requests", a.UpTo),
		cause.Age:     fmt.Sprintf("age %.1f s", a.Seconds),
		cause.Idle:    fmt.Sprintf("idle %.2g s", a.Seconds),
		cause.Several: "connections differ: " + truth{Each: a.Each}.each(),
		cause.Neither: "no single limit",
		cause.Unclear: "not known; " + strings.Join(a.Fits, " and ") + " fit",
		cause.Failure: "an error code",
	}[a.Kind]
	switch {
	case a.Kind == cause.None && a.Busy:
		out = "busy: " + out
	case a.Kind == cause.Count && a.Least == a.Most:
		out = requests(a.Least)
	case a.Kind == cause.Count:
		out = fmt.Sprintf("%d to %d requests", a.Least, a.Most)
	case a.Kind == cause.Unclear && len(a.Fits) == 0:
		out = "not known"
	}
	if a.MayHaveRun > 0 {
		out += fmt.Sprintf("; %d may have run", a.MayHaveRun)
	}
	if a.Idle != nil {
		out += fmt.Sprintf("; idle %.0f s", *a.Idle)
	}
	return out
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}

// String is the truth in a cell.
func (w truth) String() string {
	out := map[string]string{
		causeNone:   "no limit",
		causeCount:  requests(w.Requests),
		causeAge:    fmt.Sprintf("age %g s", w.Seconds),
		causeBytes:  "a number of bytes",
		causeChance: "chance",
		causeReload: "reloads",
		causeFleet:  w.each(),
		causeCrash:  fmt.Sprintf("request %d runs and gets no answer", w.Requests),
		causeCalm:   fmt.Sprintf("an error code at request %d", w.Requests),
		causeBusy:   "too many requests",
	}[w.Cause]
	if w.Idle > 0 {
		out += fmt.Sprintf("; idle %g s", w.Idle)
	}
	return out
}

// each are the limits of a fleet.
func (w truth) each() string {
	var out []string
	for _, n := range w.Each {
		if n == 0 {
			out = append(out, "no limit")
		} else {
			out = append(out, requests(n))
		}
	}
	return strings.Join(out, " or ")
}

// offered are the products whose configuration the answer would change.
func (a answer) offered() string {
	var out []string
	for _, c := range a.Changes {
		name, _, _ := strings.Cut(c, ":")
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return "–"
	}
	return strings.Join(out, ", ")
}

func (a answer) family() string {
	switch {
	case len(a.Among) > 1:
		return strings.Join(a.Among, " or ") + " (" + a.Sure + ")"
	case a.Family == "":
		return "unknown"
	}
	return a.Family + " (" + a.Sure + ")"
}

const begin, end = "<!-- systems -->\n", "<!-- end -->\n"

func TestThePageShowsTheAnswers(t *testing.T) {
	c, answers := list(t), kept(t)
	for _, s := range c.Systems {
		if _, there := answers[s.Name]; !there {
			t.Errorf("%s has no answer; next: go test -tags integration ./internal/field/systems -run "+
				"'TestSystems/all/^%s$' -update", s.Name, s.Name)
		}
	}
	name := filepath.Join(labtest.Root(t), "docs", "systems.md")
	page := labtest.Read(t, name)
	before, rest, found := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s lacks %q or %q", name, begin, end)
	}
	want := before + begin + table(c, answers) + end + after
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if page != want {
		t.Errorf("docs/systems.md shows other answers than %s; next: go test ./internal/field/systems -update", answersFile)
	}
}

func TestNoAnswerIsWrongAndSure(t *testing.T) {
	c, answers := list(t), kept(t)
	for _, s := range c.Systems {
		if a, there := answers[s.Name]; there && gradeAll(s.Truth, a) == wrongSure {
			t.Errorf("%s: wrong and sure: %q, %s (%s)", s.Name, a.Limit, a.Family, a.Sure)
		}
	}
}
