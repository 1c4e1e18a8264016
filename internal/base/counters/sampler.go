package counters

import (
	"context"
	"fmt"
	"sync"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/facts"
)

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
	s.done, s.zero, s.names = make(chan struct{}), time.Now(), columnNames(src)
	s.samples = make([]sample, 0, 256)
	own := src
	if t, ok := src.(twin); ok {
		own = t.twin()
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

// columnNames has the server's names of the two columns.
func columnNames(src Source) map[string]string {
	switch src.(type) {
	case *nginx:
		return map[string]string{"accepted": "accepts", "requests": "requests"}
	case *envoy:
		return map[string]string{"accepted": "downstream_cx_total", "requests": "downstream_rq_total"}
	case *backend:
		return map[string]string{"accepted": "connections.new", "requests": "requests.h1 + requests.h2"}
	case *gateway:
		return map[string]string{"accepted": "accepted", "requests": "requests"}
	}
	return map[string]string{}
}
