// Package mattersreport writes the page of SWEEP=matters: from where on a limit stops mattering, maps on
// which readers find their own place, and every number of them. It uses no network, clock or file, and
// writes the same bytes for the same input.
//
// Package limitmap makes the comparisons and the sentences; this package arranges them.
package mattersreport

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/limitmap"
	"h2lab/internal/report/markdown"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

//go:embed text/*.md text/zh/*.md
var texts embed.FS

// Input is all data for a page, Built the drawn page.
type (
	Input = parts.SweepInput
	Built = parts.SweepBuilt
)

// Name returns the page's file name in a language.
func Name(l translations.Language) string { return parts.SweepName(l) }

// sheet is a page while it is written.
type sheet struct {
	parts.Page
	limitmap.Voice
	in      Input
	files   map[string][]byte
	numbers []parts.Sources
}

// newSheet escapes the unsafe characters of a run (text.Clean) before any of its text is used.
func newSheet(in Input) *sheet {
	in.Result, in.Path = text.CleanAll(in.Result), text.Line(in.Path)
	return &sheet{in: in, files: map[string][]byte{},
		Voice: limitmap.Voice{Map: limitmap.New(in.Result)},
		Page:  parts.Page{Result: in.Result, Language: in.Language, Charts: in.Charts}}
}

// run is the command and its settings.
func (p *sheet) run() facts.Run { return p.in.Result.Run }

// Build draws the page in one language.
func Build(in Input) (Built, error) {
	if in.Result == nil {
		return Built{}, parts.NoResult("make sweep SWEEP=matters")
	}
	p := newSheet(in)
	p.top()
	p.AboutLanguage(parts.Or(in.English, Name(translations.English)))
	p.findYourPlace()
	p.maps()
	p.loads()
	p.everyNumber()
	p.gaps()
	p.method()
	p.Environment()
	p.Footnotes()
	p.Heading("page.repeat-run")
	p.Print("page.make-report-draws-same",
		parts.Block("sh", parts.Or(p.run().Repeat, "h2lab sweep --sweep "+limitmap.Sweep)))
	files, err := p.Files(p.files, Name(in.Language))
	return Built{Files: files, Numbers: p.numbers}, err
}

// top writes the first screen: the sentence, the run and its warnings.
func (p *sheet) top() {
	p.Print("matters.when-limit-requests-per")
	p.Printf("> **%s**\n\n", markdown.Prose(p.In(p.Headline())))
	p.Print("page.run", parts.Code(parts.Or(p.run().Repeat, "h2lab sweep")),
		parts.Code(p.run().ID), parts.When(p.run().Started), parts.Escape(parts.Or(p.run().Runtime, parts.Dash)))
	for i, w := range p.warnings() {
		if i == 0 {
			p.Printf("**%s**\n\n", p.Say(parts.WarningsHead))
		}
		p.Printf("- %s\n", markdown.Prose(w))
	}
}

// warnings apply to the whole run; the terminal prints the same list.
func (p *sheet) warnings() (out []string) {
	run := p.run()
	out = p.Ended()
	if run.Quick {
		out = append(out, p.Say("matters.quick-run-part-map"))
	}
	if !p.Repeated() {
		out = append(out, p.Say("matters.no-cell-measured-twice", text.Number(limitmap.Assumed*100)))
	}
	out = append(out, p.Language.AllIn(run.Warnings)...)
	strained, disturbed, measured := p.Doubts()
	if strained > 0 {
		out = append(out, p.Say("matters.measured-cells-all-cores",
			text.Count(strained), text.Count(measured), text.Count(p.in.Result.Environment.Cores)))
	}
	if disturbed > 0 {
		out = append(out, p.Say("matters.measured-cells-other", text.Count(disturbed), text.Count(measured)))
	}
	missing, _ := p.Missing()
	out = append(out, p.Incomplete(missing)...)
	return append(out, p.WrongLimits()...)
}

// limitName is a limit as the name of a map.
func (p *sheet) limitName(limit int) string { return p.Say("matters.limit", text.Count(limit)) }

