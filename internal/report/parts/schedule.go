package parts

import (
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// LateTrials returns the note of trials whose load generator fell behind its schedule, for the numbers
// of a cell; none without such a trial.
func (p *Page) LateTrials(c *facts.Cell) []string {
	which, worst := core.LateTrials(c)
	switch {
	case which == nil:
		return nil
	case len(which) == len(c.Trials):
		return []string{p.Say("run.every-trial-load-generator", text.Measured(worst))}
	}
	return []string{p.Say("run.trial-load-generator-fell", p.Language.List(which), text.Measured(worst))}
}

// Unsent returns the note of requests that were never sent because as many as allowed were in flight;
// empty without any.
func (p *Page) Unsent(c *facts.Cell) string {
	left, due := core.Unsent(c)
	if left == 0 {
		return ""
	}
	return p.Say("run.requests-due-never-sent", text.Count(left), text.Count(due))
}
