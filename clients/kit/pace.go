package kit

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"h2lab/internal/facts"
)

// pace counts how well an open loop kept its schedule.
type pace struct {
	notStarted, inFlight int64                   // inFlight: the largest number at the same time
	late, uncorrected    *hdrhistogram.Histogram // µs
}

func newPace() *pace { return &pace{late: newHistogram(), uncorrected: newHistogram()} }

func (p *pace) begin(late time.Duration, inFlight int64) error {
	p.inFlight = max(p.inFlight, inFlight)
	return record(p.late, late)
}

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

func record(h *hdrhistogram.Histogram, d time.Duration) error {
	return h.RecordValue(min(max(0, d.Microseconds()), h.HighestTrackableValue()))
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
