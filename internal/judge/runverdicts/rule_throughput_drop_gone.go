package runverdicts

import "h2lab/internal/facts"

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
		Group:     Cure,
		judge:     func(f runFacts) finding { return judgeDropGone(f, topology) },
	}
}

func judgeDropGone(f runFacts, topology string) finding {
	p, lack := f.protocols(topology, facts.K6SharedPool)
	if lack != nil {
		return *lack
	}
	a := finding{
		status:   facts.Fixed,
		expected: f.say("h2/h1 goodput ≥ %.2f, with a drop at the low limit (%s)", recovered, f.say(original)),
		actual:   p.account(),
		evidence: f.see(p.places()...),
		warnings: append(f.fewTrials(p.h2.Summary.GoodputRPS, p.h1.Summary.GoodputRPS), f.recorded(p.Warnings)...),
	}
	before, noBefore := f.protocols(f.low(), facts.K6SharedPool)
	hadDrop := false
	if noBefore == nil {
		a.evidence = append(a.evidence, f.see(before.places()...)...)
		a.actual += f.say("; %s had %s", before.h2.Topology, f.ratio(before.Comparison))
		hadDrop, _ = before.drop()
	}
	switch {
	case *p.Ratio < recovered && !p.Significant:
		a.status = facts.Inconclusive
		a.actual += f.say("; the difference is not significant")
		a.next = f.say("Raise TRIALS or DURATION, on an idle machine.")
	case *p.Ratio < recovered && stampedeRemains(f, topology):
		a.status = facts.Reproduced
		a.next = f.say("Look at dial-stampede-%s: the stampede is still there.", topology)
	case *p.Ratio < recovered:
		a.status = facts.Inconclusive
		a.actual += f.say("; slower, but without a stampede: this fault is not the cause")
		a.next = f.say("Compare both cells' CPU: the client or the proxy may spend more on h2 for other reasons.")
	case noBefore != nil:
		a.warnings = append(a.warnings, f.say("nothing to compare with: %s", noBefore.actual))
	case !hadDrop:
		a.status = facts.NotReproduced
		a.actual += f.say(", which is no significant drop, so there was none to cure")
		a.next = f.say("Set CPUS=0.5 and KEY=rsa, as the original demonstration had.")
	}
	return a
}

// stampedeRemains is false if the connections are unknown: then the drop can't be attributed to the
// stampede.
func stampedeRemains(f runFacts, topology string) bool {
	return judgeStampedeGone(f, topology).status == facts.Reproduced
}
