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
	"h2lab/internal/report/translations"
)

// Input is all data for a report.
type Input struct {
	Result   *facts.Result
	Verdicts []facts.Verdict
	// Language is that of the text; default English.
	Language translations.Language
	// Series reads a trial's timeline by its name in the result. It may be nil.
	Series func(rel string) (facts.Series, error)
	// Diff is the unified diff from nginx's configuration with the low limit to the one with the
	// high limit.
	Diff string
	// Path is the report's location as Short prints it.
	Path string
}

// Name returns the report's file name in a language.
func Name(l translations.Language) string {
	if l == translations.Chinese {
		return "report.zh.md"
	}
	return "report.md"
}

// Build returns the report and its charts, by their names beside results.json.
func Build(in Input) (map[string][]byte, error) {
	if in.Result == nil {
		return nil, parts.NoResult("make repro")
	}
	p := newPage(in)
	files, pictures, err := p.charts()
	if err != nil {
		return nil, err
	}
	for _, section := range []func(){
		func() { p.title(pictures) }, func() { p.AboutLanguage(Name(translations.English)) }, p.VerdictSection,
		p.numbers, p.failures, p.Gaps, func() { p.pictures(pictures) },
		p.Wire, p.why, p.cures, p.original, p.method, p.Environment, p.glossary, p.Footnotes, p.repeat,
	} {
		section()
	}
	return p.Files(files, Name(in.Language))
}

// page is a report while it is written.
type page struct {
	parts.Page
	in   Input
	run  facts.Run
	rows []row
	// unread lists the timelines that could not be read.
	unread []string
}

// newPage escapes the unsafe characters of a run (text.Clean), such as terminal control sequences, before
// any of its text is used.
func newPage(in Input) *page {
	in = in.clean()
	return &page{in: in, run: in.Result.Run, rows: collect(in), Page: parts.Page{Result: in.Result,
		Verdicts: in.Verdicts, Language: in.Language, Rule: ruleOf}}
}

func (in Input) clean() Input {
	in.Result, in.Verdicts = text.CleanAll(in.Result), text.CleanAll(in.Verdicts)
	in.Diff, in.Path = text.Clean(in.Diff), text.Line(in.Path)
	return in
}

func ruleOf(id string) (group core.Group, good facts.Status) {
	r := core.RuleOf(runverdicts.Rules(), id)
	return r.Group, r.Good
}

//go:embed text/*.md text/zh/*.md
var texts embed.FS

func (p *page) prose(name string, data any) { p.Prose(texts, name, data) }

func (p *page) why() {
	p.Heading("page.why")
	p.prose("why.md", nil)
}

func (p *page) headline() string {
	return or(strings.Join(strings.Fields(p.In(runverdicts.Headline(p.in.Result, p.in.Verdicts))), " "),
		p.Say("page.no-rule-could-judge"))
}

// title writes the first screen: the headline, its picture, and the warnings of the whole run.
func (p *page) title(pictures []picture) {
	p.Print("page.what-limit-requests-per", code(or(p.run.Command, "h2lab")))
	p.Printf("> **%s**\n\n", escape(p.headline()))
	for _, s := range pictures {
		if s.name == headlinePicture {
			p.Picture(s.name, s.alt)
		}
	}
	p.Print("page.run", code(or(p.run.Repeat, "h2lab "+p.run.Command)), code(p.run.ID),
		when(p.run.Started), escape(or(p.run.Runtime, dash)))
	for i, w := range p.Warnings() {
		if i == 0 {
			p.Printf("**%s**\n\n", p.Say(parts.WarningsHead))
		}
		p.Printf("- %s\n", escape(w))
	}
}

// glossary explains every column, from the list that the tables use.
func (p *page) glossary() {
	p.Heading("page.columns")
	p.Print("run.column-meaning")
	for i, c := range explained(p.in.Result) {
		if i < 2 || c.head != "run.topology" && c.head != "run.protocol" {
			p.Printf("| %s | %s |\n", p.Say(c.head), p.Say(c.meaning))
		}
	}
}

// explained are the columns of all tables.
func explained(run *facts.Result) (out []column) {
	for _, t := range tables(run) {
		out = append(out, t.columns...)
	}
	if core.HasHistograms(run) {
		out = append(out, byPercentile()...)
	}
	return out
}

func (p *page) repeat() {
	p.Heading("page.repeat-run")
	p.Print("page.make-report-draws-same", block("sh", or(p.run.Repeat, "h2lab "+p.run.Command)))
}

func (p *page) cures() {
	p.Heading("page.three-cures")
	p.prose("cures.md", map[string]any{"ServerDiff": p.ServerDiff(p.in.Diff), "MaxStreams": facts.MaxConcurrentStreams})
}

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
