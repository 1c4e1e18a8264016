package runreport

import (
	"bytes"
	"errors"
	"flag"
	"maps"
	"regexp"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/report/translations"
)

var update = flag.Bool("update", false, "accept what is written now as the golden files")

func build(t *testing.T, in Input) (map[string][]byte, string) {
	t.Helper()
	files, err := Build(in)
	labtest.Check(t, err)
	return files, string(files["report.md"])
}

func TestReportsLookAsTheGoldenFilesDo(t *testing.T) {
	for name, in := range map[string]Input{
		"repro":  input(repro(6)),
		"fixed":  input(fixed(6)),
		"matrix": input(matrix(6)),
		"quick":  input(quick()),
		"open":   input(atRate("fixed", 6)),
		"merged": input(withHistograms(repro(6))),
	} {
		t.Run(name, func(t *testing.T) {
			files, _ := build(t, in)
			files["short.txt"] = []byte(Short(in, false))
			labtest.GoldenPages(t, name, files, *update)
		})
	}
}

// quick is an interrupted run with one trial, one cell without any, one missing cell and no
// timelines.
func quick() *facts.Result {
	r := repro(1)
	r.Run.Quick, r.Run.Interrupted, r.Run.Observed = true, true, false
	r.Run.DurationS, r.Run.Limit, r.Run.CPUs = 3, 1000, nil
	r.Run.Warnings = []string{"no processor budget could be set: the kernel's cgroups aren't writable"}
	for i := range r.Cells {
		for j := range r.Cells[i].Trials {
			r.Cells[i].Trials[j].Series = ""
		}
	}
	last := &r.Cells[len(r.Cells)-1]
	last.Trials = nil
	r.Cells = r.Cells[:len(r.Cells)-1]
	r.Cells[len(r.Cells)-1].Trials = nil
	r.Renewals = nil
	return r
}

func TestTheSameResultGivesTheSameBytes(t *testing.T) {
	first, _ := build(t, input(fixed(6)))
	for range 3 {
		again, _ := build(t, input(fixed(6)))
		if !maps.EqualFunc(first, again, bytes.Equal) {
			t.Fatal("the same input gave different bytes")
		}
	}
}

var headRow = regexp.MustCompile(`(?m)^\| Topology \|.*$`)

func TestEveryColumnOfTheTablesIsExplained(t *testing.T) {
	_, md := build(t, input(fixed(6)))
	glossary := md[strings.Index(md, "## Columns"):]
	heads := headRow.FindAllString(md[:len(md)-len(glossary)], -1)
	if len(heads) != 2 {
		t.Fatalf("%d tables with a topology found, expected two", len(heads))
	}
	for _, head := range heads {
		for _, column := range strings.Split(strings.Trim(head, "| "), " | ") {
			if n := strings.Count(glossary, "\n| "+column+" | "); n != 1 {
				t.Errorf("column %q has %d rows in the glossary", column, n)
			}
		}
	}
	for _, c := range explained(fixed(6)) {
		if len(translations.English.Say(c.meaning)) < 20 {
			t.Errorf("column %q is hardly explained: %q", c.head, c.meaning)
		}
	}
}

func TestEveryTableRowHasAsManyCellsAsItsHead(t *testing.T) {
	r := repro(6)
	r.Cells[3].Trials[0].Errors = []facts.Error{{Class: "od|d", Count: 3, Message: "a | b\n# c `d` <script> *e*"}}
	r.Environment.Versions["nginx"] = "1.22.1\n| x |"
	for _, in := range []Input{input(r), input(matrix(6)), input(quick())} {
		_, md := build(t, in)
		labtest.WholeTables(t, in.Result.Run.Command, md)
		if strings.Contains(md, "<script>") && !strings.Contains(md, "`<script>") && !strings.Contains(md, "`a") {
			t.Error("markup from a message got into the page")
		}
	}
}

