package storyverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// cureTitles say what each cure changes, by Cure.Name.
var cureTitles = map[string]facts.Text{
	"keepalive-requests":          facts.T("rule.story-cure-keepalive-requests"),
	"other-proxy":                 facts.T("rule.story-cure-other-proxy"),
	"http1":                       facts.T("rule.story-cure-http1"),
	"newer-okhttp":                facts.T("rule.story-cure-newer-okhttp"),
	"one-dial":                    facts.T("rule.story-cure-one-dial"),
	"keepalive-requests-no-retry": facts.T("rule.story-cure-keepalive-requests-no-retry"),
}

func cureID(name string) string { return "story-cure-" + name }

// cure returns the rule of a chain's cure i.
func cure(i int) Rule {
	name := (Chain{}).Cures()[i].Name
	return Rule{ID: cureID(name), Title: cureTitles[name], Reference: storySource,
		Care: facts.T("rule.story-cure-care"), Group: core.Cure,
		Judge: func(f storyFacts) core.Finding { return judgeCure(f, f.Cures()[i]) }}
}

func judgeCure(f storyFacts, c Cure) core.Finding {
	after, before, lack := f.two(c.After, c.Before)
	if lack != nil {
		return *lack
	}
	u, d, was := compareUsers(after, before), damageOf(after), damageOf(before)
	a := core.Finding{
		Status:   facts.Fixed,
		Expected: facts.T("storyverdict.less-than-tenth-failures", before.ID()),
		Actual:   facts.Join("join.semicolon", f.account(after, before, u), d.account()),
		Evidence: f.Evidence(append(append(userPlaces(after, before), d.places()...), was.places()...)...),
		Warnings: f.warnings(u.goodput, u.p99),
	}
	switch {
	case !was.any():
		a.Status = facts.NotReproduced
		a.Actual.Add(facts.T("verdict.nothing-cure", was.account()))
		a.Next = facts.T("storyverdict.raise-duration-or-lower")
	case d.left(was):
		a.Status, a.Next = facts.Reproduced, facts.T("storyverdict.look-failures-connections-cell")
	case !d.known() || d.attempts == 0:
		a.Status, a.Next = facts.Inconclusive, facts.T("storyverdict.look-warnings-these-trials")
	case f.costs(before) && !u.better():
		a.Status = facts.Inconclusive
		a.Actual.Add(facts.T("storyverdict.damage-gone-but-users"))
		a.Next = facts.T("verdict.raise-trials-or-duration-idle")
	case !f.costs(before):
		a.Warnings = append(a.Warnings, facts.T("storyverdict.run-incident-costs-users"))
	}
	return a
}

// costs reports whether the incident costs its users goodput or latency beyond noise.
func (f storyFacts) costs(before core.Found) bool {
	cut, lack := f.at(f.Cut())
	return lack == nil && compareUsers(before, cut).either()
}
