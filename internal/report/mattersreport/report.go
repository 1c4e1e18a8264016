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
)

//go:embed text/*.md text/zh/*.md
var written embed.FS

// sheet is a page while it is written.
type sheet struct {
	parts.Page
	limitmap.Voice
}

func newSheet(in parts.Input) *sheet {
	p := &sheet{Page: parts.New("sweep", in)}
	p.Voice = limitmap.Voice{Map: limitmap.New(p.Page.Result)}
	return p
}

// Build draws the page in one language.
func Build(in parts.Input) (parts.Built, error) {
	p := newSheet(in)
	return p.Build(
		func() {
			p.Top(p.Say("matters.when-limit-requests-per"), markdown.Prose(p.In(p.Headline())), p.warnings(), func() {})
		},
		p.findYourPlace, p.maps, p.loads, p.everyNumber, p.gaps, p.method, p.Environment, p.Footnotes, p.Repeat)
}

// warnings apply to the whole run; the terminal prints the same list.
func (p *sheet) warnings() (out []string) {
	out = p.Ended()
	if p.Run.Quick {
		out = append(out, p.Say("matters.quick-run-part-map"))
	}
	if !p.Repeated() {
		out = append(out, p.Say("matters.no-cell-measured-twice", text.Number(limitmap.Assumed*100)))
	}
	out = append(out, p.Language.AllIn(p.Run.Warnings)...)
	strained, disturbed, measured := p.Doubts()
	if strained > 0 {
		out = append(out, p.Say("matters.measured-cells-all-cores",
			text.Count(strained), text.Count(measured), text.Count(p.Page.Result.Environment.Cores)))
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
func Short(in parts.Input, colour bool) string {
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
	return p.ShortList(headline, p.warnings(), limits, colour)
}

// findYourPlace says how readers find their own load on the maps.
func (p *sheet) findYourPlace() {
	p.Heading("matters.find-your-place")
	p.Prose(written, "place.md", map[string]any{"Lost": text.Number(limitmap.LostShare * 100),
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
		g := parts.Grid{Left: 3, Heads: p.Says("clients.client", "matters.load", "sweep.place", "matters.lost-goodput",
			"matters.map", "matters.p99-multiple", "matters.map", "clients.failed-per-1000")}
		for _, l := range p.Lines {
			if l == base {
				continue
			}
			for _, at := range p.Of(l) {
				c, same := p.Cost(at, limit), p.Cost(limitmap.Place{Line: base, Spot: at.Spot}, limit)
				g.Add(parts.Plain(parts.Escape(p.plainClient(l.Client)), parts.Escape(p.In(p.Load(l))), p.spot(at.Spot),
					p.lost(c), p.lost(same), p.p99(c), p.p99(same), parts.Measure(c.FailedPer1000))...)
			}
		}
		p.Table(g)
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
		g := parts.Grid{Left: 1, Heads: slices.Concat(p.Says("sweep.place", "clients.limit", "sweep.req-s"), []string{without},
			p.Says("matters.lost-goodput", "run.p99-ms"), []string{without}, p.Says("matters.p99-multiple", "matters.renewals-s",
				"matters.accepted-per-renewal", "matters.accepted-per-used", "matters.accepted-per-expected", "clients.failed-per-1000"))}
		for _, at := range p.Of(l) {
			for _, limit := range p.Map.Limits() {
				g.Add(p.row(p.Cost(at, limit))...)
			}
		}
		p.Table(g)
		p.Printf("</details>\n")
	}
	p.marks()
}

// row has the numbers of one cost, with their places in results.json.
func (p *sheet) row(c limitmap.Cost) []parts.Cell {
	low := c.Low
	if c.Source != limitmap.Measured {
		low = nil
	}
	rps := func(of *facts.Cell) []parts.Cell { return p.measured(of, limitmap.GoodputOf(of), "/goodput_rps") }
	ms := func(of *facts.Cell) []parts.Cell { return p.measured(of, limitmap.P99Of(of), "/latency_ms/p99") }
	plain := func(s ...string) []parts.Cell { return parts.Plain(s...) }
	return slices.Concat(plain(p.spot(c.Spot), text.Count(c.Limit)), rps(low), rps(c.High), plain(p.lost(c)), ms(low), ms(c.High),
		plain(p.p99(c), parts.Measure(c.PerS), parts.Measure(c.Dials()), parts.Measure(c.PerUsed()), parts.Measure(c.PerExpected()),
			parts.Measure(c.FailedPer1000)))
}

// measured is a number of a cell; a dash where that wasn't measured.
func (p *sheet) measured(of *facts.Cell, v *float64, place string) []parts.Cell {
	if v == nil {
		return parts.Plain(parts.Dash)
	}
	return []parts.Cell{{Text: parts.Measure(v), Raw: fmt.Sprintf("/cells/%d/trials/*%s", p.Index(of), place)}}
}

// Marks of numbers that are no plain measurement.
const (
	noiseMark        = "~"
	extrapolatedMark = "≈"
)

// marked adds the marks of a ratio to its text.
func marked(c limitmap.Cost, r *limitmap.Ratio, s string) string {
	if !r.Told {
		s = noiseMark + parts.Space + s
	}
	if c.Source == limitmap.Extrapolated {
		s = extrapolatedMark + parts.Space + s
	}
	return s
}

func (p *sheet) lost(c limitmap.Cost) string {
	if c.Goodput == nil {
		return parts.Dash
	}
	lost := func(v float64) *float64 { v = 1 - v; return &v }
	s := parts.Percent(lost(c.Goodput.Value))
	if c.Goodput.Lo != nil {
		s += fmt.Sprintf(" [%s, %s]", share(1-*c.Goodput.Hi), share(1-*c.Goodput.Lo))
	}
	return marked(c, c.Goodput, s)
}

func share(v float64) string { return text.Decimals(v*100, 1) }

func (p *sheet) p99(c limitmap.Cost) string {
	if c.P99 == nil {
		return parts.Dash
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
	for i := range p.Page.Result.Cells {
		c := &p.Page.Result.Cells[i]
		if cells = append(cells, c); w.MaxTLS < c.Workload.MaxTLS {
			w = c.Workload
		}
	}
	p.Prose(written, "method.md", map[string]any{"Trials": p.Plural(p.Run.Trials, "page.trials"),
		"Seed": fmt.Sprint(p.Run.Seed), "Limits": p.Page.Limits(cells), "TLS": p.TLS(w, cells), "Budget": p.Budget(),
		"High": text.Count(p.High), "Lost": text.Number(limitmap.LostShare * 100),
		"Added": text.Number(limitmap.AddedShare * 100), "Fewest": fmt.Sprint(limitmap.Fewest)})
}
