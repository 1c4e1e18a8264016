// Package sweepreport writes the page of a sweep: for each sweep the tables and charts as the
// published comparisons have them, this run's ratios beside the published ones, and what a limit on
// requests per connection does to each caller. It uses no network, clock or file, and writes the
// same bytes for the same input.
//
// Package sweepverdicts makes the comparisons and their sentences; this package arranges them.
package sweepreport

import (
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/report/markdown"
	"h2lab/internal/report/parts"
)

// Build draws the page in one language.
func Build(in parts.Input) (parts.Built, error) {
	p := newSheet(in)
	sections := []func(){func() {
		p.Top(p.Say("sweep.callers-under-load-without"), markdown.Prose(p.headline()), p.warnings(), func() {})
	},
		p.decisions}
	for _, t := range p.tables {
		sections = append(sections, func() { p.sweep(sweepverdicts.Voice{Table: t}) })
	}
	return p.Build(append(sections, func() { p.SweepGaps(p.Missing()) }, p.glossary, p.method, p.Settings, p.Environment,
		p.Footnotes, p.Repeat)...)
}

// sheet is a page while it is written.
type sheet struct {
	parts.Page
	tables []sweepverdicts.Table
}

func newSheet(in parts.Input) *sheet {
	p := &sheet{Page: parts.New("sweep", in)}
	p.tables = sweepverdicts.Tables(p.Result)
	return p
}

// outcomes are the kinds in the headline, the worst first.
var outcomes = []struct {
	errors, latency bool
	says            string
}{
	{true, true, "sweep.errors-latency"}, {true, false, "sweep.errors"}, {false, true, "sweep.latency"},
	{false, false, "sweep.nothing-users-notice"},
}

// headline says in one sentence what the callers make of the limit. A caller of several sweeps has
// all that it made in one of them.
func (p *sheet) headline() string {
	type outcome struct{ errors, latency bool }
	var names []string
	of := map[string]outcome{}
	compared := false
	for _, t := range p.tables {
		for _, e := range t.Effects() {
			compared = true
			if !e.Kind.Matters() && e.Kind != sweepverdicts.Hides && e.Kind != sweepverdicts.Duplicates {
				continue
			}
			if _, ok := of[e.Name]; !ok {
				names = append(names, e.Name)
			}
			both := e.Kind == sweepverdicts.MakesBoth
			of[e.Name] = outcome{of[e.Name].errors || both || e.Kind == sweepverdicts.MakesErrors,
				of[e.Name].latency || both || e.Kind == sweepverdicts.MakesLatency}
		}
	}
	switch {
	case names == nil && compared:
		return p.Say("sweep.no-caller-reached-limit", text.Count(p.Run.Limit))
	case names == nil:
		return p.Say("verdict.sentence", p.Say("verdict.run-no-data-verdict"))
	}
	var clauses []string
	for _, o := range outcomes {
		var who []string
		for _, name := range names {
			if of[name] == (outcome{o.errors, o.latency}) {
				who = append(who, "`"+name+"`")
			}
		}
		if who != nil {
			clauses = append(clauses, p.Say(o.says, p.Language.List(who)))
		}
	}
	return p.Say("sweep.limit-requests-per", text.Count(p.Run.Limit),
		strings.Join(clauses, p.Say("join.semicolon"))) + p.Say("join.sentences") + p.Say("sweep.compared-2", "`"+p.lowName()+"`",
		"`"+sweepverdicts.High+"`")
}

// warnings apply to the whole run; the terminal prints the same list. Intervals come from pairs of
// trials over the whole sweep, so that few trials of one cell are no warning here.
func (p *sheet) warnings() []string {
	out := p.Ended()
	if p.Run.Quick {
		out = append(out, p.Say("sweep.quick-run-only-ends"))
	}
	out = append(out, p.Language.AllIn(p.Run.Warnings)...)
	for _, t := range p.tables {
		strained, disturbed, measured := 0, 0, 0
		for _, c := range t.Cells() {
			if len(c.Trials) > 0 {
				measured++
			}
			if t.Strained(c) {
				strained++
			}
			if slices.ContainsFunc(c.Trials, facts.Trial.Disturbed) {
				disturbed++
			}
		}
		if strained > 0 {
			out = append(out, p.Say("sweep.measured-cells-all-cores", p.In(t.Title), text.Count(strained),
				text.Count(measured), text.Count(p.Result.Environment.Cores), strainedMark))
		}
		if disturbed > 0 {
			out = append(out, p.Say("sweep.measured-cells-other", p.In(t.Title), text.Count(disturbed), text.Count(measured)))
		}
	}
	missing, _ := p.Missing()
	out = append(out, p.Incomplete(missing)...)
	return append(out, p.WrongLimits()...)
}

