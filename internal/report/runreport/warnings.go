package runreport

import (
	"slices"

	"h2lab/internal/judge/runverdicts"
	"h2lab/internal/report/translations"
)

// enough is the number of trials that gives a median a 95 % interval.
const enough = 6

// warningsHead is printed above the list, on the page and on the terminal.
const warningsHead translations.Phrase = "About the whole run:"

// warnings apply to the whole run. The report and the terminal print exactly this list before the
// first number.
func (p *page) warnings() []string {
	var out []string
	switch {
	case p.run.Interrupted:
		out = append(out, p.say("This run was interrupted: the report has the finished trials and lists the "+
			"missing ones."))
	case p.run.Finished.IsZero():
		out = append(out,
			p.say("This run has not finished: the report has the trials so far and lists the missing ones."))
	}
	switch {
	case p.run.Quick:
		out = append(out, p.say("This is a quick run without statistics: one short trial of each cell, no "+
			"intervals, no significance. Run it without QUICK=1 before you rely on a number."))
	case p.run.Trials < enough:
		out = append(out, p.say("Too few trials for statistics: %s of each cell, and a 95 %% interval of a "+
			"median needs six. Run it with TRIALS=6 or more before you rely on a number.", p.plural(p.run.Trials, trials)))
	}
	out = append(out, p.in.Language.Recorded(p.run.Warnings)...)
	out = append(out, p.doubts()...)
	missing, unsupported := p.gapsOf(p.in.Result)
	if n := len(missing); n > 0 {
		all := max(len(p.run.Planned), len(p.in.Result.Cells))
		out = append(out, p.say("%s of %s planned cells are incomplete: %s", integer(n), integer(all), p.some(missing)))
	}
	return unique(append(out, unsupported...))
}

// doubts returns the verdicts that say why the numbers can't be trusted.
func (p *page) doubts() (out []string) {
	for _, v := range p.in.Verdicts {
		rule, _ := runverdicts.RuleOf(v.ID)
		if rule.Group == runverdicts.Trust && v.Status != rule.Good {
			out = append(out, p.say("%s: %s", v.ID, v.Actual))
		}
	}
	return out
}

// named is how many of several things a sentence names.
const named = 2

// some names the first of several things.
func (p *page) some(things []string) string {
	if more := len(things) - named; more > 0 {
		things = append(slices.Clone(things[:named]), p.say("%s more", integer(more)))
	}
	return p.in.Language.List(things)
}

// unique keeps the first of equal sentences.
func unique(in []string) (out []string) {
	for _, s := range in {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
