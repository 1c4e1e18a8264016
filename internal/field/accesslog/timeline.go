package accesslog

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Minutes are the busiest minutes.
type Minutes struct {
	WithRequests int64    `json:"with_requests"`
	MostNew      []Minute `json:"most_new"`
}

// Minute is one minute of the log.
type Minute struct {
	At           time.Time `json:"at"`
	Requests     int64     `json:"requests"`
	New          int64     `json:"new"`
	OpenedAtMost int64     `json:"opened_at_most"`
	PerNew       float64   `json:"requests_per_new"`
}

// timeline counts by minutes in limited memory. Lines are nearly in order of time: workers interleave, and a buffered log
// (access_log … buffer= flush=) is late by its flush interval.
type timeline struct {
	open    map[int64]*Minute
	busiest []Minute
	minutes int64
}

const (
	mostOpenMinutes = 1024
	worstFew        = 5
)

// at is the minute of a time in milliseconds.
func (t *timeline) at(ms int64) *Minute {
	number := ms / 60_000
	m := t.open[number]
	if m == nil {
		if len(t.open) >= mostOpenMinutes {
			t.close(number - mostOpenMinutes/2)
		}
		m = &Minute{At: time.UnixMilli(number * 60_000).UTC()}
		t.open[number] = m
	}
	return m
}

// close takes the minutes up to one out of the open ones, and keeps those with the most new connections, the earlier of
// two equal ones first.
func (t *timeline) close(upTo int64) {
	for number, m := range t.open {
		if number > upTo {
			continue
		}
		delete(t.open, number)
		t.minutes++
		if m.New > 0 {
			m.PerNew = float64(m.Requests) / float64(m.New)
			t.busiest = append(t.busiest, *m)
		}
	}
	slices.SortFunc(t.busiest, func(a, b Minute) int { return cmp.Or(cmp.Compare(b.New, a.New), a.At.Compare(b.At)) })
	t.busiest = t.busiest[:min(len(t.busiest), worstFew)]
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
