package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/base/notes"
	"h2lab/internal/base/system"
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
)

// bring brings one connection to its end and records the result.
func (s *survey) bring(ctx context.Context, p plan, first bool) (*run, error) {
	r, refused, err := s.startAgain(ctx, p)
	if refused > 0 && err == nil {
		s.note(notes.Restarted, "time", refused.Round(100*time.Millisecond))
	}
	if err != nil {
		return nil, err
	}
	s.out.Connections++
	err = s.toItsEnd(r, first)
	r.close()
	if p.slow.lasts == 0 {
		s.took = r.lastNews.Sub(r.opened)
	}
	s.account(r, facts.ForLimit)
	if first {
		s.out.StreamsPerS = r.rate
	}
	switch unused := cause.CalledUnused(s.out.Asked[len(s.out.Asked)-1]); {
	case !r.over():
		s.open++
	case !unused: // its number tells nothing, and gRPC's servers end a connection for the pings that would look for it
		s.ends = append(s.ends, r.near())
	}
	return r, err
}

// toItsEnd brings a connection to its end and follows it.
func (s *survey) toItsEnd(r *run, first bool) error {
	err := r.toTheEnd()
	if err == nil && first && !r.over() && s.reserve() > 0 {
		err = s.hold(r)
	}
	switch {
	case errors.Is(err, errTime):
		s.outOfTime(r.answered)
		s.noEnd(r)
		return nil
	case err != nil:
		s.out.Budget.Stopped = err.Error()
		s.noEnd(r)
		return err
	case !r.over():
		s.noEnd(r)
		return nil
	case r.first == nil && r.answered == 0:
		return r.unanswered()
	}
	x, err := s.follow(r, first)
	if err != nil {
		s.noEnd(r)
		return err
	}
	if e := r.ending(); s.out.Ending == nil || e.GoawayFirst != nil {
		s.mergeEnding(e)
	}
	if first && !r.plan.http1 { // one request at a time leaves nothing in flight
		s.out.Crossing = x
	}
	s.count(r)
	return nil
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
	s.out.Budget.Stopped = fmt.Sprintf("the time of one connection (--max-time %v) was over", s.ask.MaxTime)
	s.note(notes.OutOfTime, "time", s.ask.MaxTime, "requests", answered)
}

// noEnd records a connection that did not end: its limit, if there is one, is at least what it got.
func (s *survey) noEnd(r *run) {
	if b := &s.out.Budget; b.Most == nil {
		b.Least = max(b.Least, r.answered)
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

// startAgain opens a connection. A server that answered before and refuses connections now may be restarting, as
// Uvicorn does after --limit-max-requests: it is asked again for a while, and how long it refused is returned. A balancer in
// front of a server that restarts accepts the connection and hangs up, and so does one that allows a client few connections
// and has not yet seen the end of the one before.
func (s *survey) startAgain(ctx context.Context, p plan) (r *run, refused time.Duration, err error) {
	const patience, pause = 5 * time.Second, 100 * time.Millisecond
	began := time.Now()
	for {
		r, err = start(ctx, s.target, p)
		if !system.Refused(err) && !hungUp(err) || refused > patience || !afterwards(ctx, pause) {
			return r, refused, err
		}
		refused = time.Since(began)
	}
}
