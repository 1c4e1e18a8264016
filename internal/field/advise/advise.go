// Package advise computes what a limit on requests per connection costs at a given traffic, and
// which limit to set. It is pure arithmetic: Predict turns a Question into an Answer, and Explain
// shows the formula of every number. The package uses no network, no file and no clock.
//
// model.go has the measured constants, each with the recorded run it comes from, and how far off the
// answers are at measured places. docs/advise.md has the tables.
package advise

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/cure"
	"h2lab/internal/field/output"
)

// Client is how a client renews its connections.
type Client string

// The kinds of clients.
const (
	// Stampede dials once for each waiting request (Go's net/http).
	Stampede Client = "stampede"
	// SingleDial dials once, and all waiting requests use that connection.
	SingleDial Client = "single-dial"
	// HTTP1 has one connection per request in flight, each with its own limit.
	HTTP1 Client = "h1"
)

// Certificate keys and TLS versions.
const (
	RSA   = "rsa"
	ECDSA = "ecdsa"
	TLS12 = "1.2"
	TLS13 = "1.3"
)

// Question describes one server's traffic and its limit. RateRPS, InFlight and Limit are required;
// zero means the default for every other field.
type Question struct {
	// RateRPS is requests per second, InFlight the number of concurrent requests, both over all
	// pools.
	RateRPS  float64 `json:"rate_rps"`
	InFlight int     `json:"in_flight"`
	// Pools is the number of client pools that share the traffic evenly; 0 means 1.
	Pools int `json:"pools"`
	// Limit is requests per connection, nginx's keepalive_requests.
	Limit int `json:"limit"`
	// Client is how these pools renew; "" means Stampede.
	Client Client `json:"client"`
	// Key is the certificate's key, TLS the version; "" means RSA and TLS13.
	Key string `json:"key"`
	TLS string `json:"tls"`
	// HandshakeMS is the server's processor time for one full handshake, ResumedMS for a resumed
	// one; 0 means the default (Handshake).
	HandshakeMS float64 `json:"-"`
	ResumedMS   float64 `json:"-"`
	// ResumedShare is the share of resumed handshakes, 0 to 1.
	ResumedShare float64 `json:"resumed_share"`
	// RequestMS is the server's processor time for one request; 0 means the recorded time, scaled
	// to the speed of the machine that HandshakeMS indicates.
	RequestMS float64 `json:"request_ms"`
	// RTTMS is the round trip between client and server, BackendMS the time a request spends at the
	// backend.
	RTTMS     float64 `json:"rtt_ms"`
	BackendMS float64 `json:"backend_ms"`
	// CPUs is the number of cores the server has for this traffic; 0 means 1, one nginx worker.
	CPUs float64 `json:"cpus"`
	// Backends is the number of servers behind a load balancer that balances connections; 0 means
	// 1.
	Backends int `json:"backends"`
}

// Usual is the question with its defaults filled in.
func (q Question) Usual() Question {
	if q.Pools == 0 {
		q.Pools = 1
	}
	if q.Client == "" {
		q.Client = Stampede
	}
	if q.Key == "" {
		q.Key = RSA
	}
	if q.TLS == "" {
		q.TLS = TLS13
	}
	usual := Handshake(q.Key, q.TLS, false)
	if q.HandshakeMS == 0 {
		q.HandshakeMS = usual
	}
	// The model assumes that a machine with slower handshakes is slower at requests as well.
	pace := q.HandshakeMS / usual
	if q.ResumedMS == 0 {
		q.ResumedMS = math.Min(q.HandshakeMS, Handshake(q.Key, q.TLS, true)*pace)
	}
	if q.RequestMS == 0 {
		q.RequestMS = RequestMS * pace
	}
	if q.CPUs == 0 {
		q.CPUs = 1
	}
	if q.Backends == 0 {
		q.Backends = 1
	}
	return q
}

// LatencyMS is the latency of a request by Little's law.
func (q Question) LatencyMS() float64 { return float64(q.InFlight) / q.RateRPS * 1000 }

// connections is how many connections are open at a time.
func (q Question) connections() float64 {
	if q.Client == HTTP1 {
		return math.Max(float64(q.InFlight), float64(q.Pools))
	}
	return float64(q.Pools) * math.Ceil(float64(q.InFlight)/float64(q.Pools)/MaxStreams)
}

const (
	mostPools = 1_000_000
	mostMS    = 60_000
	leastMS   = 0.01 // a quicker request doesn't cross a network
)

