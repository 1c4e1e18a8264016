package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// lostRequestsGone returns the rule that requests with a body that can't be sent again survive on a
// topology that cures the fault on the server's side.
func lostRequestsGone(topology string) Rule {
	return Rule{
		ID:        "lost-requests-" + topology,
		Title:     facts.T("rule.lost-requests-on", topology),
		Reference: lostSource,
		Care:      facts.T("rule.lost-requests-on-care"),
		Commands:  []string{fixed, matrix},
		Group:     core.Cure,
		Judge:     func(f runFacts) finding { return judgeLossGone(f, topology) },
	}
}

func judgeLossGone(f runFacts, topology string) finding {
	l, lack := f.losses(topology, facts.GoOnce)
	if lack != nil {
		return *lack
	}
	a := finding{
		Status:   facts.Fixed,
		Expected: facts.T("verdict.no-goaway-not-replayable"),
		Actual:   l.account(),
		Evidence: f.Evidence(l.places()...),
		Warnings: f.FewTrials(l.Summary.Failed),
	}
	before, noBefore := f.losses(f.low(), facts.GoOnce)
	if noBefore == nil {
		a.Evidence = append(a.Evidence, f.Evidence(before.places()...)...)
		a.Actual.Add(facts.T("verdict.had-lost", before.Topology, core.Things(before.lost, core.Requests)))
	}
	switch {
	case l.lost > l.renewals*int64(l.InFlight()), l.lost > 0 && (noBefore != nil || l.rate() > rarer*before.rate()):
		a.Status = facts.Reproduced
		a.Next = facts.T("verdict.look-errors-cell-limit")
	case noBefore != nil:
		a.Warnings = append(a.Warnings, facts.T("verdict.nothing-compare", noBefore.Actual))
	case before.lost == 0:
		a.Status = facts.NotReproduced
		reason, next := before.whyNone()
		a.Actual.Add(facts.T("verdict.so-run-no-loss", reason))
		a.Next = next
	}
	if l.lost > 0 && a.Status == facts.Fixed {
		a.Warnings = append(a.Warnings, facts.T("verdict.connections-reached-high-limit-one", core.Things(l.lost,
			core.LostOnes), core.Things(l.renewals, core.Renewals)))
	}
	if other := l.failed - l.lost; other > 0 {
		a.Warnings = append(a.Warnings, facts.T("verdict.other-reasons-look-errors", core.Things(other, core.Failures), l.ID()))
	}
	return a
}
