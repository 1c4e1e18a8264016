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
	judgeEach(t, "dial-stampede", map[string]run{
		"as measured": aRepro(),
		"ten in flight, 9.4 for each": shared(become(factsOf{rps: 4000, accepted: 189, used: 20, expected: 20}),
			load(func(w *facts.Workload) { w.Concurrency = 10 })),
		"two pools, each with a connection begun": shared(become(factsOf{rps: 4000, accepted: 189, used: 4, expected: 1}),
			load(func(w *facts.Workload) { w.Pools = 2 })),
		"a client that dials once": steadyLow(gentle),
		"one request in flight":    shared(become(gentle), load(func(w *facts.Workload) { w.Concurrency = 1 })),
		"a hundred pools of one":   shared(become(gentle), load(func(w *facts.Workload) { w.Pools = 100 })),
		"five in flight": shared(become(factsOf{rps: 4000, accepted: 80, used: 20, expected: 20}),
			load(func(w *facts.Workload) { w.Concurrency = 5 })),
		"the limit is never reached": shared(become(none), load(func(w *facts.Workload) { w.DelayMS = 1000 })),
		"every connection is used":   steadyLow(factsOf{rps: 4000, accepted: 900, used: 900, expected: 20}),
		"used isn't known":           shared(eachTrial(func(t *facts.Trial) { t.Connections.Used = nil })),
		"not measured":               aRepro().drop("nginx-1000", facts.H2, facts.K6SharedPool),
		"no trial yet":               shared(func(c *facts.Cell) { c.Trials = nil }),
		"can't run":                  shared(unsupported),
		"one quick trial": aRepro().with(func(r *facts.Result) {
			r.Run.Quick = true
			for i := range r.Cells {
				r.Cells[i].Trials = r.Cells[i].Trials[:1]
			}
		}),
		"some trials are mild": shared(func(c *facts.Cell) { c.Trials[0].Connections.Accepted = new(int64(40)) }),
	})
}

func TestALowerLimitHasItsOwnName(t *testing.T) {
	r := newRun(repro).with(func(r *facts.Result) { r.Run.Limit = 100 }).cell("nginx-100", facts.H2, facts.K6SharedPool,
		factsOf{rps: 3000, accepted: 6000, used: 152, expected: 150})
	judgeEach(t, "dial-stampede", map[string]run{
		"LIMIT=100": r,
	})
}

func high(topology string, changes ...func(*facts.Cell)) run {
	return aFixed().edit(topology, facts.H2, facts.K6SharedPool, changes...)
}

func TestTheStampedeIsGoneWhereItIsCured(t *testing.T) {
	one := func(changed factsOf) func(*facts.Cell) { return func(c *facts.Cell) { c.Trials[2] = changed.trial(3) } }
	passed := factsOf{rps: 15300, accepted: 61, used: 1, expected: 1, cold: 90}
	judgeEach(t, "dial-stampede-"+highLimit, map[string]run{
		"as measured": aFixed().beside(aRepro()),
		"five are within the allowance": high(highLimit, become(factsOf{rps: 15300, accepted: 5, used: 5})).
			beside(aRepro()),
		"six are not":                             high(highLimit, become(factsOf{rps: 15300, accepted: 6, used: 6})).beside(aRepro()),
		"one trial passed the high limit":         high(highLimit, one(passed)).beside(aRepro()),
		"every trial passed it":                   high(highLimit, become(passed)).beside(aRepro()),
		"one trial was restless":                  high(highLimit, one(factsOf{rps: 15300, accepted: 9})).beside(aRepro()),
		"as many for a request as before":         high(highLimit, become(slow)).beside(aRepro()),
		"a large cold start":                      high(highLimit, become(factsOf{rps: 15300, cold: 301})).beside(aRepro()),
		"nothing to cure":                         aFixed().beside(steadyLow(factsOf{rps: 15000, accepted: 76, used: 76, expected: 75})),
		"nothing broken beside it":                aFixed(),
		"a stampede and nothing broken beside it": high(highLimit, become(passed)),
		"a stampede that the low limit hasn't": high(highLimit, become(passed)).
			beside(steadyLow(factsOf{rps: 15000, accepted: 76, used: 76, expected: 75})),
		"accepted isn't known": high(highLimit, eachTrial(func(t *facts.Trial) { t.Connections.Accepted = nil })).
			beside(aRepro()),
		"can't run": high(highLimit, unsupported).beside(aRepro()),
	})
}

