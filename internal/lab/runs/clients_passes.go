package runs

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/plan"
)

// passes groups the cells of a run; the verdicts on earlier groups decide which cells a later group
// has.
func (m *clientsRun) passes(r *facts.Result) []func() []facts.Planned {
	gentle := func(limit int) func() []facts.Planned {
		return func() []facts.Planned {
			failing := func(row clientverdicts.Row) bool { return row.Verdict.Faulty() && row.Limit == limit }
			return plan.GentleCells(m.where(r, failing), m.Knobs, limit)
		}
	}
	passes := []func() []facts.Planned{
		func() []facts.Planned { return plan.UnlimitedCells(m.rows, m.Knobs) },
		func() []facts.Planned { return plan.LowCells(m.rows, m.Knobs) },
		func() []facts.Planned {
			return plan.LowerCells(m.where(r, func(row clientverdicts.Row) bool { return row.Lower }), m.Knobs)
		},
		gentle(m.Knobs.Limit),
	}
	if m.Knobs.Limit > plan.LowerLimit {
		passes = append(passes, gentle(plan.LowerLimit))
	}
	return passes
}

// where returns the rows that have such a verdict so far.
func (m *clientsRun) where(r *facts.Result, is func(clientverdicts.Row) bool) []plan.Row {
	chosen := map[facts.Client]bool{}
	for _, row := range clientverdicts.Rows(r) {
		chosen[row.Client] = is(row)
	}
	var out []plan.Row
	for _, row := range m.rows {
		if chosen[row.Client] {
			out = append(out, row)
		}
	}
	return out
}

// windows makes each window last until enough renewals were seen for a verdict.
func (m *clientsRun) windows(r *facts.Result) conduct.Windows {
	return conduct.Windows{Renewals: clientverdicts.FewestRenewals, Shortest: m.Knobs.Duration,
		Longest: max(plan.LongestWindow, m.Knobs.Duration),
		Pace:    func(cell facts.Planned) (conduct.Pace, bool) { return conduct.PaceIn(r, cell) }}
}
