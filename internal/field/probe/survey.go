package probe

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/facts"
)

// Survey asks a server all questions, one after the other: who are you
// (look.go), do your TLS sessions resume (resume.go), how many requests does a
// connection get and how does it end (walk.go, crossing.go; walk_h1.go over
// HTTP/1.1), and how long does one live unused (lifetime.go). What was learnt
// until an error came is in the Endpoint all the same.
func Survey(ctx context.Context, t Target, ask Ask) (facts.Endpoint, error) {
	s := &survey{target: t, ask: ask, began: time.Now(), out: facts.Endpoint{URL: t.urlOf(), Method: t.method(),
		Protocol: facts.H2, Settings: []facts.Setting{}, Statuses: map[string]int{}, Warnings: []string{}, TLS: facts.EndpointTLS{Versions: []facts.TLSVersion{}}}}
	s.out.Budget.Counts = []int{}
	if ask.HTTP1 {
		s.out.Protocol = facts.H1
	}
	err := errors.Join(ask.Check(), t.check())
	if err == nil {
		err = s.all(ctx)
	}
	s.out.ElapsedS = time.Since(s.began).Seconds()
	return s.out, s.told(ctx, err)
}

// told makes one sentence of why a survey ended early.
func (s *survey) told(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		err = fmt.Errorf("the probe of %s was stopped after %d requests: %w", s.target.Addr, s.out.Requests, cause)
	}
	if b := &s.out.Budget; b.Most == nil {
		b.Stopped = err.Error()
	}
	if s.out.Requests > 0 {
		s.warn("%v", err)
	}
	return err
}

func (t Target) urlOf() string {
	if t.url != "" {
		return t.url
	}
	return "https://" + t.Addr + t.path()
}

// survey is the asking of one server.
type survey struct {
	target Target
	ask    Ask
	began  time.Time
	out    facts.Endpoint
}

func (s *survey) warn(format string, args ...any) {
	s.out.Warnings = append(s.out.Warnings, fmt.Sprintf(format, args...))
}

// all asks the questions in their order.
func (s *survey) all(ctx context.Context) error {
	s.target.session = tls.NewLRUClientSessionCache(2)
	look := s.look
	if s.ask.HTTP1 {
		look = s.lookH1
	}
	if err := look(ctx); err != nil {
		return err
	}
	if err := s.resumption(ctx); err != nil {
		return err
	}
	s.target.session = nil // each connection pays for its handshake, as a stampede's do
	limit := s.limit
	if s.ask.HTTP1 {
		limit = s.limitH1
	}
	return errors.Join(limit(ctx), s.lifetimes(ctx))
}

// limit brings connections to their limit: the first with as much in flight as
// is allowed, which shows what is lost across the end; the others one request
// at a time around the place where the first ended, which shows the number.
func (s *survey) limit(ctx context.Context) error {
	atMost, slow := s.ask.MaxStreams, span{}
	for n := range s.ask.Connections {
		a := s.ask
		a.MaxStreams = atMost
		w, err := startWalk(ctx, s.target, a, slow)
		if err != nil {
			return err
		}
		s.out.Connections++
		ended, err := s.walkOne(w, n == 0)
		w.close()
		s.account(w, n == 0)
		if err != nil || !ended {
			return err
		}
		if n == 0 {
			slow = span{w.endAnswered() - careful, w.endSent()}
			atMost = min(s.ask.MaxStreams, 3*w.endSent()+10*careful)
		}
	}
	return nil
}

// walkOne brings one connection to its limit and writes down what it got. It
// reports whether the connection was ended.
func (s *survey) walkOne(w *walk, first bool) (bool, error) {
	err := w.toTheEnd()
	switch {
	case errors.Is(err, errTime):
		s.outOfTime(w.answered)
		s.noEnd(w)
		return false, nil
	case err != nil:
		s.out.Budget.Stopped = err.Error()
		s.noEnd(w)
		return false, err
	case !w.over():
		s.noEnd(w)
		return false, nil
	case w.first == nil && w.answered == 0:
		return false, fmt.Errorf("%s closes the connection without an answer or a GOAWAY; its log may say why", s.target.Addr)
	}
	x, err := s.follow(w, first)
	if err != nil {
		s.noEnd(w)
		return false, err
	}
	if e := w.ending(); s.out.Ending == nil || e.GoawayFirst != nil {
		s.mergeEnding(e)
	}
	if first {
		s.out.Crossing = x
	}
	s.count(w)
	return true, nil
}

// follow sees the first connection through to its close; of the others only
// the answers that are owed are waited for.
func (s *survey) follow(w *walk, first bool) (*facts.Crossing, error) {
	if first {
		return w.cross(late)
	}
	w.until = time.Time{}
	for w.first != nil && w.promised() && !w.gone {
		if err := w.step(w.lastNews.Add(s.target.patience())); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// mergeEnding keeps how the first connection closed, and takes from a later
// one, which met its end alone, which way it was: with a hundred streams on
// their way, an id that lay ahead when it was named (HAProxy) may be the newest
// stream by the time it is read.
func (s *survey) mergeEnding(e *facts.Ending) {
	kept := s.out.Ending
	if kept == nil {
		s.out.Ending = e
		return
	}
	ahead := kept.How == facts.EndedByGoaway && e.How == facts.EndedByFutureID
	if kept.How != e.How && !ahead {
		s.warn("two connections were ended in two ways: %s and %s", kept.How, e.How)
	}
	kept.How, kept.GoawayFirst = e.How, e.GoawayFirst
}

// outOfTime is a connection that took longer than it may.
func (s *survey) outOfTime(answered int) {
	s.out.Budget.Stopped = fmt.Sprintf("no limit was met in %v, after %d requests on one connection; go on with --max-time", s.ask.MaxTime, answered)
	s.warn("%s", s.out.Budget.Stopped)
}

// noEnd is a connection that was not brought to an end: it got at least what it got.
func (s *survey) noEnd(w *walk) {
	b := &s.out.Budget
	switch {
	case b.Most == nil:
		b.Least = max(b.Least, w.answered)
	case w.answered > *b.Most:
		s.warn("one connection was ended after %d requests, another got %d without an end: no fixed limit", b.Counts[0], w.answered)
		b.Most = nil
	}
}

// count adds what a connection got that was brought to its end.
func (s *survey) count(w *walk) {
	b := &s.out.Budget
	got := w.answered
	b.Counts = append(b.Counts, got)
	least, most := slices.Min(b.Counts), slices.Max(b.Counts)
	b.Least, b.Most = least, &most
	if w.first == nil || w.first.code != http2.ErrCodeNo {
		return
	}
	if named := int(w.last.last/2) + 1; named < w.first.sent && got < named {
		s.warn("it named stream %d as its last, that is %d requests, and answered %d", w.last.last, named, got)
	}
}

// account adds what a connection cost.
func (s *survey) account(w *walk, first bool) {
	s.out.Requests += w.sent
	s.out.Budget.AskedUpTo = max(s.out.Budget.AskedUpTo, w.sent)
	s.tally(w.statuses)
	if first {
		s.out.StreamsPerS = w.rate
	}
}

func (s *survey) tally(statuses map[string]int) {
	for status, n := range statuses {
		s.out.Statuses[status] += n
	}
}

func (w *walk) endSent() int {
	if w.first != nil {
		return w.first.sent
	}
	return w.sent
}

func (w *walk) endAnswered() int {
	if w.first != nil {
		return w.first.answered
	}
	return w.answered
}
