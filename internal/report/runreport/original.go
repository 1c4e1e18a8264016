package runreport

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/report/parts"
)

// The figures that the original demonstration published.
const (
	originalSeconds   = 30
	originalH1RPS     = 9900
	originalLowRPS    = 4047
	originalLowConns  = 4495
	originalLowErrors = 4117
	originalHighRPS   = 9725
	originalHighConns = 100
)

func (p *page) original() {
	p.Heading("page.comparison-original")
	if core.OpenLoop(p.Result) {
		p.Print("run.original-demonstration-kept")
		return
	}
	note := ""
	if p.Run.Limit != 1000 {
		note = p.Say("page.limit-original-1000-run",
			text.Count(p.Run.Limit), code(p.low()), number(new(1000/float64(max(1, p.Run.Limit)))))
	}
	times := p.Plural(p.Run.Trials, "page.windows")
	p.prose("original.md", map[string]any{"Table": p.originalTable(), "Window": seconds(p.Run.DurationS),
		"Times": times,
		"Limit": text.Count(p.Run.Limit), "CPUs": p.Budget(),
		"Key": escape(or(strings.ToUpper(p.Run.Key), p.Say("verdict.unknown"))), "LimitNote": note, "TLS": p.TLSVersions(p.cells())})
}

func (p *page) originalTable() string {
	cols := []facts.Client{facts.K6SharedPool, facts.GoOnce}
	per := func(n, rps float64) string { return measure(new(n * 1000 / (rps * originalSeconds))) }
	limit := p.Say("page.limit-1000")
	if p.Run.Limit != 1000 {
		limit += p.Say("page.there-here", text.Count(p.Run.Limit))
	}
	lines := []struct {
		what, original string
		cell           func(facts.Client) string
	}{
		{p.Say("page.goodput-h2-h1") + limit, twoDigits(new(float64(originalLowRPS) / originalH1RPS)), p.ratioAt(p.low())},
		{p.Say("page.goodput-h2-h1-limit"), twoDigits(new(float64(originalHighRPS) / originalH1RPS)), p.ratioAt(high)},
		{p.Say("page.connections-per-1000") + limit, per(originalLowConns, originalLowRPS),
			p.perThousand(p.low(), lifeConnections)},
		{p.Say("page.connections-per-1000-requests-h2"), per(originalHighConns, originalHighRPS),
			p.perThousand(high, lifeConnections)},
		{p.Say("page.failures-per-1000-requests") + limit, per(originalLowErrors, originalLowRPS),
			p.perThousand(p.low(), per1000(failed))},
	}
	var b strings.Builder
	b.WriteString(p.Say("page.original"))
	for _, c := range cols {
		b.WriteString(p.Say("page.here", code(string(c))))
	}
	b.WriteString(" |\n|:--|--:|--:|--:|\n")
	for _, l := range lines {
		fmt.Fprintf(&b, "| %s | %s", l.what, l.original)
		for _, c := range cols {
			fmt.Fprintf(&b, " | %s", l.cell(c))
		}
		b.WriteString(" |\n")
	}
	return b.String()
}

func (p *page) ratioAt(topology string) func(facts.Client) string {
	return func(c facts.Client) string {
		r := p.find(topology, facts.H2, c)
		if r == nil {
			return dash
		}
		cmp := r.againstH1()
		if cmp == nil {
			return dash
		}
		return strings.Replace(times(cmp), "×"+space, "", 1) + p.Note(cmp.Warnings)
	}
}

// lifeConnections is the number of connections of a client's whole life per 1,000 requests, cold
// start included, as the original counted them.
func lifeConnections(t facts.Trial) *float64 {
	window, cold, requests := t.Connections.Accepted, t.ColdStart.Accepted, t.ColdStart.Requests
	if window == nil || cold == nil || requests == nil || t.Attempts+*requests == 0 {
		return nil
	}
	return new(float64(*window+*cold) * 1000 / float64(t.Attempts+*requests))
}

func (p *page) perThousand(topology string, of func(facts.Trial) *float64) func(facts.Client) string {
	return func(c facts.Client) string {
		r := p.find(topology, facts.H2, c)
		if r == nil {
			return dash
		}
		m := statistics.Median(r.sample(of))
		return measure(m.Median) + interval(m.Lo, m.Hi, measure)
	}
}

