package advise

import (
	"math"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// Line is one number and its formula.
type Line struct {
	Name    string         `json:"name"` // the field's name in JSON, or a step's
	Value   float64        `json:"value"`
	Formula texts.Sentence `json:"formula"`
}

// line is a number with a formula that is the same in every language.
func line(name string, value float64, formula string) Line {
	return Line{name, value, texts.Sentence(facts.Verbatim(formula))}
}

// Explain shows every number of Predict's answer, ordered so that each depends only on those above
// it.
func Explain(q Question) []Line {
	w := work(q)
	return append(append(w.steps(), w.times()...), w.results(w.answer())...)
}

// steps are the intermediate values of the results.
func (w working) steps() []Line {
	q, connections := w.q, facts.T("advise.f-connections", MaxStreams)
	if q.Client == HTTP1 {
		connections = facts.T("advise.f-connections-h1")
	}
	lines := []Line{
		{"latency_ms", q.LatencyMS(), texts.Sentence(facts.T("advise.f-latency"))},
		{"connections", w.conns, texts.Sentence(connections)},
		line("rate_on_one", w.each, "rate / connections"),
		{"in_flight_on_one", w.on, texts.Sentence(facts.T("advise.f-in-flight"))},
		line("on_the_network", w.rtt, "rate-on-one × rtt"),
		line("at_the_backend", w.backend, "rate-on-one × backend"),
		line("at_the_proxy", w.proxy, "in-flight-on-one − on-the-network − at-the-backend"),
		line("handshake_ms", w.cost, "full × (1 − resumed) + resumed-one × resumed"),
	}
	if q.Client == HTTP1 {
		return lines
	}
	lines = append(lines, Line{"dialling", w.waiting,
		texts.Sentence(facts.T("advise.f-dialling", number(diallingOneFlight), number(perFlight)))})
	if q.Client == SingleDial {
		return append(lines, Line{"dials", w.dials, texts.Sentence(facts.T("advise.f-one-dial"))})
	}
	return append(lines,
		Line{"dials_in_time", w.inTime, texts.Sentence(facts.T("advise.f-in-time"))},
		Line{"dials", w.dials, texts.Sentence(facts.T("advise.f-dials"))})
}

// times are the parts of a wait, and what they cost.
func (w working) times() []Line {
	p99, mean := w.pausesMS()
	return []Line{
		line("trips", w.tripsMS(), "(1 + flights + 2 × on-the-network / in-flight-on-one) × rtt"),
		line("queue", w.queueMS(), "dials × handshake-ms / cpus"),
		{"stop", w.stopMS(), texts.Sentence(facts.T("advise.f-stop"))},
		{"pause", p99, texts.Sentence(facts.T("advise.f-pause"))},
		{"mean_pause", mean, texts.Sentence(facts.T("advise.f-mean-pause"))},
		{"requests_a_connection", w.requests(), texts.Sentence(facts.T("advise.f-requests"))},
		{"lost_per_renewal", w.lost(), texts.Sentence(facts.T("advise.f-lost", number(queueLost)))},
	}
}

// results are the answer's fields under their JSON names.
func (w working) results(a Answer) []Line {
	ages := 0.0
	if a.AgeRules {
		ages = 1
	}
	return []Line{
		{"limit", float64(a.Limit), texts.Sentence(facts.T("advise.f-asked"))},
		{"connection_life_s", a.ConnectionLifeS, texts.Sentence(facts.T("advise.f-life"))},
		{"age_rules", ages, texts.Sentence(facts.T("advise.f-age-rules"))},
		{"used_per_s", a.UsedPerS, texts.Sentence(facts.T("advise.f-used"))},
		line("renewals_per_hour", a.RenewalsPerHour, "used × 3600"),
		{"dropped_per_renewal", a.DroppedPerRenewal, texts.Sentence(facts.T("advise.f-dropped", number(DroppedShare)))},
		line("failures_per_s", a.FailuresPerS, "dropped × used"),
		line("wasted_per_renewal", a.WastedPerRenewal, "dials − 1"),
		line("wasted_per_s", a.WastedPerS, "wasted-per-renewal × used"),
		line("connections_per_s", a.ConnectionsPerS, "used + wasted"),
		{"handshakes_per_s", a.HandshakesPerS, texts.Sentence(facts.T("advise.f-handshakes"))},
		line("cpu_cores", a.CPUCores, "handshakes × handshake-ms / 1000"),
		line("cpu_share", a.CPUShare, "cores / cpus"),
		line("unlimited_rps", a.UnlimitedRPS, "cpus × 1000 / request-ms"),
		line("capacity_rps", a.CapacityRPS, "cpus × 1000 / (request-ms + dials × handshake-ms / requests-a-connection)"),
		line("goodput_rps", a.GoodputRPS, "rate / (1 + lost-per-renewal / requests-a-connection)"),
		{"waiting_per_renewal", a.WaitingPerRenewal, texts.Sentence(facts.T("advise.f-waiting"))},
		line("waiting_share", math.Min(1, a.WaitingShare), "waiting / requests-a-connection"),
		line("wait_ms", a.WaitMS, "trips + stop + pause + queue"),
		{"added_p99_ms", a.AddedP99MS, texts.Sentence(facts.T("advise.f-p99", number(queueP99)))},
	}
}
