package runverdicts

import (
	"testing"

	"h2lab/internal/facts"
)

// shared edits the cell in which the rule looks for the stampede.
func shared(changes ...func(*facts.Cell)) run {
	return aRepro().edit("nginx-1000", facts.H2, facts.K6SharedPool, changes...)
}

func steadyLow(v factsOf) run { return shared(become(v)) }

func TestTheStampedeIsSeenWhereItIs(t *testing.T) {
	gentle := factsOf{rps: 15000, accepted: 76, used: 76, expected: 75}
	none := factsOf{rps: 100}
	judgeEach(t, "dial-stampede", []fact{
		{"as measured", aRepro(), run{}, facts.Reproduced,
			"2,894 connections accepted in 5 s where 32 were expected, 33 of them used"},
		{"ten in flight, 9.4 for each", shared(become(factsOf{rps: 4000, accepted: 189, used: 20, expected: 20}),
			load(func(w *facts.Workload) { w.Concurrency = 10 })), run{}, facts.Reproduced, "9.5 × expected"},
		{"two pools, each with a connection begun",
			shared(become(factsOf{rps: 4000, accepted: 189, used: 4, expected: 1}),
				load(func(w *facts.Workload) { w.Pools = 2 })), run{}, facts.NotReproduced, "churn"},
		{"a client that dials once", steadyLow(gentle), run{}, facts.NotReproduced, "dial once a renewal"},
		{"one request in flight", shared(become(gentle), load(func(w *facts.Workload) { w.Concurrency = 1 })), run{},
			facts.NotReproduced, "can't stampede"},
		{"a hundred pools of one", shared(become(gentle), load(func(w *facts.Workload) { w.Pools = 100 })), run{},
			facts.NotReproduced, "lower POOLS"},
		{"five in flight", shared(become(factsOf{rps: 4000, accepted: 80, used: 20, expected: 20}),
			load(func(w *facts.Workload) { w.Concurrency = 5 })), run{}, facts.NotReproduced, "dials at most 5"},
		{"the limit is never reached", shared(become(none), load(func(w *facts.Workload) { w.DelayMS = 1000 })), run{},
			facts.NotReproduced, "lower LIMIT"},
		{"every connection is used", steadyLow(factsOf{rps: 4000, accepted: 900, used: 900, expected: 20}), run{},
			facts.NotReproduced, "churn"},
		{"used isn't known", shared(eachTrial(func(t *facts.Trial) { t.Connections.Used = nil })), run{},
			facts.Inconclusive, "has no count of connections that were used"},
		{"not measured", aRepro().drop("nginx-1000", facts.H2, facts.K6SharedPool), run{}, facts.Inconclusive,
			"nginx-1000.h2.k6-shared-pool was not measured"},
		{"no trial yet", shared(func(c *facts.Cell) { c.Trials = nil }), run{}, facts.Inconclusive, "has no trial"},
		{"can't run", shared(unsupported), run{}, facts.Unsupported, "older than 1.29.4"},
		{"one quick trial", aRepro().with(func(r *facts.Result) {
			r.Run.Quick = true
			for i := range r.Cells {
				r.Cells[i].Trials = r.Cells[i].Trials[:1]
			}
		}), run{}, facts.Reproduced, "no statistics"},
		{"some trials are mild", shared(func(c *facts.Cell) { c.Trials[0].Connections.Accepted = new(int64(40)) }),
			run{}, facts.Reproduced, "1 of 6 trials stayed below"},
	})
}

func TestALowerLimitHasItsOwnName(t *testing.T) {
	r := newRun(repro).with(func(r *facts.Result) { r.Run.Limit = 100 }).cell("nginx-100", facts.H2, facts.K6SharedPool,
		factsOf{rps: 3000, accepted: 6000, used: 152, expected: 150})
	judgeEach(t, "dial-stampede", []fact{{"LIMIT=100", r, run{}, facts.Reproduced, "150 were expected"}})
}

func high(topology string, changes ...func(*facts.Cell)) run {
	return aFixed().edit(topology, facts.H2, facts.K6SharedPool, changes...)
}

