package runverdicts

import (
	"fmt"

	"h2lab/internal/facts"
)

var envoyTwoStage = Rule{
	ID:    "envoy-two-stage",
	Title: "Envoy's two-stage GOAWAY at the same low limit still costs connections or requests",
	Reference: "Envoy conn_manager_impl.cc newStream and startDrainSequence (GOAWAY(2^31−1), then the real one after " +
		"drain_timeout); RFC 9113 §6.8",
	Care: "Announcing the end first saves the requests in flight, but the client can still dial once for each of " +
		"them.",
	Commands: []string{matrix},
	Group:    Cure,
	judge: func(f runFacts) finding {
		topology := fmt.Sprintf("envoy-%d", f.run.Run.Limit)
		l, lack := f.connections(topology, facts.K6SharedPool)
		if lack != nil {
			return *lack
		}
		once, lack := f.losses(topology, facts.GoOnce)
		if lack != nil {
			return *lack
		}
		a := finding{
			expected: f.say("a stampede (accepted ≥ %d × expected) or lost requests", stampedes),
			evidence: f.see(append(l.places(), once.places()...)...),
			warnings: f.fewTrials(l.Summary.Accepted, once.Summary.Failed),
		}
		stampede, loss := l.stampede(), once.lost > 0
		switch {
		case stampede && loss:
			a.status, a.actual = facts.Reproduced, f.say("the stampede and the loss both remain")
		case stampede:
			a.status, a.actual = facts.Reproduced, f.say("no request is lost, but the stampede remains")
			a.next = f.say("Raise or drop max_requests_per_connection, or let the client dial once.")
		case loss:
			a.status, a.actual = facts.Reproduced, f.say("no stampede, but requests are lost")
		case l.expected < 1:
			_, a.next = l.whyNone()
			a.status, a.actual = facts.NotReproduced, f.say("no connection reached the limit in the window")
		default:
			a.status, a.actual = facts.NotReproduced, f.say("neither a stampede nor a loss")
		}
		a.actual += f.say(" (%s; go-once: %s)", l.account(), once.account())
		return a
	},
}
