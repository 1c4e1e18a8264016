package core

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// Strained reports whether all cores were busy in most trials of a cell: the machine was then the limit.
func Strained(c *facts.Cell, cores int) bool {
	if c == nil {
		return false
	}
	n := 0
	for _, t := range c.Trials {
		if t.AllCoresBusy(cores) {
			n++
		}
	}
	return 2*n > len(c.Trials)
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
func (c Found) Late() facts.Text {
	which, worst := LateTrials(c.Cell)
	if which == nil {
		return facts.Text{}
	}
	return facts.T("verdict.cell-trial-load-generator", c.ID(), List(which), text.Measured(worst))
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
		case why.IsZero():
		case 2*len(c.Summary.Late) < len(c.Trials):
			a.Warnings = append(a.Warnings, facts.T("verdict.other-trials-decide", why))
		default:
			a.Status = facts.Inconclusive
			a.Actual = facts.Join("join.semicolon", a.Actual, facts.T("verdict.but", why))
			a.Next = facts.T("verdict.lower-rate-or-run")
			return a
		}
	}
	return a
}

// unstarved replaces a rule's answer if it rests on a cell whose client ran out of files, ports,
// threads or memory: the client's machine caused its failures and low goodput, so they prove
// nothing.
func (f Run) unstarved(a Finding) Finding {
	if a.Status == facts.Inconclusive || a.Status == facts.Unsupported {
		return a
	}
	for _, i := range f.restsOn(a) {
		c := &f.Result.Cells[i]
		var n int64
		for _, t := range c.Trials {
			n += facts.Starved(t.Errors)
			if t.Service != nil {
				n += facts.Starved(t.Service.Errors)
			}
		}
		if n == 0 {
			continue
		}
		a = a.Inconclusive(facts.T("verdict.but-cell-requests-failed", c.ID(), int(n)), facts.T("verdict.raise-limits-machine-ulimit"))
		return a
	}
	return a
}

// restsOn returns the positions of the cells that an answer's evidence points at, or of all cells if it
// has no evidence.
func (f Run) restsOn(a Finding) (out []int) {
	for _, e := range a.Evidence {
		_, rest, ok := strings.Cut(e.Pointer, "/cells/")
		at, _, _ := strings.Cut(rest, "/")
		if i, err := strconv.Atoi(at); ok && err == nil && i >= 0 && i < len(f.Result.Cells) && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	if len(a.Evidence) == 0 {
		for i := range f.Result.Cells {
			out = append(out, i)
		}
	}
	return out
}
