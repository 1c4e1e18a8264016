package runverdicts

import (
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/histogram"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// Facts of an open loop: 2,000 requests a second, far below what the servers can do.
var (
	calm    = factsOf{rps: 2000, proxy: 0.5, cold: 8}
	renewed = factsOf{rps: 2000, accepted: 120, used: 11, expected: 10, proxy: 0.6, cold: 8}
	once9   = factsOf{rps: 1998, accepted: 120, used: 11, expected: 10, lost: 9, proxy: 0.6, cold: 8}
)

// p99s sets each trial's p99.
func p99s(ms ...float64) func(*facts.Cell) {
	return func(c *facts.Cell) {
		for i := range c.Trials {
			c.Trials[i].LatencyMS.P99 = &ms[i%len(ms)]
		}
	}
}

// scheduled makes a cell one of an open loop, whose generator was never late.
func scheduled(c *facts.Cell) {
	c.Workload.RatePerS, c.Workload.Arrivals = 2000, facts.Poisson
	for i := range c.Trials {
		t := &c.Trials[i]
		t.Schedule = &facts.Schedule{Due: t.Attempts, InFlight: 12, LateMS: facts.Latency{P99: new(0.2)}}
	}
}

// lateIn makes the generator late in some trials, counted from 0.
func lateIn(trials ...int) func(*facts.Cell) {
	return func(c *facts.Cell) {
		for _, i := range trials {
			c.Trials[i].Schedule.LateMS.P99 = new(4.5)
		}
	}
}

// openRepro is a repro at a rate that shows the fault; changes are made to HTTP/2 at the low limit.
func openRepro(changes ...func(*facts.Cell)) run {
	r := newRun(repro)
	r.cell("nginx-1000", facts.H1, facts.K6SharedPool, calm, scheduled, p99s(3, 3.1, 3.05, 2.9, 3, 3.02))
	r.cell("nginx-1000", facts.H2, facts.K6SharedPool, renewed,
		append([]func(*facts.Cell){scheduled, p99s(20, 21, 22, 19, 20.5, 21.5)}, changes...)...)
	return r.cell("nginx-1000", facts.H2, facts.GoOnce, once9, scheduled)
}

func openFixed(changes ...func(*facts.Cell)) run {
	r := openRepro()
	r.Run.Command = fixed
	r.cell(highLimit, facts.H2, facts.K6SharedPool, calm,
		append([]func(*facts.Cell){scheduled, p99s(3, 3.1, 3.05, 2.9, 3, 3.02)}, changes...)...)
	return r.cell(highLimit, facts.H2, facts.GoOnce, calm, scheduled).
		cell("envoy", facts.H2, facts.K6SharedPool, calm, scheduled, p99s(3, 3.1, 3.05, 2.9, 3, 3.02)).
		cell("envoy", facts.H2, facts.GoOnce, calm, scheduled)
}

var unsentRequests = eachTrial(func(t *facts.Trial) {
	t.Schedule.NotStarted, t.Schedule.Due = 700, t.Schedule.Due+700
	t.GoodputRPS = 1860
})

func TestTheTailIsComparedWithThatOfHTTP1(t *testing.T) {
	judgeEach(t, "tail-latency", []fact{
		{"slow", openRepro(), run{}, facts.Reproduced, "p99 of h2 20.8 ms against 3.01 ms of h1 at 2,000 requests/s (6.89"},
		{"as fast", openRepro(p99s(3, 3.1, 3.05, 2.9, 3, 3.02)), run{}, facts.NotReproduced,
			"fewer than one request in a hundred met a renewal"},
		{"no stampede", openRepro(become(factsOf{rps: 2000, accepted: 30, used: 12, expected: 10}), scheduled,
			p99s(3, 3.1, 3.05, 2.9, 3, 3.02)), run{}, facts.NotReproduced,
			"at 2,000 requests/s at most 12 were in flight on all pools"},
		{"noise", openRepro(p99s(2, 9, 3, 2.5, 12, 6)), run{}, facts.Inconclusive, "not significant"},
		{"a little slower for certain", openRepro(p99s(3.4, 3.41, 3.42, 3.43, 3.44, 3.45)), run{}, facts.NotReproduced, "1.14"},
		{"one trial, much slower", openRepro().with(firstTrials(1)), run{}, facts.Reproduced, "need >= 6 samples"},
		{"one trial, slower", openRepro(p99s(5)).with(firstTrials(1)), run{}, facts.Inconclusive, "Raise TRIALS"},
		{"no latency", openRepro(eachTrial(func(t *facts.Trial) { t.LatencyMS = facts.Latency{} })), run{}, facts.Inconclusive,
			"cell nginx-1000.h2.k6-shared-pool has too few successful requests for a p99"},
		{"the servers did not keep up", openRepro(unsentRequests), run{}, facts.Reproduced,
			"nginx-1000.h2.k6-shared-pool answered 1,860 of 2,000 requests/s; in cell nginx-1000.h2.k6-shared-pool 4,200 of " +
				"64,"},
		{"without HTTP/1.1", openRepro().drop("nginx-1000", facts.H1, facts.K6SharedPool), run{}, facts.Inconclusive,
			"was not measured"},
	})
}

func TestTheTailIsGoneWhereItIsCured(t *testing.T) {
	judgeEach(t, "tail-latency-"+highLimit, []fact{
		{"cured", openFixed(), run{}, facts.Fixed, "p99 of nginx-1000 20.8 ms against 3.01 ms of nginx-100000"},
		{"as slow, with a stampede", openFixed(become(renewed), scheduled, p99s(20, 21, 22, 19, 20.5, 21.5)), run{},
			facts.Reproduced, "the stampede is still there"},
		{"as slow, without one", openFixed(p99s(20, 21, 22, 19, 20.5, 21.5)), run{}, facts.NotReproduced,
			"there was nothing to cure"},
		{"noise", openFixed(p99s(2, 50, 9, 30, 17, 3)), run{}, facts.Inconclusive, "not significant"},
	})
}

func TestALateGeneratorIsNoServersFault(t *testing.T) {
	judgeEach(t, "schedule-kept", []fact{
		{"kept", openRepro(), run{}, facts.Reproduced, "18 trials, p99 at most 0.20 ms late"},
		{"late once", openRepro(lateIn(2)), run{}, facts.NotReproduced,
			"in 1 of 18 trials the load generator fell behind its schedule, p99 up to 4.50 ms late"},
		{"unsent requests are a result", openRepro(unsentRequests), run{}, facts.Reproduced,
			"the servers did not keep up with the rate"},
		{"unknown", openRepro(eachTrial(func(t *facts.Trial) { t.Schedule = nil })).
			drop("nginx-1000", facts.H1, facts.K6SharedPool).drop("nginx-1000", facts.H2, facts.GoOnce), run{},
			facts.Inconclusive, "no trial says how its generator kept to the schedule"},
	})
	judgeEach(t, "tail-latency", []fact{
		{"two of six are left out", openRepro(p99s(20, 21, 900, 900, 20.5, 21.5), lateIn(2, 3)), run{}, facts.Reproduced,
			"in trial 3, 4 the load generator fell behind its schedule (p99 up to 4.50 ms late); the other trials decide"},
		{"half of them are too many", openRepro(lateIn(0, 1, 2)), run{}, facts.Inconclusive,
			"but cell nginx-1000.h2.k6-shared-pool: in trial 1, 2, 3 the load generator fell behind"},
		{"the only one", openRepro(lateIn(0)).with(firstTrials(1)), run{}, facts.Inconclusive, "Lower RATE"},
	})
	judgeEach(t, "dial-stampede", []fact{
		{"all are late", openRepro(lateIn(0, 1, 2, 3, 4, 5)), run{}, facts.Reproduced, "121 connections"},
		{"another cell's are", openRepro().edit("nginx-1000", facts.H1, facts.K6SharedPool, lateIn(0, 1, 2, 3, 4, 5)), run{},
			facts.Reproduced, "121 connections"},
	})
	judgeEach(t, "exactly-once", []fact{
		{"twice is twice", openRepro(lateIn(0, 1, 2, 3, 4, 5), eachTrial(func(t *facts.Trial) {
			t.Backend.Duplicates, t.Backend.Executed = new(int64(1)), new(*t.Backend.Executed+1)
		})), run{}, facts.Reproduced, "6 requests executed again"},
	})
}

// Goodput in an open loop is the rate, so no verdict may rest on it.
func TestGoodputIsNotComparedInAnOpenLoop(t *testing.T) {
	for _, c := range []struct {
		run  run
		open bool
	}{{openRepro(), true}, {openFixed(), true}, {aRepro(), false}, {aFixed(), false}} {
		for _, v := range Judge(c.run.Result).Verdicts {
			r := core.RuleOf(Rules(), v.ID)
			if open := strings.HasPrefix(v.ID, "tail-latency") || v.ID == "schedule-kept"; open != c.open && r.Loop != "" {
				t.Errorf("%s, open loop %v: there is a verdict %s", c.run.Run.Command, c.open, v.ID)
			}
		}
	}
}

func TestAnOpenLoopsPromiseIsThatOneOfTheFaultsShows(t *testing.T) {
	quiet := openRepro(become(calm), scheduled, p99s(3, 3.1, 3.05, 2.9, 3, 3.02)).
		edit("nginx-1000", facts.H2, facts.GoOnce, become(calm), scheduled)
	quietFixed := openFixed()
	quietFixed.Cells = append(slices.Clone(quiet.Cells), quietFixed.Cells[3:]...)
	for _, c := range []struct {
		name string
		run  run
		says string // empty: kept
	}{
		{"repro", openRepro(), ""},
		{"repro with the tail alone", openRepro(become(factsOf{rps: 2000, accepted: 30, used: 12, expected: 10}), scheduled,
			p99s(20, 21, 22, 19, 20.5, 21.5)).edit("nginx-1000", facts.H2, facts.GoOnce, become(calm), scheduled), ""},
		{"repro with lost requests alone", openRepro(become(calm), scheduled, p99s(3)), ""},
		{"repro without the fault", quiet, "repro promises that one of these verdicts is reproduced, and none is:\n  " +
			"tail-latency is not-reproduced"},
		{"fixed", openFixed(), ""},
		{"fixed without the fault", quietFixed, "proves nothing about its cures"},
		{"fixed with the stampede", openFixed(become(renewed), scheduled), "dial-stampede-nginx-100000 is reproduced"},
	} {
		err := Kept(c.run.Result, Judge(c.run.Result).Verdicts)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := Kept(openRepro().Result, nil); err == nil || !strings.Contains(err.Error(), "dial-stampede: no verdict") {
		t.Errorf("no verdicts at all: %v", err)
	}
}

func TestTheHeadlineOfAnOpenLoopNamesItsP99(t *testing.T) {
	for _, c := range []struct {
		run  run
		want string
	}{
		{openRepro(), "HTTP/2 through nginx-1000 had a p99 of 20.8 ms at 2,000 requests/s (HTTP/1.1: 3.01 ms) and opened 121 " +
			"connections in 5 s where 10 were expected; a client whose body can't be replayed lost 9 requests."},
		{openFixed(), "HTTP/2 through nginx-100000 had a p99 of 3.01 ms at 2,000 requests/s (nginx-1000: 20.8 ms) and opened 0 " +
			"new connections in 5 s where nginx-1000 opened 121; HTTP/2 through envoy had a p99 of 3.01 ms and opened 0 new " +
			"connections; a client whose body can't be replayed lost no request there."},
	} {
		if got := headline(c.run.Result, Judge(c.run.Result).Verdicts); got != c.want {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
	}
}

// The texts name the p99 of all requests; the comparison still asks how far the trials differ.
func TestTheTextsNameTheP99OfAllRequests(t *testing.T) {
	some := func(slow int64) func(*facts.Cell) {
		return func(c *facts.Cell) {
			for i := range c.Trials {
				t, h := &c.Trials[i], histogram.New()
				late := slow
				if i == 0 {
					late *= 40 // one trial with all the slow requests
				}
				for _, n := range [][2]int64{{1000, t.Succeeded - late}, {80000, late}} {
					if err := h.Add(n[0], n[1]); err != nil {
						panic(err)
					}
				}
				t.LatencyMS.P99 = h.AtMS(99)
				t.Histogram, _ = h.Text()
			}
		}
	}
	r := openRepro(some(20))
	v := core.Find(Judge(r.Result).Verdicts, "tail-latency")
	if !strings.Contains(texts.English.In(v.Actual), "p99 of h2 80.1 ms") {
		t.Errorf("five of six trials have a p99 of 1 ms, all requests one of 80 ms: %s", v.Actual)
	}
	if s := Judge(r.Result).Cells[1].Summary; *s.P99MS.Median != 1 || s.MergedMS == nil || s.MergedMS.Samples < 50000 {
		t.Errorf("the summary is %+v", s)
	}
}
