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
	Title: "The probed limit is the one in the topology's name",
	Reference: "nginx ngx_http_v2.c ngx_http_v2_state_headers (LastStreamID = 2N − 1; " +
		"a limit in a location has no effect on h2); " +
		"Envoy conn_manager_impl.cc newStream (N and whatever arrives while it drains)",
	Care:     "A comparison of wrongly named topologies is worse than none.",
	Commands: []string{repro, fixed, matrix},
	Group:    core.Trust,
	Good:     facts.Reproduced,
	Judge: func(f runFacts) finding {
		a := finding{Status: facts.Reproduced,
			Expected: f.Say("effective = configured in every measured cell; a front that drains may allow one " +
				"more for each request in flight")}
		var agree, wrong, unprobed []string
		for _, c := range f.Cells() {
			what := f.Say("%s over %s", c.Topology, c.Protocol)
			switch ok, probed := limitAgrees(c); {
			case !probed:
				unprobed = append(unprobed, what)
			case ok:
				agree = append(agree, what+f.Say(" ")+f.limitWord(c.Limit.Effective))
			default:
				wrong = append(wrong, f.Say("%s shows %s instead of %s", what, f.limitWord(c.Limit.Effective),
					f.limitWord(c.Limit.Configured)))
			}
			a.Evidence = append(a.Evidence, f.Evidence(c.See("/limit/configured", "/limit/effective")...)...)
		}
		a.Actual = f.List(core.Unique(agree))
		switch {
		case wrong != nil:
			a.Status, a.Actual = facts.NotReproduced, f.List(core.Unique(wrong))
			a.Next = f.Say("Look at the effective configuration in the run's directory.")
		case unprobed != nil:
			a.Status, a.Actual = facts.Inconclusive, f.Say("not probed: %s", f.List(core.Unique(unprobed)))
			a.Next = f.Say("Measure again; h2lab probes before it measures.")
		case agree == nil:
			a.Status, a.Actual, a.Next = facts.Inconclusive, f.Say("no cell was measured"),
				f.Say("Run the command again.")
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

func (f runFacts) limitWord(n *int) string {
	if n == nil {
		return f.Say("no limit")
	}
	return core.Count(float64(*n))
}
