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
		Title:     "Requests whose body can't be sent again, with the load on %s",
		Topology:  topology,
		Reference: lostSource,
		Care:      "A higher limit makes the loss rarer; only a body that can be sent again ends it.",
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
		Status: facts.Fixed,
		Expected: f.Say("no goaway-not-replayable failure without a renewal, and at most one batch of them at " +
			"each renewal"),
		Actual:   l.account(),
		Evidence: f.Evidence(l.places()...),
		Warnings: f.FewTrials(l.Summary.Failed),
	}
	before, noBefore := f.losses(f.low(), facts.GoOnce)
	if noBefore == nil {
		a.Evidence = append(a.Evidence, f.Evidence(before.places()...)...)
		a.Actual += f.Say("; %s had %s lost", before.Topology, f.Things(float64(before.lost), core.Requests))
	}
	switch {
	case l.lost > l.renewals*int64(l.InFlight()), l.lost > 0 && (noBefore != nil || l.rate() > rarer*before.rate()):
		a.Status = facts.Reproduced
		a.Next = f.Say("Look at the errors of this cell and at the limit in effect.")
	case noBefore != nil:
		a.Warnings = append(a.Warnings, f.Say("nothing to compare with: %s", noBefore.Actual))
	case before.lost == 0:
		a.Status = facts.NotReproduced
		reason, next := before.whyNone()
		a.Actual += f.Say(", so this run has no loss to cure: %s", reason)
		a.Next = next
	}
	if l.lost > 0 && a.Status == facts.Fixed {
		a.Warnings = append(a.Warnings, f.Say("connections reached the high limit: %s at %s, one batch each; "+
			"only a body that can be sent again ends this",
			f.Things(float64(l.lost), core.LostOnes), f.Things(float64(l.renewals), core.Renewals)))
	}
	if other := l.failed - l.lost; other > 0 {
		a.Warnings = append(a.Warnings, f.Say("%s had other reasons: look at the errors of cell %s",
			f.Things(float64(other), core.Failures), l.ID()))
	}
	return a
}
