package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// tailLatencyGone returns the rule that a topology which cures the fault on the server's side answers
// the slowest requests sooner than the low limit.
func tailLatencyGone(topology string) Rule {
	return Rule{
		ID:        "tail-latency-" + topology,
		Title:     facts.T("rule.tail-latency-on", topology),
		Reference: tailSource,
		Care:      facts.T("rule.tail-latency-on-care"),
		Commands:  []string{fixed, matrix},
		Group:     core.Cure,
		Loop:      core.Open,
		Judge:     func(f runFacts) finding { return judgeTailGone(f, topology) },
	}
}

func judgeTailGone(f runFacts, topology string) finding {
	low, lack := f.Cell(f.low(), facts.H2, facts.K6SharedPool)
	if lack != nil {
		return *lack
	}
	cured, lack := f.Cell(topology, facts.H2, facts.K6SharedPool)
	if lack != nil {
		return *lack
	}
	t, lack := f.tails(low, cured)
	if lack != nil {
		return *lack
	}
	a := finding{
		Status:   facts.Fixed,
		Expected: facts.T("verdict.p99-low-limit-significantly", core.Fixed(slower, 2), topology),
		Actual:   t.account(low.Topology, topology),
		Evidence: f.Evidence(t.places()...),
		Warnings: append(f.FewTrials(t.slow.Summary.P99MS, t.fast.Summary.P99MS), t.Warnings...),
	}
	switch yes, no := t.slower(); {
	case yes:
	case stampedeRemains(f, topology):
		a.Status = facts.Reproduced
		a.Next = facts.T("verdict.look-dial-stampede-stampede", topology)
	case no:
		a.Status = facts.NotReproduced
		a.Actual.Add(facts.T("verdict.nothing-cure", f.whyShort(low)))
		a.Next = facts.T("verdict.look-higher-percentiles-raise")
	default:
		a = f.undecided(a)
	}
	return a
}
