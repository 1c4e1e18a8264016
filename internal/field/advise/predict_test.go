package advise

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6*math.Max(1, math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestByHand computes one question by hand: 10 requests/s, 10 in flight, a limit of 100, one core,
// TLS 1.3, full handshakes of 2 ms, requests of 0.1 ms.
func TestByHand(t *testing.T) {
	a := Predict(Question{RateRPS: 10, InFlight: 10, Limit: 100, HandshakeMS: 2, RequestMS: 0.1})
	// six of ten want a connection, and the proxy has time for 2 × 100 × 0.1 / 2 = 10 handshakes
	dials := 1 / math.Sqrt(1.0/36+1.0/100)
	near(t, "renewals an hour", a.RenewalsPerHour, 360)
	near(t, "life", a.ConnectionLifeS, 10)
	near(t, "dropped", a.DroppedPerRenewal, 3.5)
	near(t, "failures", a.FailuresPerS, 0.35)
	near(t, "wasted", a.WastedPerRenewal, dials-1)
	near(t, "connections", a.ConnectionsPerS, dials/10)
	near(t, "cores", a.CPUCores, dials/10*0.002)
	near(t, "unlimited", a.UnlimitedRPS, 10_000)
	near(t, "capacity", a.CapacityRPS, 1000/(0.1+dials*2/100))
	near(t, "wait", a.WaitMS, dials*2)
	near(t, "p99", a.AddedP99MS, 0.4*dials*2*(1-1.0/6))
}

func TestWhatEachFieldDoes(t *testing.T) {
	base := Predict(typical())
	for name, c := range map[string]struct {
		change func(*Question)
		holds  func(a Answer) bool
	}{
		"a higher limit renews less": {func(q *Question) { q.Limit = 10_000 },
			func(a Answer) bool { return a.RenewalsPerHour*10 == base.RenewalsPerHour }},
		"pools renew as often in all": {func(q *Question) { q.Pools = 4 },
			func(a Answer) bool { return math.Abs(a.UsedPerS-base.UsedPerS) < 1e-9 }},
		"pools dial less each": {func(q *Question) { q.Pools = 4 },
			func(a Answer) bool { return a.WastedPerRenewal < base.WastedPerRenewal }},
		"a pool a request burns nothing": {func(q *Question) { q.Pools = 100 },
			func(a Answer) bool { return a.WastedPerRenewal == 0 && a.DroppedPerRenewal == 0 }},
		"one dial burns nothing": {func(q *Question) { q.Client = SingleDial },
			func(a Answer) bool { return a.WastedPerRenewal == 0 && a.HandshakesPerS == a.UsedPerS }},
		"one dial drops as much": {func(q *Question) { q.Client = SingleDial },
			func(a Answer) bool { return a.DroppedPerRenewal == base.DroppedPerRenewal }},
		"h1 drops nothing": {func(q *Question) { q.Client = HTTP1 },
			func(a Answer) bool { return a.DroppedPerRenewal == 0 && a.WaitingPerRenewal == 1 }},
		"h1 renews as often in all": {func(q *Question) { q.Client = HTTP1 },
			func(a Answer) bool { return math.Abs(a.UsedPerS-base.UsedPerS) < 1e-9 }},
		"TLS 1.2 burns more": {func(q *Question) { q.TLS = TLS12 },
			func(a Answer) bool { return a.WastedPerRenewal > base.WastedPerRenewal }},
		"cheaper handshakes: a larger stampede": {func(q *Question) { q.Key = ECDSA },
			func(a Answer) bool { return a.WastedPerRenewal > base.WastedPerRenewal && a.CPUCores < base.CPUCores }},
		"resumed ones as well": {func(q *Question) { q.ResumedShare = 1 },
			func(a Answer) bool { return a.WastedPerRenewal > base.WastedPerRenewal && a.CPUCores < base.CPUCores }},
		"a slower machine: the same stampede": {func(q *Question) { q.HandshakeMS = 2 * HandshakeRSA },
			func(a Answer) bool {
				return math.Abs(a.WastedPerRenewal-base.WastedPerRenewal) < 1e-9 && a.CPUCores > base.CPUCores
			}},
		"a slow backend holds most requests": {func(q *Question) { q.BackendMS = 9 }, func(a Answer) bool {
			return a.WastedPerRenewal < base.WastedPerRenewal/2 && a.DroppedPerRenewal < base.DroppedPerRenewal/2
		}},
		"what travels is dropped": {func(q *Question) { q.RTTMS = 10 },
			func(a Answer) bool { return a.DroppedPerRenewal > 2*base.DroppedPerRenewal }},
		"an hour rules when slow": {func(q *Question) { q.RateRPS, q.Limit = 2, 100_000 },
			func(a Answer) bool { return a.AgeRules && a.RenewalsPerHour == 1 && a.ConnectionLifeS == 3600 }},
		"two connections for 200 in flight": {func(q *Question) { q.InFlight = 200 },
			func(a Answer) bool { return a.WaitingPerRenewal == 60 }},
		"0.6 % don't show in the 99th percentile": {func(q *Question) { q.Limit = 10_000 },
			func(a Answer) bool { return a.AddedP99MS == 0 && a.WaitingShare == 0.006 }},
	} {
		if a := Predict(typical(c.change)); !c.holds(a) {
			t.Errorf("%s: no, with %+v\nagainst %+v", name, a, base)
		}
	}
}

// TestEveryNumberIsExplained: every field of the answer has a formula, and its value there equals
// the answer's.
func TestEveryNumberIsExplained(t *testing.T) {
	for _, kind := range []Client{Stampede, SingleDial, HTTP1} {
		q := typical(func(q *Question) { q.Client = kind })
		b, err := json.Marshal(Predict(q))
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(b, &fields); err != nil {
			t.Fatal(err)
		}
		lines := Explain(q)
		for name, value := range fields {
			i := slices.IndexFunc(lines, func(l Line) bool { return l.Name == name })
			if i < 0 {
				t.Errorf("%s: %s is not explained", kind, name)
				continue
			}
			if v, isNumber := value.(float64); isNumber && v != lines[i].Value {
				t.Errorf("%s: %s is %v and explained as %v", kind, name, v, lines[i].Value)
			}
			if lines[i].Formula.String() == "" || lines[i].With.String() == "" || strings.Contains(lines[i].With.String(), "%!") {
				t.Errorf("%s: %s has no formula: %+v", kind, name, lines[i])
			}
		}
	}
}

func TestTheLimitThatIsRecommended(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Question)
		want   int
	}{
		"the recorded traffic": {func(q *Question) {}, 100_000},
		"ten times as much": {func(q *Question) {
			q.RateRPS, q.CPUs, q.InFlight, q.Pools = 99_000, 5,
				1000, 10
		}, 100_000},
		"one that is enough":              {func(q *Question) { q.Limit = 500_000 }, 500_000},
		"ten times one that is too low":   {func(q *Question) { q.Limit, q.InFlight = 20_000, 1000; q.Pools = 8 }, 200_000},
		"a very high one":                 {func(q *Question) { q.Limit = 2_000_000; q.InFlight = 100 }, 2_000_000},
		"HTTP/1.1 needs none":             {func(q *Question) { q.Client = HTTP1 }, 1000},
		"so slow that the hour rules":     {func(q *Question) { q.RateRPS, q.InFlight = 0.2, 4 }, 1000},
		"one request at a time, seldom":   {func(q *Question) { q.RateRPS, q.InFlight = 5, 1 }, 1000},
		"a limit that the reader has set": {func(q *Question) { q.Limit = 100_000 }, 100_000},
	} {
		q := typical(c.change)
		if got := Recommend(q); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestPricesAndBounds(t *testing.T) {
	q := typical(func(q *Question) { q.Pools, q.Backends = 3, 3 })
	text := ""
	for _, p := range Prices(q, 100_000) {
		text += p.ID + ": " + p.Text.String() + "\n"
	}
	for _, want := range []string{"memory: ", "With 3 connections and 3 servers, on average 0.9 of them", "flood-guard: ",
		"1,000,000 instead of 10,000", "a connection lasts 30.3 s"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, p := range Prices(q, q.Limit) { // the same limit changes nothing
		if p.ID == "flood-guard" {
			t.Errorf("a price of no change: %s", p.Text)
		}
	}
	for name, c := range map[string]struct {
		change func(*Question)
		says   string
	}{
		"more than the cores serve": {func(q *Question) {}, "more than 0.5 cores can serve"},
		"renewals overlap":          {func(q *Question) { q.Limit = 50 }, "less than ten times"},
		"more than its streams":     {func(q *Question) { q.InFlight = 300 }, "128 streams"},
		"a network":                 {func(q *Question) { q.RTTMS = 500; q.RateRPS = 100 }, "the effect of a round trip is calculated here, not measured"},
	} {
		if got := fmt.Sprint(Beyond(typical(c.change))); !strings.Contains(got, c.says) {
			t.Errorf("%s: %q, want %q in it", name, got, c.says)
		}
	}
	if got := Beyond(typical(func(q *Question) { q.CPUs = 4 })); len(got) > 0 {
		t.Errorf("a question inside the model's bounds: %q", got)
	}
}

// FuzzPredict: Predict returns numbers for every question that Check accepts.
func FuzzPredict(f *testing.F) {
	f.Add(9900.0, 100, 1, 1000, uint8(0), 0.0, 0.0, 0.0, 0.5, 1.48)
	f.Add(0.05, 1, 1, 1<<30, uint8(1), 1.0, 5.0, 10.0, 0.001, 0.0)
	f.Add(1e8, 1_000_000, 1_000_000, 1, uint8(5), 0.5, 0.0, 0.0, 4096.0, 60000.0)
	f.Add(100.0, 1, 1, 1, uint8(2), 0.0, 10.0, 0.0, 5e-324, 5e-324)
	f.Fuzz(func(t *testing.T, rate float64, inFlight, pools, limit int, kind uint8, resumed, rtt, backend, cpus,
		handshake float64) {
		q := Question{RateRPS: rate, InFlight: inFlight, Pools: pools, Limit: limit, ResumedShare: resumed, RTTMS: rtt,
			BackendMS: backend, CPUs: cpus, HandshakeMS: handshake,
			Client: []Client{Stampede, SingleDial, HTTP1}[kind%3], TLS: []string{TLS12, TLS13}[kind/3%2],
			Key: []string{RSA, ECDSA}[kind/6%2]}
		if Check(q) != nil {
			return
		}
		for _, l := range Explain(q) {
			if math.IsNaN(l.Value) || math.IsInf(l.Value, 0) || l.Value < 0 {
				t.Errorf("%+v: %s is %v (%s = %s)", q, l.Name, l.Value, l.Formula, l.With)
			}
		}
		if a := Predict(q); a.DroppedPerRenewal > float64(inFlight) || a.WastedPerRenewal > float64(inFlight) ||
			a.WaitingShare > 1 {
			t.Errorf("%+v: more than there is: %+v", q, a)
		}
		Recommend(q)
		Prices(q, limit)
		Beyond(q)
	})
}

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
			!strings.HasPrefix(got.Why.String(), c.why)) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if c := (*Fit)(nil).corrected(inside).correction; c.Applied || c.Why.String() == "" {
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
