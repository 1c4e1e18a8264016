package clientverdicts

import (
	"math"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// lostPerRenewal and lostPer1000 are the rates from which failures are attributed to the limit;
// reaching one of them is enough. Clients that can't replay a request were measured to lose 1 to 40
// of 100 requests in flight at every renewal. Clients that never recover lose all later requests,
// so the run has few or no renewals. Sound clients lose none. Between none and these thresholds the
// rule gives no verdict.
//
// A single failure is never enough: a short stall of the machine can fail one request.
const (
	lostPerRenewal = 0.1
	lostPer1000    = 1
	fewestLost     = 2
)

// from returns the number of events that reaches the rate: per renewal or per 1,000 requests,
// whichever is less, but at least fewest.
func (f cellFacts) from(perRenewal, per1000, fewest float64) float64 {
	least := per1000 * float64(f.Attempts) / 1000
	if f.Due() > 0 {
		least = min(least, perRenewal*float64(f.Due()))
	}
	return max(fewest, least)
}

// loses counts the failed requests that settled; hangs counts the others.
func loses(f cellFacts) finding {
	lost := func(b *Figures) int64 { return max(0, b.Failed-value(b.Hung)) }
	n := lost(&f.Figures)
	if n == 0 {
		return finding{}
	}
	extra, threshold := float64(f.beyond(n, lost)), f.from(lostPerRenewal, lostPer1000, fewestLost)
	words := facts.T("clientverdict.failed-1-000", core.Things(n, core.Requests), f.rate(n, f.Attempts))
	a := finding{holds: extra >= threshold}
	switch {
	case extra > threshold/2 && extra < threshold*2:
		a.near = facts.T("clientverdict.failed-counts-as-losing", core.Things(n, core.Requests),
			core.Fixed(math.Ceil(threshold), 0))
	case a.holds && extra < FewestSure:
		a.near = facts.T("clientverdict.only-another-run-may", core.Things(n, lostOnes))
	}
	switch {
	case a.holds:
		a.reason = facts.Join("", words, f.renewalsOf(n), f.whatBecame())
	case extra == 0:
		a.own = true
		a.note = facts.T("clientverdict.as-many-fail-so", words, f.high)
	default:
		a.doubt = facts.T("clientverdict.fewer-than-one-ten", words)
		a.lower = true
	}
	return a
}

// renewalsOf relates a number to the renewals.
func (f cellFacts) renewalsOf(n int64) facts.Text {
	r := f.Due()
	if f.Renewals == nil || r < 1 {
		return facts.Text{}
	}
	return facts.T("clientverdict.each", core.Fixed(float64(n)/float64(r), 1), core.Things(r, core.Renewals))
}

// whatBecame says whether the failed requests were executed, if the backend counted that.
func (f cellFacts) whatBecame() facts.Text {
	if f.Unanswered == nil {
		return facts.Text{}
	}
	switch n := *f.Unanswered - max(0, value(f.Duplicates)); {
	case n <= 0:
		return facts.T("clientverdict.backend-executed-none-them")
	case n >= f.Failed:
		return facts.T("clientverdict.backend-executed-all-them")
	default:
		return facts.T("clientverdict.backend-executed-them-but", count(n))
	}
}
