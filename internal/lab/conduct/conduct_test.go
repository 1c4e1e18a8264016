package conduct

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// fake answers at once and records its calls.
type fake struct {
	log    []string
	limit  func(facts.Topology, facts.Protocol) (facts.Limit, error)
	failAt int // the trial (counted over all) whose measurement fails
	during func(n int)
	trials int
	dead   error
}

func (f *fake) Limit(_ context.Context, t facts.Topology, p facts.Protocol) (facts.Limit, error) {
	f.log = append(f.log, fmt.Sprintf("limit %s %s", t.Name, p))
	return f.limit(t, p)
}

func (f *fake) Renewal(_ context.Context, t facts.Topology) (facts.Renewal, error) {
	f.log = append(f.log, "renewal "+t.Name)
	return facts.Renewal{Topology: t.Name}, nil
}

func (f *fake) Measure(_ context.Context, c facts.Planned, index int) (facts.Trial, error) {
	f.trials++
	f.log = append(f.log, fmt.Sprintf("measure %s %d", c.Topology.Name, index))
	if f.during != nil {
		f.during(f.trials)
	}
	if f.trials == f.failAt {
		return facts.Trial{}, errors.New("client said nothing")
	}
	return facts.Trial{Attempts: 1}, nil
}

func (f *fake) Pids(string) []int { return nil }
func (f *fake) Alive() error      { return f.dead }

func asNamed(t facts.Topology, _ facts.Protocol) (facts.Limit, error) {
	if t.Limit == 0 {
		return facts.Limit{Closing: "none"}, nil
	}
	n := t.Limit
	return facts.Limit{Effective: &n}, nil
}

func planned(names ...string) []facts.Planned {
	limits := map[string]int{"nginx-1000": 1000, "nginx-100000": 100000, "envoy-1000": 1000}
	var out []facts.Planned
	for _, n := range names {
		out = append(out, facts.Planned{
			Topology: facts.Topology{Name: n, Limit: limits[n], LimitDirective: "keepalive_requests",
				Drains: strings.HasPrefix(n, "envoy"), Servers: []facts.Server{{Name: n, Config: n + ".conf"}}},
			Protocol: facts.H2, Client: facts.GoOnce})
	}
	return out
}

func score(f *fake, trials int, cells ...facts.Planned) (Score, *int) {
	saves := 0
	return Score{
		Result:      &facts.Result{Run: facts.Run{Seed: 7, Trials: trials}},
		Cells:       cells,
		Unsupported: func(facts.Planned) string { return "" },
		Instruments: f,
		Site:        f,
		Save:        func(*facts.Result) error { saves++; return nil },
		Progress:    func(Step) {},
	}, &saves
}

func TestVerifiesEveryTopologyBeforeTheFirstTrial(t *testing.T) {
	f := &fake{limit: asNamed}
	s, _ := score(f, 1, planned("direct", "nginx-1000", "nginx-100000")...)
	labtest.Check(t, Run(context.Background(), s))
	want := []string{"limit direct h2", "limit nginx-1000 h2", "limit nginx-100000 h2", "renewal nginx-1000"}
	if got := f.log[:4]; !slices.Equal(got, want) {
		t.Errorf("began with %q, want %q (no renewal is traced at 100000)", got, want)
	}
}

func TestMeasuresEveryCellOnceARoundInTheOrderOfTheSeed(t *testing.T) {
	run := func(seed uint64) []string {
		f := &fake{limit: asNamed}
		s, _ := score(f, 6, planned("direct", "nginx-1000", "nginx-100000")...)
		s.Result.Run.Seed = seed
		labtest.Check(t, Run(context.Background(), s))
		return f.log[4:]
	}
	first, again, other := run(7), run(7), run(8)
	if !slices.Equal(first, again) {
		t.Error("the same seed gave another order")
	}
	if slices.Equal(first, other) {
		t.Error("another seed gave the same order")
	}
	for round := range 6 {
		got := slices.Clone(first[round*3 : round*3+3])
		slices.Sort(got)
		n := round + 1
		want := []string{fmt.Sprintf("measure direct %d", n), fmt.Sprintf("measure nginx-1000 %d", n),
			fmt.Sprintf("measure nginx-100000 %d", n)}
		if !slices.Equal(got, want) {
			t.Errorf("round %d measured %q", n, got)
		}
	}
}

