package load

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"h2lab/internal/base/histogram"
	"h2lab/internal/facts"
)

// tally is one VU's report, as k6/lib/tally.js makes it.
type tally struct {
	Attempts       *int64     `json:"attempts"`
	Succeeded      *int64     `json:"succeeded"`
	Failed         *int64     `json:"failed"`
	WarmupRequests *int64     `json:"warmup_requests"`
	ClientReported *int64     `json:"client_reported"`
	BeganMS        *float64   `json:"began_ms"`
	EndedMS        *float64   `json:"ended_ms"`
	MaxMS          float64    `json:"max_ms"`
	TLS            string     `json:"tls"` // "tls1.3"
	LatencyUS      [][2]int64 `json:"latency_us"`
	Failures       []failure  `json:"failures"`
	Open           *openTally `json:"open"` // nil in a closed loop
}

// openTally is how one VU kept to its schedule.
type openTally struct {
	NotStarted    int64      `json:"not_started"`
	InFlight      int64      `json:"in_flight"`
	LateUS        [][2]int64 `json:"late_us"`
	UncorrectedUS [][2]int64 `json:"uncorrected_us"`
}

// check returns an error for the first number that is missing or can't be.
func (t tally) check() error {
	for _, n := range []struct {
		name string
		is   *int64
	}{{"attempts", t.Attempts}, {"succeeded", t.Succeeded}, {"failed", t.Failed}, {"warmup_requests", t.WarmupRequests},
		{"client_reported", t.ClientReported}} {
		switch {
		case n.is == nil:
			return fmt.Errorf("lacks %s", n.name)
		case *n.is < 0:
			return fmt.Errorf("has %s = %d, a negative number", n.name, *n.is)
		}
	}
	switch {
	case t.BeganMS == nil || t.EndedMS == nil:
		return errors.New("has no time")
	case *t.EndedMS < *t.BeganMS:
		return errors.New("has a window that ends before it begins")
	}
	return nil
}

// mergeTallies makes one answer of all VUs' tallies: sums, and the time from the first VU's release
// to the last VU's last answer.
func mergeTallies(all []tally, p facts.Protocol) (Answer, error) {
	var a Answer
	var failures []failure
	var reported int64
	h := histogram.New()
	began, ended, most := math.Inf(1), math.Inf(-1), 0.0
	for i, t := range all {
		if err := t.check(); err != nil {
			return Answer{}, fmt.Errorf("the tally of its VU %d of %d %w", i+1, len(all), err)
		}
		a.Attempts += *t.Attempts
		a.Succeeded += *t.Succeeded
		a.Failed += *t.Failed
		a.WarmupRequests += *t.WarmupRequests
		reported += *t.ClientReported
		began, ended, most = min(began, *t.BeganMS), max(ended, *t.EndedMS), max(most, t.MaxMS)
		if err := addBuckets(h, t.LatencyUS); err != nil {
			return Answer{}, fmt.Errorf("its latencies: %w", err)
		}
		failures = append(failures, t.Failures...)
		if t.TLS != "" {
			a.TLS.Version = strings.TrimPrefix(t.TLS, "tls")
		}
	}
	a.ElapsedS = (ended - began) / 1000
	a.ClientReported = &reported
	a.Latency = percentiles(h, most)
	a.Errors = groupErrors(failures, p)
	if h.Samples() != a.Succeeded {
		return Answer{}, fmt.Errorf("its tallies have %d latencies for %d successes", h.Samples(), a.Succeeded)
	}
	if err := a.distributions(h, all); err != nil {
		return Answer{}, err
	}
	return a, a.verify(failures)
}

// distributions adds the histogram and the schedule to an answer.
func (a *Answer) distributions(h *histogram.Histogram, all []tally) (err error) {
	var m measured
	if h.Samples() > 0 {
		if m.Histogram, err = h.Text(); err != nil {
			return fmt.Errorf("its latencies: %w", err)
		}
	}
	if m.Schedule, err = mergeSchedules(all, a.Attempts); err != nil {
		return err
	}
	return a.take(m)
}

// mergeSchedules adds what the VUs of an open loop say about their schedules; nil without any. The
// largest numbers of requests in flight may have been at different times.
func mergeSchedules(all []tally, attempts int64) (*facts.Schedule, error) {
	var s facts.Schedule
	late, uncorrected := histogram.New(), histogram.New()
	open := 0
	for _, t := range all {
		if t.Open == nil {
			continue
		}
		open++
		s.NotStarted += t.Open.NotStarted
		s.InFlight += t.Open.InFlight
		if err := errors.Join(addBuckets(late, t.Open.LateUS), addBuckets(uncorrected, t.Open.UncorrectedUS)); err != nil {
			return nil, fmt.Errorf("its schedule: %w", err)
		}
	}
	switch open {
	case 0:
		return nil, nil
	case len(all):
		s.Due = attempts + s.NotStarted
		s.LateMS, s.UncorrectedMS = percentiles(late, math.Inf(1)), percentiles(uncorrected, math.Inf(1))
		if late.Samples() != attempts {
			return nil, fmt.Errorf("its schedule has %d times for %d attempts", late.Samples(), attempts)
		}
		return &s, nil
	}
	return nil, fmt.Errorf("%d of its %d VUs have a schedule", open, len(all))
}

// addBuckets adds counts of times in µs.
func addBuckets(h *histogram.Histogram, buckets [][2]int64) error {
	for _, b := range buckets {
		if err := h.Add(b[0], b[1]); err != nil {
			return err
		}
	}
	return nil
}

// percentiles are in ms; most is the exact maximum, or infinite where it is not known.
func percentiles(h *histogram.Histogram, most float64) facts.Latency {
	largest := h.MaxMS()
	if largest == nil {
		return facts.Latency{}
	}
	if math.IsInf(most, 1) {
		most = *largest
	}
	at := func(q float64) *float64 {
		ms := most
		if v := h.AtMS(q); v != nil {
			ms = min(*v, most) // a bucket may end above the maximum
		}
		return &ms
	}
	return facts.Latency{P50: at(50), P90: at(90), P95: at(95), P99: at(99), P999: at(99.9), Max: &most}
}
