package storyverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

var retry = Rule{
	ID:    "story-retry",
	Title: facts.T("rule.story-retry"),
	Reference: "RFC 9113 §8.7 (what may be sent again without asking); RFC 9110 §9.2.2 (POST is not idempotent); " +
		"OkHttp OkHttpClient.Builder.retryOnConnectionFailure",
	Care:  facts.T("rule.story-retry-care"),
	Group: core.Fault,
	Judge: func(f storyFacts) core.Finding {
		with, without, lack := f.two(f.Incident(), f.NoRetry())
		if lack != nil {
			return *lack
		}
		on, off := damageOf(with), damageOf(without)
		a := core.Finding{
			Status:   facts.Reproduced,
			Expected: facts.T("storyverdict.repeated-requests-retry-failed"),
			Actual:   facts.T("storyverdict.retry-without", on.account(), off.account()),
			Next:     facts.T("storyverdict.give-each-post-key"),
			Evidence: f.Evidence(append(on.places(), off.places()...)...),
			Warnings: f.FewTrials(),
		}
		switch twiceOn, failsOff := on.again() > 0, off.failed > 0; {
		case on.duplicates == nil:
			a.Status, a.Next = facts.Inconclusive, facts.T("verdict.look-backends-ledger-ids")
		case !twiceOn && !failsOff:
			a.Status, a.Next = facts.NotReproduced, facts.T("storyverdict.raise-duration-or-lower")
		case !twiceOn:
			a.Status, a.Actual = facts.Inconclusive, facts.Join("", a.Actual, facts.T("storyverdict.only-failures-appeared"))
		case !failsOff:
			a.Status, a.Actual = facts.Inconclusive, facts.Join("", a.Actual, facts.T("storyverdict.only-repeated-requests-appeared"))
		}
		return a
	},
}