// schedules returns the columns of how an open loop's schedule was kept.
func schedules() []column {
	return []column{
		where, protocol,
		parts.Figure("run.rate-req-s", "run.requests-arrive-second", "", rateCell),
		parts.Figure("run.due", "run.requests-due-all-trials", "/trials/*/schedule/due",
			sumCell(func(s facts.Schedule) int64 { return s.Due })),
		parts.Figure("run.not-started", "run.requests-due-never-sent-all", "/trials/*/schedule/not_started",
			sumCell(func(s facts.Schedule) int64 { return s.NotStarted })),
		parts.Figure("run.flight", "run.largest-number-requests", "/trials/*/schedule/in_flight", inFlightCell),
		parts.Figure("run.late-p99-ms", "run.how-much-later-due", "/trials/*/schedule/late_ms/p99",
			worstCell(func(s facts.Schedule) *float64 { return s.LateMS.P99 })),
		parts.Figure("run.late-max-ms", "run.largest-such-delay-any", "/trials/*/schedule/late_ms/max",
			worstCell(func(s facts.Schedule) *float64 { return s.LateMS.Max })),
		parts.Figure("run.p99-since-due-ms", "run.99th-percentile-latency-counted", "/trials/*/latency_ms/p99",
			medianCell(core.P99)),
		parts.Figure("run.p99-since-sent-ms", "run.same-counted-when-request", "/trials/*/schedule/uncorrected_ms/p99",
			medianCell(ofSchedule(func(s facts.Schedule) *float64 { return s.UncorrectedMS.P99 }))),
	}
}

// timed reports whether a client of the run measured its connects or handshakes.
func (p *page) timed() bool {
	return slices.ContainsFunc(p.Result.Cells, func(c facts.Cell) bool {
		return slices.ContainsFunc(c.Trials, func(t facts.Trial) bool { return t.ConnectMS != nil || t.HandshakeMS != nil })
	})
}

// connects returns the columns of the times of connects and handshakes.
func connects() []column {
	connect := func(t facts.Trial) *facts.Latency { return t.ConnectMS }
	handshake := func(t facts.Trial) *facts.Latency { return t.HandshakeMS }
	half := func(l facts.Latency) *float64 { return l.P50 }
	most := func(l facts.Latency) *float64 { return l.P99 }
	cell := func(of func(facts.Trial) *facts.Latency, at func(facts.Latency) *float64) func(row) string {
		return medianCell(func(t facts.Trial) *float64 {
			if l := of(t); l != nil {
				return at(*l)
			}
			return nil
		})
	}
	return []column{
		where, protocol,
		parts.Figure("run.connect-p50-ms", "run.median-time-tcp-connect", "/trials/*/connect_ms/p50",
			cell(connect, half)),
		parts.Figure("run.connect-p99-ms", "run.99th-percentile-median", "/trials/*/connect_ms/p99",
			cell(connect, most)),
		parts.Figure("run.tls-p50-ms", "run.median-time-tls-handshake", "/trials/*/handshake_ms/p50",
			cell(handshake, half)),
		parts.Figure("run.tls-p99-ms", "run.99th-percentile-median", "/trials/*/handshake_ms/p99",
			cell(handshake, most)),
	}
}

func rateCell(r row) string {
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

func medianCell(of func(facts.Trial) *float64) func(row) string {
	return func(r row) string { return measure(median(r.sample(of))) }
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

func sumCell(of func(facts.Schedule) int64) func(row) string {
	return func(r row) string {
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

func inFlightCell(r row) string {
	all := r.scheduled()
	if all == nil {
		return dash
	}
	return text.Count(slices.MaxFunc(all, func(a, b facts.Schedule) int { return int(a.InFlight - b.InFlight) }).InFlight)
}

func worstCell(of func(facts.Schedule) *float64) func(row) string {
	return func(r row) string {
		p := r.p
		var worst *float64
		for _, s := range r.scheduled() {
			if v := of(s); v != nil && (worst == nil || *v > *worst) {
				worst = v
			}
		}
		return measure(worst) + p.Notes.Ref(p.LateTrials(r.Cell)...)
	}
}
