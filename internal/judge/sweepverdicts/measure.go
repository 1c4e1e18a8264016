package sweepverdicts

import (
	"slices"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/translations"
)

// Measure is a number of a trial, nil where it is unknown.
type Measure struct {
	ID string
	// Head is its column.
	Head translations.Phrase
	// Name and Unit head a panel of a chart.
	Name, Unit translations.Phrase
	// Meaning explains the column.
	Meaning translations.Phrase
	of      func(*facts.Cell, facts.Trial) *float64
	// Raw is its place in a trial of results.json, or empty where it is computed.
	Raw string
}

// The measures.
var (
	Goodput = Measure{"goodput", "req/s", "Throughput", "requests per second", "Requests answered with success, per second.",
		func(_ *facts.Cell, t facts.Trial) *float64 {
			if t.ElapsedS <= 0 {
				return nil
			}
			return &t.GoodputRPS
		}, "/goodput_rps"}
	P95 = Measure{"p95", "p95, ms", "p95", "milliseconds", "The 95th percentile of the time of successful requests, as the " +
		"users see it.", func(_ *facts.Cell, t facts.Trial) *float64 { return t.LatencyMS.P95 }, "/latency_ms/p95"}
	P99 = Measure{"p99", "p99, ms", "p99", "milliseconds", "The 99th percentile of the time of successful " +
		"requests, as the users see it.",
		func(_ *facts.Cell, t facts.Trial) *float64 { return t.LatencyMS.P99 }, "/latency_ms/p99"}
	P999 = Measure{"p999", "p99.9, ms", "p99.9", "milliseconds", "The percentile 99.9 of the time of " +
		"successful requests, as the users see it.",
		func(_ *facts.Cell, t facts.Trial) *float64 { return t.LatencyMS.P999 }, "/latency_ms/p999"}
	Total = Measure{"total", "Until all are answered, s", "Time until all are answered", "seconds",
		"From the release of all requests to the last answer or failure.",
		func(_ *facts.Cell, t facts.Trial) *float64 { return positive(t.ElapsedS) }, "/elapsed_s"}
	Mean = Measure{"mean", "Mean, ms", "Mean time", "milliseconds", "ab's mean time of a request: users × elapsed time ÷ requests.",
		mean, "/elapsed_s"}
	Threads = Measure{"threads", "Threads", "Threads", "live in the service", "The largest number of live threads in the service.",
		func(_ *facts.Cell, t facts.Trial) *float64 {
			if t.Service == nil {
				return nil
			}
			return core.Number(t.Service.Threads)
		}, "/service/threads"}
	Heap = Measure{"heap", "Heap, MB", "Heap", "MB", "The largest used heap of the service.",
		func(_ *facts.Cell, t facts.Trial) *float64 {
			if t.Service == nil {
				return nil
			}
			return t.Service.HeapMB
		}, "/service/heap_mb"}
	ServiceCPU = Measure{"cpu", "CPU, ms per request", "Processor time", "milliseconds per request", "Processor time of the " +
		"service, divided by the successful requests.", cpuOf, "/cpu_s/service"}
	Lag = Measure{"lag", "Lag, s", "Lag", "seconds", "How long after the window's end the last request was answered.",
		lag, "/elapsed_s"}
	Failed = Measure{"failed", "Failed", "Failed", "requests", "Requests of the users that failed, with the names of the " +
		"errors as the service or its users report them.",
		func(_ *facts.Cell, t facts.Trial) *float64 { v := float64(t.Failed); return &v }, "/failed"}
	Accepted = Measure{"accepted", "Accepted", "Accepted", "connections", "Connections that the proxy accepted in the window.",
		func(_ *facts.Cell, t facts.Trial) *float64 { return core.Number(t.Connections.Accepted) }, "/connections/accepted"}
	Expected = Measure{"expected", "Expected", "Expected", "connections", "The connections that this many requests need.",
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
