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
	p.Heading("Comparison with the original demonstration")
	if core.OpenLoop(p.in.Result) {
		p.PrintPhrase("The original demonstration kept a number of requests in flight, a closed loop. At a rate, goodput is " +
			"the rate as long as the servers keep up, so its figures can't be compared with these; run without RATE for that.\n")
		return
	}
	note := ""
	if p.run.Limit != 1000 {
		note = p.Say("- **The limit.** The original had 1,000, this run %s: in the rows of %s the fault is %s "+
			"times as frequent, so they are not comparable with it.\n",
			text.Count(p.run.Limit), code(p.low()), number(new(1000/float64(max(1, p.run.Limit)))))
	}
	times := p.Plural(p.run.Trials, windows)
	p.prose("original.md", map[string]any{"Table": p.originalTable(), "Window": seconds(p.run.DurationS),
		"Times": times,
		"Limit": text.Count(p.run.Limit), "CPUs": p.Budget(),
		"Key": escape(or(strings.ToUpper(p.run.Key), p.Say("unknown"))), "LimitNote": note, "TLS": p.TLSVersions(p.cells())})
}

func (p *page) originalTable() string {
	cols := []facts.Client{facts.K6SharedPool, facts.GoOnce}
	per := func(n, rps float64) string { return measure(new(n * 1000 / (rps * originalSeconds))) }
	limit := p.Say(", limit 1,000")
	if p.run.Limit != 1000 {
		limit += p.Say(" there, %s here", text.Count(p.run.Limit))
	}
	lines := []struct {
		what, original string
		cell           func(facts.Client) string
	}{
		{p.Say("Goodput h2 / h1") + limit, twoDigits(new(float64(originalLowRPS) / originalH1RPS)), p.ratioAt(p.low())},
		{p.Say("Goodput h2 / h1, limit 100,000"), twoDigits(new(float64(originalHighRPS) / originalH1RPS)),
			p.ratioAt(high)},
		{p.Say("Connections per 1,000 requests, h2") + limit, per(originalLowConns, originalLowRPS),
			p.perThousand(p.low(), lifeConnections)},
		{p.Say("Connections per 1,000 requests, h2, limit 100,000"), per(originalHighConns, originalHighRPS),
			p.perThousand(high, lifeConnections)},
		{p.Say("Failures per 1,000 requests, h2") + limit, per(originalLowErrors, originalLowRPS),
			p.perThousand(p.low(), per1000(failed))},
	}
	var b strings.Builder
	b.WriteString(p.Say("| | original"))
	for _, c := range cols {
		b.WriteString(p.Say(" | here, %s", code(string(c))))
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
		return strings.Replace(times(cmp), "×"+space, "", 1) + p.NoteRecorded(cmp.Warnings...)
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
