package sweepreport

import (
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/report/markdown"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

// top writes the first screen: the headline, the run and its warnings.
func (p *sheet) top() {
	p.Print("sweep.callers-under-load-without")
	p.Printf("> **%s**\n\n", markdown.Prose(p.headline()))
	p.Print("page.run", parts.Code(parts.Or(p.run.Repeat, "h2lab "+sweepverdicts.Command)),
		parts.Code(p.run.ID), parts.When(p.run.Started), parts.Escape(parts.Or(p.run.Runtime, parts.Dash)))
	for i, w := range p.warnings() {
		if i == 0 {
			p.Printf("**%s**\n\n", p.Say(parts.WarningsHead))
		}
		p.Printf("- %s\n", markdown.Prose(w))
	}
}

// outcomes are the kinds in the headline, the worst first.
var outcomes = []struct {
	errors, latency bool
	says            translations.Phrase
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
		return p.Say("sweep.no-caller-reached-limit", text.Count(p.run.Limit))
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
	return p.Say("sweep.limit-requests-per", text.Count(p.run.Limit),
		strings.Join(clauses, p.Say("join.semicolon"))) + p.Say("join.sentences") + p.Say("sweep.compared-2", "`"+p.lowName()+"`",
		"`"+sweepverdicts.High+"`")
}

// warnings apply to the whole run; the terminal prints the same list. Intervals come from pairs of
// trials over the whole sweep, so that few trials of one cell are no warning here.
func (p *sheet) warnings() []string {
	out := p.Ended()
	if p.run.Quick {
		out = append(out, p.Say("sweep.quick-run-only-ends"))
	}
	out = append(out, p.Language.Recorded(p.run.Warnings)...)
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
	g := parts.Grid{Heads: p.say("sweep.sweep", "story.caller", "sweep.limit-becomes", "sweep.slower", "run.failed",
		"sweep.stops-mattering")}
	for _, t := range p.tables {
		v := sweepverdicts.Voice{Table: t}
		p.Printf("**%s**\n\n", p.In(t.Title))
		for _, s := range v.Decisions() {
			p.Printf("- %s\n", markdown.Prose(p.In(s)))
		}
		p.Printf("\n")
		for _, e := range t.Effects() {
			g.Add(parts.Plain(p.In(t.Title)), parts.Plain(parts.Code(e.Name)), parts.Plain(p.In(v.Word(e.Kind))),
				parts.Plain(parts.Escape(p.In(v.SlowCell(e)))), parts.Plain(p.In(v.FailedCell(e))), parts.Plain(p.In(v.FromCell(e))))
		}
	}
	if !g.Empty() {
		p.Print("sweep.behind-compared", parts.Code(p.tables[0].Low()), parts.Code(sweepverdicts.High))
		p.write(g)
	}
}
