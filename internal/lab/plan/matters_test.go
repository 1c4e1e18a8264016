package plan

import (
	"slices"
	"testing"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

func mattersKnobs(quick bool) Knobs {
	k := UsualFor(Sweep)
	k.Sweep, k.Quick = Matters, quick
	return k
}

var okHTTPRow = []Row{{Client: OkHTTP, Protocol: facts.H2, Program: &facts.Program{IDs: true}}}

// flat are the cells of all places.
func flat(places [][]facts.Planned) []facts.Planned { return slices.Concat(places...) }

// Each place is measured at the limit that the others are compared with, and at each limit once.
func TestEveryPlaceIsComparedWithTheHighestLimit(t *testing.T) {
	for _, quick := range []bool{false, true} {
		k := mattersKnobs(quick)
		for _, filter := range [][]string{nil, {"nginx-1000"}} {
			k.Topologies = filter
			places := MattersPlaces(k, okHTTPRow)
			seen := map[string]bool{}
			for _, place := range places {
				last := place[len(place)-1]
				if last.Topology.Limit != HighLimit || len(place) < 2 || !TooFewRenewals(last).IsZero() {
					t.Errorf("quick %t: %s of %s: %d cells, the last with %d", quick, last.Point, last.Client, len(place),
						last.Topology.Limit)
				}
				for _, c := range place {
					cell := facts.Cell{Topology: c.Topology.Name, Protocol: c.Protocol, Client: c.Client, Point: c.Point}
					same := c.Workload
					same.DurationS = last.Workload.DurationS
					if seen[cell.ID()] || same != last.Workload || len(c.Point) > 64 {
						t.Errorf("%s: twice, or another place than %+v", cell.ID(), last.Workload)
					}
					seen[cell.ID()] = true
					if (c.Program != nil) != (c.Client == OkHTTP) {
						t.Errorf("%s: its program is %v", cell.ID(), c.Program)
					}
				}
			}
		}
	}
}

func TestAWindowHasTheRenewalsOfItsCellOrIsNotMeasured(t *testing.T) {
	for _, c := range flat(MattersPlaces(mattersKnobs(false), okHTTPRow)) {
		w, limit := c.Workload, float64(c.Topology.Limit)
		renewals := w.DurationS * paceOf(w) / limit
		switch measured := TooFewRenewals(c).IsZero(); {
		case w.WarmupS < 4*w.Distance.RTTMS/1000 || w.DurationS > 8 || w.DurationS < 2:
			t.Errorf("%s: warm-up %g s, window %g s", c.Point, w.WarmupS, w.DurationS)
		case c.Topology.Limit == HighLimit &&
			(w.WarmupS+w.DurationS)*min(16000, float64(w.Concurrency)*1000/lasts(w)) > limit:
			t.Errorf("%s: a connection may be used up in %g s", c.Point, w.WarmupS+w.DurationS)
		case c.Topology.Limit < HighLimit && measured != (renewals >= fewestRenewals):
			t.Errorf("%s at %g: %g renewals in %g s, measured %t", c.Point, limit, renewals, w.DurationS, measured)
		}
	}
	slow := facts.Planned{Topology: mattersTopologies()[2], Workload: facts.Workload{Concurrency: 100, DelayMS: 20,
		Distance: facts.Distance{RTTMS: 79}}}
	want := "not measured: needs 10.0 s for one renewal (10000 requests, at most 1000 a second), so a window of " +
		"8 s has no time for 2"
	if got := texts.English.In(TooFewRenewals(slow)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAnOpenLoopHasSeventyPerCentOfTheLowestGoodputOfItsPlace(t *testing.T) {
	places := MattersPlaces(mattersKnobs(true), okHTTPRow)
	i := slices.IndexFunc(places, Rated)
	if i < 1 || places[i-1][0].Point+"-70pct" != places[i][0].Point {
		t.Fatal("the open loop doesn't follow its closed loop")
	}
	r := &facts.Result{}
	if _, ok := MattersAtRate(places[i], r); ok {
		t.Error("a rate without a closed loop")
	}
	for n, goodput := range []float64{500, 6000, 9000} {
		r.Cells = append(r.Cells, facts.Cell{Point: places[i-1][n].Point, Client: facts.GoReplayable,
			Trials: []facts.Trial{{GoodputRPS: goodput}, {Fault: &facts.Fault{}}}})
	}
	r.Cells = append(r.Cells, facts.Cell{Point: places[i-1][0].Point, Client: facts.GoOnce,
		Trials: []facts.Trial{{GoodputRPS: 1}}})
	cells, ok := MattersAtRate(places[i], r)
	for _, c := range cells {
		if w := c.Workload; !ok || w.RatePerS != 350 || w.Arrivals != facts.Poisson || w.Concurrency != 1000 {
			t.Errorf("%t, %+v", ok, w)
		}
		if want := map[int]float64{100: 2, 1000: 8, 100000: 2}[c.Topology.Limit]; c.Workload.DurationS != want {
			t.Errorf("limit %d: a window of %g s", c.Topology.Limit, c.Workload.DurationS)
		}
	}
}
