package core

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"h2lab/internal/base/histogram"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// wobbling is a trial whose counts differ a little from those of the others.
func wobbling(factor float64) facts.Trial {
	succeeded := int64(32500 * factor)
	return facts.Trial{ElapsedS: 5, Succeeded: succeeded, Failed: 1505, Attempts: succeeded + 1505,
		GoodputRPS: float64(succeeded) / 5, LatencyMS: facts.Latency{P50: new(8.0), P99: new(20.0)},
		Connections: facts.Connections{Accepted: new(int64(2880 * factor)), Used: new(int64(33)), Expected: new(int64(32))},
		ColdStart:   facts.ColdStart{Accepted: new(int64(99))},
		Backend:     facts.BackendDelta{Duplicates: new(int64(0))}, CPU: facts.CPU{Proxy: new(2.5 * factor)}}
}

func TestACellIsSummarisedFromItsTrials(t *testing.T) {
	c := facts.Cell{}
	for i := 1; i <= 6; i++ {
		c.Trials = append(c.Trials, wobbling(1+0.01*float64(i-3)))
	}
	s := Summarise(&c)
	for name, got := range map[string]struct {
		e            facts.Estimate
		want, lo, hi float64
	}{
		"goodput":    {s.GoodputRPS, 6532.5, 6370, 6695},
		"p50":        {s.P50MS, 8, 8, 8},
		"p99":        {s.P99MS, 20, 20, 20},
		"accepted":   {s.Accepted, 2894, 2822, 2966},
		"used":       {s.Used, 33, 33, 33},
		"expected":   {s.Expected, 32, 32, 32},
		"cold":       {s.ColdAccepted, 99, 99, 99},
		"failed":     {s.Failed, 1505, 1505, 1505},
		"duplicates": {s.Duplicates, 0, 0, 0},
		"proxy":      {s.ProxyCPUMSPerRequest, 2500.0 / 32500, 2500.0 / 32500, 2500.0 / 32500},
	} {
		if got.e.N != 6 || math.Abs(*got.e.Median-got.want) > 1 || math.Abs(*got.e.Lo-got.lo) > 1 ||
			math.Abs(*got.e.Hi-got.hi) > 1 || len(got.e.Warnings) > 0 {
			t.Errorf("%s is %v [%v, %v] of %d, %q", name, *got.e.Median, *got.e.Lo, *got.e.Hi, got.e.N, got.e.Warnings)
		}
	}
	if math.Abs(*s.ProxyCPUMSPerRequest.Median-0.0769) > 0.001 {
		t.Errorf("a request costs the proxy %v ms", *s.ProxyCPUMSPerRequest.Median)
	}
	if s.Waste == nil || math.Abs(*s.Waste-(1-33.0/2894)) > 0.001 || len(s.Outliers) != 0 || s.Outliers == nil {
		t.Errorf("waste %v, outliers %v", *s.Waste, s.Outliers)
	}
}

func TestWhatATrialDoesNotKnowIsNotZero(t *testing.T) {
	c := facts.Cell{Trials: []facts.Trial{{GoodputRPS: 5},
		{GoodputRPS: 5, Connections: facts.Connections{Accepted: new(int64(4))}}}}
	s := Summarise(&c)
	if s.Used.Median != nil || s.Used.N != 0 || s.ProxyCPUMSPerRequest.Median != nil || s.Waste != nil {
		t.Errorf("unknown values became %+v", s)
	}
	if *s.Accepted.Median != 4 || !strings.Contains(texts.English.In(facts.Join("join.semicolon", s.Accepted.Warnings...)),
		"1 of 2 trials don't know this value") {
		t.Errorf("accepted is %+v", s.Accepted)
	}
	if s.GoodputRPS.Lo != nil || !strings.Contains(texts.English.In(s.GoodputRPS.Warnings[0]), "need >= 6 samples") {
		t.Errorf("two trials gave the interval %+v", s.GoodputRPS)
	}
	if data, err := json.Marshal(Summarise(&facts.Cell{})); err != nil ||
		strings.Contains(string(data), `"warnings":null`) || strings.Contains(string(data), `"outliers":null`) {
		t.Errorf("%s, %v", data, err)
	}
}

func TestNumbersAreWrittenForReaders(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1: "1", 999: "999", 1000: "1,000", 2880.5: "2,881",
		1234567: "1,234,567", 0.5: "0.5", -1234: "−1,234"} {
		if got := Count(v); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
	if texts.English.In(Things(1, Connections)) != "1 connection" ||
		texts.English.In(Things(0, Connections)) != "0 connections" {
		t.Error("one is not many")
	}
}

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
