package plan

import (
	"fmt"
	"slices"
	"time"

	"h2lab/internal/facts"
)

// Matters is the sweep that measures where a limit matters: over loads, backends, distances, handshakes
// and clients. It needs no services, so SWEEP=all doesn't include it.
const Matters = "matters"

// OkHTTP is the client of the sweep that needs a JDK.
const OkHTTP facts.Client = "okhttp-5"

// The axes of the map, on which readers find the place of their own system.
var (
	mattersLimits = []int{LowerLimit, DefaultLimit, 10000, HighLimit}
	mattersDelays = []int{0, 1, 5, 20, 100} // ms
	mattersRTTs   = []int{0, 5, 20, 80}     // ms
)

// Place is everything of a cell but its limit. The cells of a place are compared with each other.
type Place struct {
	client facts.Client
	load   facts.Workload
	limits []int
	rated  bool // it is measured at a rate, too
}

// name is the place's name in points. It leaves out the settings that all places of the map share.
func (p Place) name() string {
	w := p.load
	name := fmt.Sprintf("%d-in-flight-%dms-rtt%g", w.Concurrency, w.DelayMS, w.Distance.RTTMS)
	for _, s := range []struct {
		is   bool
		word string
	}{{w.Pools > 1, fmt.Sprintf("-%d-pools", w.Pools)}, {w.MaxTLS != "1.2", "-tls" + w.MaxTLS},
		{w.Key != "rsa", "-" + w.Key}, {w.Resume, "-resumed"}} {
		if s.is {
			name += s.word
		}
	}
	return name
}

// design is a list of places. A place that is added twice is measured once, with the limits of both.
type design []Place

// add adds a place that differs from the base by change.
func (d *design) add(client facts.Client, delay, rtt int, limits []int, change func(*Place)) {
	p := Place{client: client, limits: limits, load: facts.Workload{Method: "POST", BodyBytes: 1, DelayMS: delay,
		Concurrency: 100, Pools: 1, MaxTLS: "1.2", Key: "rsa", Distance: facts.Distance{RTTMS: float64(rtt)}}}
	if change != nil {
		change(&p)
	}
	i := slices.IndexFunc(*d, func(x Place) bool { return x.client == p.client && x.name() == p.name() })
	if i < 0 {
		*d = append(*d, p)
		return
	}
	same := &(*d)[i]
	same.limits = slices.Compact(slices.Sorted(slices.Values(slices.Concat(same.limits, limits))))
	same.rated = same.rated || p.rated
}

// far is a place's delay of the backend and round trip, in milliseconds.
type far struct{ delay, rtt int }

// extent says which places of the design a run has.
type extent struct {
	delays, rtts   []int
	inFlight       []int
	loads          []far // where the requests in flight and the pools are varied
	handshakes     []far // where TLS is varied
	handshakeLimit []int
	clients, rates []far
}

// whole has every value of every axis.
var whole = extent{delays: mattersDelays, rtts: mattersRTTs, inFlight: []int{10, 50, 400},
	loads: []far{{0, 0}, {20, 0}, {0, 20}}, handshakes: []far{{0, 0}, {0, 20}},
	handshakeLimit: []int{LowerLimit, DefaultLimit, HighLimit},
	clients:        []far{{0, 0}, {100, 0}, {0, 80}, {100, 80}}, rates: []far{{0, 0}, {20, 0}, {0, 20}, {20, 20}}}

// few is what QUICK=1 has.
var few = extent{delays: []int{0, 20, 100}, rtts: []int{0, 20, 80}, inFlight: []int{10, 400}, loads: []far{{0, 0}},
	handshakes: []far{{0, 0}}, handshakeLimit: []int{DefaultLimit, HighLimit}, clients: []far{{0, 0}},
	rates: []far{{0, 0}}}

