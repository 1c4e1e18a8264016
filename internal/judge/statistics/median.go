package statistics

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Confidence is the level of every interval in this project.
const Confidence = 0.95

// Alpha is the significance level.
const Alpha = 0.05

// Interval is a median with its 95 % interval. Lo and Hi are nil with too few samples; Median is
// nil without any.
type Interval struct {
	Median *float64
	Lo     *float64
	Hi     *float64
	N      int
	// Warnings limit what the numbers above prove.
	Warnings []string
}

// Median summarises a sample. The interval is based on order statistics: with six samples, the
// fewest that give one, it reaches from the smallest to the largest.
func Median(sample []float64) Interval {
	values, warnings := usable(sample)
	out := Interval{N: len(values), Warnings: warnings}
	if len(values) == 0 {
		out.Warnings = append(out.Warnings, "no samples")
		return out
	}
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(values, thresholds()), Confidence)
	out.Median = finite(s.Center)
	if lo, hi := finite(s.Lo), finite(s.Hi); lo != nil && hi != nil {
		out.Lo, out.Hi = lo, hi
	}
	out.Warnings = append(out.Warnings, messages(s.Warnings)...)
	return out
}

func thresholds() *benchmath.Thresholds {
	t := benchmath.DefaultThresholds
	t.CompareAlpha = Alpha
	return &t
}

// usable copies the finite values, since benchmath sorts its input in place, and warns how many
// were left out.
func usable(sample []float64) (values []float64, warnings []string) {
	values = slices.DeleteFunc(slices.Clone(sample), func(v float64) bool { return finite(v) == nil })
	if n := len(sample) - len(values); n > 0 {
		warnings = append(warnings, fmt.Sprintf("%d of %d samples are no finite numbers and were left out", n,
			len(sample)))
	}
	return values, warnings
}

func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func messages(errs []error) []string {
	var out []string
	for _, err := range errs {
		out = append(out, err.Error())
	}
	return out
}