// Short returns the page for a terminal: the sentence, the warnings, the sentences about each limit as far as
// they have room, and the page's path.
func Short(in Input, colour bool) string {
	if in.Result == nil {
		return "there is no result to report on\n"
	}
	p := newSheet(in)
	headline := p.In(p.Headline())
	limits := func(room int) (out []string) {
		base, ok := p.Base()
		if !ok {
			return nil
		}
		for _, limit := range p.Map.Limits() {
			for _, s := range p.Language.AllIn(p.About(base, limit)) {
				lines := parts.ShortItem(s)
				if !strings.Contains(headline, s) && len(out)+len(lines) <= room {
					out = append(out, lines...)
				}
			}
		}
		return out
	}
	path := parts.Or(p.in.Path, "results/"+p.run().ID+"/"+Name(p.Language))
	return p.ShortList(headline, p.warnings(), limits, path, colour)
}

// findYourPlace says how readers find their own load on the maps.
func (p *sheet) findYourPlace() {
	p.Heading("matters.find-your-place")
	p.Prose(texts, "place.md", map[string]any{"Lost": text.Number(limitmap.LostShare * 100),
		"Added": text.Number(limitmap.AddedShare * 100), "High": text.Count(p.High)})
	base, ok := p.Base()
	if !ok {
		return
	}
	for _, limit := range p.Map.Limits() {
		for _, s := range p.Language.AllIn(p.About(base, limit)) {
			p.Printf("- %s\n", markdown.Prose(s))
		}
	}
}

// loads compares the other loads with the base line, each at its own places.
func (p *sheet) loads() {
	base, ok := p.Base()
	if !ok || len(p.Lines) < 2 {
		return
	}
	p.Heading("matters.other-loads-clients")
	p.Print("matters.name-load-says-how")
	for _, limit := range p.Map.Limits() {
		p.Printf("\n### %s\n\n", text.Capital(p.Say("matters.limit", text.Count(limit))))
		g := parts.Grid{Left: 3, Heads: p.says("clients.client", "matters.load", "sweep.place", "matters.lost-goodput",
			"matters.map", "matters.p99-multiple", "matters.map", "clients.failed-per-1000")}
		for _, l := range p.Lines {
			if l == base {
				continue
			}
			for _, at := range p.Of(l) {
				c, same := p.Cost(at, limit), p.Cost(limitmap.Place{Line: base, Spot: at.Spot}, limit)
				g.Add(parts.Plain(parts.Escape(p.plainClient(l.Client))), parts.Plain(parts.Escape(p.In(p.Load(l)))),
					parts.Plain(p.spot(at.Spot)), p.lost(c), p.lost(same), p.p99(c), p.p99(same), number(c.FailedPer1000))
			}
		}
		p.write(g)
	}
	p.marks()
}

// plainClient is a client's name in a table.
func (p *sheet) plainClient(c facts.Client) string { return strings.Trim(p.In(p.Client(c)), "`") }

// spot is a place in a cell: the backend's time, then the round trip.
func (p *sheet) spot(s limitmap.Spot) string {
	return p.Say("matters.backend-ms-rtt-ms", text.Count(s.BackendMS), text.Number(s.RTTMS))
}

// everyNumber writes the numbers behind the maps: a row for each place and limit.
func (p *sheet) everyNumber() {
	p.Heading("matters.every-number")
	for _, l := range p.Lines {
		p.Printf("<details><summary>%s</summary>\n\n", parts.Escape(p.Say("sweep.pair", p.plainClient(l.Client), p.In(p.Load(l)))))
		without := p.Say("matters.at", text.Count(p.High))
		g := parts.Grid{Left: 1, Heads: slices.Concat(p.says("sweep.place", "clients.limit", "sweep.req-s"), []string{without},
			p.says("matters.lost-goodput", "run.p99-ms"), []string{without}, p.says("matters.p99-multiple", "matters.renewals-s",
				"matters.accepted-per-renewal", "matters.accepted-per-used", "matters.accepted-per-expected", "clients.failed-per-1000"))}
		for _, at := range p.Of(l) {
			for _, limit := range p.Map.Limits() {
				g.Add(p.row(p.Cost(at, limit))...)
			}
		}
		p.write(g)
		p.Printf("</details>\n")
	}
	p.marks()
}

// says translates the heads of a table.
func (p *sheet) says(heads ...translations.Phrase) (out []string) {
	for _, h := range heads {
		out = append(out, p.Say(h))
	}
	return out
}

func number(v *float64) parts.Cell { return parts.Plain(parts.Measure(v)) }

