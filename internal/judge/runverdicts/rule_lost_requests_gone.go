package runverdicts

import "h2lab/internal/facts"

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
		Group:     Cure,
		judge:     func(f runFacts) finding { return judgeLossGone(f, topology) },
	}
}

func judgeLossGone(f runFacts, topology string) finding {
	l, lack := f.losses(topology, facts.GoOnce)
	if lack != nil {
		return *lack
	}
	a := finding{
		status: facts.Fixed,
		expected: f.say("no goaway-not-replayable failure without a renewal, and at most one batch of them at " +
			"each renewal"),
		actual:   l.account(),
		evidence: f.see(l.places()...),
		warnings: f.fewTrials(l.Summary.Failed),
	}
	before, noBefore := f.losses(f.low(), facts.GoOnce)
	if noBefore == nil {
		a.evidence = append(a.evidence, f.see(before.places()...)...)
		a.actual += f.say("; %s had %s lost", before.Topology, f.things(float64(before.lost), requests))
	}
	switch {
	case l.lost > l.renewals*int64(l.inFlight()), l.lost > 0 && (noBefore != nil || l.rate() > rarer*before.rate()):
		a.status = facts.Reproduced
		a.next = f.say("Look at the errors of this cell and at the limit in effect.")
	case noBefore != nil:
		a.warnings = append(a.warnings, f.say("nothing to compare with: %s", noBefore.actual))
	case before.lost == 0:
		a.status = facts.NotReproduced
		reason, next := before.whyNone()
		a.actual += f.say(", so this run has no loss to cure: %s", reason)
		a.next = next
	}
	if l.lost > 0 && a.status == facts.Fixed {
		a.warnings = append(a.warnings, f.say("connections reached the high limit: %s at %s, one batch each; "+
			"only a body that can be sent again ends this",
			f.things(float64(l.lost), lostOnes), f.things(float64(l.renewals), renewals)))
	}
	if other := l.failed - l.lost; other > 0 {
		a.warnings = append(a.warnings, f.say("%s had other reasons: look at the errors of cell %s",
			f.things(float64(other), failures), l.ID()))
	}
	return a
}
