package facts

import "math"

// Arrivals is how the requests of an open loop are spaced.
type Arrivals string

// The kinds of arrivals. Those of a Poisson process are independent of one another, as those of many
// users are; the run's seed draws them.
const (
	Constant Arrivals = "constant"
	Poisson  Arrivals = "poisson"
)

// Rate is how the rate of a run's open loop was found.
type Rate struct {
	// Asked is RATE as it was given: "2000" or "70%".
	Asked string `json:"asked"`
	// ClosedLoopRPS is the goodput of each cell in a closed loop of Concurrency requests in flight, by
	// the cell's id, measured once before the trials; absent where RATE is a number.
	ClosedLoopRPS map[string]float64 `json:"closed_loop_rps,omitempty"`
	// PerS is the rate: requests that arrive in a second. 0 until it is known.
	PerS float64 `json:"per_s"`
}

// Schedule is how a load generator kept to the schedule of an open loop. A trial's LatencyMS counts
// from the time when a request was due, which includes the time that a generator or a full pool kept
// it waiting.
type Schedule struct {
	// Due is how many requests were due in the window, NotStarted how many of them were never sent
	// because as many requests as allowed were in flight. The others are the trial's attempts.
	Due        int64 `json:"due"`
	NotStarted int64 `json:"not_started"`
	// InFlight is the largest number of requests in flight at the same time.
	InFlight int64 `json:"in_flight"`
	// LateMS is how much later than due the generator sent requests.
	LateMS Latency `json:"late_ms"`
	// UncorrectedMS is the latency of successful requests counted from when they were sent. A generator
	// that waits for answers before it sends the next request sees only this one (coordinated omission).
	UncorrectedMS Latency `json:"uncorrected_ms"`
}

// The 99th percentile of how late an open loop's requests are sent may be MostLateMS, or MostLateShare of the
// 99th percentile of the latency, whichever is more. Latency counts from when a request was due, so the
// generator's own delay is part of it; a delay of a tenth changes a p99 by a tenth at most.
const (
	MostLateMS    = 1.0
	MostLateShare = 0.1
)

// Behind reports whether the generator fell behind its schedule: then the trial's latencies are not the
// server's alone.
func (s Schedule) Behind() bool {
	most := MostLateMS
	if took := s.UncorrectedMS.P99; took != nil {
		most = max(most, MostLateShare**took)
	}
	return s.LateMS.P99 != nil && *s.LateMS.P99 > most
}

// Full reports whether requests were left out because as many as allowed were in flight: then the
// latencies are those of the requests that were sent, and the requests left out would have waited
// longest.
func (s Schedule) Full() bool { return s.NotStarted > 0 }

// UsuallyInFlight is how many requests are in flight at a rate while nothing stalls: as many as arrive
// in the median latency (Little's law). A stampede's own queue doesn't change the median, as it would
// the mean. At a rate beyond what a server can do it is at most the largest number that was in flight.
func (s Schedule) UsuallyInFlight(perSecond float64) int {
	if s.UncorrectedMS.P50 == nil {
		return 1
	}
	return max(1, min(int(s.InFlight), int(math.Ceil(perSecond**s.UncorrectedMS.P50/1000))))
}
