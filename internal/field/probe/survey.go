package probe

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

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

	ends []span        // the requests around the ends of connections
	open int           // connections that were not ended
	took time.Duration // from the last connection's opening to its last answer, if it was not slowed down
}

func (s *survey) note(code string, pairs ...any) {
	note := facts.NewNote(code, pairs...)
	if !slices.ContainsFunc(s.out.Warnings, func(n facts.Note) bool { return reflect.DeepEqual(n, note) }) {
		s.out.Warnings = append(s.out.Warnings, note)
	}
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
