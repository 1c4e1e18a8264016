package advise

import (
	"fmt"
	"math"
)

// Line is one number and its formula.
type Line struct {
	Name    string  `json:"name"` // the field's name in JSON, or a step's
	Value   float64 `json:"value"`
	Formula string  `json:"formula"`
	With    string  `json:"with"` // the formula with the numbers in it
}

// Explain shows every number of Predict's answer, ordered so that each depends only on those above
// it.
func Explain(q Question) []Line {
	w := loaded().corrected(q)
	lines := append(w.steps(), w.corrections()...)
	return append(lines, w.results(w.answer())...)
}

// steps are the intermediate values of the results.
func (w working) steps() []Line {
	q := w.q
	n := number
	lines := []Line{
		{"latency_ms", q.LatencyMS(), "in-flight / rate (Little's law)",
			fmt.Sprintf("%d / %s", q.InFlight, n(q.RateRPS))},
		{"connections", w.conns, connectionsFormula(q), fmt.Sprintf("%d pools, %d in flight", q.Pools, q.InFlight)},
		{"in_flight_on_one", w.on, "in-flight / connections, 1 at least",
			fmt.Sprintf("%d / %s", q.InFlight, n(w.conns))},
		{"at_the_proxy", w.proxy, "in-flight-on-one − rate-on-one × (rtt + backend)",
			fmt.Sprintf("%s − %s × (%s + %s ms)", n(w.on), n(w.each), n(q.RTTMS), n(q.BackendMS))},
		{"handshake_ms", w.cost, "full × (1 − resumed) + resumed-one × resumed",
			fmt.Sprintf("%s × (1 − %s) + %s × %s", n(q.HandshakeMS), n(q.ResumedShare), n(q.ResumedMS),
				n(q.ResumedShare))},
	}
	if q.Client == HTTP1 {
		return lines
	}
	lines = append(lines,
		Line{"dialling", w.waiting, fmt.Sprintf("smaller of in-flight-on-one × (%s, 1 with two flights) and dropped + "+
			"round-trips + %s × flights × at-the-proxy + √at-the-backend", n(diallingOneFlight), n(perFlight)),
			fmt.Sprintf("%s, or %s + %s + %s × %s × %s + √%s", n(w.most()), n(w.dropped),
				n((1+w.flights)*w.rtt), n(perFlight), n(w.flights), n(w.proxy), n(w.backend))})
	if q.Client == SingleDial {
		return append(lines, Line{"dials", w.dials, "1: all wait for one dial", "1"})
	}
	_, pause := w.pausesMS()
	return append(lines,
		Line{"dials_in_time", w.inTime,
			"(2 × limit × request-ms + ((1 + flights) × rtt + mean pause / connections) × cpus) / handshake-ms",
			fmt.Sprintf("(2 × %d × %s + ((1 + %s) × %s + %s / %s) × %s) / %s", q.Limit, n(q.RequestMS), n(w.flights),
				n(q.RTTMS), n(pause), n(w.conns), n(q.CPUs), n(w.cost))},
		Line{"dials", w.dials, "1 / √(1/dialling² + 1/dials-in-time²)" + w.byMap(" × map-dials") + ", 1 at least",
			fmt.Sprintf("1 / √(1/%s² + 1/%s²)", n(w.waiting), n(w.inTime)) + w.byMap(" × "+n(w.correction.Dials))})
}

// byMap is a part of a formula that only an answer corrected by the measured map has.
func (w working) byMap(part string) string {
	if !w.correction.Applied {
		return ""
	}
	return part
}

// corrections are the measured map's factors, and the requests lost for one renewal.
func (w working) corrections() (lines []Line) {
	n, c := number, w.correction
	if c.Applied {
		from := fmt.Sprintf("from the measured map: measured / calculated, between %d cells", c.Cells)
		for _, f := range []struct {
			name  string
			value float64
		}{{"map_dials", c.Dials}, {"map_lost", c.Lost}, {"map_added_p99", c.AddedP99}} {
			lines = append(lines, Line{f.name, f.value, from, n(f.value)})
		}
	}
	_, pause := w.pausesMS()
	formula := fmt.Sprintf("rate-on-one / in-flight-on-one × (dialling × (trips + %s × queue) + requests-a-connection × mean "+
		"pause)", n(queueLost))
	with := fmt.Sprintf("%s / %s × (%s × %s ms + %s × %s ms)", n(w.each), n(w.on), n(w.waiting), n(w.waitMS()),
		n(w.requests()), n(pause))
	if c.Applied {
		formula = fmt.Sprintf("(%s + %s) × map-lost − %s, 0 at least", formula, n(floorRequests), n(floorRequests))
		with = fmt.Sprintf("(%s + %s) × %s − %s", with, n(floorRequests), n(c.Lost), n(floorRequests))
	}
	lines = append(lines, w.times()...)
	return append(lines, Line{"lost_per_renewal", c.lost(w.lost()), formula, with})
}

// times are the parts of a wait.
func (w working) times() []Line {
	q, n := w.q, number
	mean := w.requests()*q.RequestMS + w.alone*w.cost
	p99, _ := w.pausesMS()
	return []Line{
		{"trips", w.tripsMS(), "(1 + flights + 2 × on-the-network / in-flight-on-one) × rtt",
			fmt.Sprintf("(1 + %s + 2 × %s / %s) × %s ms", n(w.flights), n(w.rtt), n(w.on), n(q.RTTMS))},
		{"queue", w.queueMS(), "dials × handshake-ms / cpus, without map-dials",
			fmt.Sprintf("%s × %s / %s", n(w.alone), n(w.cost), n(q.CPUs))},
		{"stop", w.stopMS(), "100 ms × (1 − cpus, 0 at least) × busy share × handshakes' share of the work",
			fmt.Sprintf("100 × %s × %s × %s", n(math.Max(0, 1-q.CPUs)), n(w.busy()), n(w.alone*w.cost/mean))},
		{"pause", p99, "of the 1 % that were dropped most often: 1 s after the second time, 2 s after the third …",
			n(p99)},
	}
}

