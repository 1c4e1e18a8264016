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

// Timeline is what was read of a source under load. A failed reading adds no value.
type Timeline struct {
	readings []facts.Observation
	names    map[string]string
	Failed   int
	Err      error // of the newest failed reading
}

// Sample reads src at a steady interval, until the function that it returns is called, or the context ends. It reads
// through a second source of its own, so that the timeline and a simultaneous snapshot use separate connections, and
// neither counts the other's. each gets every reading, and may be nil; it must not block.
func Sample(ctx context.Context, src Source, interval time.Duration, each func(facts.Observation)) (stop func() Timeline) {
	ctx, cancel := context.WithCancel(ctx)
	own, line := src, Timeline{names: map[string]string{}}
	if t, ok := src.(*source); ok {
		own, line.names["accepted"], line.names["requests"] = t.twin(), t.says.Names[0], t.says.Names[1]
	}
	var group await.Group
	group.Go(func() {
		if own != src {
			defer own.Close()
		}
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			// stop lets a reading in progress finish: the server would count a cancelled request,
			// the source would not.
			o, err := own.Observe(context.WithoutCancel(ctx))
			switch {
			case err != nil:
				line.Failed, line.Err = line.Failed+1, err
			case len(line.readings) < maxSamples:
				line.readings = append(line.readings, o)
			}
			if err == nil && each != nil {
				each(o)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
	return func() Timeline {
		cancel()
		group.Wait()
		return line
	}
}

// Series is the timeline in columns of equal length, with its time 0 at zero: the measured window opens then. It is an
// error if every reading failed.
func (t Timeline) Series(zero time.Time) (facts.Series, error) {
	n := len(t.readings)
	out := facts.Series{TMS: make([]float64, n), Accepted: make([]int64, n), Requests: make([]int64, n), Source: t.names}
	for i, o := range t.readings {
		out.TMS[i] = float64(o.At.Sub(zero).Microseconds()) / 1000
		out.Accepted[i], out.Requests[i] = *o.Accepted, *o.Requests
	}
	if n == 0 && t.Failed > 0 {
		return out, fmt.Errorf("no timeline, all %d readings failed: %w", t.Failed, t.Err)
	}
	return out, nil
}
