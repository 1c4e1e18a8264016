package clientverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// FewestSure is how many events of a fault in one run another run can't miss by chance: where as many are
// expected, none are seen with a probability of e^-7, which is below 0.001 (Poisson).
const FewestSure = 7

// FewestRenewals is the fewest renewals without a fault that make a client sound. Clients with a
// fault were measured to fail at every renewal; five also suffice for one that fails at every
// second.
const FewestRenewals = 5

// mostOwnFailures is the share of requests that may fail without the limit. Above 1 % the program's
// own failures hide what the limit adds.
const mostOwnFailures = 0.01

// inconclusive decides, if no rule found a fault, whether the evidence suffices to call the client
// sound. doubts are the findings that have a doubt.
func inconclusive(f cellFacts, doubts []finding) finding {
	switch {
	case f.Trials == 0:
		return finding{holds: true, reason: f.noFigures()}
	case f.base != nil && float64(f.base.Failed) > mostOwnFailures*float64(f.base.Attempts):
		return finding{holds: true, own: true,
			reason: facts.T("clientverdict.fail-already-own-failures", count(f.base.Failed), core.Things(f.base.Attempts,
				core.Requests), f.high)}
	case f.limit == 0:
		return finding{holds: true, reason: facts.T("clientverdict.limit-front-isnt-known")}
	case f.Renewals == nil || f.Accepted == nil:
		return finding{holds: true, reason: facts.T("clientverdict.neither-renewals-nor-connections")}
	case *f.Renewals < FewestRenewals:
		return f.tooFew()
	case len(doubts) > 0:
		a := finding{holds: true, reason: doubts[0].doubt}
		for _, d := range doubts {
			a.lower = a.lower || d.lower
		}
		return a
	}
	if *f.Renewals < 2*FewestRenewals && !f.Counted {
		return finding{near: facts.T("clientverdict.only-another-run-may-too", core.Things(*f.Renewals, core.Renewals))}
	}
	return finding{}
}

// tooFew names the missing fact.
func (f cellFacts) tooFew() finding {
	served := f.Succeeded + value(f.Warmup)
	words := facts.T("clientverdict.window-must-seen", core.Things(*f.Renewals, core.Renewals), FewestRenewals,
		core.Things(served, answered))
	if served < FewestRenewals*f.limit {
		words.Add(facts.T("clientverdict.too-few-use-up", FewestRenewals, count(f.limit)))
	} else {
		words.Add(facts.T("clientverdict.spread-over-so-many"))
	}
	lower := lowerLimit(f.limit)
	if f.own { // its code counts on a higher limit than that
		return finding{holds: true, reason: facts.Join("", words, facts.T("clientverdict.measure-again-duration-30s"))}
	}
	return finding{holds: true, lower: true, reason: facts.Join("", words, facts.T("clientverdict.measure-again-limit", int(lower)))}
}

// noFigures says why the cell has no figures.
func (f cellFacts) noFigures() facts.Text {
	if n, message := faults(f.Faults, []string{facts.FaultNotStarted}); n > 0 {
		return facts.T("clientverdict.program-did-not-start", message)
	}
	return facts.T("clientverdict.no-trial-figures")
}

// lowerLimit is the limit to try next: 100, or a tenth of a limit that is already that low.
func lowerLimit(limit int64) int64 {
	if limit > LowerLimit {
		return LowerLimit
	}
	return max(2, limit/10)
}
