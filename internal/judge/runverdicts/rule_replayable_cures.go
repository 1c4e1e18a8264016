package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

var replayableCures = Rule{
	ID:        "replayable-cures",
	Title:     "A client whose bodies can be sent again loses no request at the low limit",
	Reference: "Go net/http Request.GetBody; " + lostSource,
	Care:      "It cures the loss at every server and every limit, but not the stampede.",
	Commands:  []string{fixed, matrix},
	Group:     core.Cure,
	Judge: func(f runFacts) finding {
		again, lack := f.losses(f.low(), facts.GoReplayable)
		if lack != nil {
			return *lack
		}
		once, lack := f.losses(f.low(), facts.GoOnce)
		if lack != nil {
			return *lack
		}
		a := finding{
			Status:   facts.Fixed,
			Expected: f.Say("no failure with go-replayable, where go-once loses requests under the same limit"),
			Actual:   f.Say("go-replayable: %s; go-once: %s", again.account(), once.account()),
			Evidence: f.Evidence(append(again.places(), once.places()...)...),
			Warnings: f.FewTrials(again.Summary.Failed),
		}
		switch {
		case again.lost > 0:
			a.Status, a.Next = facts.Reproduced, f.Say("Look at the message: the client could not get the body a "+
				"second time.")
		case once.lost == 0:
			a.Status = facts.NotReproduced
			var reason string
			reason, a.Next = once.whyNone()
			a.Actual += f.Say("; there was nothing to cure: %s", reason)
		case again.failed > 0:
			a.Status, a.Next = facts.Inconclusive, f.Say("Look at the other failures of cell %s.", again.ID())
		}
		return a
	},
}
