package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

var replayableCures = Rule{
	ID:        "replayable-cures",
	Title:     facts.T("rule.replayable-cures"),
	Reference: "Go net/http Request.GetBody; " + lostSource,
	Care:      facts.T("rule.replayable-cures-care"),
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
			Expected: facts.T("verdict.no-failure-go-replayable"),
			Actual:   facts.T("verdict.go-replayable-go-once", again.account(), once.account()),
			Evidence: f.Evidence(append(again.places(), once.places()...)...),
			Warnings: f.FewTrials(again.Summary.Failed),
		}
		switch {
		case again.lost > 0:
			a.Status, a.Next = facts.Reproduced, facts.T("verdict.look-message-client-could")
		case once.lost == 0:
			a.Status = facts.NotReproduced
			var reason facts.Text
			reason, a.Next = once.whyNone()
			a.Actual.Add(facts.T("verdict.nothing-cure", reason))
		case again.failed > 0:
			a.Status, a.Next = facts.Inconclusive, facts.T("verdict.look-other-failures-cell", again.ID())
		}
		return a
	},
}
