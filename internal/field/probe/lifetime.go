package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/facts"
)

// The pause between the requests of a lightly used connection: short enough for most idle time-outs
// (Apache's is five seconds), long enough not to reach the request limit meanwhile.
const (
	leastPause = time.Second
	mostPause  = 30 * time.Second
)

// lifetimes measures how long an unused connection lasts, and one that carries a request now and
// then. It watches both at the same time.
func (s *survey) lifetimes(ctx context.Context) error {
	if s.ask.HTTP1 {
		return s.lifetimesH1()
	}
	var idle, age *facts.Lifetime
	var errs [2]error
	var runs [2]*run
	var both await.Group
	if s.ask.Idle > 0 {
		s.out.Connections++
		both.Go(func() { idle, runs[0], errs[0] = s.live(ctx, s.ask.Idle, 0) })
	}
	if s.ask.Age > 0 {
		s.out.Connections++
		both.Go(func() { age, runs[1], errs[1] = s.live(ctx, s.ask.Age, s.pause()) })
	}
	both.Wait()
	s.out.Idle, s.out.Age = idle, age
	for i, r := range runs {
		if r != nil {
			s.account(r, [...]string{facts.ForIdle, facts.ForAge}[i])
		}
	}
	return errors.Join(errs[:]...)
}

var errHTTP1Lifetimes = errors.New("--idle and --age are asked over HTTP/2 only; leave out --http1")

// lifetimesH1 rejects what a survey can't measure over HTTP/1.1.
func (s *survey) lifetimesH1() error {
	if s.ask.Idle > 0 || s.ask.Age > 0 {
		return errHTTP1Lifetimes
	}
	return nil
}

// pause is the time between two requests of a lightly used connection.
func (s *survey) pause() time.Duration {
	p := max(leastPause, min(mostPause, s.ask.Age/200))
	if b := s.out.Budget; b.Most != nil {
		p = max(p, s.ask.Age/time.Duration(max(1, b.Least/2)))
	}
	return p
}

// live opens a connection, sends a request every pause (0: once), and watches it for d.
func (s *survey) live(ctx context.Context, d, pause time.Duration) (*facts.Lifetime, *run, error) {
	r, err := start(ctx, s.target, plan{atMost: 1, spare: late, maxTime: s.target.patience() + time.Second})
	if err != nil {
		return nil, nil, err
	}
	defer r.close()
	if err := r.toTheEnd(); err != nil {
		return nil, r, err
	}
	r.until = time.Time{}
	idleSince := time.Now()
	next, end := idleSince.Add(pause), idleSince.Add(d)
	began := r.firstSent
	if pause == 0 {
		next, began = end, idleSince
	}
	for !r.over() && time.Now().Before(end) {
		if !time.Now().Before(next) {
			r.plan.atMost++
			r.fill()
			next = time.Now().Add(pause)
		}
		wake := earliest(next, end)
		if len(r.open) > 0 {
			wake = earliest(wake, r.lastNews.Add(r.target.patience()))
		}
		if err := r.step(wake); err != nil {
			return nil, r, fmt.Errorf("while a connection was watched for %v: %w", d, err)
		}
	}
	life := &facts.Lifetime{WatchedS: d.Seconds()}
	if r.over() {
		met := time.Now()
		if _, err := r.cross(0); err != nil {
			return nil, r, err
		}
		took := met.Sub(began).Seconds()
		life.Seconds, life.Ending = &took, r.ending()
	}
	return life, r, nil
}

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
