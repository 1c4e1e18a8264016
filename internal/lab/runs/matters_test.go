package runs

import (
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/plan"
)

// mattersOf is a run of all places with a seed.
func mattersOf(seed uint64, said io.Writer) *places {
	k := plan.UsualFor(plan.Sweep)
	k.Sweep, k.Seed = plan.Matters, seed
	return (&Lab{Messages: said}).placesOf(Request{Command: plan.Sweep, Knobs: k}, programsOf(nil), plan.MattersPlaces(k, nil))
}

func points(places [][]facts.Planned) (out []string) {
	for _, p := range places {
		out = append(out, string(p[0].Client)+" "+p[0].Point)
	}
	return out
}

func TestPlacesAreDrawnWithOneRestartForTheOtherKey(t *testing.T) {
	m := mattersOf(3, io.Discard)
	drawn := m.order()
	if again := mattersOf(3, io.Discard).order(); !slices.Equal(points(drawn), points(again)) {
		t.Error("a seed draws two orders")
	}
	if other := mattersOf(4, io.Discard).order(); slices.Equal(points(drawn), points(other)) {
		t.Error("two seeds draw the same order")
	}
	all, planned := slices.Sorted(slices.Values(points(drawn))), slices.Sorted(slices.Values(points(m.all)))
	if !slices.Equal(all, planned) {
		t.Errorf("%d places of %d", len(all), len(planned))
	}
	changes := 0
	for i := range drawn {
		if i == 0 {
			continue
		}
		if drawn[i][0].Workload.Key != drawn[i-1][0].Workload.Key {
			changes++
		}
		if plan.Rated(drawn[i]) && drawn[i][0].Point != drawn[i-1][0].Point+"-70pct" {
			t.Errorf("%s follows %s", drawn[i][0].Point, drawn[i-1][0].Point)
		}
	}
	if changes != 1 {
		t.Errorf("the servers start again %d times", changes)
	}
}

func TestAMachineWithoutRootOrAJDKMeasuresTheRest(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Places)
	f.Try("no network namespace for the distances of SWEEP=matters", func(t *testing.T) {
		said := &strings.Builder{}
		m := mattersOf(1, said)
		m.nearby(errors.New("a delay line (RTT=) requires root"))
		for _, c := range m.able(slices.Concat(m.all...)) {
			if c.Workload.Distance.Any() {
				t.Fatalf("%s is measured", c.Point)
			}
		}
		want := "h2lab: warning: only places without a distance are measured: a delay line (RTT=) requires root\n"
		if said.String() != want {
			t.Errorf("%q", said)
		}
	})
	f.Try("no JDK for SWEEP=matters", func(t *testing.T) {
		m := mattersOf(1, io.Discard)
		all := len(m.able(slices.Concat(m.all...)))
		m.programs.lacks[plan.OkHTTP] = "java is missing"
		able := m.able(slices.Concat(m.all...))
		if len(able) >= all || slices.Contains(plan.ClientsOf(able), plan.OkHTTP) {
			t.Errorf("%d of %d cells, clients %q", len(able), all, plan.ClientsOf(able))
		}
	})
}

// A fault in the instruments ends a place; an interrupt, a full disk and a lab that is broken end the run.
func TestAPlaceThatFailsIsRecordedWithItsReason(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Programs)
	f.Try("the limit of a place of SWEEP=matters can't be verified", func(t *testing.T) {
		r := &facts.Result{Cells: []facts.Cell{{Point: "a", Trials: []facts.Trial{{}}}, {Point: "b"}, {Point: "c",
			Trials: []facts.Trial{{}}}, {Point: "d", Unsupported: facts.T("verdict.recorded", "too slow")}}}
		c := &conductor{lab: &Lab{Messages: io.Discard}, to: recording{result: r, dir: t.TempDir()}}
		labtest.Check(t, (&places{}).give(c, 1, errors.New("verifying the limit: connection refused\nlog")))
		want := []string{"", "not measured: verifying the limit: connection refused", "", "too slow"}
		for i, c := range r.Cells {
			if texts.English.In(c.Unsupported) != want[i] {
				t.Errorf("%s: %q, want %q", c.Point, c.Unsupported, want[i])
			}
		}
	})
	f.Try("an open loop's client answers without a schedule", func(t *testing.T) {
		s := &sweepTrials{Instruments: &fakeTrials{err: errors.New("no schedule")}, services: &fakeKeeper{}, bare: true}
		trial, err := s.Measure(t.Context(), facts.Planned{Workload: facts.Workload{RatePerS: 5}}, 1)
		if err != nil || trial.Fault == nil || trial.Fault.Message != "no schedule" {
			t.Errorf("%+v, %v", trial, err)
		}
	})
}

// An open loop's cells may turn out too slow, or slower than planned, once their rate is known.
func TestWhatIsLeftFollowsFromTheRatesThatAreFound(t *testing.T) {
	m := mattersOf(1, io.Discard)
	p := m
	p.done = 7
	i := slices.IndexFunc(m.all, plan.Rated)
	p.expect(m.all[i], nil)
	planned := p.plannedLeft
	for _, c := range []struct {
		goodput float64
		total   int
		longer  bool
	}{{1000, 7 + 3, true}, {20, 7 + 1, false}} {
		r := &facts.Result{Cells: []facts.Cell{{Point: m.all[i-1][0].Point, Client: facts.GoReplayable,
			Trials: []facts.Trial{{GoodputRPS: c.goodput}}}}}
		cells, ok := plan.MattersAtRate(m.all[i], r)
		if p.expect(cells, nil); !ok || p.total != c.total || (p.plannedLeft > planned) != c.longer {
			t.Errorf("%g/s: %d trials and %s are left, %s were planned", c.goodput, p.total, p.plannedLeft, planned)
		}
	}
}

func TestProgressIsThatOfTheWholeRun(t *testing.T) {
	var got []conduct.Step
	p := &places{began: time.Now().Add(-time.Minute), done: 10, total: 40, plannedSpent: 30 * time.Second,
		plannedLeft: 90 * time.Second}
	show := p.overall(func(s conduct.Step) { got = append(got, s) })
	show(conduct.Step{What: "trial", Done: 1, Total: 4})
	show(conduct.Step{What: "done", Done: 4, Total: 4})
	if len(got) != 1 || got[0].Done != 10 || got[0].Total != 40 || got[0].Left < 170*time.Second ||
		got[0].Left > 190*time.Second {
		t.Errorf("%+v", got)
	}
	p.done = 40
	if show(conduct.Step{What: "done"}); len(got) != 2 {
		t.Error("the end isn't shown")
	}
}

func TestAClientOfAPlaceIsOnLoopbackWithoutADistance(t *testing.T) {
	far := func(facts.Distance) func(*exec.Cmd) error { return nil }
	b := &placeBench{&conduct.Bench{Far: far, Programs: map[facts.Client][]string{"x": {"dials"}}}, nil,
		map[facts.Client][]string{"x": {"resumes"}}}
	near := b.benchFor(facts.Planned{})
	away := b.benchFor(facts.Planned{Workload: facts.Workload{Resume: true, Distance: facts.Distance{RTTMS: 5}}})
	if near.Far != nil || away.Far == nil || near.Programs["x"][0] != "dials" || away.Programs["x"][0] != "resumes" {
		t.Errorf("near %+v, away %+v", near, away)
	}
}
