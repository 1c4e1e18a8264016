package core

import (
	"testing"

	"h2lab/internal/base/histogram"
	"h2lab/internal/facts"
)

// taking is a trial of n requests that took ms each.
func taking(t *testing.T, ms float64, n int64) facts.Trial {
	t.Helper()
	h := histogram.New()
	if err := h.Add(int64(ms*1000), n); err != nil {
		t.Fatal(err)
	}
	text, err := h.Text()
	if err != nil {
		t.Fatal(err)
	}
	return facts.Trial{Succeeded: n, Histogram: text, GoodputRPS: ms, LatencyMS: facts.Latency{P50: h.AtMS(50),
		P90: h.AtMS(90), P95: h.AtMS(95), P99: h.AtMS(99), P999: h.AtMS(99.9)}}
}

func TestAPercentileIsThatOfAllRequestsAndOtherNumbersAreMedians(t *testing.T) {
	c := facts.Cell{Trials: []facts.Trial{taking(t, 1, 100), taking(t, 2, 100), taking(t, 64, 5000)}}
	for name, of := range map[string]func(facts.Trial) *float64{
		"p50": func(t facts.Trial) *float64 { return t.LatencyMS.P50 },
		"p90": func(t facts.Trial) *float64 { return t.LatencyMS.P90 },
		"p95": func(t facts.Trial) *float64 { return t.LatencyMS.P95 },
		"p99": P99, "p99.9": func(t facts.Trial) *float64 { return t.LatencyMS.P999 },
	} {
		if got := Middle(&c, of); got == nil || *got < 63.9 || *got > 64.1 {
			t.Errorf("%s of requests of which nearly all took 64 ms is %v", name, got)
		}
	}
	if got := *Middle(&c, Goodput); got != 2 {
		t.Errorf("the median goodput is %v", got)
	}
	c.Trials[0].Histogram = ""
	if got := *Middle(&c, P99); got < 1.9 || got > 2.1 {
		t.Errorf("without one trial's histogram the median of the p99s is %v", got)
	}
	if Middle(nil, P99) != nil || Middle(&facts.Cell{}, P99) != nil || Pooled(&facts.Cell{}, P99) != nil {
		t.Error("a cell without trials has a p99")
	}
}

func TestATrialWithoutASuccessHasNoLatencyAndNeedsNoHistogram(t *testing.T) {
	c := facts.Cell{Trials: []facts.Trial{taking(t, 5, 200), {Index: 2, Failed: 9}}}
	if h, err := Latencies(&c); err != nil || h.Samples() != 200 {
		t.Errorf("%v", err)
	}
	if _, err := Latencies(&facts.Cell{Trials: []facts.Trial{{Failed: 9}}}); err == nil {
		t.Error("no success gave latencies")
	}
}

func TestALateTrialIsLeftOutOfEveryNumber(t *testing.T) {
	late := taking(t, 900, 200)
	late.Schedule = &facts.Schedule{LateMS: facts.Latency{P99: new(2.0)}}
	c := facts.Cell{Trials: []facts.Trial{taking(t, 1, 200), late, taking(t, 1, 200), taking(t, 1, 200), taking(t, 2, 200),
		taking(t, 1, 200)}}
	s := Summarise(&c)
	if s.GoodputRPS.N != 5 || *s.P99MS.Median > 2 || s.MergedMS.Samples != 1000 || *s.MergedMS.Max > 2.1 {
		t.Errorf("%+v", s)
	}
	if len(s.Late) != 1 || s.Late[0] != 1 || len(s.Outliers) != 1 || s.Outliers[0] != 4 {
		t.Errorf("late %v, outliers %v: positions among all trials", s.Late, s.Outliers)
	}
	for i := range c.Trials {
		c.Trials[i].Schedule = late.Schedule
	}
	if s := Summarise(&c); s.GoodputRPS.N != 6 || len(s.Late) != 6 || len(s.Outliers) == 0 {
		t.Errorf("where all are late there is no other number: %+v", s)
	}
}
