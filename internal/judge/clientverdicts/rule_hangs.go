package clientverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// hungPerRenewal and hungPer1000 are lower than the thresholds of lost requests: a call counts as
// hung if it has no answer after several seconds, while an answer takes milliseconds. A machine
// that stalls for that long hangs all calls, with and without the limit; a single hung call is the
// client's fault.
const (
	hungPerRenewal = 0.02
	hungPer1000    = 0.05
	fewestHung     = 1
)

func hangs(f cellFacts) finding {
	if a := f.faulty(facts.T("clientverdict.program-never-ended"), facts.FaultSilent); a.holds {
		return a
	}
	hung := func(b *Figures) int64 { return value(b.Hung) }
	n := hung(&f.Figures)
	if n == 0 {
		return finding{}
	}
	extra, threshold := float64(f.beyond(n, hung)), f.from(hungPerRenewal, hungPer1000, fewestHung)
	words := facts.T("clientverdict.never-settled-1-000", core.Things(n, calls), f.rate(n, f.Attempts))
	a := finding{holds: extra >= threshold}
	if extra > threshold/2 && extra < threshold*2 || a.holds && extra < FewestSure {
		a.near = facts.T("clientverdict.only-another-run-may", core.Things(n, hungCalls))
	}
	switch {
	case a.holds:
		a.reason = words
	case extra == 0:
		a.own = true
		a.note = facts.T("clientverdict.never-settled-as-many", core.Things(n, calls), f.high)
	default:
		a.doubt = facts.T("clientverdict.longer-run-would-show", words)
		a.lower = true
	}
	return a
}
