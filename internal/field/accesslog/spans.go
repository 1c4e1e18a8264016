package accesslog

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// longestSpan limits a time in milliseconds: over a century means a wrong clock.
const longestSpan = 1 << 42

// spans is a distribution of times in milliseconds, with a precision of 1 %.
type spans struct{ h *hdrhistogram.Histogram }

func newSpans() spans { return spans{hdrhistogram.New(1, longestSpan, 2)} }

func (s spans) add(ms int64) {
	_ = s.h.RecordValue(min(max(ms, 0), longestSpan)) // within the histogram's range
}

func (s spans) reset() {
	if s.h.TotalCount() > 0 {
		s.h.Reset()
	}
}

// quantile is in milliseconds; false if there are no values.
func (s spans) quantile(q float64) (ms float64, ok bool) {
	if s.h.TotalCount() == 0 {
		return 0, false
	}
	v := s.h.ValueAtQuantile(math.Min(q, 1) * 100)
	return float64(v), true
}
