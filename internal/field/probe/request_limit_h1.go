package probe

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"h2lab/internal/facts"
)

// h1Batch is how many requests are written before their answers are read.
// They must fit into socket buffers, or both ends would wait to write.
const h1Batch = 50

// h1Answer is the most that one answer may weigh, headers and body.
const h1Answer = 1 << 20

// RequestLimitH1 asks: how many requests does one HTTP/1.1 connection get? It
// counts answers until one says Connection: close, and sends at most atMost.
//
// Requests are pipelined, which is fast but not every server's friend: Envoy
// closes after the second answer when more requests wait behind it. So an end
// that was met with requests waiting is looked at again on another
// connection, where the requests around it go one at a time.
func RequestLimitH1(ctx context.Context, t Target, atMost int) (facts.Limit, error) {
	if atMost < 1 {
		return facts.Limit{}, fmt.Errorf("probe %s with at most %d requests: one is the least", t.Addr, atMost)
	}
	for alone := atMost + 1; ; {
		c, err := climbH1(ctx, t, atMost, alone)
		if err != nil {
			return facts.Limit{}, err
		}
		limit := facts.Limit{ProbedRequests: c.sent, Closing: closingNone}
		if c.closing == "" {
			return limit, nil
		}
		if c.answered == c.sent || c.sent >= alone { // nothing waited behind the end
			limit.Effective, limit.Closing = &c.answered, c.closing
			return limit, nil
		}
		if alone <= atMost { // the second look was disturbed too
			alone = 1
			continue
		}
		alone = max(1, c.answered-careful)
	}
}

// climbH1 sends requests on one connection until it ends, pipelined up to the
// one that goes alone, and one at a time from there on.
func climbH1(ctx context.Context, t Target, atMost, alone int) (*h1, error) {
	l, err := connect(ctx, t, "http/1.1")
	if err != nil {
		return nil, err
	}
	defer l.close()
	c := &h1{line: l, target: t, ctx: ctx, from: &io.LimitedReader{R: l.wire},
		request: []byte("GET " + t.path() + " HTTP/1.1\r\nHost: " + authority + "\r\nUser-Agent: h2lab-probe\r\n\r\n")}
	c.br = bufio.NewReader(c.from)
	for c.answered < atMost && c.closing == "" {
		c.write(max(1, min(h1Batch, atMost-c.sent, alone-1-c.sent)))
		for c.answered < c.sent && c.closing == "" {
			if err := c.read(); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// h1 is one HTTP/1.1 connection.
type h1 struct {
	*line
	target         Target
	ctx            context.Context
	from           *io.LimitedReader
	br             *bufio.Reader
	request, batch []byte
	sent, answered int
	closing        string
}

// write puts n requests on their way. An error is met by the reader, after
// the answers that came before it.
func (c *h1) write(n int) {
	c.batch = c.batch[:0]
	for range n {
		c.batch = append(c.batch, c.request...)
	}
	_ = c.wire.SetWriteDeadline(time.Now().Add(patience))
	_, _ = c.wire.Write(c.batch)
	c.sent += n
}

// read takes one answer, body and all.
func (c *h1) read() error {
	_ = c.wire.SetReadDeadline(time.Now().Add(patience))
	c.from.N = h1Answer
	if _, err := c.br.Peek(1); err != nil {
		return c.over(err)
	}
	resp, err := http.ReadResponse(c.br, nil)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	if err != nil {
		if cause := context.Cause(c.ctx); cause != nil {
			return fmt.Errorf("probe of %s stopped: %w", c.target.Addr, cause)
		}
		return fmt.Errorf("%s does not speak HTTP/1.1: %w; look at it with: curl -v --http1.1 https://%s/", c.target.Addr, err, c.target.Addr)
	}
	c.answered++
	if resp.Close {
		c.closing = closingClose
	}
	return nil
}

// over is a connection that ends between two answers: a limit too, if a rude one.
func (c *h1) over(err error) error {
	if cause := context.Cause(c.ctx); cause != nil {
		return fmt.Errorf("probe of %s stopped: %w", c.target.Addr, errors.Join(cause, err))
	}
	switch ev := readEvent(err); {
	case ev.what == silence:
		return fmt.Errorf("%s left %d of %d requests unanswered for %v; its log may say why", c.target.Addr, c.sent-c.answered, c.sent, patience)
	case ev.what == failed:
		return fmt.Errorf("%s breaks off: %w; its log may say why", c.target.Addr, err)
	case c.answered == 0:
		return fmt.Errorf("%s closes the connection without an answer; its log may say why", c.target.Addr)
	}
	c.closing = closingClose
	return nil
}
