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
	Title:     facts.T("rule.lost-requests"),
	Reference: lostSource,
	Care:      facts.T("rule.lost-requests-care"),
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
			Expected: facts.T("verdict.least-one-goaway-not"),
			Actual:   l.account(),
			Next:     facts.T("verdict.give-request-body-can"),
			Evidence: f.Evidence(l.places()...),
			Warnings: f.FewTrials(l.Summary.Failed),
		}
		switch {
		case l.lost == 0:
			a.Status = facts.NotReproduced
			var reason facts.Text
			reason, a.Next = l.whyNone()
			a.Actual.Add(facts.T("verdict.because", reason))
		case !l.known:
			a.Warnings = append(a.Warnings, facts.T("verdict.how-many-renewals-not"))
		case float64(l.lost) < almostEvery*float64(l.renewals):
			a.Warnings = append(a.Warnings, facts.T("verdict.fewer-requests-lost-than", int(l.lost),
				int(l.renewals)))
		}
		return a
	},
}

// whyNone is the likely reason that nothing was lost, and the next step.
func (l losses) whyNone() (reason, next facts.Text) {
	switch {
	case l.known && l.renewals == 0:
		return facts.T("verdict.no-connection-reached-limit-window"),
			facts.T("verdict.raise-duration-or-lower")
	case l.InFlight() == 1:
		return facts.T("verdict.one-request-flight-pool"),
			facts.T("verdict.raise-concurrency-or-lower")
	case l.Workload.BodyBytes == 0:
		return facts.T("verdict.requests-without-body-can"), facts.T("verdict.send-one-method-post")
	}
	return facts.T("verdict.client-seems-send-bodies"), facts.T("verdict.compare-version-recorded-runs")
}
