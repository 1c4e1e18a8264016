package plan

import (
	"fmt"
	"time"

	"h2lab/internal/facts"
)

const (
	// soughtRenewals is how many renewals a window is made for, fewestRenewals how many it must have time
	// for: below that the cell is not measured.
	soughtRenewals = 3
	fewestRenewals = 2
	// longestMatters is the longest window of the sweep, in seconds.
	longestMatters = 8
	// mostPace is the highest rate, in requests a second, that a window is planned for. It is below the median
	// goodput without renewals of the recorded run fixed (nginx-100000.h2.go-replayable).
	mostPace = 5000
	// ownMS is a request's time beside the backend's delay and the round trip, in milliseconds.
	ownMS = 1
)

// lasts is the time of a request without any load, in milliseconds.
func lasts(w facts.Workload) float64 { return float64(w.DelayMS) + w.Distance.RTTMS }

// paceOf is the highest rate of a place without renewals, in requests a second. A closed loop can't be
// faster than its requests in flight divided by their time.
func paceOf(w facts.Workload) float64 {
	return min(mostPace, float64(w.Concurrency)*1000/(lasts(w)+ownMS))
}

// windowFor is the time for so many renewals, in seconds.
func windowFor(limit int, renewals, pace float64) float64 { return renewals * float64(limit) / pace }

// lastingFor sets a cell's warm-up and window. The warm-up has time for the first handshakes, which cross
// the line four times, and for slow start. At the highest limit no connection is renewed: a trial starts
// with a new pool and ends before its 100,000th request.
func lastingFor(c facts.Planned, pace float64) facts.Planned {
	w := &c.Workload
	w.WarmupS = 0.5 + (6*w.Distance.RTTMS+2*float64(w.DelayMS))/1000
	w.DurationS = 2 + 10*lasts(*w)/1000
	if c.Client == OkHTTP { // its code is compiled while it runs
		w.WarmupS, w.DurationS = w.WarmupS+2.5, w.DurationS+1
	}
	if c.Topology.Limit < HighLimit {
		w.DurationS = max(w.DurationS, min(longestMatters, windowFor(c.Topology.Limit, soughtRenewals, pace)))
	}
	return c
}

// TooFewRenewals returns why a cell of the sweep is not measured: its connections last so long that no window would
// have enough renewals. It returns "" for a cell that is measured.
func TooFewRenewals(c facts.Planned) string {
	pace := paceOf(c.Workload)
	if c.Workload.RatePerS > 0 {
		pace = c.Workload.RatePerS
	}
	if c.Topology.Limit >= HighLimit || windowFor(c.Topology.Limit, fewestRenewals, pace) <= longestMatters {
		return ""
	}
	return fmt.Sprintf("not measured: needs %.1f s for one renewal (%d requests, at most %.0f a second), so a window of "+
		"%d s has no time for %d", windowFor(c.Topology.Limit, 1, pace), c.Topology.Limit, pace, longestMatters,
		fewestRenewals)
}

const (
	// rateShare is the part of a place's closed-loop goodput that arrives in its open loop, in per cent.
	rateShare = 70
	// ratedName ends the points of an open loop.
	ratedName = "-70pct"
)

// opened are a place's cells as an open loop, whose rate is known once the closed loop is measured.
func opened(cells []facts.Planned) (out []facts.Planned) {
	for _, c := range cells {
		if c.Topology.Limit == 10000 { // at 70 % of the lowest goodput no connection is renewed in a window
			continue
		}
		c.Point += ratedName
		c.Workload = AtRate(c.Workload, 0, facts.Poisson, c.Workload.Concurrency)
		out = append(out, c)
	}
	return out
}

// Rated reports whether cells need a rate that a closed loop of the run determines.
func Rated(cells []facts.Planned) bool { return cells[0].Workload.Arrivals != "" }

// MattersAtRate are the cells of an open loop at 70 % of the lowest goodput that its place's closed loop had in
// the run; ok is false where that isn't known.
func MattersAtRate(cells []facts.Planned, r *facts.Result) (out []facts.Planned, ok bool) {
	lowest := 0.0
	for _, c := range r.Cells {
		if c.Point+ratedName != cells[0].Point || c.Client != cells[0].Client {
			continue
		}
		for _, t := range c.Trials {
			if t.Fault == nil && t.GoodputRPS > 0 && (lowest == 0 || t.GoodputRPS < lowest) {
				lowest = t.GoodputRPS
			}
		}
	}
	for _, c := range cells {
		c.Workload.RatePerS = max(1, float64(int(lowest*rateShare/100)))
		out = append(out, lastingFor(c, c.Workload.RatePerS))
	}
	return out, lowest > 0
}

// mattersOverhead is what a trial of the sweep takes besides its load, startOfOkHTTP what its JVM needs
// more.
const (
	mattersOverhead = 600 * time.Millisecond
	startOfOkHTTP   = time.Second
)

// MattersTake is the expected time of cells of the sweep.
func MattersTake(cells []facts.Planned, trials int) (sum time.Duration) {
	for _, c := range cells {
		if TooFewRenewals(c) != "" {
			continue
		}
		sum += mattersOverhead + loadTime(c)
		if c.Client == OkHTTP {
			sum += startOfOkHTTP
		}
	}
	return sum * time.Duration(trials)
}
