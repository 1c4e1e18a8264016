package runverdicts

import (
	"fmt"

	"h2lab/internal/facts"
)

var exactlyOnce = Rule{
	ID:        "exactly-once",
	Title:     "A request was executed twice, or executed without its caller getting an answer",
	Reference: "RFC 9113 §8.7 (what may be sent again without asking); RFC 9110 §9.2.2 (idempotent methods)",
	Care:      "A POST that ran twice is worse than a failed one: a retry must never cause this.",
	Commands:  []string{repro, fixed, matrix},
	Group:     Fault,
	judge:     judgeExactlyOnce,
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
	a := finding{status: facts.NotReproduced,
		expected: f.say("duplicate ids at the backend, or more executed than answered"),
		next:     f.say("Nothing to do: every request id was executed once at most and answered.")}
	var doubled, unanswered, overAnswered int64
	var where, unknown []string
	for _, c := range f.cells() {
		ok := true
		for i, t := range c.Trials {
			b := t.Backend
			if b.Executed == nil || b.Duplicates == nil {
				ok = false
				continue
			}
			extra := unaccounted(t)
			if *b.Duplicates > 0 || extra != 0 {
				a.evidence = append(a.evidence, f.see(c.see(fmt.Sprintf("/trials/%d/backend/executed", i),
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
		a.evidence = append(a.evidence, f.see(c.see("/summary/duplicates/median")...)...)
	}
	a.actual = f.say("%s executed again, %s executed without an answer, in %d cells",
		f.things(float64(doubled), requests), count(float64(unanswered)), len(f.cells()))
	if overAnswered > 0 {
		a.warnings = append(a.warnings, f.say("%s answered but not counted by the backend: its ids are incomplete",
			f.things(float64(overAnswered), requests)))
	}
	switch {
	case doubled > 0 || unanswered > 0:
		a.status = facts.Reproduced
		a.actual += f.say(": %s", f.list(unique(where)))
		a.next = f.say("Look at the errors of these cells: goaway-after-processing and timeout may have run.")
	case len(f.cells()) == 0:
		a.status, a.actual, a.next = facts.Inconclusive, f.say("no cell was measured"), f.say("Run the command again.")
	case unknown != nil || overAnswered > 0:
		a.status = facts.Inconclusive
		a.next = f.say("Look at the backend's ledger (ids_saturated) of these cells.")
	}
	if unknown != nil {
		a.actual += f.say("; the backend's count is not known in %s", f.list(unknown))
	}
	return a
}
