package sweepverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/statistics"
)

// Pairs are ratios of one cell to another, trial by trial.
type Pairs struct {
	Ratios []float64
	// Median is the median ratio with its 95 % interval.
	Median statistics.Interval
	// Above counts the ratios above 1.
	Above int
}

// pairsOf compares cells of the same place. A trial is paired with the trial of the same round,
// which ran close to it.
func pairsOf(m Measure, a, b []*facts.Cell) Pairs {
	var out Pairs
	for i := range a {
		out.Ratios = append(out.Ratios, ratios(m, a[i], b[i])...)
	}
	return out.counted()
}

func (p Pairs) counted() Pairs {
	p.Above = 0
	for _, r := range p.Ratios {
		if r > 1 {
			p.Above++
		}
	}
	p.Median = statistics.Median(p.Ratios)
	return p
}

func ratios(m Measure, a, b *facts.Cell) (out []float64) {
	if a == nil || b == nil {
		return nil
	}
	for _, x := range a.Trials {
		for _, y := range b.Trials {
			if x.Index != y.Index {
				continue
			}
			if v, w := m.value(a, x), m.value(b, y); v != nil && w != nil && *w > 0 {
				out = append(out, *v / *w)
			}
		}
	}
	return out
}

// Higher reports whether the median ratio is above 1 beyond its interval.
func (p Pairs) Higher() bool { return p.Median.Lo != nil && *p.Median.Lo > 1 }

// Lower is the contrary.
func (p Pairs) Lower() bool { return p.Median.Hi != nil && *p.Median.Hi < 1 }

// Told reports whether there are enough pairs for an interval.
func (p Pairs) Told() bool { return p.Median.Lo != nil && p.Median.Hi != nil }

// agree is how many neighbouring pairs must have the same direction before a delay counts as one at
// which the limit matters. Five have it by chance in one case of 32.
const agree = 5

// From splits delays at the last run of neighbouring pairs that are all above 1.
type From struct {
	// DelayMS is the first delay after that run; nil where the run reaches the largest delay.
	DelayMS *int
	// Before are the pairs at smaller delays, none where there is no such run; After are the others.
	Before, After Pairs
	// Told is false where there are too few pairs for a run.
	Told bool
}

// split finds the last delays whose pairs, taken together until they are enough, are all above 1.
func split(delays []int, at map[int]Pairs) From {
	var f From
	first := 0 // index of the first delay after the run
	for i := len(delays) - 1; i >= 0 && first == 0; i-- {
		n, above := 0, 0
		for k := i; k < len(delays) && n < agree; k++ {
			p := at[delays[k]].counted()
			n, above = n+len(p.Ratios), above+p.Above
			if n >= agree {
				f.Told = true
			}
			if n >= agree && above == n {
				first = k + 1
			}
		}
	}
	for i, d := range delays {
		side := &f.After
		if i < first {
			side = &f.Before
		}
		side.Ratios = append(side.Ratios, at[d].Ratios...)
	}
	f.Before, f.After = f.Before.counted(), f.After.counted()
	if first < len(delays) && f.Told {
		f.DelayMS = &delays[first]
	}
	return f
}
