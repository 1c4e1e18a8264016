package parts

import (
	"slices"

	"h2lab/internal/base/text"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/translations"
)

// enough is the number of trials that gives a median a 95 % interval.
const enough = 6

// WarningsHead is printed above the list, on the page and on the terminal.
const WarningsHead translations.Phrase = "page.about-whole-run"

// Warnings apply to the whole run. The report and the terminal print exactly this list before the
// first number.
func (p *Page) Warnings() []string {
	out := p.Ended()
	switch {
	case p.Result.Run.Quick:
		out = append(out, p.Say("page.quick-run-without"))
	case p.Result.Run.Command == "merge": // k6's scripts have no TRIALS
		out = append(out, p.Say("run.test-too-few-statistics"))
	case p.Result.Run.Trials < enough:
		out = append(out, p.Say("page.too-few-trials-statistics", p.Plural(p.Result.Run.Trials, "page.trials")))
	}
	out = append(out, p.Language.Recorded(p.Result.Run.Warnings)...)
	out = append(out, p.doubts()...)
	missing, unsupported := p.gaps()
	if n := len(missing); n > 0 {
		out = append(out, p.Say("page.planned-cells-incomplete", text.Count(n), text.Count(p.planned()), p.some(missing)))
	}
	out = core.Unique(append(out, unsupported...))
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// Ended is the warning of a run that didn't end as planned.
func (p *Page) Ended() []string {
	switch {
	case p.Result.Run.Interrupted:
		return []string{p.Say("page.run-interrupted-report")}
	case p.Result.Run.Finished.IsZero():
		return []string{p.Say("page.run-not-finished-report")}
	}
	return nil
}

// doubts returns the verdicts that say why the numbers can't be trusted.
func (p *Page) doubts() (out []string) {
	for _, v := range p.Verdicts {
		if group, good := p.Rule(v.ID); group == core.Trust && v.Status != good {
			out = append(out, p.Say("page.labelled", v.ID, p.In(v.Actual)))
		}
	}
	return out
}

// named is how many of several things a sentence names.
const named = 2

// some names the first of several things.
func (p *Page) some(things []string) string {
	if more := len(things) - named; more > 0 {
		things = append(slices.Clone(things[:named]), p.Say("page.more", text.Count(more)))
	}
	return p.Language.List(things)
}

// Gaps lists the cells that were planned and not measured.
func (p *Page) Gaps() {
	missing, unsupported := p.gaps()
	if len(missing) > 0 {
		p.Printf("\n### %s\n\n", p.Say("page.missing"))
		for _, m := range missing {
			p.Printf("- %s\n", Escape(m))
		}
	}
	if len(unsupported) > 0 {
		p.Printf("\n### %s\n\n", p.Say("page.unsupported-here"))
		for _, u := range unsupported {
			p.Printf("- %s\n", Escape(u))
		}
	}
}

func (p *Page) gaps() (missing, unsupported []string) {
	r := p.Result
	present, named := map[string]bool{}, map[string]bool{}
	for i := range r.Cells {
		c := &r.Cells[i]
		present[c.ID()] = true
		if c.Unsupported != "" {
			name := c.Topology
			if c.Users != "" { // then the service is the reason, as often as the topology
				name = c.ID()
			}
			if !named[name] {
				unsupported = append(unsupported, p.Say("run.cant-run-here", name, p.Recorded(c.Unsupported)))
			}
			named[name] = true
			continue
		}
		if n := len(c.Trials); n < r.Run.Trials {
			missing = append(missing, p.Say("page.has-of", c.ID(), text.Count(n), p.Plural(r.Run.Trials, "page.trials")))
		}
	}
	return append(missing, p.absent(present)...), unsupported
}
