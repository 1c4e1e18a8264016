package runverdicts

import (
	"fmt"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// A late generator is its own fault: the trial had another load than the one that was asked for.
// Requests that were never sent because the pools were full are a result: the servers did not keep up.
var scheduleKept = Rule{
	ID:        "schedule-kept",
	Title:     facts.T("rule.schedule-kept"),
	Reference: "docs/results.md (schedule); Gil Tene, How NOT to Measure Latency (coordinated omission)",
	Care:      facts.T("rule.schedule-kept-care"),
	Commands:  []string{repro, fixed, matrix},
	Group:     core.Trust,
	Good:      facts.Reproduced,
	Loop:      core.Open,
	Judge:     judgeSchedule,
}

func judgeSchedule(f runFacts) finding {
	a := finding{Status: facts.Reproduced, Next: facts.T("verdict.nothing-do"),
		Expected: facts.T("verdict.99-percent-each-trials", text.Number(facts.MostLateMS))}
	var scheduled, late int
	var left, due int64
	worst := 0.0
	for _, c := range f.Cells() {
		for i, t := range c.Trials {
			if t.Schedule == nil || t.Schedule.LateMS.P99 == nil {
				continue
			}
			scheduled++
			if t.Schedule.Behind() {
				late++
			}
			if p99 := *t.Schedule.LateMS.P99; a.Evidence == nil || p99 > worst {
				worst, a.Evidence = p99, f.Evidence(c.See(fmt.Sprintf("/trials/%d/schedule/late_ms/p99", i))...)
			}
		}
		if why := c.Late(); !why.IsZero() {
			a.Warnings = append(a.Warnings, why)
		}
		l, d := core.Unsent(c.Cell)
		left, due = left+l, due+d
	}
	switch {
	case scheduled == 0:
		a.Status, a.Actual, a.Next = facts.Inconclusive, facts.T("verdict.no-trial-says-how"),
			facts.T("verdict.look-trials-warnings")
	case late > 0:
		a.Status = facts.NotReproduced
		a.Actual = facts.T("verdict.trials-load-generator-fell", late, scheduled, text.Measured(worst))
		a.Next = facts.T("verdict.lower-rate-or-run")
	default:
		a.Actual = facts.T("verdict.trials-p99-most-ms", scheduled, text.Measured(worst))
	}
	if left > 0 {
		a.Actual.Add(facts.T("verdict.requests-due-never-sent", core.Count(float64(left)), core.Count(float64(due))))
	}
	return a
}
