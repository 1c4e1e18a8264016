package sweepreport

import (
	"bytes"
	"flag"
	"maps"
	"regexp"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/report/translations"
)

var update = flag.Bool("update", false, "accept what is written now as the golden files")

func build(t *testing.T, in Input) (map[string][]byte, string) {
	t.Helper()
	built, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return built.Files, string(built.Files[Name(in.Language)])
}

func TestPagesLookAsTheGoldenFilesDo(t *testing.T) {
	for name, r := range map[string]*facts.Result{"all": whole(3), "quick": quick()} {
		t.Run(name, func(t *testing.T) {
			files, _ := build(t, Input{Result: r})
			_, zh := build(t, Input{Result: r, Language: translations.Chinese})
			files[Name(translations.Chinese)] = []byte(zh) // its charts are compared with the English ones
			files["short.txt"] = []byte(Short(Input{Result: r}, false))
			labtest.GoldenPages(t, name, files, *update)
		})
	}
}

// hard returns runs that are difficult to lay out.
func hard() map[string]*facts.Result {
	bare := whole(1)
	for i := range bare.Cells {
		bare.Cells[i].Trials = []facts.Trial{{Index: 1}}
	}
	unmeasured := whole(1)
	for i := range unmeasured.Cells {
		unmeasured.Cells[i].Trials, unmeasured.Cells[i].Unsupported = nil, facts.T("verdict.recorded", "java was not found | `x`")
	}
	foreign := quick()
	foreign.Cells[0].Client = "a | b <script>"
	foreign.Cells[0].Point = "elsewhere"
	foreign.Cells[4].Trials[0].Failed = 3
	foreign.Cells[4].Trials[0].Service.Errors = []facts.Error{{Count: 3, Message: "a | b\n# `c` <script>"}}
	one := synthetic("burst", 1, burst([]int{50}))
	low := synthetic("burst", 2, burst([]int{50, 1000}))
	low.Run.Limit = 100
	return map[string]*facts.Result{"all": whole(3), "one trial": whole(1), "quick": quick(), "bare": bare,
		"unmeasured": unmeasured, "foreign": foreign, "one place": one, "nothing": {}, "another limit": low,
		"no cells": {Run: facts.Run{Command: "sweep", Planned: []string{"direct.h1.x.100-users"}}},
		"one cell": {Cells: []facts.Cell{{Point: "800-users"}}}}
}

func TestTheSameResultGivesTheSameBytes(t *testing.T) {
	first, _ := build(t, Input{Result: whole(2)})
	again, _ := build(t, Input{Result: whole(2)})
	if !maps.EqualFunc(first, again, bytes.Equal) {
		t.Error("the same input gave different bytes")
	}
}

func TestTablesHoldWhateverTheRun(t *testing.T) {
	for name, r := range hard() {
		for _, l := range []translations.Language{translations.English, translations.Chinese} {
			_, md := build(t, Input{Result: r, Language: l})
			labtest.WholeTables(t, name, md)
			labtest.Unmeant(t, name, spans.ReplaceAllString(md, ""))
		}
	}
}

func TestWhatIsNotKnownIsADashAndNever0(t *testing.T) {
	r := synthetic("callers", 1, callers([]int{100}))
	for i := range r.Cells {
		r.Cells[i].Trials = []facts.Trial{{Index: 1}}
	}
	_, md := build(t, Input{Result: r})
	row := regexp.MustCompile(`(?m)^\| 100 \|.*$`).FindString(md)
	if got := strings.Count(row, "–"); got != 6 {
		t.Errorf("a cell without numbers reads %q", row)
	}
}

