package probe

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Ask configures a survey.
type Ask struct {
	// MaxStreams is the maximum number of requests on one connection, Rate the maximum per second,
	// MaxTime the maximum time that each connection may take to reach its limit. 0 means the
	// default of each.
	MaxStreams int
	Rate       float64
	MaxTime    time.Duration
	// Connections is how many connections are brought to their limit, in sequence; 0 means two.
	// Where two don't tell what ended them, up to mostConnections are.
	Connections int
	// Hold is how long the first connection is kept in light use if it was not ended, to see an end
	// at an age.
	Hold time.Duration
	// HTTP1 surveys HTTP/1.1.
	HTTP1 bool
	// Idle and Age are how long to watch an unused and a lightly used connection; 0 means not at
	// all.
	Idle, Age time.Duration
	// Announce is called before the first request with what will be sent, and to whom.
	Announce func(Intent)
}

// Intent is what a survey will send, with its defaults filled in.
type Intent struct {
	Method, URL, Address string
	Connections          int
	MaxStreams           int
	Rate                 float64 // requests per second; 0 means as fast as the server answers
	MaxTime              time.Duration
}

// The defaults on loopback, where the probe disturbs nobody, and elsewhere, where it finds the most
// common limit of a thousand requests in five seconds.
const (
	loopbackStreams = 20_000
	politeStreams   = 2_500
	politeRate      = 200
	defaultTime     = time.Minute
	defaultConns    = 2
)

// Ceilings that no flag lifts: the probe measures a limit and is not a load generator.
const (
	CeilingStreams     = 1_000_000
	CeilingRate        = 2_000 // to a host that is not loopback
	CeilingConnections = 10
	CeilingTime        = time.Hour
	CeilingWatch       = 24 * time.Hour
)

// DefaultHold is Ask.Hold of the commands.
const DefaultHold = 6 * time.Second

// decided fills in the defaults, which depend on the address.
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
		return a, fmt.Errorf("%v requests a second to %v are refused: %d is the most to another host; the limit is "+
			"found at any rate", a.Rate, to, CeilingRate)
	}
	return a, nil
}

// CheckFlags rejects command-line values that are out of range. A flag has no value that means the
// default, unlike a field of Ask.
func (a Ask) CheckFlags() error {
	switch {
	case a.Connections < 1:
		return fmt.Errorf("--connections %d is out of range: 1 to %d", a.Connections, CeilingConnections)
	case a.MaxTime <= 0:
		return fmt.Errorf("--max-time %v is out of range: up to %v", a.MaxTime, CeilingTime)
	}
	return a.Check()
}

// Check rejects values out of range, before anything is sent.
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
	case a.Hold < 0 || a.Hold > CeilingTime:
		return fmt.Errorf("a connection is kept for %v at most", CeilingTime)
	case a.Idle < 0 || a.Idle > CeilingWatch || a.Age < 0 || a.Age > CeilingWatch:
		return fmt.Errorf("--idle and --age are watched for %v at most", CeilingWatch)
	case a.HTTP1 && a.Idle+a.Age > 0:
		return errors.New("--idle and --age are asked over HTTP/2 only; leave out --http1")
	}
	return nil
}

func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// pace limits the rate of requests, with small bursts.
type pace struct {
	rate  float64
	burst int
	began time.Time
	gone  int
	// At until, a slow first part ends and the rate changes to then.
	until time.Time
	then  float64
}

// paceBurst is how many requests may go at once under a rate limit.
const paceBurst = 10

func newPace(rate float64) *pace { return &pace{rate: rate, burst: paceBurst, began: time.Now()} }

// slowly is a pace without bursts for a first part of a connection's life.
type slowly struct {
	rate  float64
	lasts time.Duration
}

func (p plan) newPace() *pace {
	out := newPace(p.rate)
	if p.slow.lasts > 0 {
		out.rate, out.burst, out.until, out.then = p.slow.rate, 0, out.began.Add(p.slow.lasts), p.rate
	}
	return out
}

// next is when the next request may go; the zero time means now.
func (p *pace) next() time.Time {
	now := time.Now()
	if !p.until.IsZero() && !now.Before(p.until) {
		*p = *newPace(p.then)
	}
	if p.rate == 0 || p.gone < p.burst {
		return time.Time{}
	}
	due := p.began.Add(time.Duration(float64(p.gone-p.burst+1) / p.rate * float64(time.Second)))
	switch {
	case !now.Before(due):
		return time.Time{}
	case !p.until.IsZero() && p.until.Before(due):
		return p.until
	}
	return due
}

