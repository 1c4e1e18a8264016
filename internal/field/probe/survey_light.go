package probe

import (
	"context"
	"errors"
	"time"
)

// hold keeps a connection that was not ended in light use.
func (s *survey) hold(r *run) error {
	watch := min(s.ask.Hold, s.ask.MaxTime)
	return r.lightly(r.opened.Add(watch), pauses(watch, s.reserve()))
}

// light opens a connection after a while and watches it in light use.
func (s *survey) light(ctx context.Context, opens, watch time.Duration) (*run, error) {
	if !afterwards(ctx, opens) {
		return nil, ctx.Err()
	}
	r, _, err := s.startAgain(ctx, plan{http1: s.ask.HTTP1, spare: late})
	if err != nil {
		return nil, err
	}
	defer r.close()
	pause := pauses(watch, min(lightRequests, s.ask.MaxStreams))
	if s.ask.Rate > 0 {
		pause = max(pause, time.Duration(lights/s.ask.Rate*float64(time.Second)))
	}
	err = r.lightly(r.opened.Add(watch), pause)
	return r, errors.Join(err, r.owed())
}

// pauses is the time between requests that makes at most so many of them, of which the first goes at
// once and the last at the end.
func pauses(watch time.Duration, requests int) time.Duration {
	return max(leastLight, watch/time.Duration(max(1, requests-leastRequests+1)))
}

// lightly sends a request every pause until the connection ends, and a last one at the given time:
// nginx, for one, compares a connection's age with keepalive_time only when a request arrives.
func (r *run) lightly(until time.Time, pause time.Duration) error {
	r.pace, r.until = newPace(0), time.Time{}
	next := time.Now()
	for !r.over() {
		last := !time.Now().Before(until)
		if !last && time.Now().Before(next) {
			if err := r.step(earliest(next, until)); err != nil {
				return err
			}
			continue
		}
		r.plan.atMost, r.quiet = r.sent+1, !last
		if err := r.toTheEnd(); err != nil || last {
			return err
		}
		next = time.Now().Add(pause)
	}
	return nil
}

// afterwards waits, unless the context ends first.
func afterwards(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
