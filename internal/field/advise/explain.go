package advise

import (
	"fmt"
	"math"
	"slices"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// Line is one number and its formula.
type Line struct {
	Name    string         `json:"name"` // the field's name in JSON, or a step's
	Value   float64        `json:"value"`
	Formula texts.Sentence `json:"formula"`
	With    texts.Sentence `json:"with"` // the formula with the numbers in it
}

// Explain shows every number of Predict's answer, ordered so that each depends only on those above
// it.
func Explain(q Question) []Line {
	w := loaded().corrected(q)
	var out []Line
	for _, f := range slices.Concat(w.steps(), w.corrections(), w.results(w.answer())) {
		out = append(out, Line{f.name, f.value, texts.Sentence(f.of), texts.Sentence(f.with)})
	}
	return out
}

// formula is a Line as it is made.
type formula struct {
	name     string
	value    float64
	of, with facts.Text
}

// v is a formula that is the same in every language.
func v(format string, args ...any) facts.Text { return facts.Verbatim(fmt.Sprintf(format, args...)) }

// steps are the intermediate values of the results.
func (w working) steps() []formula {
	q := w.q
	n := number
	lines := []formula{
		{"latency_ms", q.LatencyMS(), facts.T("advise.f-latency"),
			v("%d / %s", q.InFlight, n(q.RateRPS))},
		{"connections", w.conns, connectionsFormula(q), facts.T("advise.w-connections", q.Pools, q.InFlight)},
		{"in_flight_on_one", w.on, facts.T("advise.f-in-flight"),
			v("%d / %s", q.InFlight, n(w.conns))},
		{"at_the_proxy", w.proxy, v("in-flight-on-one − rate-on-one × (rtt + backend)"),
			v("%s − %s × (%s + %s ms)", n(w.on), n(w.each), n(q.RTTMS), n(q.BackendMS))},
		{"handshake_ms", w.cost, v("full × (1 − resumed) + resumed-one × resumed"),
			v("%s × (1 − %s) + %s × %s", n(q.HandshakeMS), n(q.ResumedShare), n(q.ResumedMS),
				n(q.ResumedShare))},
	}
	if q.Client == HTTP1 {
		return lines
	}
	lines = append(lines,
		formula{"dialling", w.waiting, facts.T("advise.f-dialling", n(diallingOneFlight), n(perFlight)),
			facts.T("advise.w-dialling", n(w.most()), n(w.dropped),
				n((1+w.flights)*w.rtt), n(perFlight), n(w.flights), n(w.proxy), n(w.backend))})
	if q.Client == SingleDial {
		return append(lines, formula{"dials", w.dials, facts.T("advise.f-one-dial"), v("1")})
	}
	_, pause := w.pausesMS()
	dials, byMap := facts.T("advise.f-dials"), ""
	if w.correction.Applied {
		dials, byMap = facts.T("advise.f-dials-by-map"), " × "+n(w.correction.Dials)
	}
	return append(lines,
		formula{"dials_in_time", w.inTime,
			facts.T("advise.f-in-time"),
			v("(2 × %d × %s + ((1 + %s) × %s + %s / %s) × %s) / %s", q.Limit, n(q.RequestMS), n(w.flights),
				n(q.RTTMS), n(pause), n(w.conns), n(q.CPUs), n(w.cost))},
		formula{"dials", w.dials, dials,
			v("1 / √(1/%s² + 1/%s²)%s", n(w.waiting), n(w.inTime), byMap)})
}

// corrections are the measured map's factors, and the requests lost for one renewal.
func (w working) corrections() (lines []formula) {
	n, c := number, w.correction
	if c.Applied {
		from := facts.T("advise.f-map", c.Cells)
		for _, f := range []struct {
			name  string
			value float64
		}{{"map_dials", c.Dials}, {"map_lost", c.Lost}, {"map_added_p99", c.AddedP99}} {
			lines = append(lines, formula{f.name, f.value, from, facts.Verbatim(n(f.value))})
		}
	}
	_, pause := w.pausesMS()
	of := facts.T("advise.f-lost", n(queueLost))
	with := fmt.Sprintf("%s / %s × (%s × %s ms + %s × %s ms)", n(w.each), n(w.on), n(w.waiting), n(w.waitMS()),
		n(w.requests()), n(pause))
	if c.Applied {
		of = facts.T("advise.f-lost-by-map", n(queueLost), n(floorRequests), n(floorRequests))
		with = fmt.Sprintf("(%s + %s) × %s − %s", with, n(floorRequests), n(c.Lost), n(floorRequests))
	}
	lines = append(lines, w.times()...)
	return append(lines, formula{"lost_per_renewal", c.lost(w.lost()), of, facts.Verbatim(with)})
}

// times are the parts of a wait.
func (w working) times() []formula {
	q, n := w.q, number
	mean := w.requests()*q.RequestMS + w.alone*w.cost
	p99, _ := w.pausesMS()
	return []formula{
		{"trips", w.tripsMS(), v("(1 + flights + 2 × on-the-network / in-flight-on-one) × rtt"),
			v("(1 + %s + 2 × %s / %s) × %s ms", n(w.flights), n(w.rtt), n(w.on), n(q.RTTMS))},
		{"queue", w.queueMS(), facts.T("advise.f-queue"),
			v("%s × %s / %s", n(w.alone), n(w.cost), n(q.CPUs))},
		{"stop", w.stopMS(), facts.T("advise.f-stop"),
			v("100 × %s × %s × %s", n(math.Max(0, 1-q.CPUs)), n(w.busy()), n(w.alone*w.cost/mean))},
		{"pause", p99, facts.T("advise.f-pause"), facts.Verbatim(n(p99))},
	}
}

func connectionsFormula(q Question) facts.Text {
	if q.Client == HTTP1 {
		return facts.T("advise.f-connections-h1")
	}
	return facts.T("advise.f-connections", MaxStreams)
}

// results are the answer's fields under their JSON names.
func (w working) results(a Answer) []formula {
	q := w.q
	n := number
	p99, _ := w.pausesMS()
	byAge := facts.T("advise.f-life")
	return []formula{
		{"limit", float64(a.Limit), facts.T("advise.f-asked"), facts.Verbatim(n(float64(a.Limit)))},
		{"connection_life_s", a.ConnectionLifeS, byAge, v("%d / %s", q.Limit, n(w.each))},
		{"age_rules", truth(a.AgeRules), facts.T("advise.f-age-rules"),
			v("%s s", n(float64(q.Limit)/w.each))},
		{"used_per_s", a.UsedPerS, facts.T("advise.f-used"),
			v("%s / %s", n(w.conns), n(a.ConnectionLifeS))},
		{"renewals_per_hour", a.RenewalsPerHour, v("used × 3600"), v("%s × 3600", n(a.UsedPerS))},
		{"dropped_per_renewal", a.DroppedPerRenewal,
			facts.T("advise.f-dropped", n(DroppedShare)),
			v("%s + %s × %s", n(w.rtt), n(DroppedShare), n(w.proxy))},
		{"failures_per_s", a.FailuresPerS, v("dropped × used"), v("%s × %s", n(w.dropped), n(a.UsedPerS))},
		{"wasted_per_renewal", a.WastedPerRenewal, v("dials − 1"), v("%s − 1", n(w.dials))},
		{"wasted_per_s", a.WastedPerS, v("wasted-per-renewal × used"),
			v("%s × %s", n(a.WastedPerRenewal), n(a.UsedPerS))},
		{"connections_per_s", a.ConnectionsPerS, v("used + wasted"), v("%s + %s", n(a.UsedPerS), n(a.WastedPerS))},
		{"handshakes_per_s", a.HandshakesPerS, facts.T("advise.f-handshakes"), facts.Verbatim(n(a.ConnectionsPerS))},
		{"cpu_cores", a.CPUCores, v("handshakes × handshake-ms / 1000"),
			v("%s × %s / 1000", n(a.HandshakesPerS), n(w.cost))},
		{"cpu_share", a.CPUShare, v("cores / cpus"), v("%s / %s", n(a.CPUCores), n(q.CPUs))},
		{"unlimited_rps", a.UnlimitedRPS, v("cpus × 1000 / request-ms"),
			v("%s × 1000 / %s", n(q.CPUs), n(q.RequestMS))},
		{"capacity_rps", a.CapacityRPS, v("cpus × 1000 / (request-ms + dials × handshake-ms / requests-a-connection)"),
			v("%s × 1000 / (%s + %s × %s / %s)", n(q.CPUs), n(q.RequestMS), n(w.dials), n(w.cost),
				n(w.requests()))},
		{"goodput_rps", a.GoodputRPS, v("rate / (1 + lost-per-renewal / requests-a-connection)"),
			v("%s / (1 + %s / %s)", n(q.RateRPS), n(w.correction.lost(w.lost())), n(w.requests()))},
		{"waiting_per_renewal", a.WaitingPerRenewal,
			facts.T("advise.f-waiting"), facts.Verbatim(n(w.waiting))},
		{"waiting_share", a.WaitingShare, v("waiting / requests-a-connection"),
			v("%s / %s", n(w.waiting), n(w.requests()))},
		{"wait_ms", a.WaitMS, v("trips + stop + pause + dials × handshake-ms / cpus"),
			v("%s + %s + %s + %s × %s / %s", n(w.tripsMS()), n(w.stopMS()), n(p99), n(w.dials), n(w.cost),
				n(q.CPUs))},
		w.p99Line(a),
	}
}

func (w working) p99Line(a Answer) formula {
	n := number
	p99, _ := w.pausesMS()
	of := facts.T("advise.f-p99", n(queueP99))
	with := fmt.Sprintf("%s × (%s + %s + %s + %s × %s × (1 − 0.01 / %s))", n(w.shown()), n(w.tripsMS()), n(w.stopMS()),
		n(p99), n(queueP99), n(w.queueMS()), n(a.WaitingShare))
	if w.correction.Applied {
		of = facts.T("advise.f-p99-by-map", n(queueP99), n(floorMS), n(floorMS))
		with = fmt.Sprintf("(%s + %s) × %s − %s", with, n(floorMS), n(w.correction.AddedP99), n(floorMS))
	}
	return formula{"added_p99_ms", a.AddedP99MS, of, facts.Verbatim(with)}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
