package runreport

import (
	"fmt"
	"strings"

	"h2lab/internal/facts"
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
	p.heading("Comparison with the original demonstration")
	note := ""
	if p.run.Limit != 1000 {
		note = p.say("- **The limit.** The original had 1,000, this run %s: in the rows of %s the fault is %s "+
			"times as frequent, so they are not comparable with it.\n",
			integer(p.run.Limit), code(p.low()), number(ptr(1000/float64(max(1, p.run.Limit)))))
	}
	times := p.plural(p.run.Trials, windows)
	p.prose("original.md", map[string]any{"Table": p.originalTable(), "Window": seconds(p.run.DurationS),
		"Times": times,
		"Limit": integer(p.run.Limit), "CPUs": p.budget(),
		"Key": escape(or(strings.ToUpper(p.run.Key), p.say("unknown"))), "LimitNote": note, "TLS": p.tlsVersions()})
}

func ptr[T any](v T) *T { return &v }

// budget describes the servers' CPU budget, as read back.
func (p *page) budget() string {
	asked := p.say("none was requested")
	if p.run.CPUs != nil {
		asked = p.say("%s was requested", number(p.run.CPUs))
	}
	values := map[string]bool{}
	for _, s := range p.in.Result.Environment.Servers {
		values[p.budgetOf(s.CPUs)] = true
	}
	if len(values) != 1 {
		return p.say("%s (read back below)", asked)
	}
	for v := range values {
		return p.say("%s and %s was read back", asked, v)
	}
	return asked
}

func (p *page) budgetOf(cpus *float64) string {
	if cpus == nil {
		return p.say("unlimited")
	}
	return number(cpus)
}

func (p *page) originalTable() string {
	cols := []facts.Client{facts.K6SharedPool, facts.GoOnce}
	per := func(n, rps float64) string { return measure(ptr(n * 1000 / (rps * originalSeconds))) }
	limit := p.say(", limit 1,000")
	if p.run.Limit != 1000 {
		limit += p.say(" there, %s here", integer(p.run.Limit))
	}
	lines := []struct {
		what, original string
		cell           func(facts.Client) string
	}{
		{p.say("Goodput h2 / h1") + limit, twoDigits(ptr(float64(originalLowRPS) / originalH1RPS)), p.ratioAt(p.low())},
		{p.say("Goodput h2 / h1, limit 100,000"), twoDigits(ptr(float64(originalHighRPS) / originalH1RPS)),
			p.ratioAt(high)},
		{p.say("Connections per 1,000 requests, h2") + limit, per(originalLowConns, originalLowRPS),
			p.perThousand(p.low(), lifeConnections)},
		{p.say("Connections per 1,000 requests, h2, limit 100,000"), per(originalHighConns, originalHighRPS),
			p.perThousand(high, lifeConnections)},
		{p.say("Failures per 1,000 requests, h2") + limit, per(originalLowErrors, originalLowRPS),
			p.perThousand(p.low(), per1000(failed))},
	}
	var b strings.Builder
	b.WriteString(p.say("| | original"))
	for _, c := range cols {
		b.WriteString(p.say(" | here, %s", code(string(c))))
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
		return strings.Replace(times(cmp), "×"+space, "", 1) + p.noteRecorded(cmp.Warnings...)
	}
}

// lifeConnections is the number of connections of a client's whole life per 1,000 requests, cold
// start included, as the original counted them.
func lifeConnections(t facts.Trial) *float64 {
	window, cold, requests := t.Connections.Accepted, t.ColdStart.Accepted, t.ColdStart.Requests
	if window == nil || cold == nil || requests == nil || t.Attempts+*requests == 0 {
		return nil
	}
	return ptr(float64(*window+*cold) * 1000 / float64(t.Attempts+*requests))
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
