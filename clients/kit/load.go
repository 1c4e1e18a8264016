package kit

import (
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"h2lab/internal/facts"
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
		w.account.settle(l.flags.Patience, sum)
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
		if !w.account.begin(0) {
			return nil
		}
		f, err := w.call(ctx, w.flags.ID(phase, w.index, n))
		waited := time.Since(sent)
		if err != nil || !w.account.count(f, waited, waited) {
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
	all.settle(o.flags.Patience, sum)
	return sum, nil
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
			if !s.account.begin(sent.Sub(due)) {
				return nil
			}
			f, err := s.call(ctx, s.flags.ID(phase, s.index, n))
			answered := time.Now()
			if err != nil || !s.account.count(f, answered.Sub(due), answered.Sub(sent)) {
				return err
			}
			idle <- s
		case <-ctx.Done():
			return nil
		}
	}
}

// arrivals gives the moments at which requests are due, counted from the beginning of a window.
type arrivals struct {
	gap float64    // mean, in ns
	rng *rand.Rand // nil where they are constant
	n   float64    // when the next request is due, in mean gaps
}

// newArrivals makes the arrivals of a phase. The same seed gives the same arrivals; those of the warm-up
// differ from those of the window.
func newArrivals(f Flags, phase string) *arrivals {
	a := &arrivals{gap: float64(time.Second) / float64(f.Rate)}
	if facts.Arrivals(f.Arrivals) == facts.Poisson {
		h := fnv.New64a()
		h.Write([]byte(phase))
		a.rng = rand.New(rand.NewPCG(f.Seed, h.Sum64()))
		a.n = a.rng.ExpFloat64()
	}
	return a
}

// next is when the next request is due.
func (a *arrivals) next() time.Duration {
	due := time.Duration(a.n * a.gap)
	if a.rng == nil {
		a.n++
	} else {
		a.n += a.rng.ExpFloat64()
	}
	return due
}

// pace counts how well an open loop kept its schedule.
type pace struct {
	notStarted, inFlight int64                   // inFlight: the largest number at the same time
	late, uncorrected    *hdrhistogram.Histogram // µs
}

func newPace() *pace { return &pace{late: newHistogram(), uncorrected: newHistogram()} }

func (p *pace) merge(from *pace) {
	p.notStarted += from.notStarted
	p.inFlight = max(p.inFlight, from.inFlight)
	p.late.Merge(from.late)
	p.uncorrected.Merge(from.uncorrected)
}

// schedule describes a window with this many attempts.
func (p *pace) schedule(attempts int64) *facts.Schedule {
	return &facts.Schedule{Due: attempts + p.notStarted, NotStarted: p.notStarted, InFlight: p.inFlight,
		LateMS: percentiles(p.late), UncorrectedMS: percentiles(p.uncorrected)}
}

// longestLatency limits the histograms; a longer wait counts as this value.
const longestLatency = 2 * time.Minute

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, longestLatency.Microseconds(), 3)
}

func record(h *hdrhistogram.Histogram, d time.Duration) {
	_ = h.RecordValue(min(max(0, d.Microseconds()), h.HighestTrackableValue())) // the value is in its range
}

// percentiles are in ms; none without a value.
func percentiles(h *hdrhistogram.Histogram) facts.Latency {
	if h.TotalCount() == 0 {
		return facts.Latency{}
	}
	at := func(q float64) *float64 {
		return new(float64(h.ValueAtQuantile(q)) / 1000)
	}
	return facts.Latency{P50: at(50), P90: at(90), P95: at(95), P99: at(99), P999: at(99.9), Max: at(100)}
}

// encoded is a histogram as HdrHistogram V2, compressed, in base64; empty without a value.
func encoded(h *hdrhistogram.Histogram) (string, error) {
	if h.TotalCount() == 0 {
		return "", nil
	}
	text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	return string(text), err
}
