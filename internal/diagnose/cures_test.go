package diagnose

import (
	"testing"

	"h2lab/internal/lab"
)

func once(changes ...func(*lab.Cell)) run {
	return aRepro().edit("nginx-1000", lab.H2, lab.GoOnce, changes...)
}

func TestLostRequestsAreSeenWithTheirMessage(t *testing.T) {
	judgeEach(t, "lost-requests", []fact{
		{"as measured", aRepro(), run{}, lab.Reproduced, "9,030 requests lost in 6 × 5 s with 192 renewals, 47.0 each; \"http2: Transport: cannot retry err"},
		{"fewer than renewals", once(become(factsOf{rps: 600, lost: 3, expected: 30})), run{}, lab.Reproduced, "fewer requests were lost (18) than connections renewed (180)"},
		{"none, never renewed", once(become(factsOf{rps: 100})), run{}, lab.NotReproduced, "raise DURATION"[1:]},
		{"none, one at a time", once(become(factsOf{rps: 6000, expected: 30}), load(func(w *lab.Workload) { w.Concurrency = 1 })), run{}, lab.NotReproduced, "one request in flight"},
		{"none, no body", once(become(factsOf{rps: 6000, expected: 30}), load(func(w *lab.Workload) { w.BodyBytes = 0 })), run{}, lab.NotReproduced, "METHOD=POST BODY=1"},
		{"none, and a client that sends again", once(become(factsOf{rps: 6000, expected: 30})), run{}, lab.NotReproduced, "seems to send bodies again"},
		{"other failures don't count", once(become(factsOf{rps: 6000, expected: 30}), eachTrial(func(t *lab.Trial) {
			t.Failed, t.Errors = 2, []lab.Error{{Class: lab.ErrTimeout, Count: 2, Message: "timeout"}}
		})), run{}, lab.NotReproduced, "12 failures for other reasons"},
		{"renewals aren't known", once(eachTrial(func(t *lab.Trial) { t.Connections.Expected = nil })), run{}, lab.Reproduced, "is not known"},
		{"not measured", aRepro().drop("nginx-1000", lab.H2, lab.GoOnce), run{}, lab.Inconclusive, "go-once was not measured"},
	})
}

func TestNothingIsLostWhereItIsCured(t *testing.T) {
	passed := factsOf{rps: 17000, lost: 60, expected: 1, accepted: 70, used: 1}
	for _, topology := range []string{"nginx-100000", "envoy"} {
		cured := func(v factsOf, more ...func(*lab.Cell)) run {
			return aFixed().edit(topology, lab.H2, lab.GoOnce, append([]func(*lab.Cell){become(v)}, more...)...)
		}
		judgeEach(t, "lost-requests-"+topology, []fact{
			{"as measured", aFixed(), aRepro(), lab.Fixed, "0 requests lost in 6 × 5 s with 0 renewals; nginx-1000 had 9,030 requests lost"},
			{"the high limit was passed", cured(passed), aRepro(), lab.Fixed, "the limit was passed: 360 lost requests at 6 renewals"},
			{"more than a batch at a renewal", cured(factsOf{rps: 17000, lost: 101, expected: 1}), aRepro(), lab.Reproduced, "limit in effect"},
			{"one without a renewal", cured(factsOf{rps: 17000, lost: 1}), aRepro(), lab.Reproduced, "limit in effect"},
			{"other failures are named", cured(factsOf{rps: 17000}, eachTrial(func(t *lab.Trial) { t.Failed = 1 })), aRepro(), lab.Fixed, "6 failures had other reasons"},
			{"nothing to cure", aFixed(), once(become(factsOf{rps: 100})), lab.NotReproduced, "no loss to cure"},
			{"no baseline", aFixed(), run{}, lab.Fixed, "nothing to compare with"},
			{"a loss and no baseline", cured(passed), run{}, lab.Reproduced, "limit in effect"},
			{"a loss that the baseline hasn't", cured(passed), once(become(factsOf{rps: 100})), lab.Reproduced, "limit in effect"},
			{"as often as before", cured(loser), aRepro(), lab.Reproduced, "limit in effect"},
			{"can't run", aFixed().edit(topology, lab.H2, lab.GoOnce, unsupported), aRepro(), lab.Unsupported, "older"},
		})
	}
}

