package storyverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

var pool = Rule{
	ID:        "story-pool",
	Title:     facts.T("rule.story-pool"),
	Reference: "OkHttp ConnectionPool(maxIdleConnections, …) bounds idle connections only",
	Care:      facts.T("rule.story-pool-care"),
	Group:     core.Fault,
	Judge: func(f storyFacts) core.Finding {
		large, small, lack := f.two(f.Pool(), f.Incident())
		if lack != nil {
			return *lack
		}
		u, d := compareUsers(large, small), damageOf(large)
		a := core.Finding{
			Status:   facts.Reproduced,
			Expected: facts.T("storyverdict.no-significantly-higher-goodput"),
			Actual:   facts.Join("join.semicolon", f.account(large, small, u), d.account()),
			Next:     facts.T("storyverdict.leave-pool-as"),
			Evidence: f.Evidence(append(userPlaces(large, small), d.places()...)...),
			Warnings: f.warnings(u.goodput, u.p99),
		}
		switch {
		case more(u.goodput) && less(u.p99): // one of two tests at 5 % is too often wrong to contradict the rule
			a.Status, a.Next = facts.NotReproduced, facts.T("storyverdict.compare-pools-settings-results")
		case u.better() || !d.any() || !u.decidable() || f.onlySmallIsWorse(large, small):
			a.Status, a.Next = facts.Inconclusive, facts.T("verdict.raise-trials-or-duration-idle")
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
