package runreport

import (
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

func (p *page) method() {
	p.Heading("page.how-measured")
	w := facts.Workload{Method: dash, Concurrency: p.run.Concurrency, Pools: 1}
	if cells := p.in.Result.Cells; len(cells) > 0 {
		w = cells[0].Workload
	}
	timeline := p.Say("page.not-recorded")
	if p.run.Observed {
		timeline = p.Say("page.fronts-counters-sampled")
	}
	p.prose("method.md", map[string]any{
		"Concurrency": text.Count(w.Concurrency), "Method": escape(w.Method),
		"Body":  p.Plural(w.BodyBytes, "page.bytes"),
		"Pools": p.Plural(w.Pools, "page.connection-pools"), "Delay": text.Count(w.DelayMS) + " ms",
		"Trials": p.Plural(p.run.Trials, "page.trials"), "Window": seconds(p.run.DurationS), "Warmup": seconds(p.run.WarmupS),
		"Seed": fmt.Sprint(p.run.Seed), "Limits": p.Limits(p.cells()), "TLS": p.TLS(w, p.cells()),
		"Key": escape(or(strings.ToUpper(p.run.Key), p.Say("verdict.unknown"))), "Timeline": timeline,
		"Rate": p.rate(), "Arrivals": p.arrivals(w.Arrivals), "MostLate": text.Number(facts.MostLateMS),
		"Merged": core.HasHistograms(p.in.Result),
	})
	p.distance(w.Distance)
	p.Order()
}

// rate returns the rates of an open loop; empty in a closed loop.
func (p *page) rate() string {
	var rates []float64
	for _, r := range p.rows {
		if v := r.Workload.RatePerS; v > 0 && !slices.Contains(rates, v) {
			rates = append(rates, v)
		}
	}
	slices.Sort(rates)
	var out []string
	for _, v := range rates {
		out = append(out, core.Count(v))
	}
	return p.Language.List(out)
}

func (p *page) arrivals(a facts.Arrivals) string {
	if a == facts.Poisson {
		return p.Say("run.independent-another-poisson")
	}
	return p.Say("run.evenly-spaced")
}

// distance says what lay between load generators and servers.
func (p *page) distance(d facts.Distance) {
	if !d.Any() {
		return
	}
	p.Printf("- %s %s\n", p.Say("page.distance-load-generators", text.Number(d.RTTMS), text.Number(d.JitterMS)), p.line(d))
}

func (p *page) line(d facts.Distance) string {
	words := []string{}
	if d.LossPercent > 0 {
		words = append(words, p.Say("page.packets-lost-direction", text.Number(d.LossPercent)))
	}
	if d.MbitPerS > 0 {
		words = append(words, p.Say("page.direction-carried-mbit-s", text.Count(d.MbitPerS)))
	}
	return strings.Join(words, " ")
}

// cells returns the cells in the order of the tables.
func (p *page) cells() (out []*facts.Cell) {
	for _, r := range p.rows {
		out = append(out, r.Cell)
	}
	return out
}