// decisions writes what a reader decides on: the best callers without a limit, and the limit's
// effect on each.
func (p *sheet) decisions() {
	p.Heading("sweep.decision")
	if len(p.tables) == 0 {
		p.Print("page.nothing-measured")
		return
	}
	g := parts.Grid{Heads: p.Says("sweep.sweep", "story.caller", "sweep.limit-becomes", "sweep.slower", "run.failed",
		"sweep.stops-mattering")}
	for _, t := range p.tables {
		v := sweepverdicts.Voice{Table: t}
		p.Printf("**%s**\n\n", p.In(t.Title))
		for _, s := range v.Decisions() {
			p.Printf("- %s\n", markdown.Prose(p.In(s)))
		}
		p.Printf("\n")
		for _, e := range t.Effects() {
			g.Add(parts.Plain(p.In(t.Title), parts.Code(e.Name), p.In(v.Word(e.Kind)), parts.Escape(p.In(v.SlowCell(e))),
				p.In(v.FailedCell(e)), p.In(v.FromCell(e)))...)
		}
	}
	if !g.Empty() {
		p.Print("sweep.behind-compared", parts.Code(p.tables[0].Low()), parts.Code(sweepverdicts.High))
		p.Table(g)
	}
}

// sweep writes the section of one sweep.
func (p *sheet) sweep(v sweepverdicts.Voice) {
	p.HeadingOf(v.Title)
	p.Printf("%s\n\n", markdown.Prose(p.about(v)))
	p.Printf("\n### %s\n\n", p.Say("sweep.without-proxy"))
	p.charted(v.ID, p.directChart(v), "sweep.line-charts-callers-without")
	p.direct(v)
	p.Printf("\n### %s\n\n", p.Say("sweep.beside-published-figures"))
	p.published(v)
	p.Printf("\n### %s\n\n", p.Say("sweep.behind-limit"))
	p.behind(v)
}

// about says what was varied and what stayed the same.
func (p *sheet) about(v sweepverdicts.Voice) string {
	var w facts.Workload
	for _, c := range v.Cells() {
		if c.Users != "" {
			w = c.Workload
			break
		}
	}
	switch v.Sweep {
	case sweepverdicts.Callers:
		offered := parts.Dash
		if cycle := w.ThinkMS + w.DelayMS; cycle > 0 {
			offered = text.Count(800 * 1000 / cycle)
		}
		return p.Say("sweep.user-sends-request-waits", text.Count(w.ThinkMS), text.Count(w.DelayMS), offered)
	case sweepverdicts.Burst:
		return p.Say("sweep.connections-opened-first", text.Count(w.Requests))
	case sweepverdicts.LowLatency:
		return p.Say("sweep.thread-load-generator-sends")
	}
	return p.Say("sweep.ab-k-keeps-connection")
}

// published writes the sweep's published relations and statements beside this run's.
func (p *sheet) published(v sweepverdicts.Voice) {
	p.Printf("%s%s%s\n\n", markdown.Prose(p.In(v.Source)), p.Say("join.sentences"), p.Say("sweep.ratios-compared-never-rates"))
	g := parts.Grid{Left: 2, Heads: p.Says("sweep.compared", "sweep.published", "sweep.ratio-there", "sweep.ratio-here",
		"sweep.same-direction")}
	for _, c := range v.Published() {
		mark := ""
		if c.Strained {
			mark = p.Say("join.sentences") + strainedMark
		}
		g.Add(parts.Plain(parts.Escape(p.In(c.What)), parts.Escape(c.Shown), sweepverdicts.NumberOf(c.Ratio()),
			parts.Escape(p.In(v.Ours(c)))+mark, p.direction(c))...)
	}
	if !g.Empty() {
		p.Table(g)
	}
	for _, c := range v.Claims() {
		p.Printf("- %s\n", markdown.Prose(p.Say("sweep.published-here", p.In(c.Published), strings.TrimSuffix(p.In(c.Here),
			p.Say("verdict.sentence", "")))+p.Say("sweep.in-parentheses", p.Say(claimWords[c.Status]))))
	}
}

var claimWords = map[facts.Status]string{
	facts.Reproduced: "sweep.same", facts.NotReproduced: "sweep.not-same", facts.Inconclusive: "sweep.no-statement",
}

// direction says whether both ratios lie on the same side of 1.
func (p *sheet) direction(c sweepverdicts.Compared) string {
	switch {
	case c.Ours == nil:
		return parts.Dash
	case c.Near:
		return p.Say("sweep.near-1-no-direction")
	case c.Status == facts.Reproduced:
		return p.Say("sweep.yes")
	case c.Status == facts.NotReproduced:
		return p.Say("sweep.no")
	}
	return p.Say("sweep.trials-both-sides-1")
}

// Short returns the page for a terminal: the headline, the warnings, what each caller makes of the
// limit, and the page's path; for a single sweep also the sentences that a decision rests on, as far
// as they have room.
func Short(in parts.Input, colour bool) string {
	p := newSheet(in)
	return p.ShortList(p.headline(), p.warnings(), p.shortList, colour)
}

func (p *sheet) shortList(room int) []string {
	var decisions, kinds []string
	for _, t := range p.tables {
		v := sweepverdicts.Voice{Table: t}
		var all []string
		for _, e := range t.Effects() {
			all = append(all, p.Say("page.labelled", e.Name, p.In(v.Word(e.Kind))))
		}
		kinds = append(kinds, parts.ShortItem(p.Say("page.labelled", p.In(t.Title),
			parts.Or(strings.Join(all, p.Say("join.semicolon")), parts.Dash)))...)
		for _, s := range v.Decisions() {
			if lines := parts.ShortItem(p.In(s)); len(p.tables) == 1 && len(kinds)+len(decisions)+len(lines) <= room {
				decisions = append(decisions, lines...)
			}
		}
	}
	return slices.Concat(decisions, kinds)
}
