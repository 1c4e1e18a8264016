package runverdicts

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// drains is the probe's result if a front ends a connection gracefully: it still serves requests
// that arrive after the limit for a while.
const drains = "goaway-two-stage"

var limitInEffect = Rule{
	ID:    "limit-in-effect",
	Title: facts.T("rule.limit-in-effect"),
	Reference: "nginx ngx_http_v2.c ngx_http_v2_state_headers (LastStreamID = 2N − 1; " +
		"a limit in a location has no effect on h2); " +
		"Envoy conn_manager_impl.cc newStream (N and whatever arrives while it drains)",
	Care:     facts.T("rule.limit-in-effect-care"),
	Commands: []string{repro, fixed, matrix},
	Group:    core.Trust,
	Good:     facts.Reproduced,
	Judge: func(f runFacts) finding {
		a := finding{Status: facts.Reproduced,
			Expected: facts.T("verdict.effective-configured-every-measured")}
		var agree, wrong, unprobed []facts.Text
		for _, c := range f.Cells() {
			what := facts.T("verdict.over", c.Topology, string(c.Protocol))
			switch ok, probed := limitAgrees(c); {
			case !probed:
				unprobed = append(unprobed, what)
			case ok:
				agree = append(agree, facts.T("verdict.limit-of", what, f.limitWord(c.Limit.Effective)))
			default:
				wrong = append(wrong, facts.T("verdict.shows-instead", what, f.limitWord(c.Limit.Effective),
					f.limitWord(c.Limit.Configured)))
			}
			a.Evidence = append(a.Evidence, f.Evidence(c.See("/limit/configured", "/limit/effective")...)...)
		}
		a.Actual = facts.Join("join.list", core.Unique(agree)...)
		switch {
		case wrong != nil:
			a.Status, a.Actual = facts.NotReproduced, facts.Join("join.list", core.Unique(wrong)...)
			a.Next = facts.T("verdict.look-effective-configuration-runs")
		case unprobed != nil:
			a.Status, a.Actual = facts.Inconclusive, facts.T("verdict.not-probed", facts.Join("join.list", core.Unique(unprobed)...))
			a.Next = facts.T("verdict.measure-again-h2lab-probes")
		case agree == nil:
			a.Status, a.Actual, a.Next = facts.Inconclusive, facts.T("verdict.no-cell-measured"),
				facts.T("verdict.run-command-again")
		}
		return a
	},
}

// limitAgrees compares a cell's probed limit with its name. A probe that ended before it reached a
// limit proves nothing.
func limitAgrees(c found) (ok, probed bool) {
	want, got := c.Limit.Configured, c.Limit.Effective
	switch {
	case got == nil && (c.Limit.ProbedRequests == 0 || want != nil && c.Limit.ProbedRequests < *want):
		return false, false
	case want == nil || got == nil:
		return want == nil && got == nil, true
	case c.Limit.Closing == drains:
		return *want <= *got && *got <= *want+c.Workload.Concurrency, true
	}
	return *want == *got, true
}

func (f runFacts) limitWord(n *int) facts.Text {
	if n == nil {
		return facts.T("verdict.no-limit")
	}
	return facts.Verbatim(core.Count(float64(*n)))
}
