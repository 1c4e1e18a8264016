package runverdicts

import (
	"fmt"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

var exactlyOnce = Rule{
	ID:        "exactly-once",
	Title:     facts.T("rule.exactly-once"),
	Reference: "RFC 9113 §8.7 (what may be sent again without asking); RFC 9110 §9.2.2 (idempotent methods)",
	Care:      facts.T("rule.exactly-once-care"),
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
		Expected: facts.T("verdict.duplicate-ids-backend-or"),
		Next:     facts.T("verdict.nothing-do-every-request")}
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
	a.Actual = facts.T("verdict.executed-again-executed-without", core.Things(doubled, core.Requests),
		core.Count(float64(unanswered)), len(f.Cells()))
	if overAnswered > 0 {
		a.Warnings = append(a.Warnings, facts.T("verdict.answered-but-not-counted", core.Things(overAnswered, core.Requests)))
	}
	switch {
	case doubled > 0 || unanswered > 0:
		a.Status = facts.Reproduced
		a.Actual.Add(facts.T("verdict.because", core.List(core.Unique(where))))
		a.Next = facts.T("verdict.look-errors-these-cells")
	case len(f.Cells()) == 0:
		a.Status, a.Actual, a.Next = facts.Inconclusive, facts.T("verdict.no-cell-measured"), facts.T("verdict.run-command-again")
	case unknown != nil || overAnswered > 0:
		a.Status = facts.Inconclusive
		a.Next = facts.T("verdict.look-backends-ledger-ids")
	}
	if unknown != nil {
		a.Actual.Add(facts.T("verdict.backends-count-not-known", core.List(unknown)))
	}
	return a
}
