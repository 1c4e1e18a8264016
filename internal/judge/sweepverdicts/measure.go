package sweepverdicts

import (
	"slices"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// Measure is a number of a trial, nil where it is unknown.
type Measure struct {
	ID string
	// Head is its column.
	Head facts.Text
	// Name and Unit head a panel of a chart.
	Name, Unit facts.Text
	// Meaning explains the column.
	Meaning facts.Text
	of      func(*facts.Cell, facts.Trial) *float64
	// Raw is its place in a trial of results.json, or empty where it is computed.
	Raw string
}

// The measures.
var (
	Goodput = Measure{"goodput", facts.T("sweepverdict.goodput-head"), facts.T("sweepverdict.throughput"),
		facts.T("sweepverdict.requests-per-second"), facts.T("sweepverdict.goodput-meaning"),
		func(_ *facts.Cell, t facts.Trial) *float64 {
			if t.ElapsedS <= 0 {
				return nil
			}
			return &t.GoodputRPS
		}, "/goodput_rps"}
	P95 = Measure{"p95", facts.T("sweepverdict.p95-head"), facts.T("sweepverdict.p95"),
		facts.T("sweepverdict.milliseconds"), facts.T("sweepverdict.p95-meaning"), func(_ *facts.Cell,
			t facts.Trial) *float64 {
			return t.LatencyMS.P95
		}, "/latency_ms/p95"}
	P99 = Measure{"p99", facts.T("sweepverdict.p99-head"), facts.T("sweepverdict.p99"),
		facts.T("sweepverdict.milliseconds"), facts.T("sweepverdict.p99-meaning"),
		func(_ *facts.Cell, t facts.Trial) *float64 { return t.LatencyMS.P99 }, "/latency_ms/p99"}
	P999 = Measure{"p999", facts.T("sweepverdict.p999-head"), facts.T("sweepverdict.p99-9"),
		facts.T("sweepverdict.milliseconds"), facts.T("sweepverdict.p999-meaning"),
		func(_ *facts.Cell, t facts.Trial) *float64 { return t.LatencyMS.P999 }, "/latency_ms/p999"}
	Total = Measure{"total", facts.T("sweepverdict.total-head"), facts.T("sweepverdict.time-until-all-answered"),
		facts.T("sweepverdict.seconds"),
		facts.T("sweepverdict.total-meaning"),
		func(_ *facts.Cell, t facts.Trial) *float64 { return positive(t.ElapsedS) }, "/elapsed_s"}
	Mean = Measure{"mean", facts.T("sweepverdict.mean-head"), facts.T("sweepverdict.mean-time"),
		facts.T("sweepverdict.milliseconds"), facts.T("sweepverdict.mean-meaning"),
		mean, "/elapsed_s"}
	Threads = Measure{"threads", facts.T("sweepverdict.threads-head"), facts.T("sweepverdict.threads-head"),
		facts.T("sweepverdict.live-service"), facts.T("sweepverdict.threads-meaning"),
		func(_ *facts.Cell, t facts.Trial) *float64 {
			if t.Service == nil {
				return nil
			}
			return core.Number(t.Service.Threads)
		}, "/service/threads"}
	Heap = Measure{"heap", facts.T("sweepverdict.heap-head"), facts.T("sweepverdict.heap"), facts.T("sweepverdict.mb"),
		facts.T("sweepverdict.heap-meaning"),
		func(_ *facts.Cell, t facts.Trial) *float64 {
			if t.Service == nil {
				return nil
			}
			return t.Service.HeapMB
		}, "/service/heap_mb"}
	ServiceCPU = Measure{"cpu", facts.T("sweepverdict.cpu-head"), facts.T("sweepverdict.processor-time"),
		facts.T("sweepverdict.milliseconds-per-request"), facts.T("sweepverdict.cpu-meaning"), cpuOf, "/cpu_s/service"}
	Lag = Measure{"lag", facts.T("sweepverdict.lag-head"), facts.T("sweepverdict.lag"),
		facts.T("sweepverdict.seconds"), facts.T("sweepverdict.lag-meaning"),
		lag, "/elapsed_s"}
	Failed = Measure{"failed", facts.T("sweepverdict.failed-head"), facts.T("sweepverdict.failed-head"),
		facts.T("sweepverdict.requests"), facts.T("sweepverdict.failed-meaning"),
		func(_ *facts.Cell, t facts.Trial) *float64 { v := float64(t.Failed); return &v }, "/failed"}
	Accepted = Measure{"accepted", facts.T("sweepverdict.accepted-head"), facts.T("sweepverdict.accepted-head"),
		facts.T("sweepverdict.connections"), facts.T("sweepverdict.accepted-meaning"),
		func(_ *facts.Cell, t facts.Trial) *float64 { return core.Number(t.Connections.Accepted) }, "/connections/accepted"}
	Expected = Measure{"expected", facts.T("sweepverdict.expected-head"), facts.T("sweepverdict.expected-head"),
		facts.T("sweepverdict.connections"), facts.T("sweepverdict.expected-meaning"),
		func(_ *facts.Cell, t facts.Trial) *float64 { return core.Number(t.Connections.Expected) }, "/connections/expected"}
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
