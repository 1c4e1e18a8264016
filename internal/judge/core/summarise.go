package core

import (
	"errors"
	"fmt"
	"slices"

	"h2lab/internal/base/histogram"
	"h2lab/internal/facts"
	"h2lab/internal/judge/statistics"
)

// Summaries returns the summaries of a run's cells, in their order.
func Summaries(r *facts.Result) []facts.CellSummary {
	out := make([]facts.CellSummary, len(r.Cells))
	for i := range r.Cells {
		out[i] = facts.CellSummary{Cell: r.Cells[i].ID(), Summary: Summarise(&r.Cells[i])}
	}
	return out
}

// Summarise makes a cell's summary from its trials. Outliers are marked and stay in; trials whose
// generator fell behind its schedule are marked and left out (Counted).
func Summarise(c *facts.Cell) facts.Summary {
	of := func(value func(facts.Trial) *float64) facts.Estimate { return Estimate(c.Trials, value) }
	counted := Counted(c.Trials)
	return facts.Summary{
		GoodputRPS:           of(Goodput),
		P50MS:                of(func(t facts.Trial) *float64 { return t.LatencyMS.P50 }),
		P99MS:                of(P99),
		Accepted:             of(func(t facts.Trial) *float64 { return Number(t.Connections.Accepted) }),
		Used:                 of(func(t facts.Trial) *float64 { return Number(t.Connections.Used) }),
		Expected:             of(func(t facts.Trial) *float64 { return Number(t.Connections.Expected) }),
		ColdAccepted:         of(func(t facts.Trial) *float64 { return Number(t.ColdStart.Accepted) }),
		Failed:               of(func(t facts.Trial) *float64 { return Number(&t.Failed) }),
		Duplicates:           of(func(t facts.Trial) *float64 { return Number(t.Backend.Duplicates) }),
		ProxyCPUMSPerRequest: of(ProxyMSPerRequest),
		Waste:                waste(counted),
		Outliers:             outliers(c.Trials),
		Late:                 lateOnes(c.Trials),
		MergedMS:             merged(c),
	}
}

// outliers are positions among all trials.
func outliers(trials []facts.Trial) []int {
	var places []int
	var values []float64
	all := len(Counted(trials)) == len(trials)
	for i, t := range trials {
		if all || !late(t) {
			places, values = append(places, i), append(values, t.GoodputRPS)
		}
	}
	out := statistics.Outliers(values)
	for i := range out {
		out[i] = places[out[i]]
	}
	return out
}

func Goodput(t facts.Trial) *float64 { return &t.GoodputRPS }

// P99 is the 99th percentile of a trial's latency.
func P99(t facts.Trial) *float64 { return t.LatencyMS.P99 }

// ProxyMSPerRequest is the proxies' CPU time per answered request, including wasted handshakes.
func ProxyMSPerRequest(t facts.Trial) *float64 {
	if t.CPU.Proxy == nil || t.Succeeded == 0 {
		return nil
	}
	return new(*t.CPU.Proxy * 1000 / float64(t.Succeeded))
}

// waste is the share of accepted connections that carried nothing. Connections that were accepted
// in the warm-up and first used in the window would make it negative; waste is then 0.
func waste(trials []facts.Trial) *float64 {
	var used, accepted int64
	for _, t := range trials {
		if t.Connections.Used != nil && t.Connections.Accepted != nil {
			used += *t.Connections.Used
			accepted += *t.Connections.Accepted
		}
	}
	if accepted == 0 {
		return nil
	}
	return new(max(0, 1-float64(used)/float64(accepted)))
}

// Estimate summarises one value over the counted trials that have it.
func Estimate(trials []facts.Trial, value func(facts.Trial) *float64) facts.Estimate {
	trials = Counted(trials)
	values := Sample(trials, value)
	if len(values) == 0 {
		return facts.Estimate{Warnings: []facts.Text{}}
	}
	i := statistics.Median(values)
	warnings := append([]facts.Text{}, i.Warnings...)
	if n := len(trials) - len(values); n > 0 {
		warnings = append(warnings, facts.T("statistics.trials-dont-know", n, len(trials)))
	}
	return facts.Estimate{Median: i.Median, Lo: i.Lo, Hi: i.Hi, N: i.N, Warnings: warnings}
}

// Sample is one value of the counted trials that have it.
func Sample(trials []facts.Trial, value func(facts.Trial) *float64) []float64 {
	var out []float64
	for _, t := range Counted(trials) {
		if v := value(t); v != nil {
			out = append(out, *v)
		}
	}
	return out
}

// Totals are the counts of some trials together. A pointer is nil if one of them doesn't know the count, or there is none.
type Totals struct {
	Trials                         int
	Seconds                        float64
	Attempts, Succeeded, Failed    int64
	Hung, Warmup                   *int64 // Warmup: requests before the window
	Accepted, Used, Expected       *int64
	UsedUp                         *int64 // connections that carried their limit of requests in the window, as the server counted them
	Renewals                       *int64
	Executed, Distinct, Duplicates *int64
}

