package accesslog

import "math"

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
