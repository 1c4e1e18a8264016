package sweepreport

import (
	"flag"
	"regexp"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/report/pagetest"
	"h2lab/internal/report/parts"
)

var update = flag.Bool("update", false, "accept what is written now as the golden files")

var pages = pagetest.Pages{Name: "sweep", Build: Build, Short: Short,
	Foreign: regexp.MustCompile(`java\.lang[^\n]*|java was not found[^\n]*|an invented processor`)}

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

func TestPagesHold(t *testing.T) {
	pages.Hold(t, hard(), []string{"all", "quick"}, *update)
	pages.Fit(t, hard())
	labtest.SameTexts(t)
}

func TestChartsMayLieElsewhere(t *testing.T) {
	built, err := Build(parts.Input{Result: whole(1), Charts: "../elsewhere/"})
	labtest.Check(t, err)
	if !strings.Contains(string(built.Files["sweep.md"]), `src="../elsewhere/callers-light.svg"`) {
		t.Error("the pictures are not where the page says")
	}
}

func TestWhatIsNotKnownIsADashAndNever0(t *testing.T) {
	r := synthetic("callers", 1, callers([]int{100}))
	for i := range r.Cells {
		r.Cells[i].Trials = []facts.Trial{{Index: 1}}
	}
	_, md := pages.Draw(t, r, texts.English)
	row := regexp.MustCompile(`(?m)^\| 100 \|.*$`).FindString(md)
	if got := strings.Count(row, "–"); got != 6 {
		t.Errorf("a cell without numbers reads %q", row)
	}
}

func TestThePageSaysWhatADecisionRestsOn(t *testing.T) {
	pages.Has(t, whole(3),
		"`webclient-h2` | errors and latency | p95: 1.50 ×", "`restclient-virtual` | latency", "`resttemplate-pool` | hides it",
		"`asyncresttemplate` | limit not reached", "failed first at 1,600 users", "`PoolAcquirePendingLimitException`",
		"the machine was the limit", "with 3000 users all 2 cores of this machine were busy",
		"no service", "1,334 ÷ 972", "near 1, no direction")
}

func TestAQuickRunSaysWhichPlacesItLacks(t *testing.T) {
	pages.Has(t, quick(), "Not part of this run: 200, 400, 800", "This is a quick run",
		"was interrupted", "was planned and is missing", "OutOfMemoryError: Java heap space", "pairs")
}

func TestEverySweepOfTheRunHasItsSection(t *testing.T) {
	built, md := pages.Draw(t, whole(1), texts.English)
	for _, s := range sweepverdicts.Sweeps {
		if n := strings.Count(md, "\n## "+texts.English.In(s.Title)+"\n"); n != 1 {
			t.Errorf("%s has %d sections", s.ID, n)
		}
	}
	pointed := 0
	for _, table := range built.Numbers {
		for _, row := range table.Cells {
			pointed += len(row) - strings.Count(strings.Join(row, "¦"), "¦¦")
		}
	}
	if pointed < 500 {
		t.Errorf("only %d numbers have a place", pointed)
	}
}
