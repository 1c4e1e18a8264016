// Package runreport turns a result and its verdicts into report.md, the charts beside it, and the
// short version for a terminal. It uses no network, clock or file, and writes the same bytes for
// the same input.
//
// Every section is a file of its own, called by report.go in the order of the report. Longer prose
// is in text/*.md.
package runreport

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/runverdicts"
	"h2lab/internal/report/parts"
)

// Build returns the report and its charts.
func Build(in parts.Input) (parts.Built, error) {
	p := newPage(in)
	return p.Page.Build(
		func() {
			p.Top(p.Say("page.what-limit-requests-per", code(or(p.Run.Command, "h2lab"))), escape(p.headline()), p.Warnings(),
				p.connectionsChart)
		}, p.VerdictSection, p.numbers, p.failures, p.Gaps, p.pictures, p.Wire, p.why, p.cures, p.original, p.method,
		p.Environment, p.glossary, p.Footnotes, p.Repeat)
}

// page is a report while it is written.
type page struct {
	parts.Page
	rows []row
}

func newPage(in parts.Input) *page {
	p := &page{Page: parts.New("report", in)}
	p.Rule = ruleOf
	p.rows = p.collect()
	return p
}

func ruleOf(id string) (group core.Group, good facts.Status) {
	r := core.RuleOf(runverdicts.Rules(), id)
	return r.Group, r.Good
}

//go:embed text/*.md text/zh/*.md
var written embed.FS

func (p *page) prose(name string, data any) { p.Prose(written, name, data) }

func (p *page) why() {
	p.Heading("page.why")
	p.prose("why.md", nil)
}

func (p *page) headline() string {
	return or(strings.Join(strings.Fields(p.In(runverdicts.Headline(p.Result, p.Verdicts))), " "),
		p.Say("page.no-rule-could-judge"))
}

func (p *page) glossary() {
	p.Heading("page.columns")
	p.Print("run.column-meaning")
	var all []column
	for _, t := range p.tables() {
		all = append(all, t.columns...)
	}
	if core.HasHistograms(p.Result) {
		all = append(all, byPercentile()...)
	}
	parts.Explain(&p.Page, all...)
}

func (p *page) cures() {
	p.Heading("page.three-cures")
	p.prose("cures.md", map[string]any{"ServerDiff": p.ServerDiff(p.Diff), "MaxStreams": facts.MaxConcurrentStreams})
}

func (p *page) method() {
	p.Heading("page.how-measured")
	w := facts.Workload{Method: dash, Concurrency: p.Run.Concurrency, Pools: 1}
	if cells := p.Result.Cells; len(cells) > 0 {
		w = cells[0].Workload
	}
	timeline := p.Say("page.not-recorded")
	if p.Run.Observed {
		timeline = p.Say("page.fronts-counters-sampled")
	}
	p.prose("method.md", map[string]any{
		"Concurrency": text.Count(w.Concurrency), "Method": escape(w.Method),
		"Body":  p.Plural(w.BodyBytes, "page.bytes"),
		"Pools": p.Plural(w.Pools, "page.connection-pools"), "Delay": text.Count(w.DelayMS) + " ms",
		"Trials": p.Plural(p.Run.Trials, "page.trials"), "Window": seconds(p.Run.DurationS), "Warmup": seconds(p.Run.WarmupS),
		"Seed": fmt.Sprint(p.Run.Seed), "Limits": p.Limits(p.cells()), "TLS": p.TLS(w, p.cells()),
		"Key": escape(or(strings.ToUpper(p.Run.Key), p.Say("verdict.unknown"))), "Timeline": timeline,
		"Rate": p.rate(), "Arrivals": p.arrivals(w.Arrivals), "MostLate": text.Number(facts.MostLateMS),
		"Merged": core.HasHistograms(p.Result),
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

// cells returns the cells in the order of the tables.
func (p *page) cells() (out []*facts.Cell) {
	for _, r := range p.rows {
		out = append(out, r.Cell)
	}
	return out
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