func TestThePageSaysWhatADecisionRestsOn(t *testing.T) {
	_, md := build(t, Input{Result: whole(3)})
	for _, want := range []string{
		"`webclient-h2` | errors and latency | p95: 1.50 ×", "`restclient-virtual` | latency", "`resttemplate-pool` | hides it",
		"`asyncresttemplate` | limit not reached", "failed first at 1,600 users", "`PoolAcquirePendingLimitException`",
		"the machine was the limit", "with 3000 users all 2 cores of this machine were busy",
		"no service", "1,334 ÷ 972", "near 1, no direction"} {
		if !strings.Contains(md, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
}

func TestAQuickRunSaysWhichPlacesItLacks(t *testing.T) {
	_, md := build(t, Input{Result: quick()})
	for _, want := range []string{"Not part of this run: 200, 400, 800", "This is a quick run",
		"was interrupted", "was planned and is missing", "OutOfMemoryError: Java heap space", "pairs"} {
		if !strings.Contains(md, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
}

func TestEveryPictureIsThereInBothVersions(t *testing.T) {
	for name, r := range hard() {
		files, md := build(t, Input{Result: r})
		names := regexp.MustCompile(`charts/[a-z-]+\.svg`).FindAllString(md, -1)
		if len(names) != len(files)-1 {
			t.Errorf("%s: %d pictures named, %d files made", name, len(names), len(files))
		}
		for _, n := range names {
			if files[n] == nil {
				t.Errorf("%s: %s is shown and not there", name, n)
			}
		}
	}
	_, md := build(t, Input{Result: whole(1), Charts: "../elsewhere/"})
	if !strings.Contains(md, `src="../elsewhere/callers-light.svg"`) {
		t.Error("the pictures are not where the page says")
	}
}

// The number that a table shows must be the one at the place that it points to.
func TestNumbersPointToTheirCells(t *testing.T) {
	r := whole(1)
	built, err := Build(Input{Result: r})
	if err != nil {
		t.Fatal(err)
	}
	pointed := 0
	for _, table := range built.Numbers {
		for _, row := range table.Cells {
			if len(row) != len(table.Heads) {
				t.Fatalf("a row of %d places under %d heads %q", len(row), len(table.Heads), table.Heads)
			}
			for _, raw := range row {
				if raw == "" {
					continue
				}
				pointed++
				if !regexp.MustCompile(`^/cells/\d+/trials/\*/[a-z_0-9/]+$`).MatchString(raw) {
					t.Errorf("%q is no place of a trial", raw)
				}
			}
		}
	}
	if pointed < 500 {
		t.Errorf("only %d numbers have a place", pointed)
	}
}

var (
	spans = regexp.MustCompile("`[^`\n]*`")
	// foreign are texts of programs and machines.
	foreign = regexp.MustCompile(`java\.lang[^\n]*|java was not found[^\n]*|an invented processor`)
)

func TestBothLanguagesHaveTheSameNumbers(t *testing.T) {
	for name, r := range hard() {
		drawn, en := build(t, Input{Result: r})
		translated, zh := build(t, Input{Result: r, Language: translations.Chinese})
		labtest.SameReport(t, name, en, foreign.ReplaceAllString(zh, "¦"))
		labtest.SameCharts(t, name, r, drawn, translated)
	}
	labtest.SameTexts(t)
}

func TestTheTerminalsVersion(t *testing.T) {
	for name, r := range hard() {
		short := Short(Input{Result: r}, false)
		if name == "all" && !strings.Contains(short, "webclient-h2: errors and latency") {
			t.Errorf("%s: %s", name, short)
		}
		labtest.FitsTerminal(t, short, Short(Input{Result: r}, true))
	}
}

func TestNoResultIsAnError(t *testing.T) {
	if _, err := Build(Input{}); err == nil || !strings.Contains(err.Error(), "make sweep") {
		t.Errorf("got %v", err)
	}
	if Short(Input{}, false) == "" {
		t.Error("nothing on the terminal")
	}
}

func TestEverySweepOfTheRunHasItsSection(t *testing.T) {
	_, md := build(t, Input{Result: whole(1)})
	for _, s := range sweepverdicts.Sweeps {
		if n := strings.Count(md, "\n## "+translations.English.In(s.Title)+"\n"); n != 1 {
			t.Errorf("%s has %d sections", s.ID, n)
		}
	}
}
