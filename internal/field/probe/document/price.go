package document

import (
	"fmt"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/field/advise"
	"h2lab/internal/field/cause"
	"h2lab/internal/field/output"
)

var digits, percent = output.Digits, output.Percent

// Traffic is the user's traffic: requests per second, and how many are in flight at a time. Zero
// means not given.
type Traffic struct {
	RPS      float64
	InFlight int
}

// Price is what the measured limit costs at the user's traffic, for a client that dials once per
// waiting request and for one that dials once.
type Price struct {
	RateRPS    float64       `json:"rate_rps"`
	InFlight   int           `json:"in_flight"`
	TLS        string        `json:"tls"`
	Key        string        `json:"key"`
	RTTMS      float64       `json:"rtt_ms"`
	Stampede   advise.Answer `json:"stampede"`
	SingleDial advise.Answer `json:"single_dial"`
}

// price is nil if there is no limit or no traffic was given.
func (t Traffic) price(e facts.Endpoint, c cause.Cause) (*Price, error) {
	if t.RPS == 0 || c.Kind != cause.Count || e.Protocol != facts.H2 {
		return nil, nil
	}
	q := advise.Question{RateRPS: t.RPS, InFlight: t.InFlight, Limit: *c.Requests, Client: advise.Stampede,
		Key: advise.RSA, TLS: advise.TLS13}
	if strings.HasPrefix(e.TLS.Key, "ECDSA") {
		q.Key = advise.ECDSA
	}
	if e.TLS.Version == "TLS 1.2" {
		q.TLS = advise.TLS12
	}
	if e.TLS.ConnectMS != nil {
		q.RTTMS = *e.TLS.ConnectMS // opening a TCP connection takes one round trip
	}
	if q.LatencyMS() < q.RTTMS {
		return nil, fmt.Errorf("%d requests in flight at %s a second are under way for %s ms each, less than the round "+
			"trip to the server, %s ms: check --rps and --in-flight", t.InFlight, digits(t.RPS), digits(q.LatencyMS()),
			digits(q.RTTMS))
	}
	if err := advise.Check(q); err != nil {
		return nil, err
	}
	p := &Price{RateRPS: t.RPS, InFlight: t.InFlight, TLS: q.TLS, Key: q.Key, RTTMS: q.RTTMS,
		Stampede: advise.Predict(q)}
	q.Client = advise.SingleDial
	p.SingleDial = advise.Predict(q)
	if e.Crossing != nil && e.Crossing.InFlight.Dropped+e.Crossing.InFlight.Refused == 0 {
		// The server answered what was in flight, so no body is lost.
		for _, a := range []*advise.Answer{&p.Stampede, &p.SingleDial} {
			a.DroppedPerRenewal, a.FailuresPerS = 0, 0
		}
	}
	return p, nil
}

// Check rejects implausible numbers, before anything is sent.
func (t Traffic) Check() error {
	if t.RPS == 0 && t.InFlight == 0 {
		return nil
	}
	if t.RPS == 0 || t.InFlight == 0 {
		return fmt.Errorf("--rps and --in-flight go together: your requests a second, and how many are under way at " +
			"a time")
	}
	err := advise.Check(advise.Question{RateRPS: t.RPS, InFlight: t.InFlight, Limit: 1})
	if err != nil { // advise's flags have other names
		return fmt.Errorf("%s", strings.ReplaceAll(err.Error(), "--rate", "--rps"))
	}
	return nil
}

// price describes what a renewal costs, or which flags to add.
func (p *page) price(of *Price, e facts.Endpoint, c cause.Cause) {
	if of == nil {
		if c.Kind == cause.Count && !c.Unanswered && e.Protocol == facts.H2 {
			p.said("price", "give --rps and --in-flight to see what renewals cost at your traffic")
		}
		return
	}
	s := of.Stampede
	text := fmt.Sprintf("At %s requests/s with %d in flight in one pool: %s renewals an hour. A client that "+
		"dials for each waiting request (Go's net/http) opens about %s connections at each renewal and %s a second; "+
		"their handshakes use %s of a core, and %s requests wait, up to %s ms. With one dial at each renewal it opens "+
		"%s a second, and handshakes use %s of a core.",
		digits(of.RateRPS), of.InFlight, digits(s.RenewalsPerHour), digits(1+s.WastedPerRenewal), digits(s.HandshakesPerS),
		percent(s.CPUCores),
		digits(s.WaitingPerRenewal), digits(s.WaitMS), digits(of.SingleDial.HandshakesPerS),
		percent(of.SingleDial.CPUCores))
	if s.FailuresPerS > 0 {
		text += fmt.Sprintf(" Of requests whose body can't be sent again, %s a second fail.", digits(s.FailuresPerS))
	}
	p.said("price", text)
}
