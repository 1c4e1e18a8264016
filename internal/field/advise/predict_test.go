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
			if f := lines[i].Formula.String(); f == "" || strings.Contains(f, "%!") {
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
		"1,000,000 instead of 10,000", "one lasts 30.3 s"} {
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
				t.Errorf("%+v: %s is %v (%s)", q, l.Name, l.Value, l.Formula)
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
