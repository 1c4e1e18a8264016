package limitmap

import (
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// made is an invented place behind a limit: its goodput and p99 as shares of those behind the highest one, trial
// by trial.
type made struct {
	backend  int
	rtt      float64
	limit    int
	goodput  []float64
	p99      []float64
	renewals int64
}

// run makes a result of places, each with a cell behind the limit of 100,000 that answers 1,000 requests/s
// in 100 ms.
func run(all ...made) *facts.Result {
	r := &facts.Result{SchemaVersion: facts.SchemaVersion, Run: facts.Run{ID: "x", Command: "sweep", Sweep: Sweep,
		Limit: 1000, Key: "rsa"}}
	for _, m := range all {
		high := m
		high.limit, high.goodput, high.p99 = 100_000, ones(m.goodput), ones(m.p99)
		for _, of := range []made{m, high} {
			c := facts.Cell{Topology: fmt.Sprintf("nginx-%d", of.limit), Protocol: facts.H2, Client: facts.GoReplayable,
				Limit: facts.Limit{Configured: &of.limit}, Workload: facts.Workload{Concurrency: 100, Pools: 1, MaxTLS: "1.2",
					DelayMS: of.backend, Distance: facts.Distance{RTTMS: of.rtt}}}
			for i, share := range of.goodput {
				c.Trials = append(c.Trials, trial(i, share*1000, of.p99[i]*100, of.renewals))
			}
			r.Cells = append(r.Cells, c)
		}
	}
	return r
}

// ones are the shares of the cell that the others are compared with: nearly 1.
func ones(of []float64) (out []float64) {
	for i := range of {
		out = append(out, 1+0.002*float64(i))
	}
	return out
}

func trial(i int, rps, ms float64, renewals int64) facts.Trial {
	at := func(v float64) *float64 { return &v }
	accepted := renewals * 50
	return facts.Trial{Index: i + 1, ElapsedS: 10, Attempts: int64(rps * 10), Succeeded: int64(rps * 10), GoodputRPS: rps,
		LatencyMS:   facts.Latency{P50: at(ms / 2), P90: at(ms * 0.8), P95: at(ms * 0.9), P99: at(ms), P999: at(ms * 2)},
		Connections: facts.Connections{Accepted: &accepted, Used: &renewals, Expected: &renewals, UsedUp: &renewals}}
}

// square is a map of two backends and two distances with four costs.
func square(near, far [2]float64) *facts.Result {
	cell := func(backend int, rtt, v float64) made {
		return made{backend, rtt, 1000, []float64{1 - v, 1 - v*1.001, 1 - v}, []float64{1 + v, 1 + v, 1 + v*1.001}, 10}
	}
	return run(cell(0, 0, near[0]), cell(0, 20, near[1]), cell(20, 0, far[0]), cell(20, 20, far[1]))
}

var update = flag.Bool("update", false, "write testdata/verdicts.txtar")

// Goodput and p99 are said apart where both together give no plain boundary.
func TestTheSentenceSaysFromWhereOnALimitStopsMattering(t *testing.T) {
	noisy := square([2]float64{0.5, 0.5}, [2]float64{0.01, 0.01})
	for i := range noisy.Cells {
		if noisy.Cells[i].Workload.DelayMS == 20 && noisy.Cells[i].Workload.Distance.RTTMS == 20 {
			noisy.Cells[i].Trials = nil
		}
	}
	unsure := square([2]float64{0.2, 0.2}, [2]float64{0.2, 0.2})
	for i := range unsure.Cells {
		unsure.Cells[i].Trials = unsure.Cells[i].Trials[:1]
	}
	var apart []made
	for _, at := range [][2]float64{{0, 0.5}, {20, 0.01}} {
		for _, rtt := range []float64{0, 20} {
			apart = append(apart, made{int(at[0]), rtt, 1000, []float64{1 - at[1], 1 - at[1]}, []float64{3, 3}, 10})
		}
	}
	var got strings.Builder
	for _, c := range []struct {
		name string
		run  *facts.Result
	}{
		{"a slow backend hides it", square([2]float64{0.5, 0.3}, [2]float64{0.01, 0.02})},
		{"a distance hides it", square([2]float64{0.5, 0.01}, [2]float64{0.2, 0.01})},
		{"nothing to hide", square([2]float64{0.01, 0.01}, [2]float64{0, 0})},
		{"it matters everywhere", square([2]float64{0.5, 0.5}, [2]float64{0.4, 0.3})},
		{"only one corner is free", square([2]float64{0.5, 0.5}, [2]float64{0.01, 0.4})},
		{"a place without numbers is named", run(append(lots(0.01), made{100, 0, 1000, nil, nil, 0})...)},
		{"one trial proves little", unsure}, {"a cell of half of the map is missing", noisy},
		{"p99 matters everywhere, goodput doesn't", run(apart...)}, {"nothing", &facts.Result{}},
		{"no trials", run(made{limit: 1000})},
	} {
		v := Voice{New(c.run)}
		fmt.Fprintf(&got, "%s: %s\n", c.name, texts.English.In(v.Headline()))
		labtest.SameFigures(t, c.name, texts.English.In(v.Headline()), texts.Chinese.In(v.Headline()))
	}
	labtest.GoldenPart(t, "verdicts", t.Name(), got.String(), *update)
}

// lots is a row of places without a distance.
func lots(v float64) (out []made) {
	for _, backend := range []int{0, 1, 5, 20} {
		out = append(out, made{backend, 0, 1000, []float64{1 - v, 1 - v}, []float64{1, 1}, 10})
	}
	return out
}

func near(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 0.005*math.Max(1, math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// only is the cost of a run's only place.
func only(r *facts.Result, limit int) Cost {
	m := New(r)
	return m.Cost(m.Places[0], limit)
}

func TestACostComparesAPlaceWithItself(t *testing.T) {
	c := only(run(made{0, 0, 1000, []float64{0.6, 0.6}, []float64{3, 3}, 12}), 1000)
	near(t, "lost goodput", c.Lost(), 0.4)
	near(t, "p99", &c.P99.Value, 3)
	near(t, "added p99", c.AddedMS, 200)
	near(t, "dials", c.Dials(), 50)
	near(t, "renewals per second", c.PerS, 1.2)
	near(t, "failures", c.FailedPer1000, 0)
	if c.Source != Measured || !c.Goodput.Told || c.By(Both) != Matters {
		t.Errorf("%+v", c)
	}
}

// A limit that no window reaches costs as much for each renewal as a lower one, and nothing is taken from
// another place.
func TestALimitThatIsNotReachedIsExtrapolatedFromTheSamePlace(t *testing.T) {
	r := run(made{0, 0, 1000, []float64{0.5, 0.5}, []float64{4, 4}, 10}, made{5, 0, 1000, []float64{0.5},
		[]float64{4}, 1})
	ten := 10_000
	for i := range 4 {
		if i%2 == 0 {
			c := r.Cells[i]
			c.Limit.Configured, c.Trials, c.Unsupported = &ten, nil, facts.Verbatim("not measured: needs 99 s for one renewal")
			r.Cells = append(r.Cells, c)
		}
	}
	m := New(r)
	c := m.Cost(m.Places[0], 10_000)
	// 1,000 requests take 1 s without a renewal and 2 s with one: 10,000 take 10 s and 11 s
	near(t, "goodput", &c.Goodput.Value, 10.0/11)
	near(t, "renewals per second", c.PerS, 1*0.1*(10.0/11)/0.5)
	if c.Source != Extrapolated || c.From != 1000 || !c.Goodput.Told {
		t.Errorf("%+v", c)
	}
	// A tenth of the requests has four times the latency: its 90th percentile, 3.2 times the p99 of the others, is
	// nearly the 99th of all. A few of the others are slower still.
	near(t, "p99", &c.P99.Value, 3.22)
	if c := m.Cost(m.Places[1], 10_000); c.Source != Absent || c.Goodput != nil || c.Why.IsZero() {
		t.Errorf("one renewal was extrapolated: %+v", c)
	}
	if c := m.Cost(m.Places[1], 1000); c.Source != Absent {
		t.Errorf("one renewal is a measurement: %+v", c)
	}
}

// The interval comes from the scatter of the trials: wide where they differ, absent where nothing was repeated.
func TestNoiseComesFromRepeatedTrials(t *testing.T) {
	calm := only(run(made{0, 0, 1000, []float64{0.9, 0.902, 0.9}, []float64{1.2, 1.2, 1.2}, 10}), 1000)
	wild := only(run(made{0, 0, 1000, []float64{0.5, 1.3, 0.9}, []float64{0.8, 2, 1.2}, 10}), 1000)
	once := only(run(made{0, 0, 1000, []float64{0.5}, []float64{2}, 10}), 1000)
	if !calm.Goodput.Told || calm.By(GoodputAlone) != Matters {
		t.Errorf("10 %% lost in calm trials: %+v", calm.Goodput)
	}
	if wild.Goodput.Told || wild.P99.Told || *wild.Goodput.Lo > 0.7 || *wild.Goodput.Hi < 1.1 {
		t.Errorf("wild trials: %+v", wild.Goodput)
	}
	near(t, "the interval of one trial, which is a fifth off", once.Goodput.Lo, 0.5*math.Exp(-1.96*0.2*math.Sqrt2))
	if half := only(run(made{0, 0, 1000, []float64{0.6}, []float64{1.5}, 10}), 1000); half.By(Both) != Unsure {
		t.Errorf("one trial with 40 %% less proves a cost: %+v", half.Goodput)
	}
}

// A trial whose load generator failed, or had no files or ports, is no measurement.
func TestATrialOfABrokenLoadGeneratorCounts0Times(t *testing.T) {
	r := run(made{0, 0, 1000, []float64{0.6, 0.6, 0.01, 0.01}, []float64{3, 3, 90, 90}, 10})
	r.Cells[0].Trials[2].Fault = &facts.Fault{Message: "it ended"}
	r.Cells[0].Trials[3].Errors = []facts.Error{{Class: facts.ErrClientResources, Count: 9}}
	near(t, "lost goodput", only(r, 1000).Lost(), 0.4)
	near(t, "renewals", core.Number(only(r, 1000).Renewals), 20)
}

// Everything of a workload but the limit is the place: a cell is compared with no other load.
func TestPlacesAreToldApartByTheWholeWorkload(t *testing.T) {
	load := labtest.MattersMap()[0]
	loads := []labtest.MattersLoad{load}
	for _, change := range []func(*labtest.MattersLoad){
		func(l *labtest.MattersLoad) { l.InFlight = 50 }, func(l *labtest.MattersLoad) { l.Pools = 4 },
		func(l *labtest.MattersLoad) { l.BackendMS = 5 }, func(l *labtest.MattersLoad) { l.RTTMS = 5 },
		func(l *labtest.MattersLoad) { l.TLS = "1.3" }, func(l *labtest.MattersLoad) { l.Key = "ecdsa" },
		func(l *labtest.MattersLoad) { l.Resume = true }, func(l *labtest.MattersLoad) { l.Open = true },
		func(l *labtest.MattersLoad) { l.Client = facts.GoOnce },
	} {
		l := load
		change(&l)
		loads = append(loads, l)
	}
	m := New(labtest.Matters(1, loads...))
	if len(m.Places) != len(loads) {
		t.Fatalf("%d places of %d loads", len(m.Places), len(loads))
	}
	for _, p := range m.Places {
		for _, limit := range []int{100, 1000, 10_000, m.High} {
			if m.Cell(p, limit) == nil {
				t.Errorf("%+v has no cell behind %d", p, limit)
			}
		}
	}
}

func TestEveryVerdictHasItsEvidence(t *testing.T) {
	r := labtest.Matters(2, labtest.MattersMap()...)
	j := Judge(r)
	documents := labtest.Documents(t, r, j)
	seen := map[string]bool{}
	for i := range j.Verdicts {
		v := &j.Verdicts[i]
		labtest.CheckVerdict(t, "matters", v, documents)
		if seen[v.ID] {
			t.Errorf("two verdicts are called %s", v.ID)
		}
		seen[v.ID] = true
	}
	if want := len(New(r).Lines) * 3; len(j.Verdicts) != want {
		t.Errorf("%d verdicts, want %d", len(j.Verdicts), want)
	}
}
