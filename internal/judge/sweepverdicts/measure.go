package sweepverdicts

import (
	"slices"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
)

// Measure is a number of a trial, nil where it is unknown.
type Measure struct {
	ID string
	words
	of func(*facts.Cell, facts.Trial) *float64
	// Raw is its place in a trial of results.json.
	Raw string
}

// words are a measure's column, what heads a panel of a chart with its unit, and what the column means.
type words struct{ Head, Name, Unit, Meaning facts.Text }

func said(head, name, unit, meaning string) words {
	return words{facts.T(head), facts.T(name), facts.T(unit), facts.T(meaning)}
}

// The measures.
var (
	Goodput = Measure{"goodput", said("sweepverdict.goodput-head", "sweepverdict.throughput", "sweepverdict.requests-per-second",
		"sweepverdict.goodput-meaning"), func(_ *facts.Cell, t facts.Trial) *float64 {
		if t.ElapsedS <= 0 {
			return nil
		}
		return &t.GoodputRPS
	}, "/goodput_rps"}
	P95 = Measure{"p95", said("sweepverdict.p95-head", "sweepverdict.p95", "sweepverdict.milliseconds",
		"sweepverdict.p95-meaning"), func(_ *facts.Cell, t facts.Trial) *float64 { return t.LatencyMS.P95 }, "/latency_ms/p95"}
	P99 = Measure{"p99", said("sweepverdict.p99-head", "sweepverdict.p99", "sweepverdict.milliseconds",
		"sweepverdict.p99-meaning"), func(_ *facts.Cell, t facts.Trial) *float64 { return t.LatencyMS.P99 }, "/latency_ms/p99"}
	P999 = Measure{"p999", said("sweepverdict.p999-head", "sweepverdict.p99-9", "sweepverdict.milliseconds",
		"sweepverdict.p999-meaning"), func(_ *facts.Cell, t facts.Trial) *float64 { return t.LatencyMS.P999 }, "/latency_ms/p999"}
	Total = Measure{"total", said("sweepverdict.total-head", "sweepverdict.time-until-all-answered", "sweepverdict.seconds",
		"sweepverdict.total-meaning"), func(_ *facts.Cell, t facts.Trial) *float64 { return positive(t.ElapsedS) }, "/elapsed_s"}
	Mean = Measure{"mean", said("sweepverdict.mean-head", "sweepverdict.mean-time", "sweepverdict.milliseconds",
		"sweepverdict.mean-meaning"), mean, "/elapsed_s"}
	Threads = Measure{"threads", said("sweepverdict.threads-head", "sweepverdict.threads-head", "sweepverdict.live-service",
		"sweepverdict.threads-meaning"), func(_ *facts.Cell, t facts.Trial) *float64 {
		if t.Service == nil {
			return nil
		}
		return core.Number(t.Service.Threads)
	}, "/service/threads"}
	Heap = Measure{"heap", said("sweepverdict.heap-head", "sweepverdict.heap", "sweepverdict.mb",
		"sweepverdict.heap-meaning"), func(_ *facts.Cell, t facts.Trial) *float64 {
		if t.Service == nil {
			return nil
		}
		return t.Service.HeapMB
	}, "/service/heap_mb"}
	ServiceCPU = Measure{"cpu", said("sweepverdict.cpu-head", "sweepverdict.processor-time", "sweepverdict.milliseconds-per-request",
		"sweepverdict.cpu-meaning"), cpuOf, "/cpu_s/service"}
	Lag = Measure{"lag", said("sweepverdict.lag-head", "sweepverdict.lag", "sweepverdict.seconds",
		"sweepverdict.lag-meaning"), lag, "/elapsed_s"}
	Failed = Measure{"failed", said("sweepverdict.failed-head", "sweepverdict.failed-head", "sweepverdict.requests",
		"sweepverdict.failed-meaning"), func(_ *facts.Cell, t facts.Trial) *float64 { v := float64(t.Failed); return &v }, "/failed"}
	Accepted = Measure{"accepted", said("sweepverdict.accepted-head", "sweepverdict.accepted-head", "sweepverdict.connections",
		"sweepverdict.accepted-meaning"), func(_ *facts.Cell, t facts.Trial) *float64 {
		return core.Number(t.Connections.Accepted)
	}, "/connections/accepted"}
	Expected = Measure{"expected", said("sweepverdict.expected-head", "sweepverdict.expected-head", "sweepverdict.connections",
		"sweepverdict.expected-meaning"), func(_ *facts.Cell, t facts.Trial) *float64 {
		return core.Number(t.Connections.Expected)
	}, "/connections/expected"}
)

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

// counts are the measures of whole things.
var counts = []string{Threads.ID, Failed.ID, Accepted.ID, Expected.ID}

// Text writes a measure of a cell.
func (m Measure) Text(c *facts.Cell) string {
	if slices.Contains(counts, m.ID) {
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
