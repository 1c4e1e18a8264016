package storyverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

var retry = Rule{
	ID:    "story-retry",
	Title: "With the client's retry some POSTs run twice; without it calls fail",
	Reference: "RFC 9113 §8.7 (what may be sent again without asking); RFC 9110 §9.2.2 (POST is not idempotent); " +
		"OkHttp OkHttpClient.Builder.retryOnConnectionFailure",
	Care:  "A retry turns an error into a request that runs twice.",
	Group: core.Fault,
	Judge: func(f storyFacts) core.Finding {
		with, without, lack := f.two(f.Incident(), f.NoRetry())
		if lack != nil {
			return *lack
		}
		on, off := damageOf(with), damageOf(without)
		a := core.Finding{
			Status:   facts.Reproduced,
			Expected: f.Say("repeated requests with the retry, failed ones without it"),
			Actual:   f.Say("with the retry: %s; without it: %s", on.account(), off.account()),
			Next:     f.Say("Give each POST a key that the server recognises, or end the cause at the proxy."),
			Evidence: f.Evidence(append(on.places(), off.places()...)...),
			Warnings: f.FewTrials(),
		}
		switch twiceOn, failsOff := on.again() > 0, off.failed > 0; {
		case on.duplicates == nil:
			a.Status, a.Next = facts.Inconclusive, f.Say("Look at the backend's ledger (ids_saturated) of these cells.")
		case !twiceOn && !failsOff:
			a.Status, a.Next = facts.NotReproduced, f.Say("Raise DURATION or lower LIMIT.")
		case !twiceOn:
			a.Status, a.Actual = facts.Inconclusive, a.Actual+f.Say("; only the failures appeared")
		case !failsOff:
			a.Status, a.Actual = facts.Inconclusive, a.Actual+f.Say("; only the repeated requests appeared")
		}
		return a
	},
}
