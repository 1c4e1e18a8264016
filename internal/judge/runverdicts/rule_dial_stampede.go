package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

const stampedeSource = "Go net/http transport.go queueForDial and startDialConnForLocked (one dial for each waiting " +
	"request; golang/go#13957); RFC 9113 §9.1"

var dialStampede = Rule{
	ID:        "dial-stampede",
	Title:     facts.T("rule.dial-stampede"),
	Reference: stampedeSource,
	Care:      facts.T("rule.dial-stampede-care"),
	Commands:  []string{repro, fixed, matrix},
	Group:     core.Fault,
	// a generator that is late sends more requests at once, which hides no dial
	AnySchedule: true,
	Judge: func(f runFacts) finding {
		l, lack := f.connections(f.low(), facts.K6SharedPool)
		if lack != nil {
			return *lack
		}
		a := finding{
			Status:   facts.Reproduced,
			Expected: facts.T("verdict.accepted-least-expected-while", stampedes, core.Fixed(usedSlack, 1)),
			Actual:   l.account(),
			Next:     facts.T("verdict.raise-keepalive-requests-server"),
			Evidence: f.Evidence(append(l.places(), l.See("/summary/waste")...)...),
			Warnings: append(f.FewTrials(l.Summary.Accepted), mildTrials(l)...),
		}
		if !l.stampede() {
			a.Status = facts.NotReproduced
			var reason facts.Text
			reason, a.Next = l.whyNone()
			a.Actual.Add(facts.T("verdict.because", reason))
		}
		return a
	},
}

// mildTrials warns of trials below the threshold if the median is above it.
func mildTrials(l ledger) []facts.Text {
	mild := 0
	for _, t := range l.Trials {
		if a, e := t.Connections.Accepted, t.Connections.Expected; a != nil && e != nil && *a < stampedes**e {
			mild++
		}
	}
	if mild == 0 || !l.stampede() {
		return nil
	}
	return []facts.Text{facts.T("verdict.trials-stayed-below-expected", mild, len(l.Trials), stampedes)}
}
