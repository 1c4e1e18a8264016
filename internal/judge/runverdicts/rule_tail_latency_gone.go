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
		Title:     "The slowest HTTP/2 requests, with the load on %s",
		Topology:  topology,
		Reference: tailSource,
		Care:      "This is the waiting time that one changed number saves.",
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
		Expected: f.Say("a p99 at the low limit significantly above %.2f × that of %s", slower, topology),
		Actual:   t.account(low.Topology, topology),
		Evidence: f.Evidence(t.places()...),
		Warnings: append(f.FewTrials(t.slow.Summary.P99MS, t.fast.Summary.P99MS), f.Recorded(t.Warnings)...),
	}
	switch yes, no := t.slower(); {
	case yes:
	case stampedeRemains(f, topology):
		a.Status = facts.Reproduced
		a.Next = f.Say("Look at dial-stampede-%s: the stampede is still there.", topology)
	case no:
		a.Status = facts.NotReproduced
		a.Actual += f.Say("; there was nothing to cure: %s", f.whyShort(low))
		a.Next = f.Say("Look at the higher percentiles, raise RATE or lower LIMIT.")
	default:
		a = f.undecided(a)
	}
	return a
}
