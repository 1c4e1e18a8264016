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
	Title: facts.T("rule.handshake-cost"),
	Reference: "nginx ngx_event_openssl.c ngx_ssl_handshake (an RSA 2048 signature for each full handshake); " +
		"RFC 8446 §2",
	Care:     facts.T("rule.handshake-cost-care"),
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
					Actual:   facts.T("verdict.proxys-cpu-time-cell", c.ID()),
					Next:     facts.T("verdict.run-where-h2lab-may-read"),
					Evidence: f.Evidence(c.See("/trials/0/cpu_s")...)}
			}
		}
		cmp := statistics.Compare(core.Sample(low.Trials, core.ProxyMSPerRequest),
			core.Sample(high.Trials, core.ProxyMSPerRequest))
		a := finding{
			Status:   facts.Reproduced,
			Expected: facts.T("verdict.significantly-more-than-proxy", core.Fixed(dearer, 2), highLimit),
			Actual: facts.T("verdict.ms-proxy-cpu-request", core.Fixed(*low.Summary.ProxyCPUMSPerRequest.Median, 3),
				core.Fixed(*high.Summary.ProxyCPUMSPerRequest.Median, 3), core.Ratio(cmp), perWaste(low, high)),
			Evidence: f.Evidence(append(low.See("/summary/proxy_cpu_ms_per_request/median"),
				high.See("/summary/proxy_cpu_ms_per_request/median")...)...),
			Warnings: append(f.FewTrials(low.Summary.ProxyCPUMSPerRequest, high.Summary.ProxyCPUMSPerRequest),
				cmp.Warnings...),
		}
		switch {
		case cmp.Ratio == nil || cmp.Lo == nil:
			a.Status, a.Next = facts.Inconclusive, facts.T("verdict.raise-trials-to-six")
		case !cmp.Significant || *cmp.Ratio <= dearer:
			a.Status, a.Next = facts.NotReproduced, facts.T("verdict.look-dial-stampede-without")
		case *cmp.Lo <= dearer:
			a.Status, a.Next = facts.Inconclusive, facts.T("verdict.raise-trials-or-duration")
		}
		return a
	},
}

// perWaste divides the extra cost of the low limit by the connections that were opened and not
// used.
func perWaste(low, high found) (text facts.Text) {
	wasted := 0.0
	requests := 0.0
	for _, t := range low.Trials {
		if t.Connections.Accepted == nil || t.Connections.Used == nil {
			return facts.Text{}
		}
		wasted += float64(*t.Connections.Accepted - *t.Connections.Used)
		requests += float64(t.Succeeded)
	}
	more := (*low.Summary.ProxyCPUMSPerRequest.Median - *high.Summary.ProxyCPUMSPerRequest.Median) * requests
	if wasted < 1 || more <= 0 {
		return facts.Text{}
	}
	return facts.T("verdict.about-ms-each-unused", core.Fixed(more/wasted, 1))
}
