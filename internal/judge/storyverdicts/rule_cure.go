package storyverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/translations"
)

// cureTitles say what each cure changes, by Cure.Name.
var cureTitles = map[string]translations.Phrase{
	"keepalive-requests":          "The incident, with keepalive_requests 100000 on the proxy",
	"other-proxy":                 "The incident, with Envoy in place of nginx",
	"http1":                       "The incident, with HTTP/1.1 between service and proxy",
	"newer-okhttp":                "The incident, with a newer OkHttp",
	"one-dial":                    "The incident, with one dial at a time before the limit is reached",
	"keepalive-requests-no-retry": "The failures without the client's retry, with keepalive_requests 100000",
}

func cureID(name string) string { return "story-cure-" + name }

// cure returns the rule of a chain's cure i.
func cure(i int) Rule {
	name := (Chain{}).Cures()[i].Name
	return Rule{ID: cureID(name), Title: cureTitles[name], Reference: storySource,
		Care: "A cure ends the damage; what it costs is on the page.", Group: core.Cure,
		Judge: func(f storyFacts) core.Finding { return judgeCure(f, f.Cures()[i]) }}
}

func judgeCure(f storyFacts, c Cure) core.Finding {
	after, before, lack := f.two(c.After, c.Before)
	if lack != nil {
		return *lack
	}
	u, d, was := compareUsers(after, before), damageOf(after), damageOf(before)
	a := core.Finding{
		Status: facts.Fixed,
		Expected: f.Say("less than a tenth of the failures, repeated requests and extra connections of %s, and a "+
			"significantly higher goodput or lower p99 where the incident costs the users either", before.ID()),
		Actual:   f.Sentence(f.account(after, before, u), d.account()),
		Evidence: f.Evidence(append(append(userPlaces(after, before), d.places()...), was.places()...)...),
		Warnings: f.warnings(u.goodput, u.p99),
	}
	switch {
	case !was.any():
		a.Status = facts.NotReproduced
		a.Actual += f.Say("; there was nothing to cure: %s", was.account())
		a.Next = f.Say("Raise DURATION or lower LIMIT.")
	case d.left(was):
		a.Status, a.Next = facts.Reproduced, f.Say("Look at the failures and connections of this cell.")
	case !d.known() || d.attempts == 0:
		a.Status, a.Next = facts.Inconclusive, f.Say("Look at the warnings of these trials.")
	case f.costs(before) && !u.better():
		a.Status = facts.Inconclusive
		a.Actual += f.Say("; the damage is gone, but the users' figures don't improve beyond noise")
		a.Next = f.Say("Raise TRIALS or DURATION, on an idle machine.")
	case !f.costs(before):
		a.Warnings = append(a.Warnings, f.Say("in this run the incident costs the users nothing beyond noise, so only the "+
			"counts are compared"))
	}
	return a
}

// costs reports whether the incident costs its users goodput or latency beyond noise.
func (f storyFacts) costs(before core.Found) bool {
	cut, lack := f.at(f.Cut())
	return lack == nil && compareUsers(before, cut).either()
}