// AddHeader parses "Name: value" and adds it to every request. Host sets the authority, and
// User-Agent replaces the probe's own.
func (t *Target) AddHeader(line string) error {
	name, value, found := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch {
	case !found || !httpguts.ValidHeaderFieldName(name):
		return fmt.Errorf("the header %q is not of the form 'Name: value'", short(line))
	case !httpguts.ValidHeaderFieldValue(value):
		return fmt.Errorf("the header %s has a value with control characters", name)
	}
	switch lower := strings.ToLower(name); {
	case lower == "host":
		t.Authority = value
	case lower == "user-agent":
		t.UserAgent = value
	case lower == "te" && strings.EqualFold(value, "trailers"): // allowed (RFC 9113 §8.2.2), and gRPC requires it
		t.Header = append(t.Header, Field{Name: name, Value: value})
	case slices.Contains(notOurs, lower):
		return fmt.Errorf("the header %s is about the connection, which is the probe's own (RFC 9113 §8.2.2); leave "+
			"it out", name)
	default:
		t.Header = append(t.Header, Field{Name: name, Value: value})
	}
	return t.check()
}

// notOurs are the fields that HTTP/2 forbids or that the probe writes itself.
var notOurs = []string{
	"connection",
	"keep-alive",
	"proxy-connection",
	"te",
	"transfer-encoding",
	"upgrade",
	"content-length",
	"expect",
	"trailer",
}

// SetMethod sets the method and the body. A body requires an explicit method that has one, because
// the probe sends the body with each request.
func (t *Target) SetMethod(method, body string) error {
	method = strings.ToUpper(method)
	switch {
	case !httpguts.ValidHeaderFieldName(method):
		return fmt.Errorf("%q is no method", short(method))
	case slices.Contains([]string{"CONNECT", "TRACE"}, method):
		return fmt.Errorf("the method %s is not asked; take GET, HEAD, or what your clients send", method)
	case body != "" && slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, method):
		return fmt.Errorf("a body goes with --method POST, PUT or PATCH; it is sent once for each request, so say " +
			"which")
	}
	t.Method, t.Body = method, []byte(body)
	return t.check()
}

// Safe reports whether the method is safe (RFC 9110 §9.2.1).
func (i Intent) Safe() bool {
	return slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, i.Method)
}

func (t Target) dialError(ctx context.Context, err error) error {
	var dns *net.DNSError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("connecting to %s was stopped: %w", t.Addr, context.Cause(ctx))
	case errors.As(err, &dns):
		host, _, _ := net.SplitHostPort(t.Addr)
		return fmt.Errorf("the name %s does not resolve: %s; check its spelling with: getent hosts %s", host, dns.Err, host)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%s does not answer within %v: no connection came about; a firewall may drop it, or "+
			"--timeout is too short", t.Addr, t.patience())
	}
	return fmt.Errorf("%s can't be reached: %w; try: curl -v https://%s/", t.Addr, root(err), t.Addr)
}

// root is the innermost error: "connection refused" without the operation that failed.
func root(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}

func (t Target) handshakeError(ctx context.Context, err error, alpn string) error {
	var record tls.RecordHeaderError
	var cert *tls.CertificateVerificationError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("the TLS handshake with %s was stopped: %w", t.Addr, context.Cause(ctx))
	case errors.As(err, &record):
		return fmt.Errorf("%s does not speak TLS on this port: %w; give the port of its TLS listener; see: curl -v http://%s/",
			t.Addr, err, t.Addr)
	case errors.As(err, &cert): // crypto/x509 says what is wrong: the names it is for, the time, the issuer
		return fmt.Errorf("%s shows a certificate that does not verify: %w; give its issuer with --cacert FILE, its name with "+
			"--servername, or look without proof of who answers: --insecure", t.Addr, cert.Err)
	case strings.Contains(err.Error(), "no application protocol"): // the alert of RFC 7301 §3.2 has no exported type
		return t.alpnError("", alpn)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s takes the connection but says nothing to a TLS handshake for %v; is it a TLS port? "+
			"try: openssl s_client -connect %s", t.Addr, t.patience(), t.Addr)
	}
	return fmt.Errorf("%s refuses TLS: %w; try: openssl s_client -connect %s", t.Addr, err, t.Addr)
}

// alpnError names what the server chose, and the command that asks it over that.
func (t Target) alpnError(got, want string) error {
	http1 := want == "h2"
	t.again.HTTP1 = http1
	chose, over := cmp.Or(got, "no protocol"), "HTTP/2"
	if http1 {
		over = "HTTP/1.1"
	}
	return fmt.Errorf("%s chose %s by ALPN, not %s; ask the same over %s: %s", t.Addr, chose, want, over,
		t.again.Command(cmp.Or(t.verb, "probe")))
}

// short shortens a server's text to one line and removes control characters, so that it can't
// control a terminal.
func short(s string) string {
	return string(clip([]byte(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '.'
		}
		return r
	}, strings.ToValidUTF8(s, "?")))))
}
