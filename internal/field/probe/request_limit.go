package probe

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/facts"
)

// How a connection was ended, as lab.Limit's Closing says it.
const (
	closingGoaway   = "goaway"
	closingTwoStage = "goaway-two-stage"
	closingClose    = "connection-close"
	closingNone     = "none"
)

const (
	// announcement is the last stream id of a GOAWAY that says "stop soon, I'll
	// name the real one later" (RFC 9113 §6.8): the largest there is.
	announcement = 1<<31 - 1
	// careful is how many requests before and after the hint go one at a time.
	careful = 4
	// modest is how many are in flight where the limit may be anywhere.
	modest = 32
	// climbs is how often a limit is looked for: on a connection that finds
	// roughly where it is, one that finds it exactly, and one to spare.
	climbs = 3
	// secondStage is how long the final GOAWAY is waited for after an
	// announcement. Envoy needs five seconds (drain_timeout), which the limit isn't worth.
	secondStage = 250 * time.Millisecond
)

// RequestLimit asks: how many requests does one HTTP/2 connection get? It sends
// at most atMost. hint is where the limit is thought to be (0: no idea): up to
// there requests are pipelined, around it they go one at a time, so that the
// number is exact even where the server only announces that it will stop.
//
// A server that names the last stream it took (nginx: 2N − 1) is believed, and
// must have answered just as many. One that announces (Envoy: 2^31 − 1;
// HAProxy: an id in the future) is met at the request that made it do so.
func RequestLimit(ctx context.Context, t Target, atMost, hint int) (facts.Limit, error) {
	if atMost < 1 {
		return facts.Limit{}, fmt.Errorf("probe %s with at most %d requests: one is the least", t.Addr, atMost)
	}
	slow := span{hint - careful, hint + careful}
	if hint <= 0 {
		slow = span{}
	}
	for range climbs {
		c, err := open2(ctx, t)
		if err != nil {
			return facts.Limit{}, err
		}
		limit, near, err := (&climber{conn: c, atMost: atMost, slow: slow}).climb()
		c.close()
		if err != nil || near == nil {
			return limit, err
		}
		slow = *near
	}
	return facts.Limit{}, fmt.Errorf("%s ends connections after a different number of requests each time; is it being reloaded?", t.Addr)
}

// span is a range of requests, both ends in it, counted from 1.
type span struct{ from, to int }

func (s span) has(n int) bool { return s.from <= n && n <= s.to }

// climber sends requests on one connection until it is ended.
type climber struct {
	*conn
	atMost int
	slow   span // these requests go one at a time
	gone   bool // the peer has closed
}

// climb gives the limit, or the span it must lie in when it was met where
// requests were pipelined and the server did not name it.
func (c *climber) climb() (facts.Limit, *span, error) {
	for c.first == nil && !c.gone {
		c.fill()
		if c.sent == c.atMost && len(c.open) == 0 {
			if err := c.fence(); err != nil || c.first == nil && !c.gone {
				return facts.Limit{ProbedRequests: c.sent, Closing: closingNone}, nil, err
			}
			break
		}
		before := c.answered
		if err := c.progress(); err != nil {
			return facts.Limit{}, nil, err
		}
		if c.answered > before && len(c.open) == 0 && (c.slow.has(c.sent) || c.slow.has(c.sent+1)) {
			if err := c.fence(); err != nil {
				return facts.Limit{}, nil, err
			}
		}
	}
	if c.first != nil {
		return c.byGoaway()
	}
	return c.byClose()
}

// fill puts as many requests on their way as may be.
func (c *climber) fill() {
	flying := int(c.maxStreams)
	if c.sent >= c.slow.to {
		flying = min(flying, modest)
	}
	for c.sent < c.atMost && len(c.open) < flying {
		if c.slow.has(c.sent+1) && len(c.open) > 0 {
			return
		}
		c.request()
		if c.slow.has(c.sent) {
			return
		}
	}
}

// progress waits until another request is answered or the connection ends.
func (c *climber) progress() error {
	until := time.Now().Add(patience)
	for before := c.answered; c.answered == before && c.first == nil && !c.gone; {
		if err := c.step(until); err != nil {
			return err
		}
	}
	return nil
}

