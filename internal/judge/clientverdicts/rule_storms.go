package clientverdicts

import (
	"fmt"

	"h2lab/internal/facts"
)

// stormFactor and stormSlack draw the line: a client storms when it opens more
// than three connections for each that is used up, and ten more.
//
// A client that dials once a renewal has 1, one that dials twice has 2; the
// mildest storm that was measured, of ten requests in flight, has 9, and a
// hundred in flight give 20 and more. 3 lies where nobody was seen. The slack is
// for slow clients with few renewals: a renewal of the warm-up that falls into
// the window, a dial that failed once.
const (
	stormFactor = 3
	stormSlack  = 10
)

// storms looks at what was opened beyond what the same client opens without
// the limit: a pool that closes idle connections opens them there as well. What
// is needed here are the connections that the requests of the client's whole life
// fill, however many it spreads them over: one that holds a connection for each
// request in flight may renew in the window what its warm-up began to use up.
func storms(f cellFacts) finding {
	if f.Accepted == nil || f.UsedUp == nil {
		return finding{}
	}
	opened := *f.Accepted
	own := f.ownConnections()
	needed := *f.UsedUp
	threshold := int64(stormFactor)*needed + stormSlack*int64(max(f.Trials, 1))
	switch lanes := int64(f.inFlight) * int64(max(f.Trials, 1)); {
	case f.protocol == facts.H1:
		threshold += h1Lanes * lanes
	case f.spreads():
		threshold += lanes
	}
	extra := opened - own
	a := finding{holds: extra > threshold}
	if extra*3 > threshold*2 && extra*2 < threshold*3 {
		a.near = fmt.Sprintf("%s opened, and from %s on it counts as a storm", things(extra, "connection"), count(threshold+1))
	}
	if !a.holds {
		if opened > threshold {
			a.own = true
			a.note = fmt.Sprintf("%s opened where %s needed; it opens as many at %s, so it is not the limit's doing", things(opened, "connection"), were(needed), f.high)
		}
		return a
	}
	a.reason = fmt.Sprintf("%s opened where %s needed", things(opened, "connection"), were(f.shownNeed()))
	if r := f.PerNeeded(); r != nil {
		a.reason += fmt.Sprintf(" (%s)", times(*r))
	}
	if f.Used != nil {
		a.reason += fmt.Sprintf(", %s of them used", count(*f.Used))
	}
	return a
}

// h1Lanes is how many connections a request in flight may take over HTTP/1.1,
// where one is renewed at a time and no request is left waiting by it, so that the
// limit makes no stampede. Go's pool was measured to open 442 for a hundred in
// flight where no limit was met, when the machine was short of time.
const h1Lanes = 5

// usedShare is from where on connections count as used. In a stampede all but
// one of a renewal's connections are for nothing: 2 to 15 in a hundred were used.
const usedShare = 0.9

// spreads reports a client that puts requests on the connections it opens. It
// may have one for each request in flight, and they may be renewed together, or
// made in the window where a program begins it with an empty pool. That is no
// stampede; more than that is.
func (f cellFacts) spreads() bool {
	return f.Used != nil && float64(*f.Used) >= usedShare*float64(value(f.Accepted))
}

// ownConnections is what the client opens for so many requests without the limit.
func (f cellFacts) ownConnections() int64 {
	if f.base == nil || f.base.Attempts == 0 {
		return 0
	}
	return int64(float64(value(f.base.Accepted)) * float64(f.Attempts) / float64(f.base.Attempts))
}

// shownNeed is the need as the table shows it.
func (f cellFacts) shownNeed() int64 {
	if n := value(f.Needed); n > 0 {
		return n
	}
	return value(f.UsedUp)
}

func were(n int64) string {
	if n == 1 {
		return "1 was"
	}
	return count(n) + " were"
}
