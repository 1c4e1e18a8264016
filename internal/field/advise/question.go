package advise

import "math"

// Client is how a client renews its connection.
type Client string

// The kinds of clients.
const (
	// Stampede dials once for each request that waits (Go's net/http).
	Stampede Client = "stampede"
	// SingleDial dials once, and all wait for it.
	SingleDial Client = "single-dial"
	// HTTP1 has a connection for each request in flight, each with a limit of its own.
	HTTP1 Client = "h1"
)

// Keys and versions.
const (
	RSA   = "rsa"
	ECDSA = "ecdsa"
	TLS12 = "1.2"
	TLS13 = "1.3"
)

// Question is one server's traffic and its limit. Only RateRPS, InFlight and
// Limit must be given; the zero value of the others stands for what is usual.
type Question struct {
	// RateRPS is requests a second, InFlight how many are under way at a time,
	// over all pools together.
	RateRPS  float64
	InFlight int
	// Pools is how many client pools share them evenly; 0 is 1.
	Pools int
	// Limit is requests a connection, nginx's keepalive_requests.
	Limit int
	// Client is how these pools renew; "" is Stampede.
	Client Client
	// Key is the certificate's, TLS the version; "" is RSA and TLS13.
	Key, TLS string
	// HandshakeMS is the server's processor time for one full handshake and
	// ResumedMS for a resumed one; 0 is what is usual (Handshake).
	HandshakeMS, ResumedMS float64
	// ResumedShare is how many of all handshakes are resumed, 0 to 1.
	ResumedShare float64
	// RequestMS is the server's processor time for one request; 0 is the
	// recorded one, on a machine as quick as HandshakeMS says.
	RequestMS float64
	// RTTMS is the round trip between client and server, BackendMS how long a
	// request is at the backend.
	RTTMS, BackendMS float64
	// CPUs is how many cores the server has for this; 0 is 1, one nginx worker.
	CPUs float64
	// Backends is how many servers stand behind a balancer of connections; 0 is 1.
	Backends int
}

// Usual is the question with what was left open filled in.
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
	// A machine that is slower at handshakes is slower at the rest as well.
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

// LatencyMS is how long a request takes by Little's law.
func (q Question) LatencyMS() float64 { return float64(q.InFlight) / q.RateRPS * 1000 }

// connections are how many of them are open at a time.
func (q Question) connections() float64 {
	if q.Client == HTTP1 {
		return math.Max(float64(q.InFlight), float64(q.Pools))
	}
	return float64(q.Pools) * math.Ceil(float64(q.InFlight)/float64(q.Pools)/MaxStreams)
}
