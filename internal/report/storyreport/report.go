// Package storyreport turns a story's result and verdicts into story.md, its charts, and the short version for a
// terminal. The page has the order in which a team searches: the service's view, the API's, the cut between them, the
// connections, the retry, the cures, and what differs from the original. Its sections are files of their own; their
// prose is in text/*.md. It uses no network, clock or file, and writes the same bytes for the same input.
package storyreport

import (
	"embed"
	"fmt"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/storyverdicts"
	"h2lab/internal/report/parts"
)

//go:embed text/*.md text/zh/*.md
var written embed.FS

// Build returns the page and its charts.
func Build(in parts.Input) (parts.Built, error) {
	p := newPage(in)
	return p.Page.Build(func() {
		p.Top(p.Say("story.service-middle-incident"), parts.Escape(p.headline()), p.Warnings(), p.charts)
	},
		p.service, p.api, p.cut, p.connections, p.retry, p.cures, p.original, p.VerdictSection, p.failures, p.Gaps,
		p.method, p.Environment, p.glossary, p.Footnotes, p.Repeat)
}

// page is a story while it is written.
type page struct {
	parts.Page
	chain storyverdicts.Chain
}

func newPage(in parts.Input) *page {
	p := &page{Page: parts.New("story", in)}
	p.Rule, p.chain = ruleOf, storyverdicts.ChainOf(p.Result)
	return p
}

func (p *page) prose(name string, data any) { p.Prose(written, name, data) }

// headline is the page's sentence.
func (p *page) headline() string {
	return strings.Join(strings.Fields(p.In(storyverdicts.Headline(p.Result, p.Verdicts))), " ")
}

func ruleOf(id string) (group core.Group, good facts.Status) {
	r := storyverdicts.RuleOf(id)
	return r.Group, r.Good
}

func (p *page) method() {
	p.Heading("page.how-measured")
	w, users := facts.Workload{Method: parts.Dash, Concurrency: p.Run.Concurrency}, facts.Client("")
	if cells := p.Cells(); len(cells) > 0 {
		w, users = cells[0].Workload, cells[0].Users
	}
	p.prose("method.md", map[string]any{
		"Users": text.Count(w.Concurrency), "Program": parts.Code(parts.Or(string(users), parts.Dash)),
		"Method": parts.Escape(w.Method), "Body": p.Plural(w.BodyBytes, "page.bytes"),
		"Delay": text.Count(w.DelayMS), "Trials": p.Plural(p.Run.Trials, "page.trials"),
		"Window": parts.Seconds(p.Run.DurationS), "Warmup": parts.Seconds(p.Run.WarmupS), "Seed": fmt.Sprint(p.Run.Seed),
		"Gateway": parts.Code(p.chain.Gateway), "CPUs": p.Budget(), "Limits": p.Limits(p.Cells()),
		"Key": parts.Escape(parts.Or(strings.ToUpper(p.Run.Key), p.Say("verdict.unknown"))),
	})
	p.Order()
}

// The figures of the incident as it was met.
const (
	originalRPS    = 500  // less than
	originalMS     = 500  // more than
	originalFailed = 0.10 // about
)

// saturated is the share of its budget from which a server is at its limit: the kernel's accounting of a quota of whole
// periods leaves a few per cent unused.
const saturated = 0.9

// original is part 7: by how much this run differs from the incident as it was met, and why.
func (p *page) original() {
	p.Heading("story.7-what-differs-original")
	r, off := p.incident(), p.noRetry()
	if !p.need(r) {
		return
	}
	ratio := func(v *float64, of float64) string {
		if v == nil {
			return parts.Dash
		}
		x := *v / of
		return text.Factor(x)
	}
	failed := off.middle(failedShare)
	p.prose("original.md", map[string]any{
		"Goodput": parts.Whole(r.middle(goodput)), "GoodputTimes": ratio(r.middle(goodput), originalRPS),
		"P50": parts.Measure(r.middle(p50)), "P50Times": ratio(r.middle(p50), originalMS),
		"P99": parts.Measure(r.middle(p99)), "P99Times": ratio(r.middle(p99), originalMS),
		"FailedOn": parts.Percent(r.middle(failedShare)), "FailedOff": parts.Percent(failed),
		"FailedTimes": ratio(failed, originalFailed), "Effect": p.effect(r),
	})
	p.reasons(r)
	p.processors()
	p.Settings()
}

// effect describes how much of the incident this run shows: against the gateway alone.
func (p *page) effect(r row) string {
	alone := p.alone()
	if !alone.measured() {
		return parts.Dash
	}
	return p.Say("story.goodput-p99", p.times(r, alone, goodput), p.times(r, alone, p99))
}

// reasons lists those causes of a difference that this run's numbers support.
func (p *page) reasons(r row) {
	var out []string
	chain, all, n := r.middle(chainCores), r.middle(allCores), p.Result.Environment.Cores
	if chain != nil && all != nil && n > 0 {
		words := p.Say("story.users-service-proxies-api", text.Count(n), parts.Measure(chain), parts.Measure(all))
		if *all >= facts.MachineFull*float64(n) {
			words += p.Say("story.machine-itself-bounds")
		}
		out = append(out, words)
	}
	budget, use := p.Run.CPUs, r.middle(proxyCores)
	if budget != nil && use != nil && p.chain.Gateway == "envoy" { // Spring Cloud Gateway has no budget
		total := *budget * 2 // the reverse proxy and the gateway
		words := p.Say("story.proxies-used-cores-cpus", parts.Measure(use), parts.Number(&total))
		if *use >= saturated*total {
			words += p.Say("story.limit-handshake-takes")
		}
		out = append(out, words)
	}
	if c := p.handshakes(r); c != "" {
		out = append(out, c)
	}
	if len(out) == 0 {
		out = append(out, p.Say("story.run-no-processor-times"))
	}
	for _, s := range out {
		p.Printf("- %s\n", s)
	}
	p.Printf("\n")
}

// handshakes compares the processor time for a request with and without the limit.
func (p *page) handshakes(r row) string {
	high := p.cured()[0]
	if !high.measured() {
		return ""
	}
	c := r.compare(high, proxyMS)
	if c.Ratio == nil {
		return ""
	}
	words := p.Say("story.thousand-requests-cost", parts.Measure(r.middle(proxyMS)),
		parts.Measure(high.middle(proxyMS)),
		p.times(r, high, proxyMS))
	if !c.Significant {
		words += p.Say("story.difference-within-noise")
	}
	return words
}

// processors writes the processor time of each program in each cell.
func (p *page) processors() {
	p.Print("story.processor-time-cores")
	p.Print("story.where-users-service-proxies")
	for _, r := range p.every() {
		if r.measured() {
			p.Printf("| %s | %s | %s | %s | %s | %s |\n", parts.Code(r.at.ID()), cell(r, usersCores), cell(r, serviceCores),
				cell(r, proxyCores), cell(r, apiCores), cell(r, allCores))
		}
	}
	p.Printf("\n")
}

func cell(r row, f of) string { return parts.Measure(r.middle(f)) }
