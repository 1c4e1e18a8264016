package cause

import (
	"math"
	"slices"

	"h2lab/internal/facts"
)

const (
	// LeastUnusedS is the shortest idle time-out that is named: a GOAWAY that follows an answer comes sooner.
	LeastUnusedS = 0.02
	// longerS and longerBy are how far a pause that ended a connection exceeds all that connections outlived.
	longerS, longerBy = 0.005, 1.1
	// unusedDiffer and unusedTickS are how far the times of one idle time-out lie apart: gRPC's C++ core and others look
	// again after as long.
	unusedDiffer, unusedTickS = 2.2, 0.05
)

// unusedEnds are the indexes of the connections that an idle time-out ended: each had no request in flight, for longer than
// any connection outlived. An end at an age comes within pauses that the connection outlived before; a reload comes to
// connections in use at the same moment.
func unusedEnds(all []facts.AskedConnection) []int {
	var out []int
	least, most, outlived := math.Inf(1), 0.0, 0.0
	for i, a := range all {
		l := lifeOf(a)
		switch {
		case !l.ended || l.unused < LeastUnusedS:
		case a.For == facts.ForIdle: // it may have been watched for two such times
			outlived = max(outlived, l.unused/unusedDiffer)
		default:
			out = append(out, i)
			least, most = min(least, l.unused), max(most, l.unused)
		}
		outlived = max(outlived, l.paused)
	}
	if least < longerBy*outlived+longerS || most > unusedDiffer*least+unusedTickS || sameMoment(all, out) {
		return nil
	}
	return out
}

// sameMoment reports whether one of the unused connections ended together with another one that was open beside it and was not
// unused, or not for as long.
func sameMoment(all []facts.AskedConnection, unused []int) bool {
	for _, i := range unused {
		u := lifeOf(all[i])
		for j, a := range all {
			l := lifeOf(a)
			together, alike := math.Abs(l.last-u.last) < seenLateS/2, math.Abs(l.unused-u.unused) <= LeastUnusedS
			if i != j && l.ended && l.beside(u) && together && !alike {
				return true
			}
		}
	}
	return false
}

// unusedFor sets the kind of a server that ended connections only because they were unused: one of them, or another, was in use
// for much longer.
func (c *Cause) unusedFor(ends, open []life) {
	const times, enough = 3, 2
	least, most := math.Inf(1), 0.0
	for _, l := range ends {
		least, most = min(least, l.unused), max(most, l.unused)
		c.MostRequests, c.WatchedS = max(c.MostRequests, l.got), max(c.WatchedS, l.seconds)
	}
	c.Kind, c.Fits = Unclear, []string{Idle}
	inUse := func(l life) bool { return l.seconds-l.unused > times*most }
	if len(ends) >= enough && (slices.ContainsFunc(ends, inUse) || slices.ContainsFunc(open, inUse)) {
		c.Kind, c.LeastS, c.MostS = Idle, &least, &most
	}
}
