package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

const tailSource = "Gil Tene, How NOT to Measure Latency (coordinated omission); " + stampedeSource

// In an open loop goodput is the rate as long as the servers keep up, so the fault shows in the latency.
var tailLatency = Rule{
	ID:        "tail-latency",
	Title:     facts.T("rule.tail-latency"),
	Reference: tailSource,
	Care:      facts.T("rule.tail-latency-care"),
	Commands:  []string{repro, fixed, matrix},
	Group:     core.Fault,
	Loop:      core.Open,
	Judge: func(f runFacts) finding {
		t, lack := f.tailOf(f.low(), facts.K6SharedPool)
		if lack != nil {
			return *lack
		}
		a := finding{
			Status:   facts.Reproduced,
			Expected: facts.T("verdict.h2s-p99-significantly-above", core.Fixed(slower, 2)),
			Actual:   t.account("h2", "h1"),
			Next:     facts.T("verdict.compare-connections-accepted-dial"),
			Evidence: f.Evidence(t.places()...),
			Warnings: append(f.FewTrials(t.slow.Summary.P99MS, t.fast.Summary.P99MS), t.Warnings...),
		}
		switch yes, no := t.slower(); {
		case yes:
		case no:
			a.Status = facts.NotReproduced
			a.Actual.Add(facts.T("verdict.also", f.whyShort(t.slow)))
			a.Next = facts.T("verdict.look-higher-percentiles-raise")
		default:
			a = f.undecided(a)
		}
		return a
	},
}

// whyShort is the likely reason that the fault doesn't show in the p99.
func (f runFacts) whyShort(cell found) facts.Text {
	l, lack := f.connections(cell.Topology, cell.Client)
	if lack != nil {
		return facts.T("verdict.run-doesnt-show-cause")
	}
	if !l.stampede() {
		reason, _ := l.whyNone()
		return facts.T("verdict.no-stampede", reason)
	}
	return facts.T("verdict.fewer-than-one-request")
}
