// Package counters reads the counters of servers (sources.go): nginx's
// stub_status and its log of first requests, Envoy's admin interface, the backend's ledger, the
// counters of Spring Cloud Gateway.
//
// internal/lab/conduct reads every server before and after the load, when its counters have settled
// . In between it reads the front several times a second, and processor
// time with them.
//
// Reading a counter changes it. Each source keeps one HTTP connection and subtracts its own
// connections and reads, so that the numbers of an idle server stay constant. Raw numbers keep the
// server's names and values.
//
// The package computes no differences, except of the backend's times (service.go), and makes no
// judgements.
package counters

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/facts"
)

// Source reads the counters of one server.
type Source interface {
	// Observe reads the counters once. Several goroutines may call it; it runs one reading at a
	// time.
	Observe(ctx context.Context) (facts.Observation, error)
	// Close closes the connection.
	Close()
}

const (
	// readTimeout bounds one reading: counters on loopback answer within a millisecond, and within
	// a few hundred when the CPU is overloaded.
	readTimeout = 3 * time.Second
	// maxBody bounds the size of an answer.
	maxBody = 1 << 20
)

// own counts how the sources of one server changed its counters. A reading holds the lock, so that
// no connection or read of another source is half counted.
type own struct {
	sync.Mutex
	dials atomic.Int64 // a dial may last longer than the reading that caused it
	reads int64
}

const (
	// settlePause is the time between two readings that must agree: long enough for a busy machine
	// to accept a dial in progress.
	settlePause = 50 * time.Millisecond
	// settleLimit is when Settle returns the last reading, settled or not.
	settleLimit = 3 * time.Second
)

// ErrUnsettled comes with a valid reading of counters that were still changing after three seconds:
// a warning, not a failure.
var ErrUnsettled = errors.New("the counters were still moving after three seconds")

// Settle reads a source until two consecutive readings agree. A server accepts dials that lost
// their race after the last answer, and nginx writes its log after the answer.
func Settle(ctx context.Context, s Source) (facts.Observation, error) {
	last, err := s.Observe(ctx)
	if err != nil {
		return last, err
	}
	tick := time.NewTicker(settlePause)
	defer tick.Stop()
	for began := time.Now(); time.Since(began) < settleLimit; {
		select {
		case <-ctx.Done():
			return last, context.Cause(ctx)
		case <-tick.C:
		}
		next, err := s.Observe(ctx)
		if err != nil {
			return next, err
		}
		if agree(last, next) {
			return next, nil
		}
		last = next
	}
	return last, ErrUnsettled
}

// agree compares the derived numbers; raw numbers include the source's own reads.
func agree(a, b facts.Observation) bool {
	return reflect.DeepEqual([]*int64{a.Accepted, a.Used, a.Requests}, []*int64{b.Accepted, b.Used, b.Requests})
}

// maxSamples bounds a timeline: more than an hour at 20 Hz.
const maxSamples = 100_000

// Sampler reads a source at a steady interval under load. It reads through a second source of its
// own, so that the timeline and a simultaneous snapshot use separate connections, and neither
// counts the other's. The zero value is ready to use.
type Sampler struct {
	// Each gets every reading; set it before Start. It must not block.
	Each func(facts.Observation)

	cancel context.CancelFunc
	done   chan struct{}
	panic  *await.Panic // of a reading; Stop passes it on

	mu      sync.Mutex
	zero    time.Time
	samples []sample
	failed  int
	err     error // of the newest failed reading
	names   map[string]string
}

type sample struct {
	at                 time.Time
	accepted, requests int64
}

// Start reads src every interval, until Stop or the end of ctx. Time 0 is now, until Mark moves it.
// A sampler can be started once.
func (s *Sampler) Start(ctx context.Context, src Source, interval time.Duration) {
	if s.done != nil {
		return
	}
	ctx, s.cancel = context.WithCancel(ctx)
	s.done, s.zero, s.names = make(chan struct{}), time.Now(), map[string]string{}
	s.samples = make([]sample, 0, 256)
	own := src
	if t, ok := src.(*source); ok {
		own, s.names["accepted"], s.names["requests"] = t.twin(), t.says.Names[0], t.says.Names[1]
	}
	go func() {
		defer close(s.done)
		defer func() { s.panic = await.Caught(recover()) }()
		if own != src {
			defer own.Close()
		}
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			// Stop lets a reading in progress finish: the server would count a cancelled request,
			// the source would not.
			s.keep(own.Observe(context.WithoutCancel(ctx)))
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
}

// keep adds a reading, or counts that it failed; it adds no value for a failed reading.
func (s *Sampler) keep(o facts.Observation, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && (o.Accepted == nil || o.Requests == nil) {
		err = fmt.Errorf("a reading without connections or requests")
	}
	if err != nil {
		s.failed, s.err = s.failed+1, err
		return
	}
	if s.Each != nil {
		s.Each(o)
	}
	if len(s.samples) < maxSamples {
		s.samples = append(s.samples, sample{o.At, *o.Accepted, *o.Requests})
	}
}

// Mark sets time 0: the measured window opens now.
func (s *Sampler) Mark() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.zero = time.Now()
}

// Failed is how many readings failed, and the newest error.
func (s *Sampler) Failed() (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed, s.err
}

// Stop ends the readings and returns the timeline, with columns of equal length. It returns an
// error only when every reading failed.
func (s *Sampler) Stop() (facts.Series, error) {
	if s.done != nil {
		s.cancel()
		<-s.done
		if s.panic != nil {
			panic(s.panic)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	series := facts.Series{TMS: make([]float64, len(s.samples)), Accepted: make([]int64, len(s.samples)),
		Requests: make([]int64, len(s.samples)), Source: s.names}
	if series.Source == nil {
		series.Source = map[string]string{}
	}
	for i, x := range s.samples {
		series.TMS[i] = float64(x.at.Sub(s.zero).Microseconds()) / 1000
		series.Accepted[i], series.Requests[i] = x.accepted, x.requests
	}
	if len(s.samples) == 0 && s.failed > 0 {
		return series, fmt.Errorf("no timeline, all %d readings failed: %w", s.failed, s.err)
	}
	return series, nil
}
