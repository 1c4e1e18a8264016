package runverdicts

import (
	"strings"
	"testing"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
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
	judgeEach(t, "dial-stampede-"+highLimit, []fact{
		{"as measured", aFixed(), aRepro(), facts.Fixed, "the cold start took 100; nginx-1000 had 2,894"},
		{"five are within the allowance", high(highLimit, become(factsOf{rps: 15300, accepted: 5, used: 5})), aRepro(), facts.Fixed,
			"5 connections"},
		{"six are not", high(highLimit, become(factsOf{rps: 15300, accepted: 6, used: 6})), aRepro(),
			facts.Reproduced, "compare the limit"},
		{"one trial passed the high limit", high(highLimit, one(passed)), aRepro(), facts.Fixed,
			"connections reached the high limit in trial 3 (61 connections)"},
		{"every trial passed it", high(highLimit, become(passed)), aRepro(), facts.Fixed,
			"each renewal still costs one batch"},
		{"one trial was restless", high(highLimit, one(factsOf{rps: 15300, accepted: 9})), aRepro(), facts.Fixed,
			"trial 3 accepted 9 connections without a renewal"},
		{"as many for a request as before", high(highLimit, become(slow)), aRepro(), facts.Reproduced, "timeline"},
		{"a large cold start", high(highLimit, become(factsOf{rps: 15300, cold: 301})), aRepro(), facts.Fixed,
			"the cold start took 301 connections, more than 3"},
		{"nothing to cure", aFixed(), steadyLow(factsOf{rps: 15000, accepted: 76, used: 76, expected: 75}),
			facts.NotReproduced, "no stampede to cure: this client"},
		{"nothing broken beside it", aFixed(), run{}, facts.Fixed, "nothing to compare with"},
		{"a stampede and nothing broken beside it", high(highLimit, become(passed)), run{}, facts.Reproduced,
			"timeline"},
		{"a stampede that the low limit hasn't", high(highLimit, become(passed)),
			steadyLow(factsOf{rps: 15000, accepted: 76, used: 76, expected: 75}), facts.Reproduced, "timeline"},
		{"accepted isn't known", high(highLimit, eachTrial(func(t *facts.Trial) { t.Connections.Accepted = nil })),
			aRepro(), facts.Inconclusive, "accepted"},
		{"can't run", high(highLimit, unsupported), aRepro(), facts.Unsupported, "older"},
	})
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
	judgeEach(t, "throughput-drop-"+highLimit, []fact{
		{"as measured", aFixed(), aRepro(), facts.Fixed, "h2 delivered 1.00 [0.97, 1.03] ~ of h1's goodput"},
		{"set beside the drop", aFixed(), aRepro(), facts.Fixed, "nginx-1000 had 0.42 [0.41, 0.44]"},
		{"as slow as before", high(highLimit, become(slow)), aRepro(), facts.Reproduced,
			"the stampede is still there"},
		{"slow without a stampede", high(highLimit, become(factsOf{rps: 9000})), aRepro(), facts.Inconclusive,
			"this fault is not the cause"},
		{"noise", high(highLimit, uneven(9000, 21000, 12000, 16000, 8000, 14000)), aRepro(), facts.Inconclusive,
			"not significant"},
		{"no drop before", aFixed(), steadyLow(fast), facts.NotReproduced, "none to cure"},
		{"nothing broken beside it", aFixed(), run{}, facts.Fixed, "nothing to compare with"},
	})
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

func once(changes ...func(*facts.Cell)) run {
	return aRepro().edit("nginx-1000", facts.H2, facts.GoOnce, changes...)
}

func TestLostRequestsAreSeenWithTheirMessage(t *testing.T) {
	judgeEach(t, "lost-requests", []fact{
		{"as measured", aRepro(), run{}, facts.Reproduced,
			"9,030 requests lost in 6 × 5 s with 192 renewals, 47.0 each; \"http2: Transport: cannot retry err"},
		{"fewer than renewals", once(become(factsOf{rps: 600, lost: 3, expected: 30})), run{}, facts.Reproduced,
			"fewer requests were lost (18) than connections renewed (180)"},
		{"none, never renewed", once(become(factsOf{rps: 100})), run{}, facts.NotReproduced, "raise DURATION"[1:]},
		{"none, one at a time", once(become(factsOf{rps: 6000, expected: 30}),
			load(func(w *facts.Workload) { w.Concurrency = 1 })), run{}, facts.NotReproduced, "one request in flight"},
		{"none, no body", once(become(factsOf{rps: 6000, expected: 30}),
			load(func(w *facts.Workload) { w.BodyBytes = 0 })), run{}, facts.NotReproduced, "METHOD=POST BODY=1"},
		{"none, and a client that sends again", once(become(factsOf{rps: 6000, expected: 30})), run{},
			facts.NotReproduced, "seems to send bodies again"},
		{"other failures don't count", once(become(factsOf{rps: 6000, expected: 30}), eachTrial(func(t *facts.Trial) {
			t.Failed, t.Errors = 2, []facts.Error{{Class: facts.ErrTimeout, Count: 2, Message: "timeout"}}
		})), run{}, facts.NotReproduced, "12 failures for other reasons"},
		{"renewals aren't known", once(eachTrial(func(t *facts.Trial) { t.Connections.Expected = nil })), run{},
			facts.Reproduced, "is not known"},
		{"not measured", aRepro().drop("nginx-1000", facts.H2, facts.GoOnce), run{}, facts.Inconclusive,
			"go-once was not measured"},
	})
}

func TestNothingIsLostWhereItIsCured(t *testing.T) {
	passed := factsOf{rps: 17000, lost: 60, expected: 1, accepted: 70, used: 1}
	cured := func(v factsOf, more ...func(*facts.Cell)) run {
		return aFixed().edit(highLimit, facts.H2, facts.GoOnce, append([]func(*facts.Cell){become(v)}, more...)...)
	}
	judgeEach(t, "lost-requests-"+highLimit, []fact{
		{"as measured", aFixed(), aRepro(), facts.Fixed,
			"0 requests lost in 6 × 5 s with 0 renewals; nginx-1000 had 9,030 requests lost"},
		{"the high limit was passed", cured(passed), aRepro(), facts.Fixed,
			"connections reached the high limit: 360 lost requests at 6 renewals"},
		{"more than a batch at a renewal", cured(factsOf{rps: 17000, lost: 101, expected: 1}), aRepro(),
			facts.Reproduced, "limit in effect"},
		{"one without a renewal", cured(factsOf{rps: 17000, lost: 1}), aRepro(), facts.Reproduced,
			"limit in effect"},
		{"other failures are named", cured(factsOf{rps: 17000}, eachTrial(func(t *facts.Trial) { t.Failed = 1 })),
			aRepro(), facts.Fixed, "6 failures had other reasons"},
		{"nothing to cure", aFixed(), once(become(factsOf{rps: 100})), facts.NotReproduced, "no loss to cure"},
		{"nothing broken beside it", aFixed(), run{}, facts.Fixed, "nothing to compare with"},
		{"a loss and nothing broken beside it", cured(passed), run{}, facts.Reproduced, "limit in effect"},
		{"a loss that the low limit hasn't", cured(passed), once(become(factsOf{rps: 100})), facts.Reproduced,
			"limit in effect"},
		{"as often as before", cured(loser), aRepro(), facts.Reproduced, "limit in effect"},
		{"can't run", aFixed().edit(highLimit, facts.H2, facts.GoOnce, unsupported), aRepro(), facts.Unsupported,
			"older"},
	})
}

func TestOneDialAtATimeCures(t *testing.T) {
	cure := func(v factsOf) run { return aFixed().edit("nginx-1000", facts.H2, facts.GoSingleDial, become(v)) }
	bare := func(v factsOf) run { return aFixed().edit("nginx-1000", facts.H2, facts.GoReplayable, become(v)) }
	judgeEach(t, "single-dial-cures", []fact{
		{"as measured", aFixed(), aRepro(), facts.Fixed, "77 connections accepted in 5 s where 76 were expected"},
		{"ten percent more", cure(factsOf{rps: 15200, accepted: 83, used: 83, expected: 76}), aRepro(), facts.Fixed,
			"go-replayable: 2,894"},
		{"more than that", cure(factsOf{rps: 15200, accepted: 90, used: 84, expected: 76}), aRepro(), facts.Reproduced,
			"dialled again"},
		{"two more of a few", cure(factsOf{rps: 1000, accepted: 6, used: 6, expected: 4}), aRepro(), facts.Fixed,
			"6 connections"},
		{"fewer than possible", cure(factsOf{rps: 15200, accepted: 40, used: 40, expected: 76}), aRepro(),
			facts.Inconclusive, "limit-in-effect"},
		{"never renewed", cure(factsOf{rps: 100, accepted: 3}), aRepro(), facts.NotReproduced,
			"there was nothing to cure"},
		{"no stampede without it", bare(factsOf{rps: 15000, accepted: 76, used: 76, expected: 75}), aRepro(),
			facts.NotReproduced, "there was nothing to cure"},
		{"set beside k6", aFixed().drop("nginx-1000", facts.H2, facts.GoReplayable), aRepro(), facts.Fixed,
			"k6-shared-pool: 2,894"},
		{"set beside nothing", aFixed().drop("nginx-1000", facts.H2, facts.GoReplayable), run{}, facts.Fixed,
			"nothing to compare with"},
	})
}

func TestBodiesThatCanBeSentAgainCure(t *testing.T) {
	again := func(v factsOf, more ...func(*facts.Cell)) run {
		return aFixed().edit("nginx-1000", facts.H2, facts.GoReplayable,
			append([]func(*facts.Cell){become(v)}, more...)...)
	}
	judgeEach(t, "replayable-cures", []fact{
		{"as measured", aFixed(), aRepro(), facts.Fixed,
			"go-replayable: 0 requests lost in 6 × 5 s with 192 renewals; go-once: 9,030 requests lost"},
		{"it loses too", again(loser), aRepro(), facts.Reproduced, "could not get the body a second time"},
		{"it fails otherwise", again(slow, eachTrial(func(t *facts.Trial) { t.Failed = 1 })), aRepro(),
			facts.Inconclusive, "other failures"},
		{"nothing was lost before", aFixed(), once(become(factsOf{rps: 6000, expected: 30})), facts.NotReproduced,
			"there was nothing to cure"},
		{"nothing broken beside it", aFixed(), run{}, facts.Inconclusive, "go-once was not measured"},
	})
}

func TestEnvoysTwoStagesAreJudgedByWhatTheySpare(t *testing.T) {
	two := func(k6, goOnce factsOf) run {
		return newRun(matrix).cell("envoy-1000", facts.H2, facts.K6SharedPool, k6).
			cell("envoy-1000", facts.H2, facts.GoOnce, goOnce)
	}
	stampede := factsOf{rps: 8300, accepted: 2033, used: 66, expected: 66}
	steady := factsOf{rps: 8300, accepted: 66, used: 66, expected: 66}
	lossy := factsOf{rps: 8300, accepted: 66, used: 66, expected: 66, lost: 10}
	judgeEach(t, "envoy-two-stage", []fact{
		{"as measured", two(stampede, stampede), run{}, facts.Reproduced,
			"no request is lost, but the stampede remains"},
		{"both", two(stampede, lossy), run{}, facts.Reproduced, "both"},
		{"loss alone", two(steady, lossy), run{}, facts.Reproduced, "requests are lost"},
		{"neither", two(steady, steady), run{}, facts.NotReproduced, "neither a stampede nor a loss"},
		{"never renewed", two(factsOf{rps: 100}, factsOf{rps: 100}), run{}, facts.NotReproduced,
			"no connection reached the limit"},
		{"not measured", newRun(matrix), run{}, facts.Inconclusive, "envoy-1000.h2.k6-shared-pool was not measured"},
	})
}

func limit(l facts.Limit) run {
	return aRepro().edit("nginx-1000", facts.H2, facts.GoOnce, func(c *facts.Cell) { c.Limit = l })
}

func TestTheLimitInEffectIsCompared(t *testing.T) {
	n := func(v int) *int { return &v }
	unlimited := func(l facts.Limit) run {
		return aRepro().edit("direct", facts.H2, facts.K6SharedPool, func(c *facts.Cell) { c.Limit = l })
	}
	judgeEach(t, "limit-in-effect", []fact{
		{"as named", aRepro(), run{}, facts.Reproduced,
			"direct over h1 no limit, direct over h2 no limit, nginx-1000 over h1 1,000"},
		{"lower", limit(facts.Limit{Configured: n(1000), Effective: n(100), ProbedRequests: 101}), run{},
			facts.NotReproduced, "shows 100 instead of 1,000"},
		{"limit not reached", limit(facts.Limit{Configured: n(1000), ProbedRequests: 1100}), run{}, facts.NotReproduced,
			"shows no limit instead of 1,000"},
		{"an unexpected one", unlimited(facts.Limit{Effective: n(1000), ProbedRequests: 1001}), run{},
			facts.NotReproduced, "shows 1,000 instead of no limit"},
		{"a drain serves what is in flight",
			limit(facts.Limit{Configured: n(1000), Effective: n(1100), ProbedRequests: 1100,
				Closing: "goaway-two-stage"}), run{}, facts.Reproduced, "1,100"},
		{"a drain serves no more than that",
			limit(facts.Limit{Configured: n(1000), Effective: n(1101), ProbedRequests: 1101,
				Closing: "goaway-two-stage"}), run{}, facts.NotReproduced, "1,101"},
		{"one stage is exact", limit(facts.Limit{Configured: n(1000), Effective: n(1001), ProbedRequests: 1001,
			Closing: "goaway"}), run{}, facts.NotReproduced, "1,001"},
		{"not probed", limit(facts.Limit{Configured: n(1000)}), run{}, facts.Inconclusive,
			"not probed: nginx-1000 over h2"},
		{"probed too little", limit(facts.Limit{Configured: n(1000), ProbedRequests: 999}), run{}, facts.Inconclusive,
			"not probed"},
		{"no cells", newRun(repro), run{}, facts.Inconclusive, "no cell"},
	})
}

func TestTheBudgetIsReadBack(t *testing.T) {
	budget := func(asked, got *float64) run {
		return aRepro().with(func(r *facts.Result) {
			r.Run.CPUs, r.Environment.Servers[0].CPUs, r.Environment.Servers[1].CPUs = asked, got, got
		})
	}
	judgeEach(t, "cpu-budget", []fact{
		{"as asked", aRepro(), run{}, facts.Reproduced, "CPUS=0.5 on all 2 servers"},
		{"none asked, none there", budget(nil, nil), run{}, facts.Reproduced, "CPUS=none"},
		{"asked and not there", budget(new(0.5), nil), run{}, facts.NotReproduced,
			"CPUS=0.5 was requested; unlimited: nginx-1000, backend"},
		{"another", budget(new(0.5), new(1.0)), run{}, facts.NotReproduced, "nginx-1000 has 1"},
		{"there and not asked", budget(nil, new(0.5)), run{}, facts.NotReproduced,
			"CPUS=none was requested; nginx-1000 has 0.5"},
		{"rounded by the kernel", budget(new(0.333), new(0.33)), run{}, facts.Reproduced, "CPUS=0.333"},
		{"no servers", aRepro().with(func(r *facts.Result) { r.Environment.Servers = nil }), run{}, facts.Inconclusive,
			"no server"},
	})
}

func TestAStrainedMachineIsAWarning(t *testing.T) {
	cpu := func(c facts.CPU, more ...func(*facts.Cell)) run {
		return shared(append(more, eachTrial(func(t *facts.Trial) { t.CPU = c }))...)
	}
	judgeEach(t, "machine-trust", []fact{
		{"at ease", aRepro(), run{}, facts.NotReproduced,
			"48 of 48 trials have CPU times, and none was strained"},
		{"k6 out of breath", cpu(facts.CPU{Client: new(4.8)}), run{}, facts.Reproduced, "k6 used a core or more"},
		{"two VUs have two threads", cpu(facts.CPU{Client: new(4.8)}, load(func(w *facts.Workload) { w.Pools = 2 })),
			run{}, facts.NotReproduced, "none was strained"},
		{"all cores busy", cpu(facts.CPU{Client: new(4.0), Proxy: new(20.0), Backend: new(15.0)}), run{},
			facts.Reproduced, "all 8 cores were busy"},
		{"a noisy neighbour", cpu(facts.CPU{Client: new(1.0), Stolen: new(1.1)}), run{}, facts.Reproduced,
			"the hypervisor took"},
		{"bystanders", cpu(facts.CPU{Client: new(1.0), Other: new(1.1)}), run{}, facts.Reproduced, "other programs"},
		{"an outlier is marked", shared(uneven(6500, 6510, 6520, 6500, 6510, 900)), run{}, facts.NotReproduced,
			"marked and kept: nginx-1000.h2.k6-shared-pool (1)"},
		{"not known", aRepro().with(func(r *facts.Result) {
			for i := range r.Cells {
				eachTrial(func(t *facts.Trial) { t.CPU = facts.CPU{} })(&r.Cells[i])
			}
		}), run{}, facts.Inconclusive, "no trial has CPU times"},
	})
}

func TestWhatRanTwiceOrUnansweredIsFound(t *testing.T) {
	backend := func(executed, duplicates int64) run {
		return once(func(c *facts.Cell) {
			b := &c.Trials[1].Backend
			b.Executed, b.Duplicates = new(*b.Executed+executed), new(duplicates)
		})
	}
	status := func(r run) run {
		return r.edit("nginx-1000", facts.H2, facts.GoOnce, func(c *facts.Cell) {
			c.Trials[1].Errors = append(c.Trials[1].Errors,
				facts.Error{Class: facts.ErrHTTPStatus, Count: 3, Message: "502"})
		})
	}
	judgeEach(t, "exactly-once", []fact{
		{"as measured", aRepro(), run{}, facts.NotReproduced,
			"0 requests executed again, 0 executed without an answer, in 8 cells"},
		{"twice", backend(1, 1), run{}, facts.Reproduced,
			"1 request executed again, 0 executed without an answer, in 8 cells: nginx-1000.h2.go-once"},
		{"without an answer", backend(3, 0), run{}, facts.Reproduced, "3 executed without an answer"},
		{"a wrong status is an answer", status(backend(3, 0)), run{}, facts.NotReproduced,
			"0 executed without an answer"},
		{"answered and not counted", backend(-2, 0), run{}, facts.Inconclusive,
			"2 requests answered but not counted"},
		{"not known", once(eachTrial(func(t *facts.Trial) { t.Backend.Duplicates = nil })), run{}, facts.Inconclusive,
			"is not known in nginx-1000.h2.go-once"},
		{"found although one isn't known", backend(1, 1).edit("direct", facts.H1, facts.K6SharedPool,
			eachTrial(func(t *facts.Trial) { t.Backend = facts.BackendDelta{} })), run{}, facts.Reproduced,
			"not known in direct.h1.k6-shared-pool"},
	})
}

func TestNothingFollowsFromACellWhoseClientLackedFiles(t *testing.T) {
	v := factsOf{rps: 1000, accepted: 900, used: 45, expected: 45, lost: 60, proxy: 1}
	other := factsOf{rps: 4000, accepted: 100, used: 100, expected: 100, proxy: 1}
	build := func(changes ...func(*facts.Cell)) run {
		return newRun(repro).
			cell("nginx-1000", facts.H2, facts.GoOnce, v, changes...).
			cell("nginx-1000", facts.H2, facts.K6SharedPool, v, changes...).
			cell("nginx-1000", facts.H1, facts.K6SharedPool, other)
	}
	concluded := 0
	for _, verdict := range Judge(build().Result).Verdicts {
		if r := core.RuleOf(Rules(), verdict.ID); r.Group != core.Trust && verdict.Status == facts.Reproduced {
			concluded++
		}
	}
	if concluded == 0 {
		t.Fatal("nothing follows from a run that lacked nothing")
	}
	starve := eachTrial(func(t *facts.Trial) {
		t.Errors = append(t.Errors, facts.Error{Class: facts.ErrClientResources, Count: 5000,
			Message: "too many open files"})
		t.Failed, t.Attempts = t.Failed+5000, t.Attempts+5000
	})
	said := 0
	for _, verdict := range Judge(build(starve).Result).Verdicts {
		if r := core.RuleOf(Rules(), verdict.ID); r.Group == core.Trust {
			continue
		}
		if verdict.Status != facts.Inconclusive && verdict.Status != facts.Unsupported {
			t.Errorf("%s is %s: %s", verdict.ID, verdict.Status, texts.English.In(verdict.Actual))
		}
		if strings.Contains(texts.English.In(verdict.Actual), "the client's machine had no file") {
			said++
		}
	}
	if said == 0 {
		t.Error("no verdict says why it is inconclusive")
	}
}