// places are the places of the sweep: the map, and the other settings at some places of it.
func (e extent) places() []Place {
	var d design
	three := []int{LowerLimit, DefaultLimit, HighLimit}
	for _, delay := range e.delays {
		for _, rtt := range e.rtts {
			d.add(facts.GoReplayable, delay, rtt, mattersLimits, nil)
		}
	}
	for _, at := range e.loads {
		for _, n := range e.inFlight {
			d.add(facts.GoReplayable, at.delay, at.rtt, three, func(p *Place) { p.load.Concurrency = n })
		}
		d.add(facts.GoReplayable, at.delay, at.rtt, three, func(p *Place) { p.load.Pools = 4 })
	}
	for _, at := range e.handshakes {
		for n := range 8 {
			d.add(facts.GoReplayable, at.delay, at.rtt, e.handshakeLimit, func(p *Place) {
				p.load.MaxTLS = []string{"1.2", "1.3"}[n&1]
				p.load.Key = []string{"rsa", "ecdsa"}[n>>1&1]
				p.load.Resume = n>>2 == 1
			})
		}
	}
	for _, client := range []facts.Client{facts.GoOnce, facts.GoSingleDial, OkHTTP} {
		for _, at := range e.clients {
			d.add(client, at.delay, at.rtt, three, nil)
		}
	}
	for _, at := range e.rates {
		d.add(facts.GoReplayable, at.delay, at.rtt, three, func(p *Place) { p.rated = true })
	}
	return d
}

// MattersPlaces are the places that match the filters, in the order of the design, each with its cells.
// The cells at the highest limit are always there: the others are compared with them. rows has the
// manifest of OkHTTP.
func MattersPlaces(k Knobs, rows []Row) (out [][]facts.Planned) {
	e := whole
	if k.Quick {
		e = few
	}
	for _, p := range e.places() {
		cells := p.cells(k, rows)
		if len(cells) == 0 {
			continue
		}
		out = append(out, cells)
		if p.rated {
			out = append(out, opened(cells))
		}
	}
	return out
}

// cells are the place's cells, one for each limit.
func (p Place) cells(k Knobs, rows []Row) (out []facts.Planned) {
	var program *facts.Program
	if i := slices.IndexFunc(rows, func(r Row) bool { return r.Client == p.client }); i >= 0 {
		program = rows[i].Program
	}
	compared := k
	compared.Topologies = nil
	for _, t := range mattersTopologies() {
		wanted := k.wants(t.Name, facts.H2, p.client) || t.Limit == HighLimit && compared.wants(t.Name, facts.H2, p.client)
		if !wanted || !slices.Contains(p.limits, t.Limit) {
			continue
		}
		c := facts.Planned{Topology: t, Protocol: facts.H2, Client: p.client, Program: program, Point: p.name(),
			Workload: p.load}
		out = append(out, lastingFor(c, paceOf(c.Workload)))
	}
	return out
}

// UnusedInMatters reports filters that leave no cell, or the first word of one that matches none.
func UnusedInMatters(cells []facts.Planned, k Knobs) error {
	clients := []facts.Client{facts.GoReplayable, facts.GoOnce, facts.GoSingleDial, OkHTTP}
	if err := k.matched(cells, choices(mattersTopologies(), clients)); err != nil {
		return fmt.Errorf("SWEEP=%s: %w", Matters, err)
	}
	return nil
}

// ValidateMatters refuses knobs that are axes of the sweep.
func (k Knobs) ValidateMatters() error {
	switch {
	case k.Limit != DefaultLimit:
		return fmt.Errorf("LIMIT=%d: SWEEP=%s measures the limits 100, 1000, 10000 and 100000; leave LIMIT out, or choose "+
			"some of them: TOPOLOGY=nginx-100,nginx-1000", k.Limit, Matters)
	case k.Key != Usual().Key:
		return fmt.Errorf("KEY=%s: SWEEP=%s measures both keys; leave KEY out", k.Key, Matters)
	}
	return nil
}

// UsualTrials is how often a sweep measures each cell if TRIALS isn't given. Two trials of each cell of the map
// show how far its numbers scatter.
func UsualTrials(sweep string) int {
	if sweep == Matters {
		return 2
	}
	return 1
}

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
// have enough renewals. It is empty for a cell that is measured.
func TooFewRenewals(c facts.Planned) (why facts.Text) {
	pace := paceOf(c.Workload)
	if c.Workload.RatePerS > 0 {
		pace = c.Workload.RatePerS
	}
	if c.Topology.Limit >= HighLimit || windowFor(c.Topology.Limit, fewestRenewals, pace) <= longestMatters {
		return why
	}
	return facts.T("lab.not-measured", facts.T("lab.too-few-renewals", fmt.Sprintf("%.1f", windowFor(c.Topology.Limit, 1, pace)),
		fmt.Sprint(c.Topology.Limit), fmt.Sprintf("%.0f", pace), fmt.Sprint(longestMatters), fmt.Sprint(fewestRenewals)))
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
		if !TooFewRenewals(c).IsZero() {
			continue
		}
		sum += mattersOverhead + loadTime(c)
		if c.Client == OkHTTP {
			sum += startOfOkHTTP
		}
	}
	return sum * time.Duration(trials)
}