// fence makes sure that nothing is left unsaid about the requests so far: the
// answer to a PING comes after it. Some servers say GOAWAY after the answer.
func (c *climber) fence() error {
	c.ping()
	until := time.Now().Add(patience)
	for c.ponged < c.pinged && c.first == nil && !c.gone {
		if err := c.step(until); err != nil {
			return err
		}
	}
	return nil
}

// step takes one event; silence is an error here.
func (c *climber) step(until time.Time) error {
	switch ev := c.wait(until); {
	case ev.what == ended:
		c.gone = true
	case ev.what == silence:
		return fmt.Errorf("%s left %d of %d requests unanswered for %v; its log may say why", c.target.Addr, len(c.open), c.sent, patience)
	case ev.what == failed:
		return c.garbled(ev.err)
	case c.reset != nil:
		return fmt.Errorf("%s resets stream %d (%v) after %d answers; its log may say why", c.target.Addr, c.reset.StreamID, c.reset.ErrCode, c.answered)
	}
	return nil
}

// byGoaway reads the limit from a GOAWAY.
func (c *climber) byGoaway() (facts.Limit, *span, error) {
	g := c.first
	if g.code != http2.ErrCodeNo {
		return facts.Limit{}, nil, fmt.Errorf("%s ends the connection after %d requests with GOAWAY %v %q, which is not a request limit; its log may say why",
			c.target.Addr, g.sent, g.code, g.debug)
	}
	announced := g.last > streamOf(g.sent)
	// Where requests are pipelined, an id that is exactly the newest stream may
	// be the last one taken or one that lay ahead when it was named (HAProxy).
	if g.last >= streamOf(g.sent) && !c.slow.has(g.sent) {
		return facts.Limit{}, &span{g.answered - careful, g.sent}, nil
	}
	if err := c.drain(); err != nil {
		return facts.Limit{}, nil, err
	}
	limit := facts.Limit{ProbedRequests: c.sent, Closing: closingGoaway, LastStreamID: &c.last.last}
	taken := int(g.last+1) / 2
	switch {
	case announced:
		taken = g.sent
		if g.last == announcement {
			limit.Closing = closingTwoStage
		}
		if c.last.last == announcement {
			limit.LastStreamID = nil
		}
	case taken == 0:
		return limit, nil, fmt.Errorf("%s takes no request on a new connection; is it shutting down?", c.target.Addr)
	case taken != c.answered:
		return limit, nil, fmt.Errorf("%s named stream %d as its last, that is %d requests, and answered %d; its log may say why", c.target.Addr, g.last, taken, c.answered)
	}
	limit.Effective = &taken
	return limit, nil, nil
}

// drain takes the answers that a GOAWAY still promises, and the second GOAWAY
// of an announcement if it comes soon.
func (c *climber) drain() error {
	until := time.Now().Add(patience)
	for c.promised() && !c.gone {
		if err := c.step(until); err != nil {
			return err
		}
	}
	for until = time.Now().Add(secondStage); c.last.last == announcement && !c.gone; {
		ev := c.wait(until)
		if ev.what == silence {
			return nil
		}
		if ev.what == failed {
			return c.garbled(ev.err)
		}
		c.gone = ev.what == ended
	}
	return nil
}

// promised reports whether a stream is open that the server said it took.
func (c *conn) promised() bool {
	for id := range c.open {
		if id <= c.last.last {
			return true
		}
	}
	return false
}

// byClose reads the limit from a connection that ended without a word.
func (c *climber) byClose() (facts.Limit, *span, error) {
	if c.answered == 0 {
		return facts.Limit{}, nil, fmt.Errorf("%s closes the connection without an answer or a GOAWAY; its log may say why", c.target.Addr)
	}
	if c.sent > 1 && !c.slow.has(c.sent) {
		return facts.Limit{}, &span{c.answered - careful, c.sent}, nil
	}
	n := c.answered
	return facts.Limit{Effective: &n, ProbedRequests: c.sent, Closing: closingClose}, nil, nil
}
