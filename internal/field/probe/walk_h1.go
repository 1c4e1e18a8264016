package probe

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"h2lab/internal/facts"
)

// walkH1 is one HTTP/1.1 connection whose requests go one after the other:
// pipelining, which RequestLimitH1 does with the lab's servers, isn't
// everybody's friend.
type walkH1 struct {
	*line
	target   Target
	ctx      context.Context
	from     *io.LimitedReader
	br       *bufio.Reader
	request  []byte
	answered int
	sent     int
	closing  string // how it was ended; empty while it isn't
	began    time.Time
	statuses map[string]int
	answer   *http.Response // the newest, its body read
	bytes    int
}

func newWalkH1(ctx context.Context, t Target, l *line) *walkH1 {
	w := &walkH1{line: l, target: t, ctx: ctx, from: &io.LimitedReader{R: l.wire}, request: t.requestH1(), began: time.Now(), statuses: map[string]int{}}
	w.br = bufio.NewReader(w.from)
	return w
}

// requestH1 is a request as it goes over the wire.
func (t Target) requestH1() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\n", t.method(), t.path(), t.authority(), t.userAgent())
	if len(t.Body) > 0 {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(t.Body))
	}
	for _, f := range t.Header {
		fmt.Fprintf(&b, "%s: %s\r\n", f.Name, f.Value)
	}
	return append([]byte(b.String()+"\r\n"), t.Body...)
}

// one sends a request and takes its answer, body and all.
func (w *walkH1) one() error {
	until := time.Now().Add(w.target.patience())
	_ = w.wire.SetDeadline(until)
	_, _ = w.wire.Write(w.request) // an error is met by the reader, after what the peer said before
	w.sent++
	w.from.N = maxAnswer
	if _, err := w.br.Peek(1); err != nil {
		return w.ended(err)
	}
	resp, err := w.response()
	switch {
	case context.Cause(w.ctx) != nil:
		return context.Cause(w.ctx)
	case err != nil && w.from.N <= 0:
		return fmt.Errorf("%s: an answer is larger than %d bytes; ask a lighter path, or --method HEAD", w.target.Addr, maxAnswer)
	case err != nil && !time.Now().Before(until):
		return fmt.Errorf("%s left request %d unanswered for %v; its log may say why, or wait longer with --timeout", w.target.Addr, w.sent, w.target.patience())
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s breaks answer %d off in the middle: %w; its log may say why", w.target.Addr, w.sent, err)
	case err != nil:
		return fmt.Errorf("%s does not speak HTTP/1.1: %w; look at it with: curl -v --http1.1 %s", w.target.Addr, err, w.target.urlOf())
	}
	w.answer = resp
	w.answered++
	if status := strconv.Itoa(resp.StatusCode); len(w.statuses) < maxStatuses || w.statuses[status] > 0 {
		w.statuses[status]++
	}
	if resp.Close {
		w.closing = facts.EndedByConnectionClose
	}
	return w.polite()
}

// response reads one answer, past any 1xx that comes before it (RFC 9110 §15.2).
func (w *walkH1) response() (*http.Response, error) {
	for range maxStatuses {
		resp, err := http.ReadResponse(w.br, &http.Request{Method: w.target.method()})
		if err != nil {
			return nil, err
		}
		n, err := io.Copy(io.Discard, resp.Body)
		w.bytes += int(n)
		if err != nil || resp.StatusCode >= 200 {
			return resp, err
		}
	}
	return nil, errors.New("interim answers without end")
}

func (w *walkH1) polite() error {
	switch {
	case w.statuses["429"]+w.statuses["503"] > 0:
		return fmt.Errorf("%s answers %s to request %d, so the probe stops; ask more slowly (--rate), or another path", w.target.Addr, short(w.answer.Status), w.answered)
	case w.bytes > maxTraffic:
		return fmt.Errorf("the answers of %s weigh more than %d MiB after %d requests, so the probe stops; ask a lighter path, or --method HEAD", w.target.Addr, maxTraffic>>20, w.answered)
	}
	return nil
}

