package load

import (
	"errors"
	"fmt"

	"h2lab/internal/base/histogram"
	"h2lab/internal/facts"
)

// take adds the distributions and the schedule to an answer whose counts are known.
func (a *Answer) take(m measured) error {
	if m.Histogram != "" {
		h, err := histogram.Read(m.Histogram)
		if err != nil {
			return err
		}
		if h.Samples() != a.Succeeded {
			return fmt.Errorf("its histogram has %d latencies for %d successes", h.Samples(), a.Succeeded)
		}
	}
	for _, d := range []struct {
		name string
		l    *facts.Latency
	}{{"connect_ms", m.ConnectMS}, {"handshake_ms", m.HandshakeMS}} {
		if d.l != nil {
			if err := verifyLatency(d.name, *d.l, true); err != nil {
				return err
			}
		}
	}
	a.Histogram, a.ConnectMS, a.HandshakeMS = m.Histogram, m.ConnectMS, m.HandshakeMS
	if m.Schedule == nil {
		return nil
	}
	a.Schedule = m.Schedule
	return verifySchedule(*m.Schedule, a.Attempts, a.Succeeded)
}

// verifySchedule checks a schedule against the counts of its window.
func verifySchedule(s facts.Schedule, attempts, succeeded int64) error {
	switch {
	case s.NotStarted < 0 || s.Due < 0 || s.Due > mostAttempts:
		return fmt.Errorf("its schedule has %d due and %d not started", s.Due, s.NotStarted)
	case s.Due != attempts+s.NotStarted:
		return fmt.Errorf("%d requests were due, which are not the %d attempts and the %d not started", s.Due, attempts,
			s.NotStarted)
	case s.InFlight < 1 || s.InFlight > attempts:
		return fmt.Errorf("%d requests were in flight at the same time, of %d attempts", s.InFlight, attempts)
	}
	return errors.Join(verifyLatency("late_ms", s.LateMS, attempts > 0),
		verifyLatency("uncorrected_ms", s.UncorrectedMS, succeeded > 0))
}

// fits checks that the client did what the workload asks for: an open loop or a closed one.
func (a Answer) fits(w facts.Workload) error {
	switch {
	case w.RatePerS > 0 && a.Schedule == nil:
		return fault(facts.FaultGarbled, "a rate of %g requests a second was asked for, and its answer has no schedule",
			w.RatePerS)
	case w.RatePerS == 0 && a.Schedule != nil:
		return fault(facts.FaultGarbled, "no rate was asked for, and its answer has a schedule")
	case a.Schedule != nil && a.Schedule.InFlight > int64(w.Concurrency):
		return fault(facts.FaultGarbled, "it had %d requests in flight, more than the %d allowed", a.Schedule.InFlight,
			w.Concurrency)
	}
	return nil
}