// row has the numbers of one cost, with their places in results.json.
func (p *sheet) row(c limitmap.Cost) []parts.Cell {
	low := c.Low
	if c.Source != limitmap.Measured {
		low = nil
	}
	rps := func(of *facts.Cell) parts.Cell { return p.measured(of, limitmap.GoodputOf(of), "/goodput_rps") }
	ms := func(of *facts.Cell) parts.Cell { return p.measured(of, limitmap.P99Of(of), "/latency_ms/p99") }
	return []parts.Cell{parts.Plain(p.spot(c.Spot)), parts.Plain(text.Count(c.Limit)), rps(low), rps(c.High), p.lost(c),
		ms(low), ms(c.High), p.p99(c), number(c.PerS), number(c.Dials()), number(c.PerUsed()), number(c.PerExpected()),
		number(c.FailedPer1000)}
}

// measured is a number of a cell; a dash where that wasn't measured.
func (p *sheet) measured(of *facts.Cell, v *float64, place string) parts.Cell {
	if v == nil {
		return parts.Plain(parts.Dash)
	}
	return parts.Cell{Text: parts.Measure(v), Raw: fmt.Sprintf("/cells/%d/trials/*%s", p.Index(of), place)}
}

// Marks of numbers that are no plain measurement.
const (
	noiseMark        = "~"
	extrapolatedMark = "≈"
)

// marked adds the marks of a ratio to its text.
func marked(c limitmap.Cost, r *limitmap.Ratio, s string) parts.Cell {
	if !r.Told {
		s = noiseMark + parts.Space + s
	}
	if c.Source == limitmap.Extrapolated {
		s = extrapolatedMark + parts.Space + s
	}
	return parts.Plain(s)
}

func (p *sheet) lost(c limitmap.Cost) parts.Cell {
	if c.Goodput == nil {
		return parts.Plain(parts.Dash)
	}
	lost := func(v float64) *float64 { v = 1 - v; return &v }
	s := parts.Percent(lost(c.Goodput.Value))
	if c.Goodput.Lo != nil {
		s += fmt.Sprintf(" [%s, %s]", share(1-*c.Goodput.Hi), share(1-*c.Goodput.Lo))
	}
	return marked(c, c.Goodput, s)
}

func share(v float64) string { return text.Decimals(v*100, 1) }

func (p *sheet) p99(c limitmap.Cost) parts.Cell {
	if c.P99 == nil {
		return parts.Plain(parts.Dash)
	}
	s := text.Decimals(c.P99.Value, 2) + parts.Space + "×"
	if c.P99.Lo != nil {
		s += fmt.Sprintf(" [%s, %s]", text.Decimals(*c.P99.Lo, 2), text.Decimals(*c.P99.Hi, 2))
	}
	return marked(c, c.P99, s)
}

// marks explains the marks below a table.
func (p *sheet) marks() {
	p.Print("matters.within-noise-interval", noiseMark, extrapolatedMark, parts.Dash)
}

// gaps lists what is missing, its reasons in the order of the alphabet.
func (p *sheet) gaps() {
	missing, unmeasured := p.Missing()
	slices.SortFunc(unmeasured, func(a, b parts.Unmeasured) int { return strings.Compare(a.Why, b.Why) })
	p.SweepGaps(missing, unmeasured)
}

// method says how the run was measured and judged.
func (p *sheet) method() {
	p.Heading("page.how-measured")
	var cells []*facts.Cell
	var w facts.Workload
	for i := range p.in.Result.Cells {
		c := &p.in.Result.Cells[i]
		if cells = append(cells, c); w.MaxTLS < c.Workload.MaxTLS {
			w = c.Workload
		}
	}
	p.Prose(texts, "method.md", map[string]any{"Trials": p.Plural(p.run().Trials, "page.trials"),
		"Seed": fmt.Sprint(p.run().Seed), "Limits": p.Page.Limits(cells), "TLS": p.TLS(w, cells), "Budget": p.Budget(),
		"High": text.Count(p.High), "Lost": text.Number(limitmap.LostShare * 100),
		"Added": text.Number(limitmap.AddedShare * 100), "Fewest": fmt.Sprint(limitmap.Fewest)})
}

// write writes a table and keeps the places of its numbers.
func (p *sheet) write(g parts.Grid) { p.numbers = append(p.numbers, p.Table(g)) }
