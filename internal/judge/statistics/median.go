package statistics

import (
	"math"
	"regexp"
	"slices"

	"golang.org/x/perf/benchmath"

	"h2lab/internal/facts"
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
	Warnings []facts.Text
}

// Median summarises a sample. The interval is based on order statistics: with six samples, the
// fewest that give one, it reaches from the smallest to the largest.
func Median(sample []float64) Interval {
	values, warnings := usable(sample)
	out := Interval{N: len(values), Warnings: warnings}
	if len(values) == 0 {
		out.Warnings = append(out.Warnings, facts.T("statistics.no-samples"))
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
func usable(sample []float64) (values []float64, warnings []facts.Text) {
	values = slices.DeleteFunc(slices.Clone(sample), func(v float64) bool { return finite(v) == nil })
	if n := len(sample) - len(values); n > 0 {
		warnings = append(warnings, facts.T("statistics.no-finite-numbers", n, len(sample)))
	}
	return values, warnings
}

func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// few matches a warning of benchmath: what is needed, and for which question at which level.
var few = regexp.MustCompile(`^need (\S+) (\d+) samples (for confidence interval at level|to detect a difference at alpha level) (\S+)$`)

// messages are the warnings of benchmath as texts.
func messages(errs []error) (out []facts.Text) {
	for _, err := range errs {
		m := few.FindStringSubmatch(err.Error())
		switch {
		case err.Error() == "all samples are equal":
			out = append(out, facts.T("statistics.all-equal"))
		case m == nil:
			out = append(out, facts.Verbatim(err.Error()))
		case m[3] == "for confidence interval at level":
			out = append(out, facts.T("statistics.need-for-interval", m[1], m[2], m[4]))
		default:
			out = append(out, facts.T("statistics.need-for-difference", m[1], m[2], m[4]))
		}
	}
	return out
}
