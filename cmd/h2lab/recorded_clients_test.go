package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/results"
	"h2lab/internal/report/clientreport"
	"h2lab/internal/report/translations"
)

var update = flag.Bool("update", false, "write docs/clients.md and its translation as they are drawn now")

// TestTwoRecordedRunsAgree compares the verdicts of two runs and writes the rows that differ into
// docs/variability.md. Two verdicts contradict each other unless one run is undecided or names its number
// as near a threshold or as too few to be sure of.
func TestTwoRecordedRunsAgree(t *testing.T) {
	here, there := recorded(t, "clients"), recorded(t, "clients-again")
	if here.Run.ID == there.Run.ID || here.Run.Seed == there.Run.Seed {
		t.Errorf("the two runs are one: %s and %s, seeds %d and %d", here.Run.ID, there.Run.ID, here.Run.Seed,
			there.Run.Seed)
	}
	other := map[facts.Client]clientverdicts.Row{}
	for _, r := range clientverdicts.Rows(there) {
		other[r.Client] = r
	}
	var table strings.Builder
	same, all := 0, 0
	for _, a := range clientverdicts.Rows(here) {
		b, both := other[a.Client]
		delete(other, a.Client)
		all++
		switch {
		case !both:
			t.Errorf("%s is in the first run only", a.Client)
		case a.Verdict == b.Verdict:
			same++
		default:
			fmt.Fprintf(&table, "| `%s` | %s | %s |\n", a.Client, wording(a), wording(b))
			if !mayDiffer(a, b) {
				t.Errorf("%s is %q in one run and %q in the other", a.Client, a.Verdict, b.Verdict)
			}
		}
	}
	for client := range other {
		t.Errorf("%s is in the second run only", client)
	}
	between(t, "../../docs/variability.md", "two runs", fmt.Sprintf("The two recorded runs give the same verdict for "+
		"%d of %d rows. The others:\n\n| row | one run | the other |\n|---|---|---|\n%s", same, all, table.String()))
}

// wording is a row's verdict with its first reason.
func wording(r clientverdicts.Row) string {
	return translations.English.In(facts.Join("join.colon", r.Verdict.Words(), r.Reasons[0]))
}

// mayDiffer reports whether chance explains that two runs of a row differ.
func mayDiffer(a, b clientverdicts.Row) bool {
	return slices.ContainsFunc([]clientverdicts.Row{a, b}, func(r clientverdicts.Row) bool {
		return r.Verdict == clientverdicts.Inconclusive || len(r.Near) > 0
	})
}

func TestRecordedClientRunsAreValidAndWhole(t *testing.T) {
	for _, name := range []string{"clients", "clients-again"} {
		b, err := os.ReadFile(filepath.Join(recordedRuns, name, results.File))
		labtest.Check(t, err)
		if err := results.Validate(results.ResultsSchema, b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		r := recorded(t, name)
		if missing := results.Missing(r); len(missing) > 0 || r.Run.Interrupted || r.Environment.Git.Dirty {
			t.Errorf("%s: interrupted %v, dirty %v, missing %q", name, r.Run.Interrupted, r.Environment.Git.Dirty,
				missing)
		}
		for _, c := range r.Cells {
			if c.Unsupported != "" {
				t.Errorf("%s: %s could not run: %s", name, c.ID(), c.Unsupported)
			}
		}
	}
}

// The page must cover the current clients: a new row, or a cure with changed code, must be measured
// before it is published.
func TestTheRecordedRunHasEveryRowWithItsSnippetAsItIsNow(t *testing.T) {
	measured := map[facts.Client]*facts.Program{}
	for _, c := range recorded(t, "clients").Cells {
		measured[c.Client] = c.Program
	}
	all, err := clients.Read("../..", "clients")
	labtest.Check(t, err)
	for _, e := range all {
		for _, c := range e.Clients {
			was, is := measured[c.Name], e.Program(c)
			delete(measured, c.Name)
			switch {
			case was == nil:
				t.Errorf("%s was never measured: record a new run (CONTRIBUTING.md)", c.Name)
			case was.Snippet != is.Snippet || was.Cures != is.Cures || was.IDs != is.IDs:
				t.Errorf("%s is not what was measured: %+v, now %+v", c.Name, *was, *is)
			}
		}
	}
	for name := range measured {
		t.Errorf("%s was measured and is no row any more", name)
	}
}

func TestDocsShowTheRecordedClientMatrix(t *testing.T) {
	r := recorded(t, "clients")
	pages := map[translations.Language]string{}
	for _, l := range []translations.Language{translations.English, translations.Chinese} {
		name := clientreport.Name(l)
		files, err := clientreport.Build(clientreport.Input{Result: r, Language: l,
			Charts: "../testdata/recorded/clients/charts/"})
		labtest.Check(t, err)
		page := filepath.Join("../../docs", name)
		if *update {
			labtest.Write(t, page, string(files[name]))
		}
		got, err := os.ReadFile(page)
		labtest.Check(t, err)
		if !bytes.Equal(got, files[name]) {
			t.Errorf("%s is not the page of the recorded run: make golden, then read the diff", page)
		}
		pages[l] = string(got)
	}
	labtest.SameReport(t, "clients.zh.md", pages[translations.English], pages[translations.Chinese])
	readme := labtest.Read(t, "../../README.md")
	rows := clientverdicts.Rows(r)
	said := strings.Join(strings.Fields(readme), " ")
	for words := range strings.Lines((&app{}).headline(rows)) {
		if words = strings.TrimSpace(words); !strings.Contains(said, words) {
			t.Errorf("README.md doesn't say %q", words)
		}
	}
}
