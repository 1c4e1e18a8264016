package runverdicts

import (
	"fmt"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

var envoyTwoStage = Rule{
	ID:    "envoy-two-stage",
	Title: facts.T("rule.envoy-two-stage"),
	Reference: "Envoy conn_manager_impl.cc newStream and startDrainSequence (GOAWAY(2^31−1), then the real one after " +
		"drain_timeout); RFC 9113 §6.8",
	Care:     facts.T("rule.envoy-two-stage-care"),
	Commands: []string{matrix},
	Group:    core.Cure,
	Judge: func(f runFacts) finding {
		topology := fmt.Sprintf("envoy-%d", f.Result.Run.Limit)
		l, lack := f.connections(topology, facts.K6SharedPool)
		if lack != nil {
			return *lack
		}
		once, lack := f.losses(topology, facts.GoOnce)
		if lack != nil {
			return *lack
		}
		a := finding{
			Expected: facts.T("verdict.stampede-accepted-least-expected", stampedes),
			Evidence: f.Evidence(append(l.places(), once.places()...)...),
			Warnings: f.FewTrials(l.Summary.Accepted, once.Summary.Failed),
		}
		stampede, loss := l.stampede(), once.lost > 0
		switch {
		case stampede && loss:
			a.Status, a.Actual = facts.Reproduced, facts.T("verdict.stampede-loss-both-remain")
		case stampede:
			a.Status, a.Actual = facts.Reproduced, facts.T("verdict.no-request-lost-but")
			a.Next = facts.T("verdict.raise-or-drop-max")
		case loss:
			a.Status, a.Actual = facts.Reproduced, facts.T("verdict.no-stampede-but-requests")
		case l.expected < 1:
			_, a.Next = l.whyNone()
			a.Status, a.Actual = facts.NotReproduced, facts.T("verdict.no-connection-reached-limit")
		default:
			a.Status, a.Actual = facts.NotReproduced, facts.T("verdict.neither-stampede-nor-loss")
		}
		a.Actual.Add(facts.T("verdict.go-once", l.account(), once.account()))
		return a
	},
}
