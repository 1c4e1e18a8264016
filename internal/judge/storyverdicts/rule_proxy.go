package storyverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

var proxy = Rule{
	ID: "story-proxy",
	Title: "The limit of the reverse proxy is the cause: the gateway alone does no damage, nor does the same chain with " +
		"another limit or another proxy",
	Reference: storySource,
	Care:      "This cut finds the place: the same service, gateway and API, with and without the proxy between them.",
	Group:     core.Fault,
	Judge: func(f storyFacts) core.Finding {
		low, cut, lack := f.two(f.Incident(), f.Cut())
		if lack != nil {
			return *lack
		}
		d, without := damageOf(low), damageOf(cut)
		a := core.Finding{
			Status: facts.Reproduced,
			Expected: f.Say("failures, repeated requests or more than %d connections for each expected one at %s, and "+
				"less than a tenth of them elsewhere", twice, low.ID()),
			Actual:   f.Say("%s: %s; %s: %s", low.ID(), d.account(), cut.ID(), without.account()),
			Next:     f.Say("Change the proxy's limit first."),
			Evidence: f.Evidence(append(d.places(), without.places()...)...),
			Warnings: f.FewTrials(),
		}
		others := f.others()
		for _, o := range others {
			a.Actual += f.Say("; %s: %s", o.ID(), o.account())
			a.Evidence = append(a.Evidence, f.Evidence(o.places()...)...)
		}
		switch {
		case d.any() && !d.known(), !without.known():
			a.Status, a.Next = facts.Inconclusive, f.Say("Look at the warnings of these trials.")
		case !d.any():
			a.Status = facts.NotReproduced
			a.Actual += f.Say("; the proxy with the limit does none either")
			a.Next = f.Say("Raise DURATION or lower LIMIT.")
		case without.left(d) || allLeft(others, d):
			a.Status, a.Next = facts.NotReproduced, f.Say("Look at the failures of the other cells.")
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
