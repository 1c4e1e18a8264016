package probe

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// h1Batch is how many requests are written before their answers are read. They must fit into the
// socket buffers, or both ends would block on writing.
const h1Batch = 50

// h1 is one HTTP/1.1 connection. Its nth request counts as the stream of HTTP/2's nth request, so
// that both protocols share the code above them.
type h1 struct {
	traffic
	from    *io.LimitedReader
	br      *bufio.Reader
	bw      *bufio.Writer
	one     []byte         // the serialised request
	answer  *http.Response // the newest, its body read
	flushed int            // how many requests were sent
}

func speakH1(ctx context.Context, t Target, l *line) *h1 {
	c := &h1{traffic: newTraffic(ctx, t, l), from: &io.LimitedReader{R: l.wire}, bw: bufio.NewWriterSize(l.wire,
		1<<15), one: t.requestH1()}
	c.br = bufio.NewReader(c.from)
	return c
}

// requestH1 is the serialised request.
func (t Target) requestH1() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\n", t.method(), t.path(), t.authority(),
		t.userAgent())
	if len(t.Body) > 0 {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(t.Body))
	}
	for _, f := range t.Header {
		fmt.Fprintf(&b, "%s: %s\r\n", f.Name, f.Value)
	}
	return append([]byte(b.String()+"\r\n"), t.Body...)
}

func (c *h1) greet() error     { return nil }
func (c *h1) atOnce() int      { return h1Batch }
func (c *h1) hasRoom() bool    { return true }
func (c *h1) ping() bool       { return false }
func (c *h1) protocol() string { return "HTTP/1.1" }
func (c *h1) curl() string     { return "curl -v --http1.1 " + c.target.urlOf() }

// request writes one request. The reader meets a write error, after everything the peer sent
// before.
func (c *h1) request() {
	c.sent++
	c.open[c.lastSent()] = 0
	_ = c.wire.SetWriteDeadline(time.Now().Add(c.target.patience()))
	_, _ = c.bw.Write(c.one)
}

func (c *h1) flush() {
	_ = c.wire.SetWriteDeadline(time.Now().Add(c.target.patience()))
	_ = c.bw.Flush()
	c.flushed = c.sent
}

// wait reads one answer with its body. Once the answer has begun, it may take the full patience.
func (c *h1) wait(until time.Time) event {
	if c.answered >= c.flushed && c.bw.Buffered() > 0 { // one batch at a time: a write per answer is slow
		c.flush()
	}
	_ = c.wire.SetReadDeadline(until)
	c.from.N = int64(c.atMostBody)
	if !c.lastAnswer.IsZero() { // RFC 9112 §9.6: no answer follows the last one
		_, err := io.Copy(io.Discard, c.br)
		if err == nil {
			err = io.EOF
		}
		return c.event(err)
	}
	if _, err := c.br.Peek(1); err != nil {
		return c.event(err)
	}
	began := time.Now()
	_ = c.wire.SetReadDeadline(began.Add(c.target.patience()))
	resp, err := c.response()
	if err != nil {
		return event{what: failed, err: c.broken(err)}
	}
	c.took(resp)
	return event{what: frameCame}
}

func (c *h1) event(err error) event {
	if cause := context.Cause(c.ctx); cause != nil {
		return event{what: failed, err: errors.Join(cause, err)}
	}
	return readEvent(err)
}

// took counts an answer. An answer without a request (a 408 of an idle connection) doesn't count.
func (c *h1) took(resp *http.Response) {
	c.answer = resp
	if resp.Close {
		c.lastAnswer = time.Now()
	}
	if len(c.open) == 0 {
		return
	}
	delete(c.open, streamOf(c.answered+1))
	c.answered++
	c.countStatus(strconv.Itoa(resp.StatusCode))
	if c.seen == nil {
		return
	}
	c.seen(":status", c.status)
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		for _, value := range resp.Header[name] {
			c.seen(name, value)
		}
	}
}

// broken is the error for an answer that ends early.
func (c *h1) broken(err error) error {
	n := c.answered + 1
	switch ev := readEvent(err); {
	case c.from.N <= 0:
		return tooLarge{fmt.Errorf("an answer is larger than %d bytes", c.atMostBody)}
	case ev.what == silence:
		return told("stop.one-unanswered", c.target.Addr, n, c.target.patience().String(), c.target.orWait())
	case ev.what == ended:
		return brokenOff{fmt.Errorf("%s breaks answer %d off in the middle: %w; its log may say why", c.target.Addr, n, err)}
	}
	return err
}

// brokenOff is the error for an answer that began and did not end before the connection did.
type brokenOff struct{ error }

func (e brokenOff) Unwrap() error { return e.error }

// response reads one answer and skips any 1xx before it (RFC 9110 §15.2).
func (c *h1) response() (*http.Response, error) {
	for range maxStatuses {
		resp, err := http.ReadResponse(c.br, &http.Request{Method: c.target.method()})
		if err != nil {
			return nil, err
		}
		n, err := io.Copy(io.Discard, resp.Body)
		c.bytes += int(n)
		if err != nil || resp.StatusCode >= 200 {
			return resp, err
		}
	}
	return nil, errors.New("interim answers without end")
}
