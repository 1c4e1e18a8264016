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
			reason: f.say("%s of %s fail at %s already: its own failures hide the limit's effect",
				count(f.base.Failed), f.things(f.base.Attempts, core.Requests), f.high)}
	case f.limit == 0:
		return finding{holds: true, reason: f.say("the limit of its front isn't known")}
	case f.Renewals == nil || f.Accepted == nil:
		return finding{holds: true, reason: f.say("neither renewals nor connections were counted: " +
			"measure it behind a server with counters")}
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
		return finding{near: f.say("only %s: another run may have too few", f.things(*f.Renewals, core.Renewals))}
	}
	return finding{}
}

// tooFew names the missing fact.
func (f cellFacts) tooFew() finding {
	served := f.Succeeded + value(f.Warmup)
	words := f.say("%s in the window, and %d must be seen: %s", f.things(*f.Renewals, core.Renewals), FewestRenewals,
		f.things(served, answered))
	if served < FewestRenewals*f.limit {
		words += f.say(" are too few to use up %d connections of %s", FewestRenewals, count(f.limit))
	} else {
		words += f.say(" are spread over so many connections that hardly any was used up")
	}
	lower := lowerLimit(f.limit)
	if f.own { // its code counts on a higher limit than that
		return finding{holds: true, reason: words + f.say("; measure again with DURATION=30s")}
	}
	return finding{holds: true, lower: true, reason: words + f.say("; measure again with LIMIT=%d", lower)}
}

// noFigures says why the cell has no figures.
func (f cellFacts) noFigures() string {
	if n, message := faults(f.Faults, []string{facts.FaultNotStarted}); n > 0 {
		return f.say("its program did not start in time, so nothing was measured; try a less busy machine: %s", message)
	}
	return f.say("no trial has figures")
}

// lowerLimit is the limit to try next: 100, or a tenth of a limit that is already that low.
func lowerLimit(limit int64) int64 {
	if limit > LowerLimit {
		return LowerLimit
	}
	return max(2, limit/10)
}
