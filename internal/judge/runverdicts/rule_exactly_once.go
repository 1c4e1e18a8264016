package runverdicts

import (
	"fmt"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

var exactlyOnce = Rule{
	ID:        "exactly-once",
	Title:     "A request was executed twice, or executed without its caller getting an answer",
	Reference: "RFC 9113 §8.7 (what may be sent again without asking); RFC 9110 §9.2.2 (idempotent methods)",
	Care:      "A POST that ran twice is worse than a failed one: a retry must never cause this.",
	Commands:  []string{repro, fixed, matrix},
	Group:     core.Fault,
	// a request that ran twice did so at any rate
	AnySchedule: true,
	Judge:       judgeExactlyOnce,
}

// unaccounted is the number of requests that a trial executed (each counted once) but didn't
// answer. An answer with the wrong status may come from the proxy alone, so such answers only
// reduce a positive difference, at most to 0.
func unaccounted(t facts.Trial) int64 {
	extra := *t.Backend.Executed - *t.Backend.Duplicates - t.Succeeded
	for _, e := range t.Errors {
		if e.Class == facts.ErrHTTPStatus && extra > 0 {
			extra = max(0, extra-e.Count)
		}
	}
	return extra
}

func judgeExactlyOnce(f runFacts) finding {
	a := finding{Status: facts.NotReproduced,
		Expected: f.Say("duplicate ids at the backend, or more executed than answered"),
		Next:     f.Say("Nothing to do: every request id was executed once at most and answered.")}
	var doubled, unanswered, overAnswered int64
	var where, unknown []string
	for _, c := range f.Cells() {
		ok := true
		for i, t := range c.Trials {
			b := t.Backend
			if b.Executed == nil || b.Duplicates == nil {
				ok = false
				continue
			}
			extra := unaccounted(t)
			if *b.Duplicates > 0 || extra != 0 {
				a.Evidence = append(a.Evidence, f.Evidence(c.See(fmt.Sprintf("/trials/%d/backend/executed", i),
					fmt.Sprintf("/trials/%d/backend/duplicates", i), fmt.Sprintf("/trials/%d/succeeded", i))...)...)
				where = append(where, c.ID())
			}
			doubled += *b.Duplicates
			unanswered += max(extra, 0)
			overAnswered += max(-extra, 0)
		}
		if !ok {
			unknown = append(unknown, c.ID())
		}
		a.Evidence = append(a.Evidence, f.Evidence(c.See("/summary/duplicates/median")...)...)
	}
	a.Actual = f.Say("%s executed again, %s executed without an answer, in %d cells",
		f.Things(float64(doubled), core.Requests), core.Count(float64(unanswered)), len(f.Cells()))
	if overAnswered > 0 {
		a.Warnings = append(a.Warnings, f.Say("%s answered but not counted by the backend: its ids are incomplete",
			f.Things(float64(overAnswered), core.Requests)))
	}
	switch {
	case doubled > 0 || unanswered > 0:
		a.Status = facts.Reproduced
		a.Actual += f.Say(": %s", f.List(core.Unique(where)))
		a.Next = f.Say("Look at the errors of these cells: goaway-after-processing and timeout may have run.")
	case len(f.Cells()) == 0:
		a.Status, a.Actual, a.Next = facts.Inconclusive, f.Say("no cell was measured"), f.Say("Run the command again.")
	case unknown != nil || overAnswered > 0:
		a.Status = facts.Inconclusive
		a.Next = f.Say("Look at the backend's ledger (ids_saturated) of these cells.")
	}
	if unknown != nil {
		a.Actual += f.Say("; the backend's count is not known in %s", f.List(unknown))
	}
	return a
}
