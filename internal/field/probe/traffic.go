package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/net/http2"
)

// connection sends requests and reports what happens, over HTTP/2 (conn.go) or HTTP/1.1 (h1.go).
// One goroutine drives it.
type connection interface {
	// greet does what the protocol wants before the first request.
	greet() error
	// request writes one request. It leaves with the next wait, or with flush.
	request()
	flush()
	// wait gives the next event, or silence at the deadline.
	wait(until time.Time) event
	// atOnce is how many requests may be unanswered.
	atOnce() int
	// hasRoom reports whether the peer's windows take another body.
	hasRoom() bool
	// ping asks for a sign that comes after all that the peer said before. It reports whether
	// the protocol has one.
	ping() bool
	counts() *traffic
	// protocol is the name and version as an error message has them.
	protocol() string
	// once is the method and path of a request in curl's words.
	curl() string
}

// traffic is what went over a connection so far.
type traffic struct {
	*line
	target Target
	ctx    context.Context // why a read failed is asked of it

	sent, answered int
	open           map[uint32]int // bytes received on each unanswered stream
	statuses       map[string]int
	status         string // of the newest answer
	bytes          int    // of all answers
	atMostBody     int    // bytes that one answer may weigh
	pinged, ponged uint64

	first, last *goaway               // the first GOAWAY and the newest
	goaways     []goaway              // the first few of all
	reset       *http2.RSTStreamFrame // the newest, until it was taken
	// lastAnswer is when an HTTP/1.1 answer said Connection: close; zero when none did.
	lastAnswer time.Time
	// seen gets the fields of answers: ":status" first.
	seen func(name, value string)
}

func newTraffic(ctx context.Context, t Target, l *line) traffic {
	return traffic{line: l, target: t, ctx: ctx, open: make(map[uint32]int, maxFlying), statuses: map[string]int{},
		atMostBody: maxAnswer}
}

func (c *traffic) counts() *traffic { return c }

// lastSent is the id of the newest stream: 1, 3, 5, … (RFC 9113 §5.1.1).
func (c *traffic) lastSent() uint32 { return streamOf(c.sent) }

// streamOf is the stream that carries the nth request of a connection.
func streamOf(n int) uint32 { return uint32(2*n - 1) }

// countStatus counts an answer by its status, of which a peer can't invent too many.
func (c *traffic) countStatus(status string) {
	c.status = status
	if len(c.statuses) < maxStatuses || c.statuses[status] > 0 {
		c.statuses[status]++
	}
}

// announced is when the peer said that the connection ends; zero when it did not.
func (c *traffic) announced() time.Time {
	if c.first != nil {
		return c.first.at
	}
	return c.lastAnswer
}

// promised reports whether a stream is open that the newest GOAWAY counts as taken.
func (c *traffic) promised() bool {
	if c.last == nil {
		return false
	}
	for id := range c.open {
		if id <= c.last.last {
			return true
		}
	}
	return false
}

// complete is an error that needs no more words around it.
type complete struct{ error }

func (e complete) Unwrap() error { return e.error }

// garbled is the error for bytes that are not the protocol's, or for our own context's end.
func garbled(c connection, err error) error {
	t := c.counts()
	if cause := context.Cause(t.ctx); cause != nil {
		return fmt.Errorf("probe of %s stopped: %w", t.target.Addr, cause)
	}
	var done complete
	if errors.As(err, &done) {
		return done.error
	}
	var alert *net.OpError
	if errors.As(err, &alert) && alert.Op == "remote error" { // crypto/tls's word for an alert; TLS 1.3 has them after the handshake
		return fmt.Errorf("%s refuses the connection after the TLS handshake: %w; if it wants a client "+
			"certificate, ask where it does not", t.target.Addr, alert.Err)
	}
	return fmt.Errorf("%s does not speak %s: %w; look at it with: %s", t.target.Addr, c.protocol(), err, c.curl())
}

// speak makes a connection of a line that is ready for requests.
func speak(ctx context.Context, t Target, l *line, http1 bool) connection {
	if http1 {
		return speakH1(ctx, t, l)
	}
	return speakH2(ctx, t, l)
}

// alpnOf is the protocol's name in ALPN (RFC 7301).
func alpnOf(http1 bool) string {
	if http1 {
		return "http/1.1"
	}
	return "h2"
}