// Check returns what is wrong with a question as one sentence, or nil. The accepted ranges are wide: a value outside is a
// typing error or a wrong unit.
func Check(q Question) error {
	for _, n := range []struct {
		flag        string
		value       float64
		least, most float64
		open        bool // 0 means the default
		what        string
	}{
		{"rate", q.RateRPS, 0.0001, 1e8, false, "requests a second"},
		{"in-flight", float64(q.InFlight), 1, 1_000_000, false, "requests under way at a time"},
		{"limit", float64(q.Limit), 1, MaxStreamIDs, false,
			"requests a connection (an HTTP/2 connection has no more stream ids)"},
		{"pools", float64(q.Pools), 1, mostPools, true, "client pools"},
		{"resumed", q.ResumedShare, 0, 1, false, "as a share of all handshakes"},
		{"handshake-ms", q.HandshakeMS, 0.0001, mostMS, true, "ms of processor time"},
		{"request-ms", q.RequestMS, 0.0001, mostMS, true, "ms of processor time"},
		{"rtt", q.RTTMS, 0, mostMS, false, "ms, such as 2ms"},
		{"backend", q.BackendMS, 0, mostMS, false, "ms, such as 20ms"},
		{"cpus", q.CPUs, 0.001, 4096, true, "cores"},
		{"backends", float64(q.Backends), 1, mostPools, true, "servers behind a balancer"},
	} {
		inside := n.value >= n.least && n.value <= n.most // false for NaN
		if !inside && !(n.open && n.value == 0) {
			typed := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
			return fmt.Errorf("--%s %s is out of range: give %s to %s %s", n.flag, typed(n.value), typed(n.least),
				typed(n.most), n.what)
		}
	}
	for _, w := range []struct {
		flag, value string
		choices     []string
	}{
		{"client", string(q.Client), []string{string(Stampede), string(SingleDial), string(HTTP1)}},
		{"key", q.Key, []string{RSA, ECDSA}},
		{"tls", q.TLS, []string{TLS12, TLS13}},
	} {
		if w.value != "" && !slices.Contains(w.choices, w.value) {
			return fmt.Errorf("--%s %q is unknown: choose from %v", w.flag, w.value, w.choices)
		}
	}
	return q.checkTogether()
}

// checkTogether checks rate and in-flight together: by Little's law they determine the latency of a
// request.
func (q Question) checkTogether() error {
	latency := q.LatencyMS()
	says := fmt.Sprintf("%d in flight at %s requests a second are %s ms a request (Little's law: in-flight / rate)",
		q.InFlight, number(q.RateRPS), number(latency))
	switch {
	case latency > mostMS:
		return fmt.Errorf("%s, more than a minute: lower --in-flight or raise --rate", says)
	case latency < leastMS:
		return fmt.Errorf("%s, quicker than a request can be: raise --in-flight or lower --rate", says)
	case latency < q.RTTMS+q.BackendMS:
		return fmt.Errorf("%s, less than --rtt and --backend together (%s ms): one of the four is wrong", says,
			number(q.RTTMS+q.BackendMS))
	}
	return nil
}

// Answer is the prediction for a Question. Every number is a mean over many renewals.
type Answer struct {
	Limit int `json:"limit"`
	// RenewalsPerHour counts the connections that reach the limit or the maximum age in an hour.
	// ConnectionLifeS is how long a connection lasts. AgeRules is set when keepalive_time ends it
	// before the limit does.
	RenewalsPerHour float64 `json:"renewals_per_hour"`
	ConnectionLifeS float64 `json:"connection_life_s"`
	AgeRules        bool    `json:"age_rules"`
	// ConnectionsPerS are opened: UsedPerS of them carry requests, WastedPerS don't.
	ConnectionsPerS  float64 `json:"connections_per_s"`
	UsedPerS         float64 `json:"used_per_s"`
	WastedPerS       float64 `json:"wasted_per_s"`
	WastedPerRenewal float64 `json:"wasted_per_renewal"`
	// HandshakesPerS counts full and resumed handshakes. They cost CPUCores, which is CPUShare of
	// the server's cores.
	HandshakesPerS float64 `json:"handshakes_per_s"`
	CPUCores       float64 `json:"cpu_cores"`
	CPUShare       float64 `json:"cpu_share"`
	// CapacityRPS is how many requests per second these cores serve with the renewals, UnlimitedRPS
	// how many without any.
	// GoodputRPS is what is left of the rate where clients wait for their answers before they send more: they then
	// send less while a renewal lasts.
	GoodputRPS   float64 `json:"goodput_rps"`
	CapacityRPS  float64 `json:"capacity_rps"`
	UnlimitedRPS float64 `json:"unlimited_rps"`
	// WaitingPerRenewal requests wait for one renewal; WaitingShare is their share of all requests.
	// WaitMS is how long the last of them waits, AddedP99MS what the waits add to the 99th
	// percentile (0 if less than 0.8 % of the requests wait).
	WaitingPerRenewal float64 `json:"waiting_per_renewal"`
	WaitingShare      float64 `json:"waiting_share"`
	WaitMS            float64 `json:"wait_ms"`
	AddedP99MS        float64 `json:"added_p99_ms"`
	// DroppedPerRenewal streams are sent before the client reads GOAWAY and are never answered;
	// FailuresPerS counts them where the body can't be sent again.
	DroppedPerRenewal float64 `json:"dropped_per_renewal"`
	FailuresPerS      float64 `json:"failures_per_s"`
}