func TestOneDialAtATimeCures(t *testing.T) {
	cure := func(v factsOf) run { return aFixed().edit("nginx-1000", lab.H2, lab.GoSingleDial, become(v)) }
	bare := func(v factsOf) run { return aFixed().edit("nginx-1000", lab.H2, lab.GoReplayable, become(v)) }
	judgeEach(t, "single-dial-cures", []fact{
		{"as measured", aFixed(), aRepro(), lab.Fixed, "77 connections accepted in 5 s where 76 were needed"},
		{"ten percent more", cure(factsOf{rps: 15200, accepted: 83, used: 83, expected: 76}), aRepro(), lab.Fixed, "go-replayable: 2,894"},
		{"more than that", cure(factsOf{rps: 15200, accepted: 90, used: 84, expected: 76}), aRepro(), lab.Reproduced, "dialled again"},
		{"two more of a few", cure(factsOf{rps: 1000, accepted: 6, used: 6, expected: 4}), aRepro(), lab.Fixed, "6 connections"},
		{"fewer than possible", cure(factsOf{rps: 15200, accepted: 40, used: 40, expected: 76}), aRepro(), lab.Inconclusive, "limit-in-effect"},
		{"never renewed", cure(factsOf{rps: 100, accepted: 3}), aRepro(), lab.NotReproduced, "nothing was there to cure"},
		{"no stampede without it", bare(factsOf{rps: 15000, accepted: 76, used: 76, expected: 75}), aRepro(), lab.NotReproduced, "nothing was there to cure"},
		{"set beside k6", aFixed().drop("nginx-1000", lab.H2, lab.GoReplayable), aRepro(), lab.Fixed, "k6-shared-pool: 2,894"},
		{"set beside nothing", aFixed().drop("nginx-1000", lab.H2, lab.GoReplayable), run{}, lab.Fixed, "nothing to compare with"},
	})
}

func TestBodiesThatCanBeSentAgainCure(t *testing.T) {
	again := func(v factsOf, more ...func(*lab.Cell)) run {
		return aFixed().edit("nginx-1000", lab.H2, lab.GoReplayable, append([]func(*lab.Cell){become(v)}, more...)...)
	}
	judgeEach(t, "replayable-cures", []fact{
		{"as measured", aFixed(), aRepro(), lab.Fixed, "go-replayable: 0 requests lost in 6 × 5 s with 192 renewals; go-once: 9,030 requests lost"},
		{"it loses too", again(loser), aRepro(), lab.Reproduced, "could not be had again"},
		{"it fails otherwise", again(slow, eachTrial(func(t *lab.Trial) { t.Failed = 1 })), aRepro(), lab.Inconclusive, "other failures"},
		{"nothing was lost before", aFixed(), once(become(factsOf{rps: 6000, expected: 30})), lab.NotReproduced, "nothing was there to cure"},
		{"no baseline", aFixed(), run{}, lab.Inconclusive, "go-once was not measured"},
	})
}

func TestEnvoysTwoStagesAreJudgedByWhatTheySpare(t *testing.T) {
	two := func(k6, goOnce factsOf) run {
		return newRun(matrix).cell("envoy-1000", lab.H2, lab.K6SharedPool, k6).cell("envoy-1000", lab.H2, lab.GoOnce, goOnce)
	}
	stampede := factsOf{rps: 8300, accepted: 2033, used: 66, expected: 66}
	calm := factsOf{rps: 8300, accepted: 66, used: 66, expected: 66}
	lossy := factsOf{rps: 8300, accepted: 66, used: 66, expected: 66, lost: 10}
	judgeEach(t, "envoy-two-stage", []fact{
		{"as measured", two(stampede, stampede), run{}, lab.Reproduced, "no request is lost, but the stampede remains"},
		{"both", two(stampede, lossy), run{}, lab.Reproduced, "both"},
		{"loss alone", two(calm, lossy), run{}, lab.Reproduced, "requests are lost"},
		{"neither", two(calm, calm), run{}, lab.NotReproduced, "gently"},
		{"never renewed", two(factsOf{rps: 100}, factsOf{rps: 100}), run{}, lab.NotReproduced, "no connection was used up"},
		{"not measured", newRun(matrix), run{}, lab.Inconclusive, "envoy-1000.h2.k6-shared-pool was not measured"},
	})
}
