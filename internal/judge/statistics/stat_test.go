package statistics

import (
	"math"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchmath"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

func value(p *float64) float64 {
	if p == nil {
		return math.NaN()
	}
	return *p
}

func near(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-9 }

func TestMediansComeWithAnIntervalOrSayWhyNot(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name           string
		sample         []float64
		median, lo, hi float64
		n              int
		warns          string
	}{
		{"six reach from smallest to largest", []float64{6, 5, 2, 3, 4, -10}, 3.5, -10, 6, 6, ""},
		{"five are too few", []float64{1, 2, 3, 4, 5}, 3, nan, nan, 5,
			"need >= 6 samples for confidence interval at level 0.95"},
		{"one is too few", []float64{7}, 7, nan, nan, 1, "need >= 6 samples"},
		{"none", nil, nan, nan, nan, 0, "no samples"},
		{"equal ones", []float64{2, 2, 2, 2, 2, 2}, 2, 2, 2, 6, ""},
		{"what is no number is left out", []float64{1, nan, 1, 1, 1, 1, 1, math.Inf(1)}, 1, 1, 1, 6,
			"2 of 8 samples are no finite numbers"},
	} {
		got := Median(c.sample)
		if !near(value(got.Median), c.median) || !near(value(got.Lo), c.lo) || !near(value(got.Hi), c.hi) ||
			got.N != c.n {
			t.Errorf("%s: median %v [%v, %v] of %d", c.name, value(got.Median), value(got.Lo), value(got.Hi), got.N)
		}
		if w := texts.English.In(facts.Join("join.semicolon", got.Warnings...)); c.warns == "" && w != "" || !strings.Contains(w, c.warns) {
			t.Errorf("%s: warnings %q, want %q", c.name, w, c.warns)
		}
	}
}

func TestASampleIsLeftInTheOrderItCame(t *testing.T) {
	a, b := []float64{3, 1, 2, 9, 4, 5}, []float64{9, 8, 7, 1, 2, 3}
	Median(a)
	Compare(a, b)
	Outliers(a)
	if !slices.Equal(a, []float64{3, 1, 2, 9, 4, 5}) || !slices.Equal(b, []float64{9, 8, 7, 1, 2, 3}) {
		t.Errorf("reordered to %v and %v", a, b)
	}
}

func TestComparisonsSayWhetherADifferenceCanBeTold(t *testing.T) {
	nan := math.NaN()
	low := []float64{6400, 6500, 6600, 6450, 6550, 6520}
	high := []float64{15300, 15500, 15400, 15200, 15600, 15450}
	for _, c := range []struct {
		name          string
		a, b          []float64
		ratio, lo, hi float64
		significant   bool
		warns         string
	}{
		{"well apart", low, high, 6510.0 / 15425, 6450.0 / 15500, 6550.0 / 15300, true, ""},
		{"the same", []float64{1, 2, 3, 4, 5, 6}, []float64{1, 2, 3, 4, 5, 6}, 1, 0.4, 2.5, false, ""},
		{"one each", []float64{1}, []float64{2}, 0.5, nan, nan, false, "need >= 4 samples to detect a difference"},
		{"all equal", []float64{5, 5, 5, 5}, []float64{5, 5, 5, 5}, 1, 1, 1, false, "all samples are equal"},
		{"nothing on one side", nil, []float64{1}, nan, nan, nan, false, "no samples to compare"},
		{"a divisor of zero", []float64{1, 2, 3, 4}, []float64{0, 0, 0, 0}, nan, nan, nan, true, "not above zero"},
		{"one zero among the divisors", []float64{1, 2, 3, 4, 5, 6}, []float64{0, 2, 3, 4, 5, 6}, 1, nan, nan, false,
			""},
		{"zeros over something", []float64{0, 0, 0, 0}, []float64{1, 2, 3, 4}, 0, 0, 0, true, ""},
		{"too large to divide", []float64{1e300}, []float64{1e-300}, nan, nan, nan, false, ""},
	} {
		got := Compare(c.a, c.b)
		if !near(value(got.Ratio), c.ratio) || !near(value(got.Lo), c.lo) || !near(value(got.Hi), c.hi) {
			t.Errorf("%s: %v [%v, %v], want %v [%v, %v]", c.name, value(got.Ratio), value(got.Lo), value(got.Hi),
				c.ratio, c.lo, c.hi)
		}
		if got.Significant != c.significant || (got.Mark() == "~") == c.significant {
			t.Errorf("%s: significant %v (p %v), mark %q", c.name, got.Significant, value(got.P), got.Mark())
		}
		if w := texts.English.In(facts.Join("join.semicolon", got.Warnings...)); !strings.Contains(w, c.warns) {
			t.Errorf("%s: warnings %q, want %q", c.name, w, c.warns)
		}
	}
}

// The interval and the test must agree: if the interval excludes a shift, benchmath must call it
// significant.
func TestTheIntervalAgreesWithBenchmathsTest(t *testing.T) {
	for _, size := range [][2]int{{4, 4}, {5, 6}, {6, 6}, {3, 9}, {9, 8}} {
		a := make([]float64, size[0])
		b := make([]float64, size[1])
		for i := range a {
			a[i] = 10 + math.Sqrt(float64(i)*7.3)
		}
		for i := range b {
			b[i] = 11 + math.Cbrt(float64(i)*5.9)
		}
		c := Compare(a, b)
		for factor := 0.5; factor < 2; factor += 0.0137 {
			scaled := make([]float64, len(b))
			for i := range b {
				scaled[i] = b[i] * factor
			}
			test := benchmath.AssumeNothing.Compare(
				benchmath.NewSample(slices.Clone(a), &benchmath.DefaultThresholds),
				benchmath.NewSample(scaled, &benchmath.DefaultThresholds))
			inside := *c.Lo < factor && factor < *c.Hi
			if inside == (test.P < Alpha) {
				t.Errorf("%d and %d samples: %v lies inside [%v, %v]: %v, but p is %v", size[0], size[1], factor, *c.Lo,
					*c.Hi, inside, test.P)
			}
		}
	}
}

func TestTheDistributionOfUIsThatOfPublishedTables(t *testing.T) {
	// Two-sided 5 % critical values of U (Mann and Whitney's tables); uCritical returns one more.
	for _, c := range []struct{ n, m, cut int }{
		{3, 3, 0}, {4, 4, 1}, {5, 5, 3}, {6, 6, 6}, {6, 5, 4}, {10, 10, 24}, {20, 20, 128}, {1, 100, 2}, {1, 1, 0},
	} {
		if got := uCritical(c.n, c.m); got != c.cut {
			t.Errorf("%d and %d samples: cut %d, want %d", c.n, c.m, got, c.cut)
		}
	}
}

func TestOutliersAreMarkedByTheirPlace(t *testing.T) {
	for _, c := range []struct {
		sample []float64
		want   []int
	}{
		{[]float64{10, 11, 10, 50, 11, 10}, []int{3}},
		{[]float64{10, 11, 10, 11, 1, 10}, []int{4}},
		{[]float64{10, 11, 12, 13, 14, 15}, []int{}},
		{[]float64{1, 1, 1, 1, 1, 1}, []int{}},
		{[]float64{1, 100, 1}, []int{}}, // too few for quartiles
		{nil, []int{}},
	} {
		if got := Outliers(c.sample); !slices.Equal(got, c.want) || got == nil {
			t.Errorf("outliers of %v at %v, want %v", c.sample, got, c.want)
		}
	}
}
