package runverdicts

import "h2lab/internal/facts"

var replayableCures = Rule{
	ID:        "replayable-cures",
	Title:     "A client whose bodies can be sent again loses no request at the low limit",
	Reference: "Go net/http Request.GetBody; " + lostSource,
	Care:      "It cures the loss at every server and every limit, but not the stampede.",
	Commands:  []string{fixed, matrix},
	Group:     Cure,
	judge: func(f runFacts) finding {
		again, lack := f.losses(f.low(), facts.GoReplayable)
		if lack != nil {
			return *lack
		}
		once, lack := f.losses(f.low(), facts.GoOnce)
		if lack != nil {
			return *lack
		}
		a := finding{
			status:   facts.Fixed,
			expected: f.say("no failure with go-replayable, where go-once loses requests under the same limit"),
			actual:   f.say("go-replayable: %s; go-once: %s", again.account(), once.account()),
			evidence: f.see(append(again.places(), once.places()...)...),
			warnings: f.fewTrials(again.Summary.Failed),
		}
		switch {
		case again.lost > 0:
			a.status, a.next = facts.Reproduced, f.say("Look at the message: the client could not get the body a "+
				"second time.")
		case once.lost == 0:
			a.status = facts.NotReproduced
			var reason string
			reason, a.next = once.whyNone()
			a.actual += f.say("; there was nothing to cure: %s", reason)
		case again.failed > 0:
			a.status, a.next = facts.Inconclusive, f.say("Look at the other failures of cell %s.", again.ID())
		}
		return a
	},
}
