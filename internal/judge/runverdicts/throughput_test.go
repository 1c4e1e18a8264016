package runverdicts

import (
	"testing"

	"h2lab/internal/facts"
)

func noLimit(r *facts.Result) {
	r.Run.CPUs = nil
	for i := range r.Environment.Servers {
		r.Environment.Servers[i].CPUs = nil
	}
}

func firstTrials(n int) func(*facts.Result) {
	return func(r *facts.Result) {
		for i := range r.Cells {
			r.Cells[i].Trials = r.Cells[i].Trials[:n]
		}
	}
}

// uneven sets each trial's goodput.
func uneven(rps ...float64) func(*facts.Cell) {
	return func(c *facts.Cell) {
		for i := range c.Trials {
			c.Trials[i].GoodputRPS = rps[i]
		}
	}
}

func TestADropOfThroughputNeedsItsInterval(t *testing.T) {
	stampeding := slow
	stampeding.rps = 15300
	judgeEach(t, "throughput-drop", []fact{
		{"as measured", aRepro(), run{}, facts.Reproduced,
			"h2 delivered 0.42 [0.41, 0.44] of h1's goodput with k6-shared-pool (6,533 against 15,377 requests/s); " +
				"go-once 0.42"},
		{"no CPU limit hides it", shared(become(stampeding)).with(noLimit), run{}, facts.NotReproduced, "no CPU limit"},
		{"ECDSA hides it", shared(become(stampeding)).with(func(r *facts.Result) { r.Run.Key = "ecdsa" }), run{},
			facts.NotReproduced, "ECDSA"},
		{"resumption hides it", shared(become(stampeding),
			eachTrial(func(t *facts.Trial) { t.TLS.Resumed = new(int64(9)) })), run{}, facts.NotReproduced, "resumed"},
		{"few cores hide it", shared(become(stampeding)).with(func(r *facts.Result) { r.Environment.Cores = 2 }), run{},
			facts.NotReproduced, "few cores"},
		{"nothing hides it", shared(become(stampeding)), run{}, facts.NotReproduced, "doesn't show"},
		{"no stampede, no drop", steadyLow(factsOf{rps: 15300, accepted: 76, used: 76, expected: 75}), run{},
			facts.NotReproduced, "no stampede"},
		{"noise", shared(uneven(9000, 21000, 12000, 16000, 8000, 14000)), run{}, facts.Inconclusive, "not " +
			"significant"},
		{"a little slower for certain", shared(uneven(14600, 14650, 14700, 14710, 14720, 14750)), run{},
			facts.NotReproduced, "0.96 [0.94, 0.97]"},
		{"one trial, far below", aRepro().with(firstTrials(1)), run{}, facts.Reproduced, "need >= 6 samples"},
		{"one trial, a little below", shared(uneven(13500, 0, 0, 0, 0, 0)).with(firstTrials(1)), run{},
			facts.Inconclusive, "Raise TRIALS"},
		{"h1 has no successful request", aRepro().edit("nginx-1000", facts.H1, facts.K6SharedPool, uneven(0, 0, 0, 0, 0, 0)),
			run{}, facts.Inconclusive, "has no successful request"},
		{"h1 wasn't measured", aRepro().drop("nginx-1000", facts.H1, facts.K6SharedPool), run{}, facts.Inconclusive,
			"nginx-1000.h1.k6-shared-pool was not measured"},
	})
}

func TestTheThroughputIsBack(t *testing.T) {
	for _, topology := range []string{"nginx-100000", "envoy"} {
		judgeEach(t, "throughput-drop-"+topology, []fact{
			{"as measured", aFixed(), aRepro(), facts.Fixed, "h2 delivered 1.00 [0.97, 1.03] ~ of h1's goodput"},
			{"set beside the drop", aFixed(), aRepro(), facts.Fixed, "nginx-1000 had 0.42 [0.41, 0.44]"},
			{"as slow as before", high(topology, become(slow)), aRepro(), facts.Reproduced,
				"the stampede is still there"},
			{"slow without a stampede", high(topology, become(factsOf{rps: 9000})), aRepro(), facts.Inconclusive,
				"this fault is not the cause"},
			{"noise", high(topology, uneven(9000, 21000, 12000, 16000, 8000, 14000)), aRepro(), facts.Inconclusive,
				"not significant"},
			{"no drop before", aFixed(), steadyLow(fast), facts.NotReproduced, "none to cure"},
			{"nothing broken beside it", aFixed(), run{}, facts.Fixed, "nothing to compare with"},
		})
	}
}

func TestTheProxyPaysForHandshakes(t *testing.T) {
	cpu := func(s *float64) run { return shared(eachTrial(func(t *facts.Trial) { t.CPU.Proxy = s })) }
	cheap := slow
	cheap.proxy = fast.proxy * slow.rps / fast.rps
	judgeEach(t, "handshake-cost", []fact{
		{"as measured", aFixed(), aRepro(), facts.Reproduced, "0.077 ms of proxy CPU a request against 0.033 ms, 2.35"},
		{"a bill for each", aFixed(), aRepro(), facts.Reproduced,
			"about 0.5 ms for each unused connection"},
		{"no dearer", aFixed(), shared(become(cheap)), facts.NotReproduced, "there is no such cost"},
		{"not known", aFixed(), cpu(nil), facts.Inconclusive, "is not known"},
		{"too few trials", aFixed().with(firstTrials(1)), aRepro().with(firstTrials(1)), facts.Inconclusive,
			"Raise TRIALS"},
		{"nothing broken beside it", aFixed(), run{}, facts.Inconclusive, "was not measured"},
	})
}
