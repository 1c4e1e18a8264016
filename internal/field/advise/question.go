package advise

import "math"

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
	RateRPS  float64
	InFlight int
	// Pools is the number of client pools that share the traffic evenly; 0 means 1.
	Pools int
	// Limit is requests per connection, nginx's keepalive_requests.
	Limit int
	// Client is how these pools renew; "" means Stampede.
	Client Client
	// Key is the certificate's key, TLS the version; "" means RSA and TLS13.
	Key, TLS string
	// HandshakeMS is the server's processor time for one full handshake, ResumedMS for a resumed
	// one; 0 means the default (Handshake).
	HandshakeMS, ResumedMS float64
	// ResumedShare is the share of resumed handshakes, 0 to 1.
	ResumedShare float64
	// RequestMS is the server's processor time for one request; 0 means the recorded time, scaled
	// to the speed of the machine that HandshakeMS indicates.
	RequestMS float64
	// RTTMS is the round trip between client and server, BackendMS the time a request spends at the
	// backend.
	RTTMS, BackendMS float64
	// CPUs is the number of cores the server has for this traffic; 0 means 1, one nginx worker.
	CPUs float64
	// Backends is the number of servers behind a load balancer that balances connections; 0 means
	// 1.
	Backends int
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
