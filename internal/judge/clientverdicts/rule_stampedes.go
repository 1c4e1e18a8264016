package clientverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// stampedeFactor separates a stampede from normal renewal: a client stampedes if it opens more than
// three connections per renewal.
//
// A client that dials once per renewal has 1, one that dials twice has 2. The mildest stampede
// measured, with 10 requests in flight, has 9; with 100 requests in flight it is 20 or more. edges
// is the number of renewals at the two ends of a window whose dials may fall into the window
// without the renewal: one that began in the warm-up and one between two readings.
const (
	stampedeFactor = 3
	edges          = 2
)

// stampedes compares the opened connections with what the same client opens without the limit, since a
// pool that closes idle connections opens new ones there as well.
//
// A client may open one connection per request in flight once, and then spread its requests over
// them. Only many renewals distinguish that from a stampede, so between the two thresholds the rule
// gives no verdict.
func stampedes(f cellFacts) finding {
	due := f.Due()
	if f.Accepted == nil || f.Filled == nil || due == 0 {
		return finding{}
	}
	opened, extra := *f.Accepted, *f.Accepted-f.ownConnections()
	usual := stampedeFactor * (due + edges*int64(max(f.Trials, 1)))
	threshold := usual + f.sharedOut()
	a := finding{holds: extra > threshold}
	if extra*3 > threshold*2 && extra*2 < threshold*3 {
		a.near = facts.T("clientverdict.opened-counts-as-stampede", core.Things(extra, core.Connections),
			count(threshold+1))
	}
	switch {
	case a.holds:
		a.reason = f.stampede()
	case extra > usual && f.protocol != facts.H1:
		a.doubt = facts.T("clientverdict.opened-either-pool-spread", core.Things(opened, core.Connections),
			core.Things(due, core.Renewals))
		a.lower = true
	case f.ownHides():
		a.own = true
		a.doubt = facts.T("clientverdict.opened-opened-already-own", core.Things(opened, core.Connections),
			core.Things(f.Succeeded, core.Requests), count(value(f.base.Accepted)), f.high)
	case opened > threshold:
		a.own = true
		a.note = facts.T("clientverdict.opened-opens-as-many", core.Things(opened, core.Connections), core.Things(due,
			core.Renewals), f.high)
	}
	return a
}

// hidingFactor limits the connections that a client may open without the limit for each connection
// that its requests fill. Above it a stampede can't be told from the client's own dials. Clients
// that renew early on purpose have up to 5; nginx as a client, which keeps fewer connections than
// it has requests in flight, has 150.
const hidingFactor = 10

func (f cellFacts) ownHides() bool {
	fills := max(value(f.UsedUp), value(f.Filled)) + edges*int64(max(f.Trials, 1))
	return min(*f.Accepted, f.ownConnections()/ownShare) > hidingFactor*fills+f.sharedOut()
}

// stampede is the reason as text.
func (f cellFacts) stampede() facts.Text {
	s := facts.T("clientverdict.opened", core.Things(*f.Accepted, core.Connections), core.Things(f.Due(), core.Renewals))
	if r := f.PerRenewal(); r != nil {
		s.Add(facts.T("sweepverdict.in-brackets", times(*r)))
	}
	if f.Used != nil {
		s.Add(facts.T("clientverdict.them-used", count(*f.Used)))
	}
	return s
}

// h1Lanes is how many connections per request in flight a client may open over HTTP/1.1. There a
// client renews one connection at a time and no request waits for it, so the limit causes no
// stampede. Go's pool was measured to open 442 connections for 100 requests in flight on an
// overloaded machine, without reaching a limit.
const h1Lanes = 5

// usedShare is the share of accepted connections from which they count as used. In a stampede all
// but one connection per renewal are wasted: 2 % to 15 % were used.
const usedShare = 0.9

// sharedOut is the number of extra connections that the client may open to spread its requests: one
// per request in flight, if it uses them.
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

// ownConnections is the number of connections that the client may open for this many requests
// without the limit: the number measured there, or its share by requests if that is more, times
// ownShare. The share alone would be too low, since the connections opened at the start of a window
// don't grow with the requests.
func (f cellFacts) ownConnections() int64 {
	if f.base == nil || f.base.Attempts == 0 {
		return 0
	}
	own := float64(value(f.base.Accepted))
	return int64(ownShare * max(own, own*float64(f.Attempts)/float64(f.base.Attempts)))
}
