package runreport

import (
	"slices"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// schedules returns the columns of how an open loop's schedule was kept.
func schedules() []column {
	return []column{
		callers(nil)[0], callers(nil)[1],
		{"Rate, req/s", "Requests that were to arrive each second, whether or not earlier ones were answered.", false,
			rateCell, ""},
		{"Due", "Requests that were due in all trials.", false,
			sumCell(func(s facts.Schedule) int64 { return s.Due }), "/trials/*/schedule/due"},
		{"Not started", "Requests due that were never sent, in all trials, because as many as allowed were in flight: the " +
			"servers did not keep up. They have no latency, and it would have been the longest.", false,
			sumCell(func(s facts.Schedule) int64 { return s.NotStarted }), "/trials/*/schedule/not_started"},
		{"In flight", "The largest number of requests in flight at the same time, in any trial.", false, inFlightCell,
			"/trials/*/schedule/in_flight"},
		{"Late p99, ms", "How much later than due the generator sent requests: the 99th percentile of the worst trial. Above " +
			"1 ms and a tenth of the latency's p99 the generator fell behind, and the trial is marked and left out of the " +
			"medians.", false,
			worstCell(func(s facts.Schedule) *float64 { return s.LateMS.P99 }), "/trials/*/schedule/late_ms/p99"},
		{"Late max, ms", "The largest such delay in any trial.", false,
			worstCell(func(s facts.Schedule) *float64 { return s.LateMS.Max }), "/trials/*/schedule/late_ms/max"},
		{"p99 since due, ms", "The 99th percentile of latency counted from when a request was due (median of the trials).",
			false, medianCell(core.P99), "/trials/*/latency_ms/p99"},
		{"p99 since sent, ms", "The same counted from when the request was sent. A generator that waits before it sends sees " +
			"only this one (coordinated omission).", false, medianCell(ofSchedule(func(s facts.Schedule) *float64 {
			return s.UncorrectedMS.P99
		})), "/trials/*/schedule/uncorrected_ms/p99"},
	}
}

// timed reports whether a client of the run measured its connects or handshakes.
func timed(run *facts.Result) bool {
	return slices.ContainsFunc(run.Cells, func(c facts.Cell) bool {
		return slices.ContainsFunc(c.Trials, func(t facts.Trial) bool { return t.ConnectMS != nil || t.HandshakeMS != nil })
	})
}

// connects returns the columns of the times of connects and handshakes.
func connects() []column {
	connect := func(t facts.Trial) *facts.Latency { return t.ConnectMS }
	handshake := func(t facts.Trial) *facts.Latency { return t.HandshakeMS }
	half := func(l facts.Latency) *float64 { return l.P50 }
	most := func(l facts.Latency) *float64 { return l.P99 }
	cell := func(of func(facts.Trial) *facts.Latency, at func(facts.Latency) *float64) func(*page, row) string {
		return medianCell(func(t facts.Trial) *float64 {
			if l := of(t); l != nil {
				return at(*l)
			}
			return nil
		})
	}
	return []column{
		callers(nil)[0], callers(nil)[1],
		{"Connect p50, ms", "The median time of a TCP connect in the window, as the client measured it (median of the trials). " +
			"Unknown where the client can't tell, or none was made.", false, cell(connect, half), "/trials/*/connect_ms/p50"},
		{"Connect p99, ms", "Its 99th percentile (median of the trials).", false, cell(connect, most),
			"/trials/*/connect_ms/p99"},
		{"TLS p50, ms", "The median time of a TLS handshake, after the connect (median of the trials).", false,
			cell(handshake, half), "/trials/*/handshake_ms/p50"},
		{"TLS p99, ms", "Its 99th percentile (median of the trials).", false, cell(handshake, most),
			"/trials/*/handshake_ms/p99"},
	}
}

func rateCell(_ *page, r row) string {
	if r.Workload.RatePerS <= 0 {
		return dash
	}
	return core.Count(r.Workload.RatePerS)
}

func ofSchedule(value func(facts.Schedule) *float64) func(facts.Trial) *float64 {
	return func(t facts.Trial) *float64 {
		if t.Schedule == nil {
			return nil
		}
		return value(*t.Schedule)
	}
}

func medianCell(of func(facts.Trial) *float64) func(*page, row) string {
	return func(_ *page, r row) string { return measure(median(r.sample(of))) }
}

// scheduled are the schedules of a cell's trials, those of late generators among them.
func (r row) scheduled() (out []facts.Schedule) {
	for _, t := range r.Trials {
		if t.Schedule != nil {
			out = append(out, *t.Schedule)
		}
	}
	return out
}

func sumCell(of func(facts.Schedule) int64) func(*page, row) string {
	return func(_ *page, r row) string {
		all := r.scheduled()
		if all == nil {
			return dash
		}
		var sum int64
		for _, s := range all {
			sum += of(s)
		}
		return text.Count(sum)
	}
}

func inFlightCell(_ *page, r row) string {
	all := r.scheduled()
	if all == nil {
		return dash
	}
	return text.Count(slices.MaxFunc(all, func(a, b facts.Schedule) int { return int(a.InFlight - b.InFlight) }).InFlight)
}

func worstCell(of func(facts.Schedule) *float64) func(*page, row) string {
	return func(p *page, r row) string {
		var worst *float64
		for _, s := range r.scheduled() {
			if v := of(s); v != nil && (worst == nil || *v > *worst) {
				worst = v
			}
		}
		return measure(worst) + p.Notes.Ref(p.LateTrials(r.Cell)...)
	}
}
