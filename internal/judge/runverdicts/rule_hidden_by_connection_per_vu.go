package runverdicts

import "h2lab/internal/facts"

// nearlyAllUsed is the ratio of accepted to used connections up to which a client shows no waste.
// It uses used and not expected: with one connection per VU the pool's arithmetic expects no
// renewal, but each VU renews its own connection when it reaches the limit.
const nearlyAllUsed = 1.5

var hiddenByConnectionPerVU = Rule{
	ID:        "hidden-by-connection-per-vu",
	Title:     "The usual k6 script, with one connection for each VU, hides the stampede",
	Reference: "k6 internal/js/runner.go newVU (one http.Transport for each VU)",
	Care:      "If this load test passes, an application whose requests share a pool can still stampede.",
	Commands:  []string{repro, matrix},
	Group:     Fault,
	judge: func(f runFacts) finding {
		shared, lack := f.connections(f.low(), facts.K6SharedPool)
		if lack != nil {
			return *lack
		}
		perVU, lack := f.connections(f.low(), facts.K6ConnectionPerVU)
		if lack != nil {
			return *lack
		}
		a := finding{
			status: facts.Reproduced,
			expected: f.say("accepted ≤ %.1f × used with a connection for each VU, where the shared pool stampedes",
				nearlyAllUsed),
			actual: f.say("a connection for each VU: %s accepted, %s used; the shared pool under the same limit: "+
				"%s accepted, %s used",
				f.things(perVU.accepted, connections), count(perVU.used), count(shared.accepted), count(shared.used)),
			next:     f.say("Test with requests that share a pool: k6/shared-pool.js."),
			evidence: f.see(append(perVU.places(), shared.places()...)...),
			warnings: f.fewTrials(perVU.Summary.Accepted, shared.Summary.Accepted),
		}
		switch {
		case !shared.stampede():
			a.status = facts.NotReproduced
			reason, next := shared.whyNone()
			a.actual += f.say("; there is no stampede to hide: %s", reason)
			a.next = next
		case perVU.perUsed() > nearlyAllUsed:
			a.status = facts.NotReproduced
			a.actual += f.say("; the usual script shows the waste in this run")
			a.next = f.say("Look at its failures: lost connections are dialled again.")
		default:
			a.actual += f.say(": %s opened for each used against %s, %s hidden", times(max(perVU.perUsed(), 1)),
				times(shared.perUsed()),
				times(shared.perUsed()/max(perVU.perUsed(), 1)))
		}
		return a
	},
}
