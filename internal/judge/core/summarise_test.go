package core

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

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
