package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

const lostSource = "RFC 9113 §6.8 and §8.7 (streams above the last id were not processed and may be sent again); " +
	"Go net/http h2_bundle.go http2shouldRetryRequest; nginx ngx_http_v2_state_headers (\"skipping http2 HEADERS " +
	"frame\")"

// almostEvery is the share of renewals with a lost request from which the text says "almost every":
// some renewals happen while no request is in flight.
const almostEvery = 0.9

var lostRequests = Rule{
	ID:        "lost-requests",
	Title:     "Requests whose body can't be sent again fail at every renewal",
	Reference: lostSource,
	Care:      "The server neither processed these requests nor read their bodies, and yet their caller gets an error.",
	Commands:  []string{repro, fixed, matrix},
	Group:     core.Fault,
	// a request that was lost was lost at any rate
	AnySchedule: true,
	Judge: func(f runFacts) finding {
		l, lack := f.losses(f.low(), facts.GoOnce)
		if lack != nil {
			return *lack
		}
		a := finding{
			Status:   facts.Reproduced,
			Expected: f.Say("at least one goaway-not-replayable failure at (almost) every renewal"),
			Actual:   l.account(),
			Next: f.Say("Give the request a body that can be sent again (Go: Request.GetBody, which NewRequest " +
				"sets for bytes and strings)."),
			Evidence: f.Evidence(l.places()...),
			Warnings: f.FewTrials(l.Summary.Failed),
		}
		switch {
		case l.lost == 0:
			a.Status = facts.NotReproduced
			var reason string
			reason, a.Next = l.whyNone()
			a.Actual += f.Say(": %s", reason)
		case !l.known:
			a.Warnings = append(a.Warnings, f.Say("how many renewals there were is not known"))
		case float64(l.lost) < almostEvery*float64(l.renewals):
			a.Warnings = append(a.Warnings, f.Say("fewer requests were lost (%d) than connections renewed (%d)", l.lost,
				l.renewals))
		}
		return a
	},
}

// whyNone is the likely reason that nothing was lost, and the next step.
func (l losses) whyNone() (reason, next string) {
	switch {
	case l.known && l.renewals == 0:
		return l.Say("no connection reached the limit in the window, so none was renewed"),
			l.Say("Raise DURATION or lower LIMIT (make repro LIMIT=100).")
	case l.InFlight() == 1:
		return l.Say("with one request in flight on a pool, none follows the request that reaches the limit"),
			l.Say("Raise CONCURRENCY or lower POOLS.")
	case l.Workload.BodyBytes == 0:
		return l.Say("requests without a body can always be sent again"), l.Say("Send one: METHOD=POST BODY=1.")
	}
	return l.Say("this client seems to send bodies again"), l.Say("Compare its version with the recorded run's.")
}
