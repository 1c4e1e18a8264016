package facts

// Arrivals is how the requests of an open loop are spaced.
type Arrivals string

// The kinds of arrivals. Those of a Poisson process are independent of one another, as those of many
// users are; the run's seed draws them.
const (
	Constant Arrivals = "constant"
	Poisson  Arrivals = "poisson"
)

// Schedule is how a load generator kept to the schedule of an open loop. A trial's LatencyMS counts
// from the time when a request was due, which includes the time that a generator or a full pool kept
// it waiting.
type Schedule struct {
	// Due is how many requests were due in the window, NotStarted how many of them were never sent
	// because as many requests as allowed were in flight. The others are the trial's attempts.
	Due        int64 `json:"due"`
	NotStarted int64 `json:"not_started"`
	// LateMS is how much later than due the generator sent requests.
	LateMS Latency `json:"late_ms"`
	// UncorrectedMS is the latency of successful requests counted from when they were sent. A generator
	// that waits for answers before it sends the next request sees only this one (coordinated omission).
	UncorrectedMS Latency `json:"uncorrected_ms"`
}