func TestWhatIsNotKnownIsADashAndNever0(t *testing.T) {
	one := repro(1)
	c := &one.Cells[3]
	c.Trials[0] = facts.Trial{Index: 1}
	for name, in := range map[string]Input{
		"empty":    {Result: &facts.Result{}},
		"no cells": {Result: &facts.Result{Run: facts.Run{Command: "repro", Trials: 6}}, Verdicts: []facts.Verdict{{}}},
		"nil everywhere": {Result: &facts.Result{Run: facts.Run{Command: "fixed", Trials: 1},
			Cells: []facts.Cell{{Topology: "nginx-1000", Protocol: facts.H2, Client: facts.GoOnce,
				Trials: []facts.Trial{{}}}, {}}, Renewals: []facts.Renewal{{}}}},
		"unreadable series": {Result: repro(2),
			Series: func(string) (facts.Series, error) { return facts.Series{}, errors.New("gone") }},
		"empty series": {Result: repro(2),
			Series: func(string) (facts.Series, error) { return facts.Series{}, nil }},
		"one bare trial": {Result: one},
	} {
		t.Run(name, func(t *testing.T) {
			_, md := build(t, in)
			labtest.Unmeant(t, name, md+Short(in, false))
		})
	}
	_, md := build(t, Input{Result: one})
	_, took, _ := strings.Cut(md, "### Cost")
	row := regexp.MustCompile("(?m)^\\| `nginx-1000` .*h2 \\|.*$").FindString(took)
	if strings.Count(row, dash) < 5 || strings.Contains(row, " 0 ") {
		t.Errorf("a cell without numbers reads %q", row)
	}
}

func TestNoResultIsAnError(t *testing.T) {
	if _, err := Build(Input{}); err == nil || !strings.Contains(err.Error(), "make repro") {
		t.Errorf("got %v", err)
	}
}

func TestCaveatsAreSaidAloud(t *testing.T) {
	for name, c := range map[string]struct {
		in   Input
		want []string
	}{
		"interrupted, quick, gaps": {input(quick()),
			[]string{"was interrupted", "no statistics", "has 0 of 1 trial", "was planned and is missing",
				"cgroups aren't writable", "recorded no timeline"}},
		"few trials":            {input(repro(3)), []string{"Too few trials for statistics: 3 trials"}},
		"unsupported":           {input(matrix(1)), []string{"Unsupported here", "needs nginx 1.29.4"}},
		"outliers and warnings": {input(repro(6)), []string{"in trial 2: the generator used 97 %"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, md := build(t, c.in)
			for _, w := range c.want {
				if !strings.Contains(md, w) {
					t.Errorf("%q is not in the report", w)
				}
			}
		})
	}
}

func TestEveryNoteThatIsReferredToIsThere(t *testing.T) {
	for _, in := range []Input{input(repro(2)), input(matrix(6)), input(quick())} {
		_, md := build(t, in)
		refs := regexp.MustCompile(`\(#(note-\d+)\)`).FindAllStringSubmatch(md, -1)
		if len(refs) == 0 {
			t.Fatal("no note is referred to")
		}
		for _, r := range refs {
			if strings.Count(md, `<a id="`+r[1]+`">`) != 1 {
				t.Errorf("%s is referred to and not there once", r[1])
			}
		}
	}
}

func TestEveryPictureIsThereInBothVersions(t *testing.T) {
	files, md := build(t, input(fixed(6)))
	names := regexp.MustCompile(`charts/[a-z-]+\.svg`).FindAllString(md, -1)
	if len(names) != 8 || len(files) != 9 {
		t.Fatalf("%d pictures named, %d files made", len(names), len(files))
	}
	for _, n := range names {
		if files[n] == nil {
			t.Errorf("%s is shown and not there", n)
		}
	}
}

func TestTheTerminalsVersionFitsASmallWindow(t *testing.T) {
	for _, in := range []Input{input(repro(6)), input(fixed(6)), input(matrix(6)), input(quick()),
		{Result: &facts.Result{}}} {
		labtest.FitsTerminal(t, Short(in, false), Short(in, true))
	}
}
