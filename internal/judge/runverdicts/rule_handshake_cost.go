package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
)

// dearer is the ratio of processor time per request, low limit to high limit, from which the
// difference counts as a cost of the fault. It is a choice: a difference below 5 % may be
// significant but doesn't matter in practice.
const dearer = 1.05

var handshakeCost = Rule{
	ID:    "handshake-cost",
	Title: "Handshakes cost the proxy processor time: an HTTP/2 request costs more of it at the low limit",
	Reference: "nginx ngx_event_openssl.c ngx_ssl_handshake (an RSA 2048 signature for each full handshake); " +
		"RFC 8446 §2",
	Care:     "This is the cost of the fault, even if the throughput doesn't show it.",
	Commands: []string{fixed, matrix},
	Group:    core.Fault,
	Judge: func(f runFacts) finding {
		low, lack := f.Cell(f.low(), facts.H2, facts.K6SharedPool)
		if lack != nil {
			return *lack
		}
		high, lack := f.Cell(highLimit, facts.H2, facts.K6SharedPool)
		if lack != nil {
			return *lack
		}
		for _, c := range []found{low, high} {
			if _, ok := core.Known(c.Summary.ProxyCPUMSPerRequest); !ok {
				return finding{Status: facts.Inconclusive,
					Actual:   f.Say("the proxy's CPU time of cell %s is not known", c.ID()),
					Next:     f.Say("Run where h2lab may read the servers' /proc."),
					Evidence: f.Evidence(c.See("/trials/0/cpu_s")...)}
			}
		}
		cmp := statistics.Compare(core.Sample(low.Trials, core.ProxyMSPerRequest),
			core.Sample(high.Trials, core.ProxyMSPerRequest))
		a := finding{
			Status:   facts.Reproduced,
			Expected: f.Say("significantly more than %.2f × the proxy CPU per request of %s", dearer, highLimit),
			Actual: f.Say("%.3f ms of proxy CPU a request against %.3f ms, %s times%s",
				*low.Summary.ProxyCPUMSPerRequest.Median,
				*high.Summary.ProxyCPUMSPerRequest.Median, f.Ratio(cmp), perWaste(low, high)),
			Evidence: f.Evidence(append(low.See("/summary/proxy_cpu_ms_per_request/median"),
				high.See("/summary/proxy_cpu_ms_per_request/median")...)...),
			Warnings: append(f.FewTrials(low.Summary.ProxyCPUMSPerRequest, high.Summary.ProxyCPUMSPerRequest),
				f.Recorded(cmp.Warnings)...),
		}
		switch {
		case cmp.Ratio == nil || cmp.Lo == nil:
			a.Status, a.Next = facts.Inconclusive, f.Say("Raise TRIALS to 6.")
		case !cmp.Significant || *cmp.Ratio <= dearer:
			a.Status, a.Next = facts.NotReproduced, f.Say("Look at dial-stampede: without a stampede there is no "+
				"such cost.")
		case *cmp.Lo <= dearer:
			a.Status, a.Next = facts.Inconclusive, f.Say("Raise TRIALS or DURATION.")
		}
		return a
	},
}

// perWaste divides the extra cost of the low limit by the connections that were opened and not
// used.
func perWaste(low, high found) string {
	wasted := 0.0
	requests := 0.0
	for _, t := range low.Trials {
		if t.Connections.Accepted == nil || t.Connections.Used == nil {
			return ""
		}
		wasted += float64(*t.Connections.Accepted - *t.Connections.Used)
		requests += float64(t.Succeeded)
	}
	more := (*low.Summary.ProxyCPUMSPerRequest.Median - *high.Summary.ProxyCPUMSPerRequest.Median) * requests
	if wasted < 1 || more <= 0 {
		return ""
	}
	return low.Say("; about %.1f ms for each unused connection", more/wasted)
}
