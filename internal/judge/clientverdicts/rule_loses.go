package clientverdicts

import (
	"math"

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
	words := f.say("%s failed (%s in 1,000)", f.things(n, core.Requests), f.rate(n, f.Attempts))
	a := finding{holds: extra >= threshold}
	switch {
	case extra > threshold/2 && extra < threshold*2:
		a.near = f.say("%s failed, and from %.0f on it counts as losing", f.things(n, core.Requests),
			math.Ceil(threshold))
	case a.holds && extra < FewestSure:
		a.near = f.say("only %s: another run may have none", f.things(n, lostOnes))
	}
	switch {
	case a.holds:
		a.reason = words + f.renewalsOf(n) + f.whatBecame()
	case extra == 0:
		a.own = true
		a.note = f.say("%s; as many fail at %s, so the limit is not the cause", words, f.high)
	default:
		a.doubt = f.say("%s, fewer than one in ten renewals or one in 1,000 requests: a longer run would show "+
			"whether the limit is the cause", words)
		a.lower = true
	}
	return a
}

// renewalsOf relates a number to the renewals.
func (f cellFacts) renewalsOf(n int64) string {
	r := f.Due()
	if f.Renewals == nil || r < 1 {
		return ""
	}
	return f.say(", %.1f at each of %s", float64(n)/float64(r), f.things(r, core.Renewals))
}

// whatBecame says whether the failed requests were executed, if the backend counted that.
func (f cellFacts) whatBecame() string {
	if f.Unanswered == nil {
		return ""
	}
	switch n := *f.Unanswered - max(0, value(f.Duplicates)); {
	case n <= 0:
		return f.say("; the backend executed none of them")
	case n >= f.Failed:
		return f.say("; the backend had executed all of them")
	default:
		return f.say("; the backend had executed %s of them, but the client received no answer", count(n))
	}
}
