package statistics

import (
	"slices"

	"golang.org/x/perf/benchmath"
)

// Comparison says how many times as large one sample is as another.
type Comparison struct {
	// Ratio is the first sample's median over the second's; nil when the
	// second's isn't above zero.
	Ratio *float64
	// Lo and Hi are the ratio's 95 % interval; nil with too few samples.
	Lo *float64
	Hi *float64
	// P is the Mann-Whitney test's; nil when there was nothing to test.
	P      *float64
	NA, NB int
	// Significant is false when the samples can't be told apart.
	Significant bool
	Warnings    []string
}

// Mark is "~" when the samples can't be told apart, as benchstat prints it,
// and empty when they can.
func (c Comparison) Mark() string {
	if c.Significant {
		return ""
	}
	return "~"
}

// Compare holds sample a against sample b.
//
// The interval is Moses's: all ratios of one value of a to one of b, with the
// ends cut off that the Mann-Whitney test would refuse (Hollander, Wolfe and
// Chicken, Nonparametric Statistical Methods, 3rd edition, §4.3, applied to
// logarithms, where a factor is a shift). It assumes that the samples differ
// by a factor and not in shape. It was chosen over a bootstrap, which is too
// narrow with six samples, and over dividing the two medians' intervals, which
// ignores the test: here the interval leaves out 1 just when the test calls
// the difference significant (but for ties).
func Compare(a, b []float64) Comparison {
	av, aw := usable(a)
	bv, bw := usable(b)
	out := Comparison{NA: len(av), NB: len(bv), Warnings: append(aw, bw...)}
	if len(av) == 0 || len(bv) == 0 {
		out.Warnings = append(out.Warnings, "no samples to compare")
		return out
	}
	as, bs := benchmath.NewSample(av, thresholds()), benchmath.NewSample(bv, thresholds())
	test := benchmath.AssumeNothing.Compare(as, bs)
	out.P = finite(test.P)
	out.Significant = test.P < test.Alpha
	out.Warnings = append(out.Warnings, words(test.Warnings)...)

	ma := benchmath.AssumeNothing.Summary(as, Confidence).Center
	mb := benchmath.AssumeNothing.Summary(bs, Confidence).Center
	if mb <= 0 {
		out.Warnings = append(out.Warnings, "no ratio: the median it would be divided by is not above zero")
		return out
	}
	out.Ratio = finite(ma / mb)
	out.Lo, out.Hi = ratioInterval(av, bv, out.Ratio)
	return out
}

// ratioInterval takes positive samples; with zeros among b there is no ratio
// to order, and so no interval.
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
	// The ratio of medians is what a reader can recompute from the table. It
	// isn't the estimate that belongs to this interval (the median of ratios
	// is), so in odd samples the interval is widened to hold it.
	low, high := min(ratios[cut-1], *ratio), max(ratios[len(ratios)-cut], *ratio)
	return &low, &high
}

// uCritical is how far in from either end of the ordered ratios the interval
// begins: the largest k with P(U ≤ k−1) ≤ α/2, U being the Mann-Whitney
// statistic of two samples from one population. 0 means that even the
// outermost ratios don't reach 95 %.
func uCritical(n, m int) int {
	p := uDistribution(n, m)
	k, tail := 0, 0.0
	for k < len(p) && tail+p[k] <= Alpha/2 {
		tail += p[k]
		k++
	}
	return k
}

// uDistribution is P(U = u) for u = 0 … n·m: the chance that a sample of n has
// u pairs in which its value is the larger. The largest of all n+m values is
// one of the n (and then wins m pairs) or one of the m (Mann and Whitney, 1947).
func uDistribution(n, m int) []float64 {
	row := make([][]float64, m+1) // row[j] is the distribution of (i, j)
	for j := range row {
		row[j] = []float64{1}
	}
	for i := 1; i <= n; i++ {
		for j := 1; j <= m; j++ {
			p := make([]float64, i*j+1)
			for u, q := range row[j] { // (i−1, j): the largest is one of the n
				p[u+j] += q * float64(i) / float64(i+j)
			}
			for u, q := range row[j-1] { // (i, j−1): it is one of the m
				p[u] += q * float64(j) / float64(i+j)
			}
			row[j] = p
		}
	}
	return row[m]
}
