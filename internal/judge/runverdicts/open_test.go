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
	judgeEach(t, "tail-latency", map[string]run{
		"slow":    openRepro(),
		"as fast": openRepro(p99s(3, 3.1, 3.05, 2.9, 3, 3.02)),
		"no stampede": openRepro(become(factsOf{rps: 2000, accepted: 30, used: 12, expected: 10}), scheduled,
			p99s(3, 3.1, 3.05, 2.9, 3, 3.02)),
		"noise":                       openRepro(p99s(2, 9, 3, 2.5, 12, 6)),
		"a little slower for certain": openRepro(p99s(3.4, 3.41, 3.42, 3.43, 3.44, 3.45)),
		"one trial, much slower":      openRepro().with(firstTrials(1)),
		"one trial, slower":           openRepro(p99s(5)).with(firstTrials(1)),
		"no latency":                  openRepro(eachTrial(func(t *facts.Trial) { t.LatencyMS = facts.Latency{} })),
		"the servers did not keep up": openRepro(unsentRequests),
		"without HTTP/1.1":            openRepro().drop("nginx-1000", facts.H1, facts.K6SharedPool),
	})
}

func TestTheTailIsGoneWhereItIsCured(t *testing.T) {
	judgeEach(t, "tail-latency-"+highLimit, map[string]run{
		"cured":                    openFixed(),
		"as slow, with a stampede": openFixed(become(renewed), scheduled, p99s(20, 21, 22, 19, 20.5, 21.5)),
		"as slow, without one":     openFixed(p99s(20, 21, 22, 19, 20.5, 21.5)),
		"noise":                    openFixed(p99s(2, 50, 9, 30, 17, 3)),
	})
}

func TestALateGeneratorIsNoServersFault(t *testing.T) {
	judgeEach(t, "schedule-kept", map[string]run{
		"kept":                         openRepro(),
		"late once":                    openRepro(lateIn(2)),
		"unsent requests are a result": openRepro(unsentRequests),
		"unknown": openRepro(eachTrial(func(t *facts.Trial) { t.Schedule = nil })).
			drop("nginx-1000", facts.H1, facts.K6SharedPool).drop("nginx-1000", facts.H2, facts.GoOnce),
	})
	judgeEach(t, "tail-latency", map[string]run{
		"two of six are left out":   openRepro(p99s(20, 21, 900, 900, 20.5, 21.5), lateIn(2, 3)),
		"half of them are too many": openRepro(lateIn(0, 1, 2)),
		"the only one":              openRepro(lateIn(0)).with(firstTrials(1)),
	})
	judgeEach(t, "dial-stampede", map[string]run{
		"all are late":       openRepro(lateIn(0, 1, 2, 3, 4, 5)),
		"another cell's are": openRepro().edit("nginx-1000", facts.H1, facts.K6SharedPool, lateIn(0, 1, 2, 3, 4, 5)),
	})
	judgeEach(t, "exactly-once", map[string]run{
		"twice is twice": openRepro(lateIn(0, 1, 2, 3, 4, 5), eachTrial(func(t *facts.Trial) {
			t.Backend.Duplicates, t.Backend.Executed = new(int64(1)), new(*t.Backend.Executed+1)
		})),
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

// An open loop promises that one of the faults shows.
func TestHeadlinesAndPromisesOfAnOpenLoop(t *testing.T) {
	quiet := openRepro(become(calm), scheduled, p99s(3, 3.1, 3.05, 2.9, 3, 3.02)).
		edit("nginx-1000", facts.H2, facts.GoOnce, become(calm), scheduled)
	quietFixed := openFixed()
	quietFixed.Cells = append(slices.Clone(quiet.Cells), quietFixed.Cells[3:]...)
	sayEach(t, map[string]run{
		"repro": openRepro(),
		"repro with the tail alone": openRepro(become(factsOf{rps: 2000, accepted: 30, used: 12, expected: 10}), scheduled,
			p99s(20, 21, 22, 19, 20.5, 21.5)).edit("nginx-1000", facts.H2, facts.GoOnce, become(calm), scheduled),
		"repro with lost requests alone": openRepro(become(calm), scheduled, p99s(3)),
		"repro without the fault":        quiet,
		"fixed":                          openFixed(),
		"fixed without the fault":        quietFixed,
		"fixed with the stampede":        openFixed(become(renewed), scheduled),
	})
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
