package core

import (
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

func Number(n *int64) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}
