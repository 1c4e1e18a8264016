package storyverdicts

import (
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/translations"
)

// most is the share of the users' added wait from which a suspect is its main cause: more than half, as the word says.
const most = 0.5

// api and row are the two rules of this file: suspects that are measured on their own.
var (
	api = suspect("story-api", "The API is not the cause: its own p99 is not what the users wait for", APIP99,
		"The team behind the API measures its own time and sees no fault in it.")
	row = suspect("story-row", "The database is not the cause: "+
		"reading the row takes a small part of what the users wait for", RowP99,
		"A slow query is the usual suspect, so it is measured in the same minutes.")
)

// suspect returns the rule that something inside the chain doesn't cause the users' added wait.
func suspect(id string, title translations.Phrase, of func(facts.Trial) *float64, care translations.Phrase) Rule {
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
		return *f.Lacking("cells %s and %s have no such times", low.ID(), cut.ID())
	}
	wait := Compare(low.Cell, cut.Cell, P99)
	ms := text.Measured
	a := core.Finding{
		Status: facts.Reproduced,
		Expected: f.Say("less than %.0f %% of what the users' p99 rises by from %s to %s, where it rises significantly",
			most*100, cut.ID(), low.ID()),
		Actual: f.Say("its p99 is %s ms (%s ms at %s), the users' p99 is %s ms (%s ms there, %s)", ms(*own), ms(*before),
			cut.ID(), ms(*users), ms(*usersBefore), f.Ratio(wait)),
		Next:     f.Say("Look between the two: at the connections of the reverse proxy."),
		Evidence: f.Evidence(userPlaces(low, cut)...),
		Warnings: f.warnings(wait),
	}
	rise, part := *users-*usersBefore, max(0, *own-*before)
	switch {
	case !more(wait):
		a.Status = facts.Inconclusive
		a.Actual += f.Say("; the users' p99 doesn't rise beyond noise, so there is no rise to explain")
		a.Next = f.Say("Raise TRIALS or DURATION, on an idle machine.")
	case part >= most*rise:
		a.Status = facts.NotReproduced
		a.Actual += f.Say(": it explains %s %% of the rise", text.Whole(100*part/rise))
		a.Next = f.Say("Look at the processor time of this cell: the machine may be the limit.")
	default:
		a.Actual += f.Say(": it explains %s %% of the rise", text.Whole(100*part/rise))
	}
	return a
}
