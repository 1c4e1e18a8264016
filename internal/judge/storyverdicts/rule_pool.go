package storyverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

var pool = Rule{
	ID:        "story-pool",
	Title:     "A pool of 100 connections instead of 5 doesn't help",
	Reference: "OkHttp ConnectionPool(maxIdleConnections, …) bounds idle connections only",
	Care:      "The pool is the first setting that a team changes, and it can't help: the server ends every connection at its limit.",
	Group:     core.Fault,
	Judge: func(f storyFacts) core.Finding {
		large, small, lack := f.two(f.Pool(), f.Incident())
		if lack != nil {
			return *lack
		}
		u, d := compareUsers(large, small), damageOf(large)
		a := core.Finding{
			Status: facts.Reproduced,
			Expected: f.Say("no significantly higher goodput and no significantly lower p99 than with 5, and the damage " +
				"of the renewals remains"),
			Actual:   f.Sentence(f.account(large, small, u), d.account()),
			Next:     f.Say("Leave the pool as it is."),
			Evidence: f.Evidence(append(userPlaces(large, small), d.places()...)...),
			Warnings: f.warnings(u.goodput, u.p99),
		}
		switch {
		case more(u.goodput) && less(u.p99): // one of two tests at 5 % is too often wrong to contradict the rule
			a.Status, a.Next = facts.NotReproduced, f.Say("Compare the pools' settings in results.json (service.settings).")
		case u.better() || !d.any() || !u.decidable() || f.onlySmallIsWorse(large, small):
			a.Status, a.Next = facts.Inconclusive, f.Say("Raise TRIALS or DURATION, on an idle machine.")
		}
		return a
	},
}

// onlySmallIsWorse reports whether the incident is worse than the gateway alone beyond noise, and the large pool isn't:
// then the two pools may differ, though a direct comparison doesn't show it.
func (f storyFacts) onlySmallIsWorse(large, small core.Found) bool {
	cut, lack := f.at(f.Cut())
	return lack == nil && compareUsers(small, cut).worse() && !compareUsers(large, cut).either()
}
