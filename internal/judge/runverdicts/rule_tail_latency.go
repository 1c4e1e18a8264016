package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

const tailSource = "Gil Tene, How NOT to Measure Latency (coordinated omission); " + stampedeSource

// In an open loop goodput is the rate as long as the servers keep up, so the fault shows in the latency.
var tailLatency = Rule{
	ID:        "tail-latency",
	Title:     "At the same rate, the slowest HTTP/2 requests take longer than those of HTTP/1.1",
	Reference: tailSource,
	Care:      "Requests that arrive during a renewal wait for a new connection and are among the slowest.",
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
			Expected: f.Say("h2's p99 significantly above %.2f × h1's, latency counted from when a request was due", slower),
			Actual:   t.account("h2", "h1"),
			Next:     f.Say("Compare the connections accepted (dial-stampede) and the latency by percentile."),
			Evidence: f.Evidence(t.places()...),
			Warnings: append(f.FewTrials(t.slow.Summary.P99MS, t.fast.Summary.P99MS), f.Recorded(t.Warnings)...),
		}
		switch yes, no := t.slower(); {
		case yes:
		case no:
			a.Status = facts.NotReproduced
			a.Actual += f.Say("; %s", f.whyShort(t.slow))
			a.Next = f.Say("Look at the higher percentiles, raise RATE or lower LIMIT.")
		default:
			a = f.undecided(a)
		}
		return a
	},
}

// whyShort is the likely reason that the fault doesn't show in the p99.
func (f runFacts) whyShort(cell found) string {
	l, lack := f.connections(cell.Topology, cell.Client)
	if lack != nil {
		return f.Say("this run doesn't show the cause")
	}
	if !l.stampede() {
		reason, _ := l.whyNone()
		return f.Say("no stampede (%s)", reason)
	}
	return f.Say("fewer than one request in a hundred met a renewal")
}
