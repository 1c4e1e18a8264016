package clientverdicts

import (
	"fmt"

	"h2lab/internal/facts"
)

// fewestRenewals is how many connections a client's requests must have filled,
// and how many the window must have opened, before one that shows no fault is called sound. One is an occasion: a renewal
// meets all that is in flight at once, and clients with a fault were measured to
// fail in every one of theirs, with ten and more requests or dials each.
const fewestRenewals = 1

// mostOwnFailures is the share of requests that may fail without the limit.
// Beyond one in a hundred the program is ill by itself, and what the limit
// adds doesn't show.
const mostOwnFailures = 0.01

// inconclusive is asked when no fault was found: was there an occasion for one?
func inconclusive(f cellFacts) finding {
	switch {
	case f.Trials == 0:
		return finding{holds: true, reason: "no trial gave figures"}
	case f.base != nil && float64(f.base.Failed) > mostOwnFailures*float64(f.base.Attempts):
		return finding{holds: true, own: true, reason: fmt.Sprintf("%s of %s fail at %s already: its own trouble hides what the limit does",
			count(f.base.Failed), things(f.base.Attempts, "request"), f.high)}
	case f.limit == 0:
		return finding{holds: true, reason: "the limit of its front isn't known"}
	case f.protocol == facts.H1:
		return f.inconclusiveOverH1()
	case f.Succeeded+value(f.Warmup) < fewestRenewals*f.limit:
		return finding{holds: true, reason: fmt.Sprintf("%s are too few to use up a connection of %s: LIMIT=%d would tell",
			things(f.Succeeded+value(f.Warmup), "answered request"), count(f.limit), lowerLimit(f.limit))}
	case f.Accepted != nil && *f.Accepted < fewestRenewals:
		return finding{holds: true, reason: fmt.Sprintf("%s, and %s opened in the window: the client spreads its requests over so many connections that hardly one was used up; LIMIT=%d would tell",
			things(f.Succeeded, "answered request"), things(*f.Accepted, "connection"), lowerLimit(f.limit))}
	}
	a := finding{}
	if f.Succeeded < 2*fewestRenewals*f.limit {
		a.near = fmt.Sprintf("%s are enough for few renewals only: a slower run may not tell", things(f.Succeeded, "answered request"))
	} else if f.Accepted != nil && *f.Accepted < 2*fewestRenewals {
		a.near = fmt.Sprintf("only %s opened in the window: another run may not tell", things(*f.Accepted, "connection"))
	}
	return a
}

// inconclusiveOverH1 asks for less: over HTTP/1.1 the last answer of a connection
// says that it is the last (Connection: close), so no request is under way when
// the limit is met, and there is no occasion to wait for.
func (f cellFacts) inconclusiveOverH1() finding {
	if f.Succeeded < int64(f.inFlight) {
		return finding{holds: true, reason: fmt.Sprintf("%s are fewer than the %s in flight: a longer DURATION would tell",
			things(f.Succeeded, "answered request"), count(f.inFlight))}
	}
	return finding{}
}

// lowerLimit is what to try: 100, or a tenth of a limit that is as low already.
func lowerLimit(limit int64) int64 {
	if limit > 100 {
		return 100
	}
	return max(2, limit/10)
}
