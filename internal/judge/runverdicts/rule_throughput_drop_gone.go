package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// throughputDropGone returns the rule that HTTP/2 reaches HTTP/1.1's goodput on a topology that
// cures the fault on the server's side.
func throughputDropGone(topology string) Rule {
	return Rule{
		ID:        "throughput-drop-" + topology,
		Title:     facts.T("rule.throughput-drop-on", topology),
		Reference: throughputSource,
		Care:      facts.T("rule.throughput-drop-on-care"),
		Commands:  []string{fixed, matrix},
		Group:     core.Cure,
		Loop:      core.Closed,
		Judge:     func(f runFacts) finding { return judgeDropGone(f, topology) },
	}
}

func judgeDropGone(f runFacts, topology string) finding {
	p, lack := f.protocols(topology, facts.K6SharedPool)
	if lack != nil {
		return *lack
	}
	a := finding{
		Status:   facts.Fixed,
		Expected: facts.T("verdict.h2-h1-goodput-least", core.Fixed(recovered, 2), facts.T("verdict.original-demonstration-0-41")),
		Actual:   p.account(),
		Evidence: f.Evidence(p.places()...),
		Warnings: append(f.FewTrials(p.h2.Summary.GoodputRPS, p.h1.Summary.GoodputRPS), p.Warnings...),
	}
	before, noBefore := f.protocols(f.low(), facts.K6SharedPool)
	hadDrop := false
	if noBefore == nil {
		a.Evidence = append(a.Evidence, f.Evidence(before.places()...)...)
		a.Actual.Add(facts.T("verdict.had", before.h2.Topology, core.Ratio(before.Comparison)))
		hadDrop, _ = before.drop()
	}
	switch {
	case *p.Ratio < recovered && !p.Significant:
		a = f.undecided(a)
	case *p.Ratio < recovered && stampedeRemains(f, topology):
		a.Status = facts.Reproduced
		a.Next = facts.T("verdict.look-dial-stampede-stampede", topology)
	case *p.Ratio < recovered:
		a.Status = facts.Inconclusive
		a.Actual.Add(facts.T("verdict.slower-but-without-stampede"))
		a.Next = facts.T("verdict.compare-both-cells-cpu")
	case noBefore != nil:
		a.Warnings = append(a.Warnings, facts.T("verdict.nothing-compare", noBefore.Actual))
	case !hadDrop:
		a.Status = facts.NotReproduced
		a.Actual.Add(facts.T("verdict.which-no-significant-drop"))
		a.Next = facts.T("verdict.set-original-budget")
	}
	return a
}

// stampedeRemains is false if the connections are unknown: then the drop can't be attributed to the
// stampede.
func stampedeRemains(f runFacts, topology string) bool {
	return judgeStampedeGone(f, topology).Status == facts.Reproduced
}
