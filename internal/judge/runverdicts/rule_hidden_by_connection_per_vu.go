package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// nearlyAllUsed is the ratio of accepted to used connections up to which a client shows no waste.
// It uses used and not Expected: with one connection per VU the pool's arithmetic expects no
// renewal, but each VU renews its own connection when it reaches the limit.
const nearlyAllUsed = 1.5

var hiddenByConnectionPerVU = Rule{
	ID:        "hidden-by-connection-per-vu",
	Title:     "The usual k6 script, with one connection for each VU, hides the stampede",
	Reference: "k6 internal/js/runner.go newVU (one http.Transport for each VU)",
	Care:      "If this load test passes, an application whose requests share a pool can still stampede.",
	Commands:  []string{repro, matrix},
	Group:     core.Fault,
	Loop:      core.Closed,
	Judge: func(f runFacts) finding {
		shared, lack := f.connections(f.low(), facts.K6SharedPool)
		if lack != nil {
			return *lack
		}
		perVU, lack := f.connections(f.low(), facts.K6ConnectionPerVU)
		if lack != nil {
			return *lack
		}
		a := finding{
			Status: facts.Reproduced,
			Expected: f.Say("accepted ≤ %.1f × used with a connection for each VU, where the shared pool stampedes",
				nearlyAllUsed),
			Actual: f.Say("a connection for each VU: %s accepted, %s used; the shared pool under the same limit: "+
				"%s accepted, %s used",
				f.Things(perVU.accepted, core.Connections), core.Count(perVU.used), core.Count(shared.accepted),
				core.Count(shared.used)),
			Next:     f.Say("Test with requests that share a pool: k6/shared-pool.js."),
			Evidence: f.Evidence(append(perVU.places(), shared.places()...)...),
			Warnings: f.FewTrials(perVU.Summary.Accepted, shared.Summary.Accepted),
		}
		switch {
		case !shared.stampede():
			a.Status = facts.NotReproduced
			reason, next := shared.whyNone()
			a.Actual += f.Say("; there is no stampede to hide: %s", reason)
			a.Next = next
		case perVU.perUsed() > nearlyAllUsed:
			a.Status = facts.NotReproduced
			a.Actual += f.Say("; the usual script shows the waste in this run")
			a.Next = f.Say("Look at its failures: lost connections are dialled again.")
		default:
			a.Actual += f.Say(": %s opened for each used against %s, %s hidden", core.Times(max(perVU.perUsed(), 1)),
				core.Times(shared.perUsed()),
				core.Times(shared.perUsed()/max(perVU.perUsed(), 1)))
		}
		return a
	},
}