func connectionsFormula(q Question) string {
	if q.Client == HTTP1 {
		return "one for each request in flight"
	}
	return fmt.Sprintf("one a pool, and one more for every %d streams in flight", MaxStreams)
}

// results are the answer's fields under their JSON names.
func (w working) results(a Answer) []Line {
	q := w.q
	n := number
	p99, _ := w.pausesMS()
	byAge := "the smaller of limit / rate-on-one and 3600 s (keepalive_time)"
	return []Line{
		{"limit", float64(a.Limit), "as asked", n(float64(a.Limit))},
		{"connection_life_s", a.ConnectionLifeS, byAge, fmt.Sprintf("%d / %s", q.Limit, n(w.each))},
		{"age_rules", truth(a.AgeRules), "1 where limit / rate-on-one is more than 3600 s",
			fmt.Sprintf("%s s", n(float64(q.Limit)/w.each))},
		{"used_per_s", a.UsedPerS, "connections / life (rate / limit, unless keepalive_time ends them first)",
			fmt.Sprintf("%s / %s", n(w.conns), n(a.ConnectionLifeS))},
		{"renewals_per_hour", a.RenewalsPerHour, "used × 3600", fmt.Sprintf("%s × 3600", n(a.UsedPerS))},
		{"dropped_per_renewal", a.DroppedPerRenewal,
			fmt.Sprintf("rate-on-one × rtt + %s × at-the-proxy, 1 less than in flight at most", n(DroppedShare)),
			fmt.Sprintf("%s + %s × %s", n(w.rtt), n(DroppedShare), n(w.proxy))},
		{"failures_per_s", a.FailuresPerS, "dropped × used", fmt.Sprintf("%s × %s", n(w.dropped), n(a.UsedPerS))},
		{"wasted_per_renewal", a.WastedPerRenewal, "dials − 1", fmt.Sprintf("%s − 1", n(w.dials))},
		{"wasted_per_s", a.WastedPerS, "wasted-per-renewal × used",
			fmt.Sprintf("%s × %s", n(a.WastedPerRenewal), n(a.UsedPerS))},
		{"connections_per_s", a.ConnectionsPerS, "used + wasted", fmt.Sprintf("%s + %s", n(a.UsedPerS), n(a.WastedPerS))},
		{"handshakes_per_s", a.HandshakesPerS, "one for each connection opened", n(a.ConnectionsPerS)},
		{"cpu_cores", a.CPUCores, "handshakes × handshake-ms / 1000",
			fmt.Sprintf("%s × %s / 1000", n(a.HandshakesPerS), n(w.cost))},
		{"cpu_share", a.CPUShare, "cores / cpus", fmt.Sprintf("%s / %s", n(a.CPUCores), n(q.CPUs))},
		{"unlimited_rps", a.UnlimitedRPS, "cpus × 1000 / request-ms",
			fmt.Sprintf("%s × 1000 / %s", n(q.CPUs), n(q.RequestMS))},
		{"capacity_rps", a.CapacityRPS, "cpus × 1000 / (request-ms + dials × handshake-ms / requests-a-connection)",
			fmt.Sprintf("%s × 1000 / (%s + %s × %s / %s)", n(q.CPUs), n(q.RequestMS), n(w.dials), n(w.cost),
				n(w.requests()))},
		{"goodput_rps", a.GoodputRPS, "rate / (1 + lost-per-renewal / requests-a-connection)",
			fmt.Sprintf("%s / (1 + %s / %s)", n(q.RateRPS), n(w.correction.lost(w.lost())), n(w.requests()))},
		{"waiting_per_renewal", a.WaitingPerRenewal,
			"dialling: for the connection, or behind the handshakes", n(w.waiting)},
		{"waiting_share", a.WaitingShare, "waiting / requests-a-connection",
			fmt.Sprintf("%s / %s", n(w.waiting), n(w.requests()))},
		{"wait_ms", a.WaitMS, "trips + stop + pause + dials × handshake-ms / cpus",
			fmt.Sprintf("%s + %s + %s + %s × %s / %s", n(w.tripsMS()), n(w.stopMS()), n(p99), n(w.dials), n(w.cost),
				n(q.CPUs))},
		w.p99Line(a),
	}
}

func (w working) p99Line(a Answer) Line {
	n := number
	p99, _ := w.pausesMS()
	formula := fmt.Sprintf("shown × (trips + stop + pause + %s × queue × (1 − 0.01 / waiting-share)); shown is 0 up to 0.8 %% "+
		"waiting and 1 from 1.2 %% on", n(queueP99))
	with := fmt.Sprintf("%s × (%s + %s + %s + %s × %s × (1 − 0.01 / %s))", n(w.shown()), n(w.tripsMS()), n(w.stopMS()),
		n(p99), n(queueP99), n(w.queueMS()), n(a.WaitingShare))
	if w.correction.Applied {
		formula = fmt.Sprintf("(%s + %s) × map-added-p99 − %s, 0 at least; queue without map-dials", formula, n(floorMS),
			n(floorMS))
		with = fmt.Sprintf("(%s + %s) × %s − %s", with, n(floorMS), n(w.correction.AddedP99), n(floorMS))
	}
	return Line{"added_p99_ms", a.AddedP99MS, formula, with}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
