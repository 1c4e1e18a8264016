package accesslog

import (
	"math"
	"slices"
)

// second is the counts of one second.
type second struct {
	at                          int64
	requests, began, e499, e5xx uint32
	ends, endsOf                uint32 // requests with the highest ordinal so far, and that ordinal
}

// minute is the counts of one minute, and which minute it is.
type minute struct {
	at, requests, began, opened int64
	ends                        int64
	endsOf                      uint32
}

// Lines are nearly in order of time: workers interleave, and a buffered log (access_log … buffer=
// flush=) is late by its flush interval. Lines that are later than the ring is long count in the
// totals and in no second.
const (
	ring     = 1024 // seconds, and minutes
	worstFew = 5
)

// timeline counts over time in limited memory.
type timeline struct {
	seconds [ring]second
	minutes [ring]minute
	now     int64 // the newest second
	done    int64 // seconds up to this one are complete
	started bool
	late    uint64
	limit   uint32 // the ordinal that counts as an end: the highest so far, or the given limit

	busiest, lowest []minute
	minutesSeen     int64
	peakBegan       uint32
	near            nearby
}

// nearby counts seconds with an end in them or beside them.
type nearby struct {
	seconds, allSeconds         int64
	requests, e499, e5xx        uint64
	allRequests, all499, all5xx uint64
}

// advance moves to the newest second and returns the line's; nil if the line is too late.
func (t *timeline) advance(at int64) (*second, *minute) {
	if !t.started {
		t.started, t.now, t.done = true, at, at-1
	}
	if at > t.now {
		for t.done < at-ring/2 && t.done < t.now {
			t.sumUp(t.done + 1)
		}
		t.now, t.done = at, max(t.done, at-ring/2)
	}
	if at <= t.done {
		t.late++
		return nil, nil
	}
	s := &t.seconds[uint64(at)%ring]
	if s.at != at {
		*s = second{at: at}
	}
	m := &t.minutes[uint64(at/60)%ring]
	if m.at != at/60 {
		t.closeMinute(m)
		*m = minute{at: at / 60}
	}
	return s, m
}

// get is the second at a time, which may be empty.
func (t *timeline) get(at int64) second {
	if s := t.seconds[uint64(at)%ring]; s.at == at {
		return s
	}
	return second{at: at}
}

// sumUp completes a second. Its neighbours are still in the ring.
func (t *timeline) sumUp(at int64) {
	t.done = at
	s := t.get(at)
	if s.requests == 0 {
		return
	}
	n := &t.near
	n.allSeconds++
	n.allRequests += uint64(s.requests)
	n.all499 += uint64(s.e499)
	n.all5xx += uint64(s.e5xx)
	t.peakBegan = max(t.peakBegan, s.began)
	for _, beside := range []int64{at - 1, at, at + 1} {
		if b := t.get(beside); b.ends > 0 && b.endsOf == t.limit {
			n.seconds++
			n.requests += uint64(s.requests)
			n.e499 += uint64(s.e499)
			n.e5xx += uint64(s.e5xx)
			break
		}
	}
}

// raise makes a higher ordinal the one that counts as an end; counts for a lower one are reset.
func (t *timeline) raise(limit uint32) {
	t.limit = limit
	n := &t.near
	n.seconds, n.requests, n.e499, n.e5xx = 0, 0, 0, 0
}

// leastNew is how many new connections a minute needs for its ratio to count.
const leastNew = 10

func (t *timeline) closeMinute(m *minute) {
	if m.requests == 0 {
		return
	}
	t.minutesSeen++
	if m.began == 0 {
		return
	}
	t.busiest = keepWorst(t.busiest, *m, func(a, b minute) bool { return a.began > b.began })
	if m.began >= leastNew {
		t.lowest = keepWorst(t.lowest, *m, func(a, b minute) bool { return a.requests*b.began < b.requests*a.began })
	}
}

// keepWorst keeps the few worst minutes, worst first, the earlier of two equal ones first.
func keepWorst(list []minute, m minute, worse func(a, b minute) bool) []minute {
	at := len(list)
	for at > 0 && worse(m, list[at-1]) {
		at--
	}
	list = slices.Insert(list, at, m)
	return list[:min(len(list), worstFew)]
}

// finish completes the open seconds.
func (t *timeline) finish() {
	for t.started && t.done < t.now {
		t.sumUp(t.done + 1)
	}
	open := []minute{}
	for i := range t.minutes {
		if t.minutes[i].requests > 0 {
			open = append(open, t.minutes[i])
		}
	}
	slices.SortFunc(open, func(a, b minute) int { return int(a.at - b.at) })
	for i := range open {
		t.closeMinute(&open[i])
	}
}

// growth compares the serials without a line with the time in which they were taken. A stampede takes them
// at a renewal, however long ago the last one was. What grows with time is something else: connections that
// other servers of the same nginx log elsewhere, or a balancer that opens connections to check the port.
type growth struct {
	n, serials, time, serials2, time2, both float64
	last                                    int64 // in milliseconds; 0 means none yet
}

// add counts the serials without a line between the highest one so far and a higher one.
func (g *growth) add(between uint64, ms int64) {
	if g.last == 0 {
		g.last = ms
		return
	}
	t, s := float64(max(0, ms-g.last))/1000, float64(between)
	g.last = max(g.last, ms)
	g.n++
	g.serials, g.time = g.serials+s, g.time+t
	g.serials2, g.time2, g.both = g.serials2+s*s, g.time2+t*t, g.both+s*t
}

const (
	// leastGrowth is how many pairs a correlation needs, related the correlation from which on serials
	// grow with time. A stampede of several pools has one near 0; connections at random times 0.7 and more.
	leastGrowth = 20
	related     = 0.5
)

// steady reports whether the serials without a line grow with time.
func (g *growth) steady() bool {
	if g.n < leastGrowth {
		return false
	}
	covariance := g.n*g.both - g.serials*g.time
	deviations := math.Sqrt((g.n*g.serials2 - g.serials*g.serials) * (g.n*g.time2 - g.time*g.time))
	return deviations > 0 && covariance >= related*deviations
}
