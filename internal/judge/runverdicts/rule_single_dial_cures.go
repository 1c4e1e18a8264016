package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// asExpected is the tolerance between expected and accepted connections. edges is the number of
// connections that a pool may differ by in any case: one that began in the warm-up and one that the
// window began but didn't finish.
const (
	asExpected = 0.1
	edges      = 2
)

var singleDialCures = Rule{
	ID:    "single-dial-cures",
	Title: "A client that dials once at a time has no stampede at the low limit",
	Reference: "Go net/http Transport.MaxConnsPerHost (read golang/go#34941 first: " +
		"a slow dial then holds up everybody)",
	Care:     "It cures the client at every limit, and costs nothing while one connection has enough streams.",
	Commands: []string{fixed, matrix},
	Group:    core.Cure,
	Judge: func(f runFacts) finding {
		l, lack := f.connections(f.low(), facts.GoSingleDial)
		if lack != nil {
			return *lack
		}
		off := max(asExpected*l.expected, edges*float64(max(l.Workload.Pools, 1)))
		a := finding{
			Status: facts.Fixed,
			Expected: f.Say("accepted within %.0f %% (or %d a pool) of expected, "+
				"where the same client without it stampedes", asExpected*100, edges),
			Actual:   f.Say("with one dial at a time: %s", l.account()),
			Evidence: f.Evidence(l.places()...),
			Warnings: f.FewTrials(l.Summary.Accepted),
		}
		before, name := f.careless()
		if before != nil {
			a.Evidence = append(a.Evidence, f.Evidence(before.places()...)...)
			a.Actual += f.Say("; %s: %s", name, before.account())
		}
		switch {
		case l.expected < 1 || before != nil && !before.stampede():
			a.Status = facts.NotReproduced
			from := l
			if before != nil {
				from = *before
			}
			reason, next := from.whyNone()
			a.Actual += f.Say("; there was nothing to cure: %s", reason)
			a.Next = next
		case l.accepted-l.expected > off:
			a.Status, a.Next = facts.Reproduced,
				f.Say("Look at the failures of this cell: lost connections are dialled again.")
		case l.expected-l.accepted > off:
			a.Status, a.Actual = facts.Inconclusive, a.Actual+f.Say("; fewer than the limit requires")
			a.Next = f.Say("Look at limit-in-effect.")
		case before == nil:
			a.Warnings = append(a.Warnings, f.Say("nothing to compare with: this run did not measure a client "+
				"without it at this limit"))
		}
		return a
	},
}

// careless returns the stampede at the low limit that a client's cure is compared with: that of the
// same client without the cure, or else k6's.
func (f runFacts) careless() (*ledger, facts.Client) {
	for _, c := range []facts.Client{facts.GoReplayable, facts.K6SharedPool} {
		if l, lack := f.connections(f.low(), c); lack == nil {
			return &l, c
		}
	}
	return nil, ""
}
