package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

const stampedeSource = "Go net/http transport.go queueForDial and startDialConnForLocked (one dial for each waiting " +
	"request; golang/go#13957); RFC 9113 §9.1"

var dialStampede = Rule{
	ID:        "dial-stampede",
	Title:     "At every renewal, each waiting request dials its own connection",
	Reference: stampedeSource,
	Care: "All connections of a batch but one are unused, and each costs client and server a full TLS " +
		"handshake.",
	Commands: []string{repro, fixed, matrix},
	Group:    core.Fault,
	// a generator that is late sends more requests at once, which hides no dial
	AnySchedule: true,
	Judge: func(f runFacts) finding {
		l, lack := f.connections(f.low(), facts.K6SharedPool)
		if lack != nil {
			return *lack
		}
		a := finding{
			Status: facts.Reproduced,
			Expected: f.Say("accepted ≥ %d × expected while used ≤ %.1f × expected + 1 a pool (100 requests in "+
				"flight give 20 × or more)",
				stampedes, usedSlack),
			Actual: l.account(),
			Next: f.Say("Raise keepalive_requests on the server, or let the client dial once (Go: " +
				"MaxConnsPerHost)."),
			Evidence: f.Evidence(append(l.places(), l.See("/summary/waste")...)...),
			Warnings: append(f.FewTrials(l.Summary.Accepted), mildTrials(l)...),
		}
		if !l.stampede() {
			a.Status = facts.NotReproduced
			var reason string
			reason, a.Next = l.whyNone()
			a.Actual += f.Say(": %s", reason)
		}
		return a
	},
}

// mildTrials warns of trials below the threshold if the median is above it.
func mildTrials(l ledger) []string {
	mild := 0
	for _, t := range l.Trials {
		if a, e := t.Connections.Accepted, t.Connections.Expected; a != nil && e != nil && *a < stampedes**e {
			mild++
		}
	}
	if mild == 0 || !l.stampede() {
		return nil
	}
	return []string{l.Say("%d of %d trials stayed below %d × expected", mild, len(l.Trials), stampedes)}
}
