package probe

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
)

// Survey measures everything in sequence: who the server is (look.go), whether TLS sessions resume
// (resume.go), how many requests a connection gets and how it ends (run.go, crossing.go), and how
// long an unused connection lasts (lifetime.go). After an error, the Endpoint has what was measured
// before.
func Survey(ctx context.Context, t Target, ask Ask) (facts.Endpoint, error) {
	s := &survey{target: t, ask: ask, began: time.Now(), out: facts.Endpoint{URL: t.urlOf(), Method: t.method(),
		Protocol: facts.H2, Settings: []facts.Setting{}, Statuses: map[string]int{}, Warnings: []facts.Note{},
		TLS: facts.EndpointTLS{Versions: []facts.TLSVersion{}}}}
	s.out.Budget.Counts, s.out.Asked = []int{}, []facts.AskedConnection{}
	if ask.HTTP1 {
		s.out.Protocol = facts.H1
	}
	err := errors.Join(ask.Check(), t.check())
	if err == nil {
		err = s.all(ctx)
	}
	s.out.ElapsedS = time.Since(s.began).Seconds()
	return s.out, s.ended(ctx, err)
}

// ended combines the reasons why a survey ended early into one error.
func (s *survey) ended(ctx context.Context, err error) error {
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
		s.note(notes.Error, "text", err)
	}
	return err
}

func (t Target) urlOf() string {
	if t.url != "" {
		return t.url
	}
	return "https://" + t.Addr + t.path()
}

// survey is the state of one survey.
type survey struct {
	target Target
	ask    Ask
	began  time.Time
	out    facts.Endpoint
}

func (s *survey) note(code string, pairs ...any) {
	s.out.Warnings = append(s.out.Warnings, facts.NewNote(code, pairs...))
}

// all runs the measurements in order.
func (s *survey) all(ctx context.Context) error {
	s.target.session = tls.NewLRUClientSessionCache(2)
	if err := s.look(ctx); err != nil {
		return err
	}
	if err := s.resumption(ctx); err != nil {
		return err
	}
	s.target.session = nil // each connection makes a full handshake, as in a stampede
	return errors.Join(s.limit(ctx), s.lifetimes(ctx))
}

// limit brings connections to their limit. The first has as many requests in flight as allowed,
// which shows what is lost at the end; the others send one at a time around the place where the
// first ended, which shows the number. Over HTTP/1.1 all requests go one at a time, because some
// servers handle pipelining badly.
func (s *survey) limit(ctx context.Context) error {
	p := plan{http1: s.ask.HTTP1, atMost: s.ask.MaxStreams, spare: late, rate: s.ask.Rate, maxTime: s.ask.MaxTime}
	if p.http1 {
		p.alone = all
	}
	for n := range s.ask.Connections {
		r, err := start(ctx, s.target, p)
		if err != nil {
			return err
		}
		s.out.Connections++
		ended, err := s.bring(r, n == 0)
		r.close()
		s.account(r, facts.ForLimit)
		if n == 0 {
			s.out.StreamsPerS = r.rate
		}
		if err != nil || !ended {
			return err
		}
		if n == 0 && !p.http1 {
			p.alone = r.around()
			p.atMost = min(s.ask.MaxStreams, 3*r.endSent()+10*careful)
		}
	}
	return nil
}

// bring brings one connection to its limit and records the result. It reports whether the
// connection was ended.
func (s *survey) bring(r *run, first bool) (bool, error) {
	err := r.toTheEnd()
	switch {
	case errors.Is(err, errTime):
		s.outOfTime(r.answered)
		s.noEnd(r)
		return false, nil
	case err != nil:
		s.out.Budget.Stopped = err.Error()
		s.noEnd(r)
		return false, err
	case !r.over():
		s.noEnd(r)
		return false, nil
	case r.first == nil && r.answered == 0:
		return false, r.unanswered()
	}
	x, err := s.follow(r, first)
	if err != nil {
		s.noEnd(r)
		return false, err
	}
	if e := r.ending(); s.out.Ending == nil || e.GoawayFirst != nil {
		s.mergeEnding(e)
	}
	if first && !r.plan.http1 { // one request at a time leaves nothing in flight
		s.out.Crossing = x
	}
	s.count(r)
	return true, nil
}

// follow follows the first connection to its close; on the others it only waits for the answers
// that are due.
func (s *survey) follow(r *run, first bool) (*facts.Crossing, error) {
	if first {
		return r.cross(late)
	}
	r.until = time.Time{}
	return nil, r.owed()
}

// mergeEnding keeps how the first connection closed, and takes How from a later one, which met its
// end with one request in flight. With a hundred streams in flight, an id that lay ahead when it
// was sent (HAProxy) may be the newest stream when it is read.
func (s *survey) mergeEnding(e *facts.Ending) {
	kept := s.out.Ending
	if kept == nil {
		s.out.Ending = e
		return
	}
	ahead := kept.How == facts.EndedByGoaway && e.How == facts.EndedByFutureID
	if kept.How != e.How && !ahead {
		s.note(notes.TwoEndings, "first", kept.How, "then", e.How)
	}
	kept.How, kept.GoawayFirst = e.How, e.GoawayFirst
}

// outOfTime records a connection that exceeded its maximum time.
func (s *survey) outOfTime(answered int) {
	s.out.Budget.Stopped = fmt.Sprintf("no limit was met in %v, after %d requests on one connection; go on with "+
		"--max-time", s.ask.MaxTime, answered)
	s.note(notes.OutOfTime, "time", s.ask.MaxTime, "requests", answered)
}

// noEnd records a connection that did not end: its limit is at least what it got.
func (s *survey) noEnd(r *run) {
	b := &s.out.Budget
	switch {
	case b.Most == nil:
		b.Least = max(b.Least, r.answered)
	case r.answered > *b.Most:
		s.note(notes.NoFixedLimit, "ended", b.Counts[0], "more", r.answered)
		b.Most = nil
	}
}

// count records what a connection got before it ended.
func (s *survey) count(r *run) {
	b := &s.out.Budget
	got := r.answered
	b.Counts = append(b.Counts, got)
	least, most := slices.Min(b.Counts), slices.Max(b.Counts)
	b.Least, b.Most = least, &most
	if r.first == nil || r.first.code != http2.ErrCodeNo {
		return
	}
	if named := int(r.last.last/2) + 1; named < r.first.sent && got < named {
		s.note(notes.FewerAnswers, "stream", r.last.last, "requests", named, "answered", got)
	}
}

// account adds the cost of a connection and records its life.
func (s *survey) account(r *run, purpose string) {
	s.out.Requests += r.sent
	s.tally(r.statuses)
	if purpose == facts.ForLimit {
		s.out.Budget.AskedUpTo = max(s.out.Budget.AskedUpTo, r.sent)
	}
	s.out.Asked = append(s.out.Asked, r.record(purpose, s.began))
}

func (s *survey) tally(statuses map[string]int) {
	for status, n := range statuses {
		s.out.Statuses[status] += n
	}
}
