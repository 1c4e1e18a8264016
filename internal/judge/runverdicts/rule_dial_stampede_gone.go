package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// allowance is how many connections a warm pool may open in a window beyond those that its requests
// need: a few connections are lost for other reasons. The value is a choice of the lab.
const allowance = 5

// coldTimes is how many connections per request in flight a cold start may open: the cold stampede
// dials once per request, and up to twice more if the first connections are picked up late. The
// value is a choice of the lab.
const coldTimes = 3

// rarer is the largest share of the low limit's dials or losses per request that a cured topology
// may have if its high limit was reached and a renewal happened. A limit 100 times as high leaves a
// hundredth; a tenth allows for LIMIT=10000.
const rarer = 0.1

// dialStampedeGone returns the rule that the stampede is gone on a topology that cures it.
func dialStampedeGone(topology string) Rule {
	return Rule{
		ID:       "dial-stampede-" + topology,
		Title:    "The dial stampede, with the load on %s",
		Topology: topology,
		Reference: "nginx ngx_http_core_module, keepalive_requests; " +
			"Envoy max_requests_per_connection (no limit by default); " + stampedeSource,
		Care:     "A higher limit makes the stampede rarer, not smaller; the client's cure is to dial once.",
		Commands: []string{fixed, matrix},
		Group:    core.Cure,
		Judge:    func(f runFacts) finding { return judgeStampedeGone(f, topology) },
	}
}

func judgeStampedeGone(f runFacts, topology string) finding {
	l, lack := f.connections(topology, facts.K6SharedPool)
	if lack != nil {
		return *lack
	}
	// A renewal that did happen may cost one batch of dials.
	allowed := allowance + l.expected*float64(1+l.InFlight())
	a := finding{
		Status: facts.Fixed,
		Expected: f.Say("accepted in the window ≤ %d + expected, plus one batch for each renewal; the cold start "+
			"is counted separately", allowance),
		Actual:   l.account() + coldStart(l.found),
		Evidence: f.Evidence(append(l.places(), l.See("/summary/cold_accepted/median")...)...),
		Warnings: append(f.FewTrials(l.Summary.Accepted), restless(l)...),
	}
	before, noBefore := f.connections(f.low(), facts.K6SharedPool)
	if noBefore == nil {
		a.Evidence = append(a.Evidence, f.Evidence(before.places()[0], before.places()[2])...)
		a.Actual += f.Say("; %s had %s", before.Topology, before.account())
	}
	switch {
	case l.accepted > allowed, l.stampede() && (noBefore != nil || perRequest(l) > rarer*perRequest(before)):
		a.Status = facts.Reproduced
		a.Next = f.Say("Look at the timeline for bursts and compare the limit in effect.")
	case noBefore != nil:
		a.Warnings = append(a.Warnings, f.Say("nothing to compare with: %s", noBefore.Actual))
	case !before.stampede():
		a.Status = facts.NotReproduced
		reason, next := before.whyNone()
		a.Actual += f.Say(", so this run has no stampede to cure: %s", reason)
		a.Next = next
	}
	return a
}

// perRequest is the number of connections that the front accepted per request.
func perRequest(l ledger) float64 {
	var requests float64
	for _, t := range l.Trials {
		requests += float64(t.Attempts)
	}
	return l.accepted / max(requests/float64(len(l.Trials)), 1)
}

func coldStart(c found) string {
	cold, ok := core.Known(c.Summary.ColdAccepted)
	if !ok {
		return ""
	}
	return c.Say("; the cold start took %s", core.Count(cold))
}

// restless warns of what the median hides: a trial with a renewal, a trial above allowance, a cold start
// that is too large.
func restless(l ledger) []string {
	var out, renewed []string
	for i, t := range l.Trials {
		a, e := t.Connections.Accepted, t.Connections.Expected
		switch {
		case a == nil || e == nil:
		case *e > 0 && *a > allowance+*e:
			renewed = append(renewed, l.Say("trial %d (%s)", i+1, l.Things(float64(*a), core.Connections)))
		case *a > allowance+*e:
			out = append(out, l.Say("trial %d accepted %s without a renewal", i+1, l.Things(float64(*a), core.Connections)))
		}
	}
	if renewed != nil {
		out = append(out, l.Say("connections reached the high limit in %s: each renewal still costs one batch of "+
			"dials",
			l.List(renewed)))
	}
	if cold, ok := core.Known(l.Summary.ColdAccepted); ok && cold > float64(coldTimes*l.Workload.Concurrency) {
		out = append(out, l.Say("the cold start took %s, more than %d for each of %d requests in flight",
			l.Things(cold, core.Connections), coldTimes, l.Workload.Concurrency))
	}
	return out
}