// ended is a connection that ends between two answers: a limit too, if a rude one.
func (w *walkH1) ended(err error) error {
	if cause := context.Cause(w.ctx); cause != nil {
		return cause
	}
	switch ev := readEvent(err); {
	case ev.what == silence:
		return fmt.Errorf("%s left request %d unanswered for %v; its log may say why, or wait longer with --timeout", w.target.Addr, w.sent, w.target.patience())
	case ev.what == failed:
		return fmt.Errorf("%s breaks off: %w; its log may say why", w.target.Addr, err)
	case w.answered == 0:
		return fmt.Errorf("%s closes the connection without an answer; its log may say why", w.target.Addr)
	}
	if w.closing = facts.EndedByClose; isReset(err) {
		w.closing = facts.EndedByReset
	}
	return nil
}

// toTheEnd sends requests until the connection is ended or has got its fill.
func (w *walkH1) toTheEnd(a Ask) error {
	p := newPace(a.Rate)
	until := time.Now().Add(a.MaxTime)
	for w.answered < a.MaxStreams && w.closing == "" {
		if due := p.next(); !due.IsZero() {
			select {
			case <-w.ctx.Done():
				return context.Cause(w.ctx)
			case <-time.After(time.Until(due)):
			}
		}
		p.gone++
		if err := w.one(); err != nil {
			return err
		}
		if time.Now().After(until) && w.closing == "" {
			return errTime
		}
	}
	return nil
}

// lookH1 asks: who are you? One connection, one request.
func (s *survey) lookH1(ctx context.Context) error {
	l, err := connect(ctx, s.target, "http/1.1")
	if err != nil {
		return err
	}
	defer l.close()
	if err := s.meet(l); err != nil {
		return err
	}
	w := newWalkH1(ctx, s.target, l)
	err = w.one()
	s.accountH1(w, false)
	if w.answer != nil {
		s.out.Status, s.out.Server, s.out.Location = w.answer.StatusCode, short(w.answer.Header.Get("Server")), short(w.answer.Header.Get("Location"))
	}
	s.redirected()
	return err
}

// limitH1 brings connections to their limit, one request at a time.
func (s *survey) limitH1(ctx context.Context) error {
	for n := range s.ask.Connections {
		l, err := connect(ctx, s.target, "http/1.1")
		if err != nil {
			return err
		}
		s.out.Connections++
		w := newWalkH1(ctx, s.target, l)
		err = w.toTheEnd(s.ask)
		if w.closing != "" && s.out.Ending == nil {
			s.out.Ending = w.ending()
		}
		l.close()
		s.accountH1(w, n == 0)
		s.countH1(w)
		if errors.Is(err, errTime) {
			s.outOfTime(w.answered)
			err = nil
		}
		if err != nil {
			s.out.Budget.Stopped = err.Error()
		}
		if err != nil || w.closing == "" {
			return err
		}
	}
	return nil
}

// ending waits for TCP's end, which Connection: close announces.
func (w *walkH1) ending() *facts.Ending {
	e := &facts.Ending{How: w.closing, Goaways: []facts.GoawayFrame{}}
	if w.closing == facts.EndedByReset {
		e.Closed = "rst"
		return e
	}
	announced := time.Now()
	_ = w.wire.SetReadDeadline(announced.Add(lastWait))
	if _, err := w.br.Peek(1); err != nil && readEvent(err).what == ended {
		took := ms(time.Since(announced))
		e.CloseMS, e.TLSClosed = &took, !w.tcp.fin
		if e.Closed = "fin"; isReset(err) {
			e.Closed = "rst"
		}
	}
	return e
}

func (s *survey) countH1(w *walkH1) {
	b := &s.out.Budget
	if w.closing == "" {
		if b.Most == nil {
			b.Least = max(b.Least, w.answered)
		}
		return
	}
	b.Counts = append(b.Counts, w.answered)
	most := slices.Max(b.Counts)
	b.Least, b.Most = slices.Min(b.Counts), &most
}

func (s *survey) accountH1(w *walkH1, first bool) {
	s.out.Requests += w.sent
	s.out.Budget.AskedUpTo = max(s.out.Budget.AskedUpTo, w.sent)
	s.tally(w.statuses)
	if took := time.Since(w.began).Seconds(); first && w.answered > 0 {
		rate := float64(w.answered) / took
		s.out.StreamsPerS = &rate
	}
}
