package sweepverdicts

import (
	"slices"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
)

// Measure is a number of a trial, nil where it is unknown, as sweeps.toml describes it.
type Measure struct {
	ID string
	// Head is its column, Name heads a panel of a chart with its Unit, and Meaning is what the column means.
	Head, Name, Unit, Meaning facts.Text
	// Raw is its place in a trial of results.json.
	Raw   string
	Whole bool // it counts things
	of    func(*facts.Cell, facts.Trial) *float64
}

// values read the measures.
var values = map[string]func(*facts.Cell, facts.Trial) *float64{
	"goodput": func(_ *facts.Cell, t facts.Trial) *float64 {
		if t.ElapsedS <= 0 {
			return nil
		}
		return &t.GoodputRPS
	},
	"p95":      func(_ *facts.Cell, t facts.Trial) *float64 { return t.LatencyMS.P95 },
	"p99":      func(_ *facts.Cell, t facts.Trial) *float64 { return t.LatencyMS.P99 },
	"p999":     func(_ *facts.Cell, t facts.Trial) *float64 { return t.LatencyMS.P999 },
	"total":    func(_ *facts.Cell, t facts.Trial) *float64 { return positive(t.ElapsedS) },
	"mean":     mean,
	"threads":  ofService(func(s *facts.ServiceView) *float64 { return core.Number(s.Threads) }),
	"heap":     ofService(func(s *facts.ServiceView) *float64 { return s.HeapMB }),
	"cpu":      cpuOf,
	"lag":      lag,
	"failed":   func(_ *facts.Cell, t facts.Trial) *float64 { return core.Number(&t.Failed) },
	"accepted": func(_ *facts.Cell, t facts.Trial) *float64 { return core.Number(t.Connections.Accepted) },
	"expected": func(_ *facts.Cell, t facts.Trial) *float64 { return core.Number(t.Connections.Expected) },
}

// The measures that charts and sentences name.
var (
	Goodput, P95, P99          = measureOf("goodput"), measureOf("p95"), measureOf("p99")
	Total, Threads, Heap       = measureOf("total"), measureOf("threads"), measureOf("heap")
	Failed, Accepted, Expected = measureOf("failed"), measureOf("accepted"), measureOf("expected")
)

func measureOf(id string) Measure {
	m := table.Measure[slices.IndexFunc(table.Measure, func(m Measure) bool { return m.ID == id })]
	m.of = values[id]
	return m
}

func ofService(of func(*facts.ServiceView) *float64) func(*facts.Cell, facts.Trial) *float64 {
	return func(_ *facts.Cell, t facts.Trial) *float64 {
		if t.Service == nil {
			return nil
		}
		return of(t.Service)
	}
}

func positive(v float64) *float64 {
	if v <= 0 {
		return nil
	}
	return &v
}

// mean is the definition of ab's "Time per request (mean)".
func mean(c *facts.Cell, t facts.Trial) *float64 {
	if t.Attempts == 0 || t.ElapsedS <= 0 {
		return nil
	}
	return positive(float64(c.Workload.Concurrency) * t.ElapsedS * 1000 / float64(t.Attempts))
}

func cpuOf(_ *facts.Cell, t facts.Trial) *float64 {
	used := t.CPU.Service
	if used == nil && t.Service != nil {
		used = t.Service.CPUS
	}
	if used == nil || t.Succeeded == 0 {
		return nil
	}
	return new(*used * 1000 / float64(t.Succeeded))
}

func lag(c *facts.Cell, t facts.Trial) *float64 {
	window := t.WindowS
	if window == 0 {
		window = c.Workload.DurationS
	}
	if window <= 0 || t.ElapsedS <= 0 {
		return nil
	}
	return new(max(0, t.ElapsedS-window))
}

// Text writes a measure of a cell.
func (m Measure) Text(c *facts.Cell) string {
	if m.Whole {
		return text.Maybe(m.In(c), text.Whole)
	}
	return text.Maybe(m.In(c), text.Measured)
}

// In returns a measure of a cell: a percentile of latency of all its requests, where the trials have
// histograms, or the median of its trials; nil where none knows it.
func (m Measure) In(c *facts.Cell) *float64 {
	if c == nil {
		return nil
	}
	return core.Middle(c, func(t facts.Trial) *float64 { return m.value(c, t) })
}

func (m Measure) sample(c *facts.Cell) (out []float64) {
	if c == nil {
		return nil
	}
	for _, t := range c.Trials {
		if v := m.value(c, t); v != nil {
			out = append(out, *v)
		}
	}
	return out
}

// value is unknown for a trial that was no measurement: its load generator failed.
func (m Measure) value(c *facts.Cell, t facts.Trial) *float64 {
	if t.Fault != nil {
		return nil
	}
	return m.of(c, t)
}

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
