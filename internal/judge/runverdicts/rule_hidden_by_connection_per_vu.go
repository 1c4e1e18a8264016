package runverdicts

import (
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// nearlyAllUsed is the ratio of accepted to used connections up to which a client shows no waste.
// It uses used and not Expected: with one connection per VU the pool's arithmetic expects no
// renewal, but each VU renews its own connection when it reaches the limit.
const nearlyAllUsed = 1.5

var hiddenByConnectionPerVU = Rule{
	ID:        "hidden-by-connection-per-vu",
	Title:     facts.T("rule.hidden-by-connection-per-vu"),
	Reference: "k6 internal/js/runner.go newVU (one http.Transport for each VU)",
	Care:      facts.T("rule.hidden-by-connection-per-vu-care"),
	Commands:  []string{repro, matrix},
	Group:     core.Fault,
	Loop:      core.Closed,
	Judge: func(f runFacts) finding {
		shared, lack := f.connections(f.low(), facts.K6SharedPool)
		if lack != nil {
			return *lack
		}
		perVU, lack := f.connections(f.low(), facts.K6ConnectionPerVU)
		if lack != nil {
			return *lack
		}
		a := finding{
			Status:   facts.Reproduced,
			Expected: facts.T("verdict.accepted-used-connection-each", core.Fixed(nearlyAllUsed, 1)),
			Actual: facts.T("verdict.connection-each-vu-accepted", core.Things(perVU.accepted, core.Connections),
				core.Count(perVU.used), core.Count(shared.accepted),
				core.Count(shared.used)),
			Next:     facts.T("verdict.test-requests-share-pool"),
			Evidence: f.Evidence(append(perVU.places(), shared.places()...)...),
			Warnings: f.FewTrials(perVU.Summary.Accepted, shared.Summary.Accepted),
		}
		switch {
		case !shared.stampede():
			a.Status = facts.NotReproduced
			reason, next := shared.whyNone()
			a.Actual.Add(facts.T("verdict.no-stampede-hide", reason))
			a.Next = next
		case perVU.perUsed() > nearlyAllUsed:
			a.Status = facts.NotReproduced
			a.Actual.Add(facts.T("verdict.usual-script-shows-waste"))
			a.Next = facts.T("verdict.look-failures-lost-connections")
		default:
			a.Actual.Add(facts.T("verdict.opened-each-used-against", text.Factor(max(perVU.perUsed(), 1)),
				text.Factor(shared.perUsed()),
				text.Factor(shared.perUsed()/max(perVU.perUsed(), 1))))
		}
		return a
	},
}
