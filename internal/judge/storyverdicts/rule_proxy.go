package storyverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

var proxy = Rule{
	ID:        "story-proxy",
	Title:     facts.T("rule.story-proxy"),
	Reference: storySource,
	Care:      facts.T("rule.story-proxy-care"),
	Group:     core.Fault,
	Judge: func(f storyFacts) core.Finding {
		low, cut, lack := f.two(f.Incident(), f.Cut())
		if lack != nil {
			return *lack
		}
		d, without := damageOf(low), damageOf(cut)
		a := core.Finding{
			Status:   facts.Reproduced,
			Expected: facts.T("storyverdict.failures-repeated-requests-or", twice, low.ID()),
			Actual:   facts.T("storyverdict.two-places", low.ID(), d.account(), cut.ID(), without.account()),
			Next:     facts.T("storyverdict.change-proxys-limit-first"),
			Evidence: f.Evidence(append(d.places(), without.places()...)...),
			Warnings: f.FewTrials(),
		}
		others := f.others()
		for _, o := range others {
			a.Actual.Add(facts.T("verdict.beside", o.ID(), o.account()))
			a.Evidence = append(a.Evidence, f.Evidence(o.places()...)...)
		}
		switch {
		case d.any() && !d.known(), !without.known():
			a.Status, a.Next = facts.Inconclusive, facts.T("storyverdict.look-warnings-these-trials")
		case !d.any():
			a.Status = facts.NotReproduced
			a.Actual.Add(facts.T("storyverdict.proxy-limit-does-none"))
			a.Next = facts.T("storyverdict.raise-duration-or-lower")
		case without.left(d) || allLeft(others, d):
			a.Status, a.Next = facts.NotReproduced, facts.T("storyverdict.look-failures-other-cells")
		}
		return a
	},
}

// others are the same chain with another limit and with another proxy, as far as they were measured.
func (f storyFacts) others() (out []damage) {
	for _, topology := range []string{f.High, f.Other} {
		if c, lack := f.at(Place{topology, facts.H2, OkHttp3}); lack == nil {
			out = append(out, damageOf(c))
		}
	}
	return out
}

// allLeft reports whether every other chain does the damage too.
func allLeft(others []damage, d damage) bool {
	for _, o := range others {
		if !o.left(d) {
			return false
		}
	}
	return len(others) > 0
}
