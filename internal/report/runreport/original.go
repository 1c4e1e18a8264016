package runreport

import (
	"fmt"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
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
	if core.OpenLoop(p.in.Result) {
		p.Print("run.original-demonstration-kept")
		return
	}
	note := ""
	if p.run.Limit != 1000 {
		note = p.Say("page.limit-original-1000-run",
			text.Count(p.run.Limit), code(p.low()), number(new(1000/float64(max(1, p.run.Limit)))))
	}
	times := p.Plural(p.run.Trials, "page.windows")
	p.prose("original.md", map[string]any{"Table": p.originalTable(), "Window": seconds(p.run.DurationS),
		"Times": times,
		"Limit": text.Count(p.run.Limit), "CPUs": p.Budget(),
		"Key": escape(or(strings.ToUpper(p.run.Key), p.Say("verdict.unknown"))), "LimitNote": note, "TLS": p.TLSVersions(p.cells())})
}

func (p *page) originalTable() string {
	cols := []facts.Client{facts.K6SharedPool, facts.GoOnce}
	per := func(n, rps float64) string { return measure(new(n * 1000 / (rps * originalSeconds))) }
	limit := p.Say("page.limit-1000")
	if p.run.Limit != 1000 {
		limit += p.Say("page.there-here", text.Count(p.run.Limit))
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
