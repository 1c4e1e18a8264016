package runverdicts

import (
	"fmt"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

var envoyTwoStage = Rule{
	ID:    "envoy-two-stage",
	Title: "Envoy's two-stage GOAWAY at the same low limit still costs connections or requests",
	Reference: "Envoy conn_manager_impl.cc newStream and startDrainSequence (GOAWAY(2^31−1), then the real one after " +
		"drain_timeout); RFC 9113 §6.8",
	Care: "Announcing the end first saves the requests in flight, but the client can still dial once for each of " +
		"them.",
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
			Expected: f.Say("a stampede (accepted ≥ %d × expected) or lost requests", stampedes),
			Evidence: f.Evidence(append(l.places(), once.places()...)...),
			Warnings: f.FewTrials(l.Summary.Accepted, once.Summary.Failed),
		}
		stampede, loss := l.stampede(), once.lost > 0
		switch {
		case stampede && loss:
			a.Status, a.Actual = facts.Reproduced, f.Say("the stampede and the loss both remain")
		case stampede:
			a.Status, a.Actual = facts.Reproduced, f.Say("no request is lost, but the stampede remains")
			a.Next = f.Say("Raise or drop max_requests_per_connection, or let the client dial once.")
		case loss:
			a.Status, a.Actual = facts.Reproduced, f.Say("no stampede, but requests are lost")
		case l.expected < 1:
			_, a.Next = l.whyNone()
			a.Status, a.Actual = facts.NotReproduced, f.Say("no connection reached the limit in the window")
		default:
			a.Status, a.Actual = facts.NotReproduced, f.Say("neither a stampede nor a loss")
		}
		a.Actual += f.Say(" (%s; go-once: %s)", l.account(), once.account())
		return a
	},
}
