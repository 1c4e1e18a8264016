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
		Title:     "HTTP/2 against HTTP/1.1, with the load on %s",
		Topology:  topology,
		Reference: throughputSource,
		Care:      "This is the throughput that one changed number restores.",
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
		Expected: f.Say("h2/h1 goodput ≥ %.2f, with a drop at the low limit (%s)", recovered, f.Say(original)),
		Actual:   p.account(),
		Evidence: f.Evidence(p.places()...),
		Warnings: append(f.FewTrials(p.h2.Summary.GoodputRPS, p.h1.Summary.GoodputRPS), f.Recorded(p.Warnings)...),
	}
	before, noBefore := f.protocols(f.low(), facts.K6SharedPool)
	hadDrop := false
	if noBefore == nil {
		a.Evidence = append(a.Evidence, f.Evidence(before.places()...)...)
		a.Actual += f.Say("; %s had %s", before.h2.Topology, f.Ratio(before.Comparison))
		hadDrop, _ = before.drop()
	}
	switch {
	case *p.Ratio < recovered && !p.Significant:
		a = f.undecided(a)
	case *p.Ratio < recovered && stampedeRemains(f, topology):
		a.Status = facts.Reproduced
		a.Next = f.Say("Look at dial-stampede-%s: the stampede is still there.", topology)
	case *p.Ratio < recovered:
		a.Status = facts.Inconclusive
		a.Actual += f.Say("; slower, but without a stampede: this fault is not the cause")
		a.Next = f.Say("Compare both cells' CPU: the client or the proxy may spend more on h2 for other reasons.")
	case noBefore != nil:
		a.Warnings = append(a.Warnings, f.Say("nothing to compare with: %s", noBefore.Actual))
	case !hadDrop:
		a.Status = facts.NotReproduced
		a.Actual += f.Say(", which is no significant drop, so there was none to cure")
		a.Next = f.Say("Set CPUS=0.5 and KEY=rsa, as the original demonstration had.")
	}
	return a
}

// stampedeRemains is false if the connections are unknown: then the drop can't be attributed to the
// stampede.
func stampedeRemains(f runFacts, topology string) bool {
	return judgeStampedeGone(f, topology).Status == facts.Reproduced
}
