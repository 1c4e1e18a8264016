package accesslog

import "slices"

// second is what a second of the log holds.
type second struct {
	at                          int64
	requests, began, e499, e5xx uint32
	ends, endsOf                uint32 // requests with the highest ordinal so far, and that ordinal
}

// minute is the same, with what is needed to name it.
type minute struct {
	at, requests, began, opened int64
	ends                        int64
	endsOf                      uint32
}

// Lines come nearly in the order of time: workers interleave, and a buffered log
// (access_log … buffer= flush=) is late by its flush. Later ones than the ring is
// long are counted in the totals and in no second.
const (
	ring     = 1024 // seconds, and minutes
	worstFew = 5
)

// timeline sums the log up over time, in a bounded space.
type timeline struct {
	seconds [ring]second
	minutes [ring]minute
	now     int64 // the newest second
	done    int64 // seconds up to this one are summed up
	started bool
	late    uint64
	wall    uint32 // the ordinal that counts as an end: the highest so far, or the one given

	busiest, lowest []minute
	minutesSeen     int64
	peakBegan       uint32
	near            nearby
}

// nearby is what happened in seconds with an end in them or beside them.
type nearby struct {
	seconds, allSeconds         int64
	requests, e499, e5xx        uint64
	allRequests, all499, all5xx uint64
}

// advance moves the newest second on and gives the line's, nil when it is too late.
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

// get is a second that may be empty.
func (t *timeline) get(at int64) second {
	if s := t.seconds[uint64(at)%ring]; s.at == at {
		return s
	}
	return second{at: at}
}

// sumUp ends a second. Its neighbours are in the ring still.
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
		if b := t.get(beside); b.ends > 0 && b.endsOf == t.wall {
			n.seconds++
			n.requests += uint64(s.requests)
			n.e499 += uint64(s.e499)
			n.e5xx += uint64(s.e5xx)
			break
		}
	}
}

// raise makes another ordinal the one that counts as an end; what was counted
// for a lower one is void.
func (t *timeline) raise(wall uint32) {
	t.wall = wall
	n := &t.near
	n.seconds, n.requests, n.e499, n.e5xx = 0, 0, 0, 0
}

// leastNew is how many new connections a minute needs for its ratio to mean anything.
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

// keepWorst holds the few worst, worst first, the earlier of two alike first.
func keepWorst(list []minute, m minute, worse func(a, b minute) bool) []minute {
	at := len(list)
	for at > 0 && worse(m, list[at-1]) {
		at--
	}
	list = slices.Insert(list, at, m)
	return list[:min(len(list), worstFew)]
}

// finish sums up what is open.
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