func TestTheStampedeIsGoneWhereItIsCured(t *testing.T) {
	one := func(changed factsOf) func(*facts.Cell) { return func(c *facts.Cell) { c.Trials[2] = changed.trial(3) } }
	passed := factsOf{rps: 15300, accepted: 61, used: 1, expected: 1, cold: 90}
	for _, topology := range []string{"nginx-100000", "envoy"} {
		judgeEach(t, "dial-stampede-"+topology, []fact{
			{"as measured", aFixed(), aRepro(), facts.Fixed, "the cold start took 100; nginx-1000 had 2,894"},
			{"five are within the allowance", high(topology, become(factsOf{rps: 15300, accepted: 5, used: 5})), aRepro(), facts.Fixed,
				"5 connections"},
			{"six are not", high(topology, become(factsOf{rps: 15300, accepted: 6, used: 6})), aRepro(),
				facts.Reproduced, "compare the limit"},
			{"one trial passed the high limit", high(topology, one(passed)), aRepro(), facts.Fixed,
				"connections reached the high limit in trial 3 (61 connections)"},
			{"every trial passed it", high(topology, become(passed)), aRepro(), facts.Fixed,
				"each renewal still costs one batch"},
			{"one trial was restless", high(topology, one(factsOf{rps: 15300, accepted: 9})), aRepro(), facts.Fixed,
				"trial 3 accepted 9 connections without a renewal"},
			{"as many for a request as before", high(topology, become(slow)), aRepro(), facts.Reproduced, "timeline"},
			{"a large cold start", high(topology, become(factsOf{rps: 15300, cold: 301})), aRepro(), facts.Fixed,
				"the cold start took 301 connections, more than 3"},
			{"nothing to cure", aFixed(), steadyLow(factsOf{rps: 15000, accepted: 76, used: 76, expected: 75}),
				facts.NotReproduced, "no stampede to cure: this client"},
			{"nothing broken beside it", aFixed(), run{}, facts.Fixed, "nothing to compare with"},
			{"a stampede and nothing broken beside it", high(topology, become(passed)), run{}, facts.Reproduced,
				"timeline"},
			{"a stampede that the low limit hasn't", high(topology, become(passed)),
				steadyLow(factsOf{rps: 15000, accepted: 76, used: 76, expected: 75}), facts.Reproduced, "timeline"},
			{"accepted isn't known", high(topology, eachTrial(func(t *facts.Trial) { t.Connections.Accepted = nil })),
				aRepro(), facts.Inconclusive, "accepted"},
			{"can't run", high(topology, unsupported), aRepro(), facts.Unsupported, "older"},
		})
	}
}

func TestTheUsualScriptHidesTheStampede(t *testing.T) {
	usual := func(v factsOf) run { return aRepro().edit("nginx-1000", facts.H2, facts.K6ConnectionPerVU, become(v)) }
	judgeEach(t, "hidden-by-connection-per-vu", []fact{
		{"as measured", aRepro(), run{}, facts.Reproduced, "1.0 × opened for each used against 88 ×, 88 × hidden"},
		{"it opens none", usual(factsOf{rps: 12000}), run{}, facts.Reproduced, "0 connections accepted"},
		{"it wastes too", usual(factsOf{rps: 12000, accepted: 400, used: 100}), run{}, facts.NotReproduced,
			"shows the waste"},
		{"nothing to hide", steadyLow(factsOf{rps: 15000, accepted: 76, used: 76, expected: 75}), run{},
			facts.NotReproduced, "no stampede to hide"},
		{"not measured", aRepro().drop("nginx-1000", facts.H2, facts.K6ConnectionPerVU), run{}, facts.Inconclusive,
			"connection-per-vu was not measured"},
	})
}

func TestK6MissesItsOwnDials(t *testing.T) {
	reports := func(n *int64) run {
		return shared(eachTrial(func(t *facts.Trial) { t.Connections.ClientReported = n }))
	}
	judgeEach(t, "client-undercount", []fact{
		{"as measured", aRepro(), run{}, facts.Reproduced, "k6 reported 342 of 17,364 connections, 2.0 %"},
		{"it counts most", reports(new(int64(2800))), run{}, facts.NotReproduced, "k6 counts well"},
		{"it says nothing", reports(nil), run{}, facts.Inconclusive, "did not report"},
		{"nothing was opened", steadyLow(factsOf{rps: 100}), run{}, facts.NotReproduced, "lower LIMIT"},
	})
}
