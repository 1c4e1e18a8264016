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
	Title: facts.T("rule.single-dial-cures"),
	Reference: "Go net/http Transport.MaxConnsPerHost (read golang/go#34941 first: " +
		"a slow dial then holds up everybody)",
	Care:     facts.T("rule.single-dial-cures-care"),
	Commands: []string{fixed, matrix},
	Group:    core.Cure,
	Judge: func(f runFacts) finding {
		l, lack := f.connections(f.low(), facts.GoSingleDial)
		if lack != nil {
			return *lack
		}
		off := max(asExpected*l.expected, edges*float64(max(l.Workload.Pools, 1)))
		a := finding{
			Status:   facts.Fixed,
			Expected: facts.T("verdict.accepted-within-percent-or", core.Fixed(asExpected*100, 0), edges),
			Actual:   facts.T("verdict.one-dial-time", l.account()),
			Evidence: f.Evidence(l.places()...),
			Warnings: f.FewTrials(l.Summary.Accepted),
		}
		before, name := f.careless()
		if before != nil {
			a.Evidence = append(a.Evidence, f.Evidence(before.places()...)...)
			a.Actual.Add(facts.T("verdict.beside", string(name), before.account()))
		}
		switch {
		case l.expected < 1 || before != nil && !before.stampede():
			a.Status = facts.NotReproduced
			from := l
			if before != nil {
				from = *before
			}
			reason, next := from.whyNone()
			a.Actual.Add(facts.T("verdict.nothing-cure", reason))
			a.Next = next
		case l.accepted-l.expected > off:
			a.Status, a.Next = facts.Reproduced,
				facts.T("verdict.look-failures-cell-lost")
		case l.expected-l.accepted > off:
			a.Status, a.Actual = facts.Inconclusive, facts.Join("", a.Actual, facts.T("verdict.fewer-than-limit-requires"))
			a.Next = facts.T("verdict.look-limit-effect")
		case before == nil:
			a.Warnings = append(a.Warnings, facts.T("verdict.nothing-compare-run-did"))
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
