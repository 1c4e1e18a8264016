package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/net/http2"
)

// connection sends requests and reports events, over HTTP/2 (conn.go) or HTTP/1.1 (h1.go). It is
// used by one goroutine.
type connection interface {
	// greet does what the protocol requires before the first request.
	greet() error
	// request writes one request. The next wait or flush sends it.
	request()
	flush()
	// wait returns the next event, or silence at the deadline.
	wait(until time.Time) event
	// atOnce is how many requests may be unanswered.
	atOnce() int
	// hasRoom reports whether the peer's windows allow another body.
	hasRoom() bool
	// ping requests a reply that comes after everything the peer sent before. It reports whether
	// the protocol supports that.
	ping() bool
	counts() *traffic
	// protocol is the name and version for error messages.
	protocol() string
	// curl is the method and path of a request as arguments of curl.
	curl() string
}

// traffic is what was sent and received on a connection so far.
type traffic struct {
	*line
	target Target
	ctx    context.Context // explains why a read failed

	sent, answered int
	open           map[uint32]int // bytes received on each unanswered stream
	newest         uint32         // the largest stream that was answered
	statuses       map[string]int
	status         string // of the newest answer
	bytes          int    // of all answers
	atMostBody     int    // maximum bytes of one answer
	pinged, ponged uint64

	first, last *goaway               // the first GOAWAY and the newest
	goaways     []goaway              // the first few
	reset       *http2.RSTStreamFrame // the newest, until takeReset handles it
	// lastAnswer is when an HTTP/1.1 answer had Connection: close; zero if none had.
	lastAnswer time.Time
	// seen is called with the fields of answers, ":status" first.
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

// countStatus counts an answer by its status, for a limited number of different ones.
func (c *traffic) countStatus(status string) {
	c.status = status
	if len(c.statuses) < maxStatuses || c.statuses[status] > 0 {
		c.statuses[status]++
	}
}

// announced is when the peer announced the connection's end; zero if it did not.
func (c *traffic) announced() time.Time {
	if c.first != nil {
		return c.first.at
	}
	return c.lastAnswer
}

// announcedOrGone is when the peer announced the connection's end, or ended it without that.
func (r *run) announcedOrGone() time.Time {
	if at := r.announced(); !at.IsZero() {
		return at
	}
	return r.goneAt
}

// promised reports whether a stream is open that the newest GOAWAY covers.
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

// garbled is the error for data that is not the protocol's, or for the end of our own context.
func garbled(c connection, err error) error {
	t := c.counts()
	if cause := context.Cause(t.ctx); cause != nil {
		return fmt.Errorf("probe of %s stopped: %w", t.target.Addr, cause)
	}
	var done Told
	var off brokenOff
	if errors.As(err, &done) || errors.As(err, &off) { // it names the server already
		return err
	}
	var alert *net.OpError
	// crypto/tls's Op for an alert; TLS 1.3 has alerts after the handshake
	if errors.As(err, &alert) && alert.Op == "remote error" {
		return fmt.Errorf("%s refuses the connection after the TLS handshake: %w; if it wants a client "+
			"certificate, ask where it does not", t.target.Addr, alert.Err)
	}
	if errors.As(err, new(flood)) {
		return told("stop.flood", t.target.Addr, err.Error(), c.curl())
	}
	return told("stop.garbled", t.target.Addr, c.protocol(), err.Error(), c.curl())
}

// speak turns a TLS connection into a connection that is ready for requests.
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
