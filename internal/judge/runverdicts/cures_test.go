package runverdicts

import (
	"testing"

	"h2lab/internal/facts"
)

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
	for _, topology := range []string{"nginx-100000", "envoy"} {
		cured := func(v factsOf, more ...func(*facts.Cell)) run {
			return aFixed().edit(topology, facts.H2, facts.GoOnce, append([]func(*facts.Cell){become(v)}, more...)...)
		}
		judgeEach(t, "lost-requests-"+topology, []fact{
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
			{"can't run", aFixed().edit(topology, facts.H2, facts.GoOnce, unsupported), aRepro(), facts.Unsupported,
				"older"},
		})
	}
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
