//go:build integration && linux

package main

import (
	"strings"
	"testing"

	"h2lab/internal/base/histogram"
	"h2lab/internal/facts"
	"h2lab/internal/lab/results"
)

// A share of the slowest closed loop arrives at every cell as a Poisson process, from k6 and Go alike.
func TestARunAtAShareOfTheClosedLoop(t *testing.T) {
	p := start(t, "repro", "RATE=20%", "ARRIVALS=poisson", "WARMUP=300ms", "TOPOLOGY=nginx-100", "PROTOCOL=h2",
		"CLIENT=k6-shared-pool,go-once")
	p.end(0)
	r, err := results.Read(p.run())
	if err != nil || r.Run.Command != "repro" {
		t.Fatal(r, err)
	}
	rate := r.Run.Rate
	if rate == nil || rate.Asked != "20%" || len(rate.ClosedLoopRPS) != 2 || !strings.Contains(r.Run.Repeat, " RATE=20% ARRIVALS=poisson") {
		t.Fatalf("%+v, repeat %s", rate, r.Run.Repeat)
	}
	for cell, closed := range rate.ClosedLoopRPS {
		if rate.PerS > 0.2*closed+1 {
			t.Errorf("%v a second are more than a fifth of the %v of %s", rate.PerS, closed, cell)
		}
	}
	for _, c := range r.Cells {
		if len(c.Trials) != 1 || c.Workload.RatePerS != rate.PerS || c.Workload.Arrivals != facts.Poisson {
			t.Errorf("%s: %d trials, %+v", c.ID(), len(c.Trials), c.Workload)
			continue
		}
		kept(t, c.ID(), rate.PerS, c.Workload, c.Trials[0])
	}
}

func kept(t *testing.T, id string, rate float64, w facts.Workload, trial facts.Trial) {
	t.Helper()
	s := trial.Schedule
	if s == nil || s.Due != trial.Attempts+s.NotStarted {
		t.Errorf("%s: schedule %+v of %d attempts", id, s, trial.Attempts)
		return
	}
	// a Poisson process of a thousand and more is within a quarter of its mean
	if due, mean := float64(s.Due), rate*w.DurationS; due < 0.75*mean || due > 1.25*mean {
		t.Errorf("%s: %v requests were due, of %v on average", id, due, mean)
	}
	if h, err := histogram.Read(trial.Histogram); err != nil || h.Samples() != trial.Succeeded {
		t.Errorf("%s: histogram %+v, %v", id, h, err)
	}
	// Each latency from when a request was due is the one from when it was sent, and its lateness.
	if corrected, sent := *trial.LatencyMS.P50, *s.UncorrectedMS.P50; corrected < sent {
		t.Errorf("%s: the median is %v ms from when requests were due, %v from when they were sent", id, corrected, sent)
	}
	if e := trial.Connections.Expected; e == nil || *e < trial.Attempts/100-1 {
		t.Errorf("%s: expected connections %v for %d requests", id, e, trial.Attempts)
	}
}
