package advise

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// invented is a map whose measured figures are the arithmetic's times known factors.
func invented(dials, lost, p99 func(Cell) float64) Measured {
	m := Measured{CPUs: 0.5, HandshakeMS: 1.5, RequestMS: 0.06}
	for _, backend := range []float64{0, 5, 20, 100} {
		for _, rtt := range []float64{0, 5, 20, 80} {
			for _, limit := range []int{100, 1000, 10_000} {
				c := Cell{ID: fmt.Sprint(backend, rtt, limit), Client: Stampede, InFlight: 100, Pools: 1, BackendMS: backend, RTTMS: rtt,
					TLS: TLS12, Key: RSA, Limit: limit, RateRPS: 100_000 / (12 + backend + rtt)}
				w := work(c.Question(m))
				d, added := w.dials*dials(c), w.addedP99()*p99(c)
				left := c.RateRPS / (1 + w.lost()*lost(c)/float64(limit))
				c.Dials, c.GoodputRPS, c.AddedP99MS = &d, &left, &added
				m.Cells = append(m.Cells, c)
			}
		}
	}
	m.Models = FitModels(m)
	return m
}

func constant(v float64) func(Cell) float64 { return func(Cell) float64 { return v } }

// slow is a factor that depends on the place: the arithmetic is right without a backend and three times too high with a
// slow one.
func slow(c Cell) float64 { return 1 / (1 + 2*c.BackendMS/(20+c.BackendMS)) }

func off(a, b float64) float64 { return math.Max(a/b, b/a) }

func TestTheMapCorrectsWhatItWasFittedToAndWhatLiesBetween(t *testing.T) {
	m := invented(slow, constant(0.5), constant(2))
	f := NewFit(m)
	for _, c := range m.Cells {
		a := f.Predict(c.Question(m))
		if x := off(a.WastedPerRenewal+1, math.Max(1, *c.Dials)); x > 1.1 {
			t.Errorf("%s: dials %.1f, measured %.1f", c.ID, a.WastedPerRenewal+1, *c.Dials)
		}
		if x := off(a.GoodputRPS, *c.GoodputRPS); x > 1.1 {
			t.Errorf("%s: goodput %.1f, measured %.1f", c.ID, a.GoodputRPS, *c.GoodputRPS)
		}
		if x := off(a.AddedP99MS+3, *c.AddedP99MS+3); x > 1.2 {
			t.Errorf("%s: added p99 %.1f, measured %.1f", c.ID, a.AddedP99MS, *c.AddedP99MS)
		}
	}
	between := m.Cells[1]
	between.BackendMS, between.RTTMS, between.RateRPS = 50, 0, 100_000.0/62
	q := between.Question(m)
	if got, want := f.corrected(q).correction.Dials, slow(between); off(got, want) > 1.15 {
		t.Errorf("between the cells dials are corrected by %.3f, want %.3f", got, want)
	}
}

// The parameters are found from the cells themselves: half of them predict the other half better than the arithmetic.
func TestHalfOfTheCellsPredictsTheOther(t *testing.T) {
	m := invented(slow, constant(0.5), constant(2))
	half := Measured{CPUs: m.CPUs, HandshakeMS: m.HandshakeMS, RequestMS: m.RequestMS}
	var others []Cell
	for _, c := range m.Cells {
		if Fitted(c.ID) {
			half.Cells = append(half.Cells, c)
		} else {
			others = append(others, c)
		}
	}
	if len(half.Cells) < 15 || len(others) < 15 {
		t.Fatalf("the halves have %d and %d cells", len(half.Cells), len(others))
	}
	half.Models = FitModels(half)
	f := NewFit(half)
	for _, c := range others {
		if x := off(f.Predict(c.Question(half)).WastedPerRenewal+1, math.Max(1, *c.Dials)); x > 1.3 {
			t.Errorf("%s: off by %.2f", c.ID, x)
		}
	}
}

func TestAQuestionOutsideOfTheMapIsNotCorrected(t *testing.T) {
	m := invented(constant(0.5), constant(0.5), constant(0.5))
	f := NewFit(m)
	inside := Question{RateRPS: 3000, InFlight: 100, Limit: 1000, BackendMS: 20, CPUs: 0.5}
	for name, c := range map[string]struct {
		change func(*Question)
		why    string
	}{
		"inside":                  {func(*Question) {}, ""},
		"a limit above all":       {func(q *Question) { q.Limit = 100_000 }, ""},
		"few in flight":           {func(q *Question) { q.InFlight, q.RateRPS = 10, 300 }, "requests in flight on one connection is 10"},
		"a low limit":             {func(q *Question) { q.Limit = 50 }, "the limit is 50, and the map has 100 to 10,000"},
		"a slow backend":          {func(q *Question) { q.BackendMS, q.RateRPS = 500, 190 }, "the backend's time is 500 ms"},
		"far away":                {func(q *Question) { q.RTTMS, q.RateRPS = 300, 300 }, "the round trip is 300 ms"},
		"slow for another reason": {func(q *Question) { q.RateRPS = 100 }, "the time of a request beside both is 980 ms"},
		"HTTP/1.1":                {func(q *Question) { q.Client = HTTP1 }, "the map is of HTTP/2"},
		"one dial at a time":      {func(q *Question) { q.Client = SingleDial }, "the map has no cell of single-dial"},
	} {
		q := inside
		c.change(&q)
		got := f.corrected(q).correction
		if c.why == "" && (!got.Applied || got.Dials > 0.6) || c.why != "" && (got.Applied || got.Dials != 1 ||
			!strings.HasPrefix(got.Why, c.why)) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if c := (*Fit)(nil).corrected(inside).correction; c.Applied || c.Why == "" {
		t.Errorf("without a map: %+v", c)
	}
}

// Client and limit stay what they are by definition, whatever the map says.
func TestACorrectionKeepsWhatIsCertain(t *testing.T) {
	f := NewFit(invented(constant(0.001), constant(0.001), constant(0.001)))
	a := f.Predict(Question{RateRPS: 3000, InFlight: 100, Limit: 1000, BackendMS: 20, CPUs: 0.5})
	if a.WastedPerRenewal < 0 || a.AddedP99MS < 0 || a.GoodputRPS > 3000 {
		t.Errorf("%+v", a)
	}
}

// The embedded map is whole JSON: a damaged file would leave the arithmetic alone without a word.
func TestTheEmbeddedMapIsReadable(t *testing.T) {
	if f := loaded(); f == nil && !strings.Contains(string(measuredMap), `"cells": []`) {
		t.Error("measured.json has cells and can't be read")
	}
}
