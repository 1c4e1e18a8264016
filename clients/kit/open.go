package kit

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// openLoop sends a subject's calls when they are due, whether or not earlier ones are answered.
type openLoop struct{ loop }

// server makes the calls that the dispatcher gives it, one at a time.
type server struct {
	worker
	due chan time.Time
}

// longestSleep is how long the dispatcher may take to notice that the program must end.
const longestSleep = 100 * time.Millisecond

// window sends the calls that are due within a time, and waits for the answers still due, with a time
// limit.
func (o *openLoop) window(ctx context.Context, phase string, d time.Duration) (*Tally, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	all := &account{tally: NewTally()}
	all.tally.pace = newPace()
	idle := make(chan *server, o.flags.Concurrency)
	var running sync.WaitGroup
	for i := range o.flags.Concurrency {
		s := &server{worker{loop: &o.loop, account: all, index: i}, make(chan time.Time, 1)}
		idle <- s
		running.Go(func() {
			if err := s.serve(ctx, phase, idle); err != nil {
				stop(err)
			}
		})
	}
	began := time.Now()
	running.Go(func() { o.dispatch(ctx, newArrivals(o.flags, phase), began, d, all, idle) })
	if !o.await(ctx, &running, d) {
		return nil, context.Cause(ctx)
	}
	sum := NewTally()
	// The schedule lasts d, even if the last request was due and answered earlier.
	sum.Elapsed = max(d, time.Since(began))
	return sum, all.settle(o.flags.Patience, sum)
}

// dispatch gives every call that is due to an idle server, and counts those that find none. When it
// returns the servers end.
func (o *openLoop) dispatch(ctx context.Context, a *arrivals, began time.Time, d time.Duration, all *account,
	idle chan *server) {
	defer func() {
		for range o.flags.Concurrency {
			select {
			case s := <-idle:
				close(s.due)
			case <-ctx.Done():
				return
			}
		}
	}()
	// Without an unlock the thread ends with this goroutine, so that no other goroutine runs with precise timers.
	runtime.LockOSThread()
	precise()
	for due := a.next(); due < d; due = a.next() {
		at := began.Add(due)
		for left := time.Until(at); left > 0; left = time.Until(at) {
			if ctx.Err() != nil {
				return
			}
			pauseFor(min(left, longestSleep))
		}
		select {
		case s := <-idle:
			s.due <- at
		default:
			all.skip()
		}
	}
}

// serve makes calls until the dispatcher closes its channel or ctx ends.
func (s *server) serve(ctx context.Context, phase string, idle chan<- *server) error {
	for n := 1; ; n++ {
		select {
		case due, more := <-s.due:
			if !more {
				return nil
			}
			sent := time.Now()
			if goOn, err := s.account.begin(sent.Sub(due)); err != nil || !goOn {
				return err
			}
			f, err := s.call(ctx, s.flags.ID(phase, s.index, n))
			if err != nil {
				return err
			}
			answered := time.Now()
			if goOn, err := s.account.count(f, answered.Sub(due), answered.Sub(sent)); err != nil || !goOn {
				return err
			}
			idle <- s
		case <-ctx.Done():
			return nil
		}
	}
}
