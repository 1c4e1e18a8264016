package runverdicts

import "h2lab/internal/facts"

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
	Group:    Trust,
	Good:     facts.Reproduced,
	judge: func(f runFacts) finding {
		a := finding{status: facts.Reproduced,
			expected: f.say("effective = configured in every measured cell; a front that drains may allow one " +
				"more for each request in flight")}
		var agree, wrong, unprobed []string
		for _, c := range f.cells() {
			what := f.say("%s over %s", c.Topology, c.Protocol)
			switch ok, probed := limitAgrees(c); {
			case !probed:
				unprobed = append(unprobed, what)
			case ok:
				agree = append(agree, what+f.say(" ")+f.limitWord(c.Limit.Effective))
			default:
				wrong = append(wrong, f.say("%s shows %s instead of %s", what, f.limitWord(c.Limit.Effective),
					f.limitWord(c.Limit.Configured)))
			}
			a.evidence = append(a.evidence, f.see(c.see("/limit/configured", "/limit/effective")...)...)
		}
		a.actual = f.list(unique(agree))
		switch {
		case wrong != nil:
			a.status, a.actual = facts.NotReproduced, f.list(unique(wrong))
			a.next = f.say("Look at the effective configuration in the run's directory.")
		case unprobed != nil:
			a.status, a.actual = facts.Inconclusive, f.say("not probed: %s", f.list(unique(unprobed)))
			a.next = f.say("Measure again; h2lab probes before it measures.")
		case agree == nil:
			a.status, a.actual, a.next = facts.Inconclusive, f.say("no cell was measured"),
				f.say("Run the command again.")
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
		return f.say("no limit")
	}
	return count(float64(*n))
}
