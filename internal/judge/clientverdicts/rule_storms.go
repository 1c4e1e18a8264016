package clientverdicts

import (
	"fmt"

	"h2lab/internal/facts"
)

// stampedeFactor separates the cases: a client stampedes when it opens more than
// three connections for each that was renewed.
//
// A client that dials once a renewal has 1, one that dials twice has 2; the
// mildest stampede that was measured, of ten requests in flight, has 9, and a
// hundred in flight give 20 and more. edges are the renewals at a window's two
// ends whose dials the window may have without the renewal: one that the warm-up
// began, one that fell between two readings.
const (
	stampedeFactor = 3
	edges          = 2
)

// storms looks at what was opened beyond what the same client opens without
// the limit: a pool that closes idle connections opens them there as well.
//
// A client may open a connection for each request in flight once, and share out
// its requests among them; only many renewals tell that from a stampede. So what
// lies between the two thresholds is neither.
func storms(f cellFacts) finding {
	due := f.Due()
	if f.Accepted == nil || f.Filled == nil || due == 0 {
		return finding{}
	}
	opened, extra := *f.Accepted, *f.Accepted-f.ownConnections()
	usual := stampedeFactor * (due + edges*int64(max(f.Trials, 1)))
	threshold := usual + f.sharedOut()
	a := finding{holds: extra > threshold}
	if extra*3 > threshold*2 && extra*2 < threshold*3 {
		a.near = fmt.Sprintf("%s opened, and from %s on it counts as a storm", things(extra, "connection"), count(threshold+1))
	}
	switch {
	case a.holds:
		a.reason = f.stampede()
	case extra > usual && f.protocol != facts.H1:
		a.doubt = fmt.Sprintf("%s opened for %s: so many may be a pool that spreads its requests once, or a stampede", things(opened, "connection"), things(due, "renewal"))
		a.lower = true
	case f.ownHides():
		a.own = true
		a.doubt = fmt.Sprintf("%s opened for %s, and %s opened at %s already: its own trouble hides what the limit does",
			things(opened, "connection"), things(f.Succeeded, "request"), count(value(f.base.Accepted)), f.high)
	case opened > threshold:
		a.own = true
		a.note = fmt.Sprintf("%s opened for %s; it opens as many at %s, so it is not the limit's doing", things(opened, "connection"), things(due, "renewal"), f.high)
	}
	return a
}

// hidingFactor is from where on the connections that a client opens without the
// limit too hide a stampede: ten for each that its requests fill. Clients that
// renew early on purpose have up to five; nginx as a client, which keeps fewer
// connections than it has requests in flight, has 150.
const hidingFactor = 10

func (f cellFacts) ownHides() bool {
	fills := max(value(f.UsedUp), value(f.Filled)) + edges*int64(max(f.Trials, 1))
	return min(*f.Accepted, f.ownConnections()/ownShare) > hidingFactor*fills+f.sharedOut()
}

// stampede is the reason in words.
func (f cellFacts) stampede() string {
	s := fmt.Sprintf("%s opened for %s", things(*f.Accepted, "connection"), things(f.Due(), "renewal"))
	if r := f.PerRenewal(); r != nil {
		s += fmt.Sprintf(" (%s)", times(*r))
	}
	if f.Used != nil {
		s += fmt.Sprintf(", %s of them used", count(*f.Used))
	}
	return s
}

// h1Lanes is how many connections a request in flight may take over HTTP/1.1,
// where one is renewed at a time and no request is left waiting by it, so that the
// limit makes no stampede. Go's pool was measured to open 442 for a hundred in
// flight where no limit was met, when the machine was short of time.
const h1Lanes = 5

// usedShare is from where on connections count as used. In a stampede all but
// one of a renewal's connections are for nothing: 2 to 15 in a hundred were used.
const usedShare = 0.9

// sharedOut is how many connections the client may open besides, to share out
// its requests among them: as many as are in flight, where it does use them.
func (f cellFacts) sharedOut() int64 {
	lanes := int64(f.inFlight) * int64(max(f.Trials, 1))
	switch {
	case f.protocol == facts.H1:
		return h1Lanes * lanes
	case f.Used != nil && float64(*f.Used) >= usedShare*float64(value(f.Accepted)):
		return lanes
	}
	return 0
}

// ownConnections is what the client may open for so many requests without the
// limit: what it did open there, or its share by requests, and as much again
// (ownShare). What it opens at the start of a window doesn't grow with the requests.
func (f cellFacts) ownConnections() int64 {
	if f.base == nil || f.base.Attempts == 0 {
		return 0
	}
	own := float64(value(f.base.Accepted))
	return int64(ownShare * max(own, own*float64(f.Attempts)/float64(f.base.Attempts)))
}
