package kit

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// A call that fails at once is followed by a pause, so that a client that can't succeed doesn't
	// count millions of failures.
	atOnce = time.Millisecond
	pause  = 10 * time.Millisecond
	// afterPatience is how much longer than its patience the harness waits for a call that ignores
	// its cancellation.
	afterPatience = time.Second
)

// errImpatient cancels a call that got no answer in time.
var errImpatient = errors.New("the harness gave up the call")

// loop keeps a subject's calls in flight.
type loop struct {
	flags   Flags
	subject Subject
	body    []byte
}

// worker makes one call after the other.
type worker struct {
	*loop
	account *account
	index   int
}

// window keeps all workers busy for a time, starts no call after it, and waits for the answers
// still due, with a time limit.
func (l *loop) window(ctx context.Context, phase string, d time.Duration) (*Tally, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	workers := make([]*worker, l.flags.Concurrency)
	began := time.Now()
	var running sync.WaitGroup
	for i := range workers {
		w := &worker{loop: l, index: i, account: &account{tally: NewTally()}}
		workers[i] = w
		running.Go(func() {
			if err := w.work(ctx, phase, began.Add(d)); err != nil {
				stop(err)
			}
		})
	}
	if !l.await(ctx, &running, d) {
		return nil, context.Cause(ctx)
	}
	sum := NewTally()
	sum.Elapsed = time.Since(began)
	for _, w := range workers {
		if err := w.account.settle(l.flags.Patience, sum); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

// await waits for the end of a window of d and of its last calls, with a time limit; false means that
// ctx has ended.
func (l *loop) await(ctx context.Context, running *sync.WaitGroup, d time.Duration) bool {
	all := make(chan struct{})
	go func() { running.Wait(); close(all) }()
	last := time.NewTimer(d + l.flags.Patience + afterPatience)
	defer last.Stop()
	select {
	case <-all:
	case <-last.C:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

func (w *worker) work(ctx context.Context, phase string, until time.Time) error {
	for n := 1; ctx.Err() == nil; n++ {
		sent := time.Now()
		if !sent.Before(until) {
			break
		}
		if goOn, err := w.account.begin(0); err != nil || !goOn {
			return err
		}
		f, err := w.call(ctx, w.flags.ID(phase, w.index, n))
		if err != nil {
			return err
		}
		waited := time.Since(sent)
		if goOn, err := w.account.count(f, waited, waited); err != nil || !goOn {
			return err
		}
		if f != nil && waited < atOnce {
			time.Sleep(pause)
		}
	}
	return nil
}

// call makes one call within the harness's patience. It limits the time with a timer and not with a
// context deadline: see Subject.
func (w *worker) call(ctx context.Context, id string) (*Failure, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(w.flags.Patience, func() { cancel(errImpatient) })
	defer timer.Stop()
	f, err := w.subject.Send(ctx, Call{Worker: w.index, ID: id, Body: w.body})
	if f != nil && errors.Is(context.Cause(ctx), errImpatient) {
		return hungFailure(w.flags.Patience, f.Message), nil
	}
	return f, err
}
