// Package linttest holds the tests that every kind of configuration shares: its corpus against goldens,
// its rules against the documentation, its fixes against itself. Only tests import it.
package linttest

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/field/lint"
)

var update = flag.Bool("update", false, "write the goldens anew")

// page documents the rules, seen from a kind's package.
const page = "../../../../docs/lint-others.md"

// Kind is what a kind's package gives to these tests.
type Kind struct {
	Lint  func([]lint.File, lint.Options) (lint.Report, error)
	Rules []lint.Rule
	// Options are those of the corpus files that need some, by name.
	Options map[string]lint.Options
	// More are patterns of files beside testdata/corpus.
	More []string
}

// Corpus returns the files of testdata/corpus and of k.More.
func (k Kind) Corpus(t testing.TB) []lint.File {
	t.Helper()
	var files []lint.File
	for _, pattern := range append([]string{"testdata/corpus/*"}, k.More...) {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: no files (%v)", pattern, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, lint.File{Name: filepath.Base(name), Data: data})
		}
	}
	return files
}

// Goldens compares the report on each file of the corpus with testdata/golden. Every rule must be
// broken by some file.
func (k Kind) Goldens(t *testing.T) {
	fired := map[string]bool{}
	for _, f := range k.Corpus(t) {
		t.Run(f.Name, func(t *testing.T) {
			r, err := k.Lint([]lint.File{f}, k.Options[f.Name])
			for _, finding := range r.Findings {
				fired[finding.Rule] = true
			}
			got := Said(t, r, err)
			golden := filepath.Join("testdata", "golden", f.Name+".json")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("go test -update writes the golden anew (-want +got):\n%s", diff)
			}
		})
	}
	for _, rule := range k.Rules {
		if !fired[rule.ID] {
			t.Errorf("no file of the corpus breaks %s", rule.ID)
		}
	}
}

// Said is the report, or the error, as text.
func Said(t testing.TB, r lint.Report, err error) string {
	t.Helper()
	var syntax *lint.SyntaxError
	if errors.As(err, &syntax) {
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("an error of several lines: %q", err)
		}
		// protojson varies the spaces in its messages from build to build.
		return strings.Join(strings.Fields(err.Error()), " ") + "\n"
	}
	if err != nil {
		t.Fatalf("not a SyntaxError: %v", err)
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// Docs compares the rules with the page's table.
func (k Kind) Docs(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range k.Rules {
		row := fmt.Sprintf("| `%s` | %s | %s |\n", r.ID, r.Severity, r.Title)
		if strings.Count(string(text), row) != 1 {
			t.Errorf("docs/lint-others.md lacks this row: %s", row)
		}
		if r.Zh == "" || r.Help == "" || r.Docs == "" || !strings.HasSuffix(r.Help, ".") && !strings.HasSuffix(r.Help, ")") {
			t.Errorf("%s has no help or source", r.ID)
		}
	}
	prefix, _, _ := strings.Cut(k.Rules[0].ID, "/")
	if own := strings.Count(string(text), "| `"+prefix+"/"); own != len(k.Rules) {
		t.Errorf("docs/lint-others.md has %d rows, and there are %d rules", own, len(k.Rules))
	}
}

// mostRounds bounds Mended: each round applies a fix to each line that has one.
const mostRounds = 10

// Mended applies the fixes of a file, all those of different lines together, until there are none left.
// It returns the text and the number of fixes.
func (k Kind) Mended(t testing.TB, f lint.File) ([]byte, int) {
	t.Helper()
	fixes := 0
	for range mostRounds {
		r, err := k.Lint([]lint.File{f}, k.Options[f.Name])
		if err != nil {
			t.Fatalf("%s doesn't lint once it is changed: %v\n%s", f.Name, err, f.Data)
		}
		todo := slices.DeleteFunc(r.Findings, func(g lint.Finding) bool { return g.Found == "" || g.Fix == "" })
		if len(todo) == 0 {
			return f.Data, fixes
		}
		slices.SortStableFunc(todo, func(a, b lint.Finding) int { return b.Line - a.Line })
		todo = slices.CompactFunc(todo, func(a, b lint.Finding) bool { return a.Line == b.Line })
		for _, g := range todo {
			f.Data = Applied(t, f.Data, g)
			fixes++
		}
	}
	t.Fatalf("%s has fixes after %d rounds:\n%s", f.Name, mostRounds, f.Data)
	return nil, 0
}

// Applied is the text with one fix.
func Applied(t testing.TB, data []byte, f lint.Finding) []byte {
	t.Helper()
	lines := strings.Split(string(data), "\n")
	line := lines[f.Line-1]
	at := strings.Index(line, f.Found)
	if at < 0 {
		t.Fatalf("line %d is %q, not %q", f.Line, line, f.Found)
	}
	indent := "\n" + strings.Repeat(" ", at)
	lines[f.Line-1] = line[:at] + strings.ReplaceAll(f.Fix, "\n", indent) + line[at+len(f.Found):]
	return []byte(strings.Join(lines, "\n"))
}

// Fixes checks that a finding whose fix was applied is gone, for each file of the corpus that lint reads.
func (k Kind) Fixes(t *testing.T, least int) {
	fixes := 0
	for _, f := range k.Corpus(t) {
		r, err := k.Lint([]lint.File{f}, k.Options[f.Name])
		if err != nil {
			continue
		}
		data, n := k.Mended(t, f)
		fixes += n
		again, err := k.Lint([]lint.File{{Name: f.Name, Data: data}}, k.Options[f.Name])
		if err != nil {
			t.Fatal(err)
		}
		for _, before := range r.Findings {
			for _, after := range again.Findings {
				if before.Found != "" && before.Fix != "" && before.Rule == after.Rule && before.Why.String() == after.Why.String() {
					t.Errorf("%s: %q doesn't mend it: %s", f.Name, before.Fix, after.Why)
				}
			}
		}
	}
	if fixes < least {
		t.Errorf("%d fixes were tried: the corpus has more", fixes)
	}
}
