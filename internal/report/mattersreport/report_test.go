package mattersreport

import (
	"flag"
	"regexp"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/report/pagetest"
)

var update = flag.Bool("update", false, "accept what is written now as the golden files")

var pages = pagetest.Pages{Name: "sweep", Build: Build, Short: Short, Foreign: regexp.MustCompile(
	`it ended[^\n]*|java was not found[^\n]*|needs \d+ s for one[^\n]*|Synthetic CPU|okhttp-5`)}

// part is a run with a part of the map and two other loads.
func part(trials int) *facts.Result {
	all := labtest.MattersMap()
	return labtest.Matters(trials, append(all[:8:8], all[20], all[24])...)
}

// hard returns runs that are difficult to lay out.
func hard() map[string]*facts.Result {
	bare, unmeasured, foreign := part(1), part(1), part(2)
	for i := range bare.Cells {
		bare.Cells[i].Trials = []facts.Trial{{Index: 1}}
	}
	for i := range unmeasured.Cells {
		unmeasured.Cells[i].Trials, unmeasured.Cells[i].Unsupported = nil, facts.T("verdict.recorded", "java was not found | `x`")
	}
	foreign.Cells[0].Client = "a | b <script>"
	foreign.Cells[1].Trials = nil
	foreign.Cells[2].Workload.Distance = facts.Distance{RTTMS: 3, JitterMS: 1, LossPercent: 0.5, MbitPerS: 10}
	foreign.Run.Finished, foreign.Run.Quick = foreign.Run.Started.Add(-foreign.Run.Finished.Sub(foreign.Run.Started)), true
	foreign.Cells[5].Trials[0].Fault = &facts.Fault{Message: "it ended | `with` <script> status 3"}
	nolimit := part(1)
	for i := range nolimit.Cells {
		nolimit.Cells[i].Limit.Configured = nil
	}
	return map[string]*facts.Result{"pages": labtest.Matters(2, labtest.MattersMap()...), "all": part(2), "one trial": part(1), "bare": bare, "unmeasured": unmeasured,
		"foreign": foreign, "no limit": nolimit, "nothing": {}, "one place": labtest.Matters(2, labtest.MattersMap()[0]),
		"no cells": {Run: facts.Run{Command: "sweep", Sweep: "matters", Planned: []string{"nginx-100.h2.x.a"}}}}
}

func TestPagesHold(t *testing.T) {
	pages.Hold(t, hard(), []string{"pages"}, *update)
	pages.Fit(t, hard())
	labtest.SameTexts(t)
}
