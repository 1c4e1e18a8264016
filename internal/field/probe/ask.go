package probe

import (
	"fmt"
	"net"
	"time"
)

// Ask is what a survey may do and wants to know.
type Ask struct {
	// MaxStreams is how many requests one connection gets at most, Rate how many
	// a second, MaxTime how long each connection's way to its limit may take.
	// 0 is the polite default of each.
	MaxStreams int
	Rate       float64
	MaxTime    time.Duration
	// Connections is how many are brought to their limit, one after the other; 0 is two.
	Connections int
	// HTTP1 asks the same over HTTP/1.1.
	HTTP1 bool
	// Idle and Age are how long an unused and a lightly used connection is watched; 0 is not.
	Idle, Age time.Duration
	// Announce gets what will be sent, and to whom, before the first request.
	Announce func(Intent)
}

// Intent is what a survey is about to do, its defaults decided.
type Intent struct {
	Method, URL, Address string
	Connections          int
	MaxStreams           int
	Rate                 float64 // requests a second; 0 is as fast as the server answers
	MaxTime              time.Duration
}

// The defaults on loopback, where nobody is disturbed, and elsewhere: a
// thousand requests, the commonest limit, are found in five seconds.
const (
	loopbackStreams = 20_000
	politeStreams   = 2_500
	politeRate      = 200
	defaultTime     = time.Minute
	defaultConns    = 2
)

// Ceilings that no flag lifts: the probe finds a limit, it is no load generator.
const (
	CeilingStreams     = 1_000_000
	CeilingRate        = 2_000 // to another host
	CeilingConnections = 10
	CeilingTime        = time.Hour
	CeilingWatch       = 24 * time.Hour
)

// decided fills the defaults in, which depend on who is asked.
func (a Ask) decided(to net.Addr) (Ask, error) {
	local := isLoopback(to)
	if a.MaxStreams == 0 {
		if a.MaxStreams = politeStreams; local {
			a.MaxStreams = loopbackStreams
		}
	}
	if a.Rate == 0 && !local {
		a.Rate = politeRate
	}
	if a.MaxTime == 0 {
		a.MaxTime = defaultTime
	}
	if a.Connections == 0 {
		a.Connections = defaultConns
	}
	if a.Rate > CeilingRate && !local {
		return a, fmt.Errorf("%v requests a second to %v are refused: %d is the most to another host; the limit is found at any rate", a.Rate, to, CeilingRate)
	}
	return a, nil
}

// CheckFlags refuses what is out of bounds on a command line, where nothing stands for a default
// but what is left out.
func (a Ask) CheckFlags() error {
	switch {
	case a.Connections < 1:
		return fmt.Errorf("--connections %d is out of range: 1 to %d", a.Connections, CeilingConnections)
	case a.MaxTime <= 0:
		return fmt.Errorf("--max-time %v is out of range: up to %v", a.MaxTime, CeilingTime)
	case a.HTTP1 && a.Idle+a.Age > 0:
		return errHTTP1Lifetimes
	}
	return a.Check()
}

// Check refuses what is out of bounds, before anything is sent.
func (a Ask) Check() error {
	switch {
	case a.MaxStreams < 0 || a.MaxStreams > CeilingStreams:
		return fmt.Errorf("--max-streams %d is out of range: 1 to %d", a.MaxStreams, CeilingStreams)
	case a.Rate < 0 || a.Rate != a.Rate:
		return fmt.Errorf("--rate %v is out of range: more than 0 requests a second", a.Rate)
	case a.Connections < 0 || a.Connections > CeilingConnections:
		return fmt.Errorf("--connections %d is out of range: 1 to %d", a.Connections, CeilingConnections)
	case a.MaxTime < 0 || a.MaxTime > CeilingTime:
		return fmt.Errorf("--max-time %v is out of range: up to %v", a.MaxTime, CeilingTime)
	case a.Idle < 0 || a.Idle > CeilingWatch || a.Age < 0 || a.Age > CeilingWatch:
		return fmt.Errorf("--idle and --age are watched for %v at most", CeilingWatch)
	}
	return nil
}

func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// pace lets requests go at a rate, a few at once.
type pace struct {
	rate  float64
	began time.Time
	gone  int
}

// paceBurst is how many requests may go at once where there is a rate.
const paceBurst = 10

func newPace(rate float64) *pace { return &pace{rate: rate, began: time.Now()} }

// next is when the next request may go; the zero time is at once.
func (p *pace) next() time.Time {
	if p.rate == 0 || p.gone < paceBurst {
		return time.Time{}
	}
	due := p.began.Add(time.Duration(float64(p.gone-paceBurst+1) / p.rate * float64(time.Second)))
	if !time.Now().Before(due) {
		return time.Time{}
	}
	return due
}
