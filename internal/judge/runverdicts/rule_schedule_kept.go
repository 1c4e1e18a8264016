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
	Title:     "The load generator sent the requests when they were due",
	Reference: "docs/results.md (schedule); Gil Tene, How NOT to Measure Latency (coordinated omission)",
	Care:      "Latency counts from when a request was due, so a late generator's delay would look like the servers'.",
	Commands:  []string{repro, fixed, matrix},
	Group:     core.Trust,
	Good:      facts.Reproduced,
	Loop:      core.Open,
	Judge:     judgeSchedule,
}

func judgeSchedule(f runFacts) finding {
	a := finding{Status: facts.Reproduced, Next: f.Say("Nothing to do."),
		Expected: f.Say("99 %% of each trial's requests sent at most %s ms late, or a tenth of "+
			"the latency's p99", text.Number(facts.MostLateMS))}
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
		if why := c.Late(); why != "" {
			a.Warnings = append(a.Warnings, why)
		}
		l, d := core.Unsent(c.Cell)
		left, due = left+l, due+d
	}
	switch {
	case scheduled == 0:
		a.Status, a.Actual, a.Next = facts.Inconclusive, f.Say("no trial says how its generator kept to the schedule"),
			f.Say("Look at the trial's warnings.")
	case late > 0:
		a.Status = facts.NotReproduced
		a.Actual = f.Say("in %d of %d trials the load generator fell behind its schedule, p99 up to %s ms late; their "+
			"numbers are marked, and left out where a cell has other trials", late, scheduled, text.Measured(worst))
		a.Next = f.Say("Lower RATE, or run on an idle machine with more cores.")
	default:
		a.Actual = f.Say("%d trials, p99 at most %s ms late", scheduled, text.Measured(worst))
	}
	if left > 0 {
		a.Actual += f.Say("; %s of %s requests due were never sent, since as many as allowed were in flight: the servers "+
			"did not keep up with the rate", core.Count(float64(left)), core.Count(float64(due)))
	}
	return a
}
