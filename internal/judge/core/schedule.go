package core

import (
	"fmt"
	"slices"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
)

// late reports whether a trial's generator fell behind its schedule.
func late(t facts.Trial) bool { return t.Schedule != nil && t.Schedule.Behind() }

// Counted returns the trials that a summary rests on: without those whose generator fell behind its
// schedule, since they had another load than the one that was asked for. Where all fell behind, there
// is no other number, and all are returned; verdicts on them are inconclusive.
func Counted(trials []facts.Trial) []facts.Trial {
	if !slices.ContainsFunc(trials, late) {
		return trials
	}
	kept := slices.DeleteFunc(slices.Clone(trials), late)
	if len(kept) == 0 {
		return trials
	}
	return kept
}

// lateOnes are the positions of the trials whose generator fell behind.
func lateOnes(trials []facts.Trial) (out []int) {
	for i, t := range trials {
		if late(t) {
			out = append(out, i)
		}
	}
	return out
}

// OpenLoop reports whether the requests of a run arrived at a rate.
func OpenLoop(run *facts.Result) bool {
	return slices.ContainsFunc(run.Cells, func(c facts.Cell) bool { return c.Workload.RatePerS > 0 })
}

// LateTrials are the indices of a cell's trials whose generator fell behind, and the largest p99 of how
// late it was, in ms.
func LateTrials(c *facts.Cell) (which []string, worst float64) {
	for _, t := range c.Trials {
		if late(t) {
			which, worst = append(which, fmt.Sprint(t.Index)), max(worst, *t.Schedule.LateMS.P99)
		}
	}
	return which, worst
}

// Unsent is how many of the requests that were due in a cell's counted trials were never sent, because
// as many as allowed were in flight.
func Unsent(c *facts.Cell) (left, due int64) {
	for _, t := range Counted(c.Trials) {
		if t.Schedule != nil {
			left, due = left+t.Schedule.NotStarted, due+t.Schedule.Due
		}
	}
	return left, due
}

// Late describes the trials of a cell whose generator fell behind; empty without one.
func (c Found) Late() string {
	which, worst := LateTrials(c.Cell)
	if which == nil {
		return ""
	}
	return c.Say("cell %s: in trial %s the load generator fell behind its schedule (p99 up to %s ms late)", c.ID(),
		c.List(which), text.Measured(worst))
}

// onSchedule makes a rule's answer inconclusive if in one of its cells the generator fell behind in half
// of the trials or more. With fewer the others decide, and a warning names those left out: leaving out
// most of them would leave the quiet ones, since a stampede also takes processor time from the
// generator.
func (f Run) onSchedule(a Finding) Finding {
	if a.Status == facts.Inconclusive || a.Status == facts.Unsupported {
		return a
	}
	for _, i := range f.restsOn(a) {
		c := f.At(i)
		why := c.Late()
		switch {
		case why == "":
		case 2*len(c.Summary.Late) < len(c.Trials):
			a.Warnings = append(a.Warnings, f.Say("%s; the other trials decide", why))
		default:
			a.Status = facts.Inconclusive
			a.Actual = f.Sentence(a.Actual, f.Say("but %s", why))
			a.Next = f.Say("Lower RATE, or run on an idle machine with more cores.")
			return a
		}
	}
	return a
}
