// Package statistics turns a few repeated measurements into a median with its 95 % interval, and
// two such samples into a ratio with its interval and whether the difference is significant.
//
// Its samples are plain numbers. Medians, intervals and significance come from
// golang.org/x/perf/benchmath under its AssumeNothing: order statistics and the Mann-Whitney U
// test, since benchmark results are seldom normally distributed.
//
// An unknown number is nil, never NaN or an infinity (JSON has neither), and a warning next to it
// says why. Warnings are data, so that every output can print them with the number.
package statistics

import (
	"math"
	"regexp"
	"slices"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"

	"h2lab/internal/facts"
)

// Comparison is the ratio of one sample to another.
type Comparison struct {
	// Ratio is the first sample's median divided by the second's; nil if the second's isn't above
	// zero.
	Ratio *float64
	// Lo and Hi are the ratio's 95 % interval; nil with too few samples.
	Lo *float64
	Hi *float64
	// P is the p-value of the Mann-Whitney test; nil if there was nothing to test.
	P      *float64
	NA, NB int
	// Significant is false if the test finds no difference between the samples.
	Significant bool
	Warnings    []facts.Text
}

// Mark is "~" if the difference isn't significant, as benchstat prints it, and empty otherwise.
func (c Comparison) Mark() string {
	if c.Significant {
		return ""
	}
	return "~"
}

// Compare compares sample a with sample b.
//
// The interval is Moses's: all ratios of one value of a to one of b, without the ends that the
// Mann-Whitney test would reject (Hollander, Wolfe and Chicken, Nonparametric Statistical Methods,
// 3rd edition, §4.3, applied to logarithms, where a factor is a shift). It assumes that the samples
// differ by a factor and not in shape. A bootstrap is too narrow with six samples, and dividing the
// two medians' intervals ignores the test: here the interval excludes 1 exactly when the test calls
// the difference significant (except for ties).
func Compare(a, b []float64) Comparison {
	av, aw := usable(a)
	bv, bw := usable(b)
	out := Comparison{NA: len(av), NB: len(bv), Warnings: append(aw, bw...)}
	if len(av) == 0 || len(bv) == 0 {
		out.Warnings = append(out.Warnings, facts.T("statistics.no-samples-to-compare"))
		return out
	}
	as, bs := benchmath.NewSample(av, thresholds()), benchmath.NewSample(bv, thresholds())
	test := benchmath.AssumeNothing.Compare(as, bs)
	out.P = finite(test.P)
	out.Significant = test.P < test.Alpha
	out.Warnings = append(out.Warnings, messages(test.Warnings)...)

	ma := benchmath.AssumeNothing.Summary(as, Confidence).Center
	mb := benchmath.AssumeNothing.Summary(bs, Confidence).Center
	if mb <= 0 {
		out.Warnings = append(out.Warnings, facts.T("statistics.no-ratio"))
		return out
	}
	out.Ratio = finite(ma / mb)
	out.Lo, out.Hi = ratioInterval(av, bv, out.Ratio)
	return out
}

// ratioInterval needs positive samples: with zeros in b some ratios don't exist, so it returns no
// interval.
func ratioInterval(a, b []float64, ratio *float64) (lo, hi *float64) {
	cut := uCritical(len(a), len(b))
	if cut == 0 || ratio == nil {
		return nil, nil
	}
	ratios := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			if y <= 0 || x < 0 || finite(x/y) == nil {
				return nil, nil
			}
			ratios = append(ratios, x/y)
		}
	}
	slices.Sort(ratios)
	// A reader can recompute the ratio of medians from the table. It isn't the estimate that
	// belongs to this interval (the median of ratios is), so the interval is widened to contain it.
	low, high := min(ratios[cut-1], *ratio), max(ratios[len(ratios)-cut], *ratio)
	return &low, &high
}

// uCritical is the rank, from either end of the ordered ratios, at which the interval begins: the
// largest k with P(U ≤ k−1) ≤ α/2, where U is the Mann-Whitney statistic of two samples from one
// population. 0 means that even the outermost ratios don't reach 95 %.
func uCritical(n, m int) (k int) {
	for u := (stats.UDist{N1: n, N2: m}); k <= n*m && u.CDF(float64(k)) <= Alpha/2; {
		k++
	}
	return k
}

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

// minForQuartiles is the fewest samples for quartiles: with three, an outlier itself determines a
// quartile.
const minForQuartiles = 4

// Outliers returns the indices of values more than 1.5 interquartile ranges outside the quartiles
// (Tukey, Exploratory Data Analysis, 1977). They are only marked: no summary drops them.
func Outliers(sample []float64) []int {
	out := []int{}
	sorted, _ := usable(sample)
	if len(sorted) < minForQuartiles {
		return out
	}
	slices.Sort(sorted)
	q1, q3 := quantile(sorted, 0.25), quantile(sorted, 0.75)
	reach := 1.5 * (q3 - q1)
	for i, v := range sample {
		if v < q1-reach || v > q3+reach {
			out = append(out, i)
		}
	}
	return out
}

// quantile interpolates between the neighbours of position q·(n−1), like R's type 7 and
// spreadsheets.
func quantile(sorted []float64, q float64) float64 {
	place := q * float64(len(sorted)-1)
	below := math.Floor(place)
	i := int(below)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (place-below)*(sorted[i+1]-sorted[i])
}
