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
		ID:    "dial-stampede-" + topology,
		Title: facts.T("rule.dial-stampede-on", topology),
		Reference: "nginx ngx_http_core_module, keepalive_requests; " +
			"Envoy max_requests_per_connection (no limit by default); " + stampedeSource,
		Care:     facts.T("rule.dial-stampede-on-care"),
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
		Status:   facts.Fixed,
		Expected: facts.T("verdict.accepted-window-expected-plus", allowance),
		Actual:   facts.Join("", l.account(), coldStart(l.found)),
		Evidence: f.Evidence(append(l.places(), l.See("/summary/cold_accepted/median")...)...),
		Warnings: append(f.FewTrials(l.Summary.Accepted), restless(l)...),
	}
	before, noBefore := f.connections(f.low(), facts.K6SharedPool)
	if noBefore == nil {
		a.Evidence = append(a.Evidence, f.Evidence(before.places()[0], before.places()[2])...)
		a.Actual.Add(facts.T("verdict.had", before.Topology, before.account()))
	}
	switch {
	case l.accepted > allowed, l.stampede() && (noBefore != nil || perRequest(l) > rarer*perRequest(before)):
		a.Status = facts.Reproduced
		a.Next = facts.T("verdict.look-timeline-bursts-compare")
	case noBefore != nil:
		a.Warnings = append(a.Warnings, facts.T("verdict.nothing-compare", noBefore.Actual))
	case !before.stampede():
		a.Status = facts.NotReproduced
		reason, next := before.whyNone()
		a.Actual.Add(facts.T("verdict.so-run-no-stampede", reason))
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

func coldStart(c found) (text facts.Text) {
	cold, ok := core.Known(c.Summary.ColdAccepted)
	if !ok {
		return facts.Text{}
	}
	return facts.T("verdict.cold-start-took", core.Count(cold))
}

// restless warns of what the median hides: a trial with a renewal, a trial above allowance, a cold start
// that is too large.
func restless(l ledger) []facts.Text {
	var out, renewed []facts.Text
	for i, t := range l.Trials {
		a, e := t.Connections.Accepted, t.Connections.Expected
		switch {
		case a == nil || e == nil:
		case *e > 0 && *a > allowance+*e:
			renewed = append(renewed, facts.T("verdict.trial", i+1, core.Things(*a, core.Connections)))
		case *a > allowance+*e:
			out = append(out, facts.T("verdict.trial-accepted-without-renewal", i+1, core.Things(*a, core.Connections)))
		}
	}
	if renewed != nil {
		out = append(out, facts.T("verdict.connections-reached-high-limit", facts.Join("join.list", renewed...)))
	}
	if cold, ok := core.Known(l.Summary.ColdAccepted); ok && cold > float64(coldTimes*l.Workload.Concurrency) {
		out = append(out, facts.T("verdict.cold-start-took-more", core.Things(cold, core.Connections), coldTimes, l.Workload.Concurrency))
	}
	return out
}