// The thresholds for a limit that is good enough. Both are choices of this project: below the
// first, renewals don't change the 99.9th percentile either; below the second, their processor time
// is negligible.
const (
	fewWait = 0.001
	FewCPU  = 0.05
)

// round are the limits that Compare shows.
var round = []int{1000, 10_000, 100_000}

// Compare predicts for the present limit and the round ones, smallest first.
func Compare(q Question) []Answer {
	limits := append([]int{q.Limit}, round...)
	slices.Sort(limits)
	var out []Answer
	for _, limit := range slices.Compact(limits) {
		out = append(out, q.At(limit))
	}
	return out
}

// At predicts for another limit.
func (q Question) At(limit int) Answer {
	q.Limit = limit
	return Predict(q)
}

// Recommend is the present limit if its renewals are negligible or keepalive_time ends connections first,
// and otherwise the one that every verb offers.
func Recommend(q Question) int {
	if a := Predict(q); a.AgeRules || a.WaitingShare <= fewWait && a.CPUShare <= FewCPU {
		return q.Limit
	}
	return min(cure.Requests(q.Limit), MaxStreamIDs)
}

// Beyond lists where a question is outside the range on which the model was checked.
func Beyond(q Question) []texts.Sentence {
	w := work(q)
	out := []texts.Sentence{}
	add := func(t facts.Text) { out = append(out, texts.Sentence(t)) }
	if capacity := w.answer().CapacityRPS; q.RateRPS > capacity {
		add(facts.T("advise.beyond-capacity", number(q.RateRPS), number(w.q.CPUs), number(capacity)))
	}
	if w.q.Client != HTTP1 && float64(q.Limit) < 10*w.on {
		add(facts.T("advise.beyond-overlap", number(w.on)))
	}
	if w.q.Client != HTTP1 && float64(q.InFlight)/float64(w.q.Pools) > MaxStreams {
		add(facts.T("advise.beyond-streams", MaxStreams))
	}
	return out
}

// Price is one effect of a limit: a cost, or a problem that it doesn't solve.
type Price struct {
	ID   string         `json:"id"`
	Text texts.Sentence `json:"text"`
}

// Prices lists the costs of setting that limit for this traffic.
func Prices(q Question, limit int) []Price {
	a := q.At(limit)
	q = q.Usual()
	price := func(id string, t facts.Text) Price { return Price{id, texts.Sentence(t)} }
	out := []Price{price("memory", facts.T("advise.memory", number(q.connections()))), price("rebalancing", rebalancing(q, a))}
	if limit != q.Limit {
		out = append(out, price("flood-guard", facts.T("advise.flood-guard", FloodFactor, number(float64(limit)*FloodFactor),
			number(float64(q.Limit)*FloodFactor))))
	}
	age := facts.T("advise.limit-first", output.Lasting(a.ConnectionLifeS, 3))
	if a.AgeRules {
		age = facts.T("advise.age-first")
	}
	return append(out, price("age", age))
}

// rebalancing is the effect of long-lived connections behind a load balancer that balances
// connections, each to a backend at random.
func rebalancing(q Question, a Answer) facts.Text {
	if q.Backends <= 1 {
		return facts.T("advise.stays-new", output.Lasting(a.ConnectionLifeS, 3))
	}
	conns := q.connections()
	idle := float64(q.Backends) * math.Pow(1-1/float64(q.Backends), conns)
	return facts.Join("join.sentences", facts.T("advise.stays", output.Lasting(a.ConnectionLifeS, 3)),
		facts.T("advise.have-none", number(conns), q.Backends, number(math.Round(idle*10)/10)))
}

// number formats a value with three significant digits.
func number(v float64) string { return text.Digits(v, 3) }
