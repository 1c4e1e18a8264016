package advise

import (
	"fmt"
)

// The accepted ranges. They are wide: a value outside is a typing error or a wrong unit.
const (
	leastRPS     = 0.0001
	mostRPS      = 1e8
	mostInFlight = 1_000_000
	mostPools    = 1_000_000
	mostMS       = 60_000
	leastCostMS  = 0.0001
	leastCPUs    = 0.001
	mostCPUs     = 4096
	leastMS      = 0.01 // a quicker request doesn't cross a network
)

// Check returns what is wrong with a question as one sentence, or nil.
func Check(q Question) error {
	for _, n := range []struct {
		flag        string
		value       float64
		least, most float64
		open        bool // 0 means the default
		what        string
	}{
		{"rate", q.RateRPS, leastRPS, mostRPS, false, "requests a second"},
		{"in-flight", float64(q.InFlight), 1, mostInFlight, false, "requests under way at a time"},
		{
			"limit",
			float64(q.Limit),
			1,
			MaxStreamIDs,
			false,
			"requests a connection (an HTTP/2 connection has no more stream ids)",
		},
		{"pools", float64(q.Pools), 1, mostPools, true, "client pools"},
		{"resumed", q.ResumedShare, 0, 1, false, "as a share of all handshakes"},
		{"handshake-ms", q.HandshakeMS, leastCostMS, mostMS, true, "ms of processor time"},
		{"request-ms", q.RequestMS, leastCostMS, mostMS, true, "ms of processor time"},
		{"rtt", q.RTTMS, 0, mostMS, false, "ms, such as 2ms"},
		{"backend", q.BackendMS, 0, mostMS, false, "ms, such as 20ms"},
		{"cpus", q.CPUs, leastCPUs, mostCPUs, true, "cores"},
		{"backends", float64(q.Backends), 1, mostPools, true, "servers behind a balancer"},
	} {
		inside := n.value >= n.least && n.value <= n.most // false for NaN
		if !inside && !(n.open && n.value == 0) {
			return fmt.Errorf("--%s %s is out of range: give %s to %s %s", n.flag, typed(n.value), typed(n.least),
				typed(n.most), n.what)
		}
	}
	if err := checkWords(q); err != nil {
		return err
	}
	return checkTogether(q)
}

func checkWords(q Question) error {
	for _, w := range []struct {
		flag, value string
		choices     []string
	}{
		{"client", string(q.Client), []string{string(Stampede), string(SingleDial), string(HTTP1)}},
		{"key", q.Key, []string{RSA, ECDSA}},
		{"tls", q.TLS, []string{TLS12, TLS13}},
	} {
		known := w.value == ""
		for _, c := range w.choices {
			known = known || w.value == c
		}
		if !known {
			return fmt.Errorf("--%s %q is unknown: choose from %v", w.flag, w.value, w.choices)
		}
	}
	return nil
}

// checkTogether checks rate and in-flight together: by Little's law they determine the latency of a
// request.
func checkTogether(q Question) error {
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