func TestSavesAfterEveryTrialAndKeepsThemWhenOneFails(t *testing.T) {
	f := &fake{limit: asNamed, failAt: 3}
	s, saves := score(f, 2, planned("direct", "nginx-1000")...)
	err := Run(context.Background(), s)
	if err == nil || !strings.Contains(err.Error(), "trial 2: client said nothing") {
		t.Fatalf("error %v doesn't name the trial and its cause", err)
	}
	if *saves != 3 { // once after verify, and after each of two trials
		t.Errorf("saved %d times, want 3", *saves)
	}
	if n := len(s.Result.Cells[0].Trials) + len(s.Result.Cells[1].Trials); n != 2 {
		t.Errorf("%d finished trials kept, want 2", n)
	}
}

func TestStopsAtOnceWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	f := &fake{limit: asNamed}
	f.during = func(n int) {
		if n == 2 {
			cancel()
		}
	}
	s, _ := score(f, 2, planned("direct", "nginx-1000")...)
	if err := Run(ctx, s); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want context canceled", err)
	}
	if f.trials != 2 {
		t.Errorf("%d trials were begun after the interruption at the second", f.trials)
	}
}

func TestNamesTheServerThatDiedRatherThanTheClientThatSuffered(t *testing.T) {
	f := &fake{limit: asNamed, failAt: 1, dead: errors.New("nginx-1000 exited with status 1")}
	s, _ := score(f, 1, planned("nginx-1000")...)
	if err := Run(context.Background(), s); err == nil || !strings.Contains(err.Error(), "nginx-1000 exited") {
		t.Errorf("error %v doesn't name the dead server", err)
	}
}

func TestSkipsWhatIsUnsupportedAndSaysWhy(t *testing.T) {
	f := &fake{limit: asNamed}
	s, _ := score(f, 1, planned("direct", "nginx-1000")...)
	s.Unsupported = func(p facts.Planned) string {
		if p.Topology.Name == "nginx-1000" {
			return "needs nginx 1.29.4, found 1.22.1"
		}
		return ""
	}
	labtest.Check(t, Run(context.Background(), s))
	if f.trials != 1 || s.Result.Cells[1].Unsupported == "" {
		t.Errorf("%d trials, unsupported %q", f.trials, s.Result.Cells[1].Unsupported)
	}
}

func TestAWrongLimitOnTheWireEndsTheRun(t *testing.T) {
	effective := func(n int) *int { return &n }
	for _, c := range []struct {
		name     string
		got      *int
		complain string
	}{
		{"nginx-1000", effective(1000), ""},
		{"nginx-1000", effective(100), "the probe found 100"},
		{"nginx-1000", effective(1001), "the probe found 1001"},
		{"nginx-1000", nil, "were answered on one"},
		{"envoy-1000", effective(1001), ""},
		{"envoy-1000", effective(1100), "the probe found 1100"},
		{"direct", nil, ""},
		{"direct", effective(1000), "should have no limit"},
	} {
		f := &fake{limit: func(facts.Topology, facts.Protocol) (facts.Limit, error) {
			return facts.Limit{Effective: c.got}, nil
		}}
		s, _ := score(f, 1, planned(c.name)...)
		err := Run(context.Background(), s)
		switch {
		case c.complain == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.complain != "" && (err == nil || !strings.Contains(err.Error(), c.complain)):
			t.Errorf("%s: error %v doesn't say %q", c.name, err, c.complain)
		case c.complain != "" && f.trials != 0:
			t.Errorf("%s: measured in spite of the wrong limit", c.name)
		}
	}
}