func TestTheUsualScriptHidesTheStampede(t *testing.T) {
	usual := func(v factsOf) run { return aRepro().edit("nginx-1000", facts.H2, facts.K6ConnectionPerVU, become(v)) }
	judgeEach(t, "hidden-by-connection-per-vu", map[string]run{
		"as measured":     aRepro(),
		"it opens none":   usual(factsOf{rps: 12000}),
		"it wastes too":   usual(factsOf{rps: 12000, accepted: 400, used: 100}),
		"nothing to hide": steadyLow(factsOf{rps: 15000, accepted: 76, used: 76, expected: 75}),
		"not measured":    aRepro().drop("nginx-1000", facts.H2, facts.K6ConnectionPerVU),
	})
}

func TestK6MissesItsOwnDials(t *testing.T) {
	reports := func(n *int64) run {
		return shared(eachTrial(func(t *facts.Trial) { t.Connections.ClientReported = n }))
	}
	judgeEach(t, "client-undercount", map[string]run{
		"as measured":        aRepro(),
		"it counts most":     reports(new(int64(2800))),
		"it says nothing":    reports(nil),
		"nothing was opened": steadyLow(factsOf{rps: 100}),
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
	judgeEach(t, "throughput-drop", map[string]run{
		"as measured":           aRepro(),
		"no CPU limit hides it": shared(become(stampeding)).with(noLimit),
		"ECDSA hides it":        shared(become(stampeding)).with(func(r *facts.Result) { r.Run.Key = "ecdsa" }),
		"resumption hides it": shared(become(stampeding),
			eachTrial(func(t *facts.Trial) { t.TLS.Resumed = new(int64(9)) })),
		"few cores hide it":            shared(become(stampeding)).with(func(r *facts.Result) { r.Environment.Cores = 2 }),
		"nothing hides it":             shared(become(stampeding)),
		"no stampede, no drop":         steadyLow(factsOf{rps: 15300, accepted: 76, used: 76, expected: 75}),
		"noise":                        shared(uneven(9000, 21000, 12000, 16000, 8000, 14000)),
		"a little slower for certain":  shared(uneven(14600, 14650, 14700, 14710, 14720, 14750)),
		"one trial, far below":         aRepro().with(firstTrials(1)),
		"one trial, a little below":    shared(uneven(13500, 0, 0, 0, 0, 0)).with(firstTrials(1)),
		"h1 has no successful request": aRepro().edit("nginx-1000", facts.H1, facts.K6SharedPool, uneven(0, 0, 0, 0, 0, 0)),
		"h1 wasn't measured":           aRepro().drop("nginx-1000", facts.H1, facts.K6SharedPool),
	})
}

func TestTheThroughputIsBack(t *testing.T) {
	judgeEach(t, "throughput-drop-"+highLimit, map[string]run{
		"as measured":              aFixed().beside(aRepro()),
		"set beside the drop":      aFixed().beside(aRepro()),
		"as slow as before":        high(highLimit, become(slow)).beside(aRepro()),
		"slow without a stampede":  high(highLimit, become(factsOf{rps: 9000})).beside(aRepro()),
		"noise":                    high(highLimit, uneven(9000, 21000, 12000, 16000, 8000, 14000)).beside(aRepro()),
		"no drop before":           aFixed().beside(steadyLow(fast)),
		"nothing broken beside it": aFixed(),
	})
}

func TestTheProxyPaysForHandshakes(t *testing.T) {
	cpu := func(s *float64) run { return shared(eachTrial(func(t *facts.Trial) { t.CPU.Proxy = s })) }
	cheap := slow
	cheap.proxy = fast.proxy * slow.rps / fast.rps
	judgeEach(t, "handshake-cost", map[string]run{
		"as measured":              aFixed().beside(aRepro()),
		"a bill for each":          aFixed().beside(aRepro()),
		"no dearer":                aFixed().beside(shared(become(cheap))),
		"not known":                aFixed().beside(cpu(nil)),
		"too few trials":           aFixed().with(firstTrials(1)).beside(aRepro().with(firstTrials(1))),
		"nothing broken beside it": aFixed(),
	})
}

func once(changes ...func(*facts.Cell)) run {
	return aRepro().edit("nginx-1000", facts.H2, facts.GoOnce, changes...)
}

func TestLostRequestsAreSeenWithTheirMessage(t *testing.T) {
	judgeEach(t, "lost-requests", map[string]run{
		"as measured":         aRepro(),
		"fewer than renewals": once(become(factsOf{rps: 600, lost: 3, expected: 30})),
		"none, never renewed": once(become(factsOf{rps: 100})),
		"none, one at a time": once(become(factsOf{rps: 6000, expected: 30}),
			load(func(w *facts.Workload) { w.Concurrency = 1 })),
		"none, no body": once(become(factsOf{rps: 6000, expected: 30}),
			load(func(w *facts.Workload) { w.BodyBytes = 0 })),
		"none, and a client that sends again": once(become(factsOf{rps: 6000, expected: 30})),
		"other failures don't count": once(become(factsOf{rps: 6000, expected: 30}), eachTrial(func(t *facts.Trial) {
			t.Failed, t.Errors = 2, []facts.Error{{Class: facts.ErrTimeout, Count: 2, Message: "timeout"}}
		})),
		"renewals aren't known": once(eachTrial(func(t *facts.Trial) { t.Connections.Expected = nil })),
		"not measured":          aRepro().drop("nginx-1000", facts.H2, facts.GoOnce),
	})
}

func TestNothingIsLostWhereItIsCured(t *testing.T) {
	passed := factsOf{rps: 17000, lost: 60, expected: 1, accepted: 70, used: 1}
	cured := func(v factsOf, more ...func(*facts.Cell)) run {
		return aFixed().edit(highLimit, facts.H2, facts.GoOnce, append([]func(*facts.Cell){become(v)}, more...)...)
	}
	judgeEach(t, "lost-requests-"+highLimit, map[string]run{
		"as measured":                    aFixed().beside(aRepro()),
		"the high limit was passed":      cured(passed).beside(aRepro()),
		"more than a batch at a renewal": cured(factsOf{rps: 17000, lost: 101, expected: 1}).beside(aRepro()),
		"one without a renewal":          cured(factsOf{rps: 17000, lost: 1}).beside(aRepro()),
		"other failures are named": cured(factsOf{rps: 17000}, eachTrial(func(t *facts.Trial) { t.Failed = 1 })).
			beside(aRepro()),
		"nothing to cure":                     aFixed().beside(once(become(factsOf{rps: 100}))),
		"nothing broken beside it":            aFixed(),
		"a loss and nothing broken beside it": cured(passed),
		"a loss that the low limit hasn't":    cured(passed).beside(once(become(factsOf{rps: 100}))),
		"as often as before":                  cured(loser).beside(aRepro()),
		"can't run":                           aFixed().edit(highLimit, facts.H2, facts.GoOnce, unsupported).beside(aRepro()),
	})
}

func TestOneDialAtATimeCures(t *testing.T) {
	cure := func(v factsOf) run { return aFixed().edit("nginx-1000", facts.H2, facts.GoSingleDial, become(v)) }
	bare := func(v factsOf) run { return aFixed().edit("nginx-1000", facts.H2, facts.GoReplayable, become(v)) }
	judgeEach(t, "single-dial-cures", map[string]run{
		"as measured":            aFixed().beside(aRepro()),
		"ten percent more":       cure(factsOf{rps: 15200, accepted: 83, used: 83, expected: 76}).beside(aRepro()),
		"more than that":         cure(factsOf{rps: 15200, accepted: 90, used: 84, expected: 76}).beside(aRepro()),
		"two more of a few":      cure(factsOf{rps: 1000, accepted: 6, used: 6, expected: 4}).beside(aRepro()),
		"fewer than possible":    cure(factsOf{rps: 15200, accepted: 40, used: 40, expected: 76}).beside(aRepro()),
		"never renewed":          cure(factsOf{rps: 100, accepted: 3}).beside(aRepro()),
		"no stampede without it": bare(factsOf{rps: 15000, accepted: 76, used: 76, expected: 75}).beside(aRepro()),
		"set beside k6":          aFixed().drop("nginx-1000", facts.H2, facts.GoReplayable).beside(aRepro()),
		"set beside nothing":     aFixed().drop("nginx-1000", facts.H2, facts.GoReplayable),
	})
}

func TestBodiesThatCanBeSentAgainCure(t *testing.T) {
	again := func(v factsOf, more ...func(*facts.Cell)) run {
		return aFixed().edit("nginx-1000", facts.H2, facts.GoReplayable,
			append([]func(*facts.Cell){become(v)}, more...)...)
	}
	judgeEach(t, "replayable-cures", map[string]run{
		"as measured":              aFixed().beside(aRepro()),
		"it loses too":             again(loser).beside(aRepro()),
		"it fails otherwise":       again(slow, eachTrial(func(t *facts.Trial) { t.Failed = 1 })).beside(aRepro()),
		"nothing was lost before":  aFixed().beside(once(become(factsOf{rps: 6000, expected: 30}))),
		"nothing broken beside it": aFixed(),
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
	judgeEach(t, "envoy-two-stage", map[string]run{
		"as measured":   two(stampede, stampede),
		"both":          two(stampede, lossy),
		"loss alone":    two(steady, lossy),
		"neither":       two(steady, steady),
		"never renewed": two(factsOf{rps: 100}, factsOf{rps: 100}),
		"not measured":  newRun(matrix),
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
	judgeEach(t, "limit-in-effect", map[string]run{
		"as named":          aRepro(),
		"lower":             limit(facts.Limit{Configured: n(1000), Effective: n(100), ProbedRequests: 101}),
		"limit not reached": limit(facts.Limit{Configured: n(1000), ProbedRequests: 1100}),
		"an unexpected one": unlimited(facts.Limit{Effective: n(1000), ProbedRequests: 1001}),
		"a drain serves what is in flight": limit(facts.Limit{Configured: n(1000), Effective: n(1100), ProbedRequests: 1100,
			Closing: "goaway-two-stage"}),
		"a drain serves no more than that": limit(facts.Limit{Configured: n(1000), Effective: n(1101), ProbedRequests: 1101,
			Closing: "goaway-two-stage"}),
		"one stage is exact": limit(facts.Limit{Configured: n(1000), Effective: n(1001), ProbedRequests: 1001,
			Closing: "goaway"}),
		"not probed":        limit(facts.Limit{Configured: n(1000)}),
		"probed too little": limit(facts.Limit{Configured: n(1000), ProbedRequests: 999}),
		"no cells":          newRun(repro),
	})
}

func TestTheBudgetIsReadBack(t *testing.T) {
	budget := func(asked, got *float64) run {
		return aRepro().with(func(r *facts.Result) {
			r.Run.CPUs, r.Environment.Servers[0].CPUs, r.Environment.Servers[1].CPUs = asked, got, got
		})
	}
	judgeEach(t, "cpu-budget", map[string]run{
		"as asked":               aRepro(),
		"none asked, none there": budget(nil, nil),
		"asked and not there":    budget(new(0.5), nil),
		"another":                budget(new(0.5), new(1.0)),
		"there and not asked":    budget(nil, new(0.5)),
		"rounded by the kernel":  budget(new(0.333), new(0.33)),
		"no servers":             aRepro().with(func(r *facts.Result) { r.Environment.Servers = nil }),
	})
}

func TestAStrainedMachineIsAWarning(t *testing.T) {
	cpu := func(c facts.CPU, more ...func(*facts.Cell)) run {
		return shared(append(more, eachTrial(func(t *facts.Trial) { t.CPU = c }))...)
	}
	judgeEach(t, "machine-trust", map[string]run{
		"at ease":                  aRepro(),
		"k6 out of breath":         cpu(facts.CPU{Client: new(4.8)}),
		"two VUs have two threads": cpu(facts.CPU{Client: new(4.8)}, load(func(w *facts.Workload) { w.Pools = 2 })),
		"all cores busy":           cpu(facts.CPU{Client: new(4.0), Proxy: new(20.0), Backend: new(15.0)}),
		"a noisy neighbour":        cpu(facts.CPU{Client: new(1.0), Stolen: new(1.1)}),
		"bystanders":               cpu(facts.CPU{Client: new(1.0), Other: new(1.1)}),
		"an outlier is marked":     shared(uneven(6500, 6510, 6520, 6500, 6510, 900)),
		"not known": aRepro().with(func(r *facts.Result) {
			for i := range r.Cells {
				eachTrial(func(t *facts.Trial) { t.CPU = facts.CPU{} })(&r.Cells[i])
			}
		}),
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
	judgeEach(t, "exactly-once", map[string]run{
		"as measured":                 aRepro(),
		"twice":                       backend(1, 1),
		"without an answer":           backend(3, 0),
		"a wrong status is an answer": status(backend(3, 0)),
		"answered and not counted":    backend(-2, 0),
		"not known":                   once(eachTrial(func(t *facts.Trial) { t.Backend.Duplicates = nil })),
		"found although one isn't known": backend(1, 1).edit("direct", facts.H1, facts.K6SharedPool,
			eachTrial(func(t *facts.Trial) { t.Backend = facts.BackendDelta{} })),
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