// Total adds up trials.
func Total(trials []facts.Trial) Totals {
	all := Totals{Trials: len(trials)}
	for _, t := range trials {
		all.Seconds += t.ElapsedS
		all.Attempts, all.Succeeded, all.Failed = all.Attempts+t.Attempts, all.Succeeded+t.Succeeded, all.Failed+t.Failed
	}
	sum := func(of func(facts.Trial) *int64) *int64 { return Sum(trials, of) }
	all.Hung = sum(func(t facts.Trial) *int64 { return t.Hung })
	all.Warmup = sum(func(t facts.Trial) *int64 { return t.ColdStart.Requests })
	all.Accepted = sum(func(t facts.Trial) *int64 { return t.Connections.Accepted })
	all.Used = sum(func(t facts.Trial) *int64 { return t.Connections.Used })
	all.Expected = sum(func(t facts.Trial) *int64 { return t.Connections.Expected })
	all.UsedUp = sum(func(t facts.Trial) *int64 { return t.Connections.UsedUp })
	all.Renewals = sum(func(t facts.Trial) *int64 { return t.Connections.Renewals() })
	all.Executed = sum(func(t facts.Trial) *int64 { return t.Backend.Executed })
	all.Distinct = sum(func(t facts.Trial) *int64 { return t.Backend.Distinct })
	all.Duplicates = sum(func(t facts.Trial) *int64 { return t.Backend.Duplicates })
	return all
}

// Sum adds up a count over trials; nil if one of them doesn't know it, or there is none.
func Sum(trials []facts.Trial, of func(facts.Trial) *int64) *int64 {
	var total int64
	if len(trials) == 0 {
		return nil
	}
	for _, t := range trials {
		n := of(t)
		if n == nil {
			return nil
		}
		total += *n
	}
	return &total
}

func Number(n *int64) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

// NoHistogram says why a cell's histograms can't be merged.
type NoHistogram struct {
	Trial int   // its index
	Err   error // nil where the trial has none
}

func (e NoHistogram) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("trial %d has no histogram", e.Trial)
	}
	return fmt.Sprintf("trial %d: %v", e.Trial, e.Err)
}

// Latencies merges the histograms of a cell's counted trials. Without a readable histogram of every
// trial there is none, and the error says which is missing: a merged histogram of some trials would look
// like one of all.
func Latencies(c *facts.Cell) (*histogram.Histogram, error) {
	var all *histogram.Histogram
	for _, t := range Counted(c.Trials) {
		if t.Succeeded == 0 {
			continue
		}
		if t.Histogram == "" {
			return nil, NoHistogram{Trial: t.Index}
		}
		one, err := histogram.Read(t.Histogram)
		if err == nil && one.Samples() != t.Succeeded {
			err = fmt.Errorf("it has %d latencies for %d successful requests", one.Samples(), t.Succeeded)
		}
		if err == nil && all == nil {
			all = histogram.New()
		}
		if err == nil {
			err = all.Merge(one)
		}
		if err != nil {
			return nil, NoHistogram{t.Index, err}
		}
	}
	if all == nil {
		return nil, errors.New("no request succeeded")
	}
	return all, nil
}

// HasHistograms reports whether a run's trials have histograms; those of earlier versions have none.
func HasHistograms(run *facts.Result) bool {
	return slices.ContainsFunc(run.Cells, func(c facts.Cell) bool {
		return slices.ContainsFunc(c.Trials, func(t facts.Trial) bool { return t.Histogram != "" })
	})
}

// merged are the percentiles of all counted trials' requests; nil without histograms.
func merged(c *facts.Cell) *facts.Percentiles {
	h, err := Latencies(c)
	if err != nil {
		return nil
	}
	return &facts.Percentiles{Samples: h.Samples(), P50: h.AtMS(50), P90: h.AtMS(90), P95: h.AtMS(95), P99: h.AtMS(99),
		P999: h.AtMS(99.9), P9999: h.AtMS(99.99), Max: h.MaxMS()}
}

// P50Of is the median latency of all requests of a summary's trials; where they have no histograms, the
// median of the trials' medians.
func P50Of(s facts.Summary) *float64 {
	if s.MergedMS != nil {
		return s.MergedMS.P50
	}
	return s.P50MS.Median
}

// P99Of is the 99th percentile in the same way.
func P99Of(s facts.Summary) *float64 {
	if s.MergedMS != nil {
		return s.MergedMS.P99
	}
	return s.P99MS.Median
}

// Pooled is a percentile of the latency of all requests of a cell's counted trials, from their merged
// histograms; nil where of is another number or a trial has no histogram. It finds out which percentile of is by
// asking it for its number of a trial that has nothing else.
func Pooled(c *facts.Cell, of func(facts.Trial) *float64) *float64 {
	if c == nil || !slices.ContainsFunc(c.Trials, func(t facts.Trial) bool { return t.Histogram != "" }) {
		return nil
	}
	l := facts.Latency{P50: new(float64), P90: new(float64), P95: new(float64), P99: new(float64), P999: new(float64)}
	which := slices.Index([]*float64{l.P50, l.P90, l.P95, l.P99, l.P999}, of(facts.Trial{LatencyMS: l}))
	if which < 0 {
		return nil
	}
	m := merged(c)
	if m == nil {
		return nil
	}
	return []*float64{m.P50, m.P90, m.P95, m.P99, m.P999}[which]
}

// Middle is one number of a cell: Pooled, or else the median of its trials.
func Middle(c *facts.Cell, of func(facts.Trial) *float64) *float64 {
	if v := Pooled(c, of); v != nil || c == nil {
		return v
	}
	return statistics.Median(Sample(c.Trials, of)).Median
}
