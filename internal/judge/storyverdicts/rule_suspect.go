package storyverdicts

import (
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// most is the share of the users' added wait from which a suspect is its main cause: more than half, as the word says.
const most = 0.5

// api and row are the two rules of this file: suspects that are measured on their own.
var (
	api = suspect("story-api", facts.T("rule.story-api"), APIP99,
		facts.T("rule.story-api-care"))
	row = suspect("story-row", facts.T("rule.story-row"), RowP99,
		facts.T("rule.story-row-care"))
)

// suspect returns the rule that something inside the chain doesn't cause the users' added wait.
func suspect(id string, title facts.Text, of func(facts.Trial) *float64, care facts.Text) Rule {
	return Rule{ID: id, Title: title, Reference: storySource, Care: care, Group: core.Fault,
		Judge: func(f storyFacts) core.Finding { return judgeSuspect(f, of) }}
}

func judgeSuspect(f storyFacts, of func(facts.Trial) *float64) core.Finding {
	low, cut, lack := f.two(f.Incident(), f.Cut())
	if lack != nil {
		return *lack
	}
	middle := func(c core.Found, of func(facts.Trial) *float64) *float64 {
		return core.Middle(c.Cell, of)
	}
	own, before := middle(low, of), middle(cut, of)
	users, usersBefore := middle(low, P99), middle(cut, P99)
	if own == nil || before == nil || users == nil || usersBefore == nil {
		return *core.Lacking(facts.T("storyverdict.cells-no-such-times", low.ID(), cut.ID()))
	}
	wait := Compare(low.Cell, cut.Cell, P99)
	ms := text.Measured
	a := core.Finding{
		Status:   facts.Reproduced,
		Expected: facts.T("storyverdict.less-than-percent-what", core.Fixed(most*100, 0), cut.ID(), low.ID()),
		Actual: facts.T("storyverdict.p99-ms-ms-users", ms(*own), ms(*before),
			cut.ID(), ms(*users), ms(*usersBefore), core.Ratio(wait)),
		Next:     facts.T("storyverdict.look-between-two-connections"),
		Evidence: f.Evidence(userPlaces(low, cut)...),
		Warnings: f.warnings(wait),
	}
	rise, part := *users-*usersBefore, max(0, *own-*before)
	switch {
	case !more(wait):
		a.Status = facts.Inconclusive
		a.Actual.Add(facts.T("storyverdict.users-p99-doesnt-rise"))
		a.Next = facts.T("verdict.raise-trials-or-duration-idle")
	case part >= most*rise:
		a.Status = facts.NotReproduced
		a.Actual.Add(facts.T("storyverdict.explains-percent-rise", text.Whole(100*part/rise)))
		a.Next = facts.T("storyverdict.look-processor-time-cell")
	default:
		a.Actual.Add(facts.T("storyverdict.explains-percent-rise", text.Whole(100*part/rise)))
	}
	return a
}
