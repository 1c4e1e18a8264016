package conduct

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/load"
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

func score(f *fake, trials int, cells ...facts.Planned) (Plan, *int) {
	saves := 0
	return Plan{
		Result:      &facts.Result{Run: facts.Run{Seed: 7, Trials: trials}},
		Cells:       cells,
		Unsupported: func(facts.Planned) (none facts.Text) { return none },
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
	s.Unsupported = func(p facts.Planned) (none facts.Text) {
		if p.Topology.Name == "nginx-1000" {
			return facts.Verbatim("needs nginx 1.29.4, found 1.22.1")
		}
		return none
	}
	labtest.Check(t, Run(context.Background(), s))
	if f.trials != 1 || s.Result.Cells[1].Unsupported.IsZero() {
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

// nginxSays is a reading of stub_status, which includes the reader's own connection.
func nginxSays(accepts, active int64) facts.Observation {
	accepted := accepts - 1
	return facts.Observation{Accepted: &accepted, Raw: map[string]int64{"accepts": accepts, "active": active}}
}

func TestConnectionsThatEndWithTheirProgramAreNotReplaced(t *testing.T) {
	for _, c := range []struct {
		what                string
		cold, before, after facts.Observation
		used                *int64
		want                *int64
	}{
		{"a client that renews by itself", nginxSays(1, 1), nginxSays(4, 2), nginxSays(30, 2), new(int64(26)), new(int64(26))},
		{"a stampede: most of what was closed was never used", nginxSays(1, 1), nginxSays(4, 2), nginxSays(304, 12),
			new(int64(5)), new(int64(5))},
		{"nothing was closed", nginxSays(1, 1), nginxSays(101, 101), nginxSays(105, 105), new(int64(4)), new(int64(0))},
		{"a tool that is started for each window", nginxSays(1, 1), nginxSays(101, 1), nginxSays(201, 1),
			new(int64(100)), nil},
		{"used isn't counted", nginxSays(1, 1), nginxSays(4, 2), nginxSays(30, 2), nil, nil},
		{"nothing is counted", facts.Observation{}, facts.Observation{}, facts.Observation{}, new(int64(1)), nil},
	} {
		w := window{cold: c.cold, before: c.before, after: c.after,
			cell: facts.Planned{Topology: facts.Topology{Servers: []facts.Server{{Kind: facts.Nginx}}}}}
		got := w.replaced(c.used)
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// The connection that a service kept from an earlier trial is no connection left by this one.
func TestAServicesReplacedConnectionsAreKnownThoughItKeptAConnection(t *testing.T) {
	w := window{cold: nginxSays(4, 2), before: nginxSays(4, 2), after: nginxSays(30, 2), cell: through("127.0.0.1:18301")}
	if got := w.replaced(new(int64(26))); got == nil || *got != 26 {
		t.Errorf("replaced %v, want 26", got)
	}
	w.cell.Service = nil
	if got := w.replaced(new(int64(26))); got != nil {
		t.Errorf("a client that left no connection has replaced %d", *got)
	}
}

// noPids is a site without known processes.
type noPids struct{}

func (noPids) Pids(string) []int { return nil }
func (noPids) Alive() error      { return nil }

func TestATrialWithoutVarIsAnErrorAndNoPanic(t *testing.T) {
	front := facts.Server{
		Name:     "nginx-1000",
		Kind:     facts.Nginx,
		Front:    "127.0.0.1:1",
		Counters: "127.0.0.1:1",
		UsedLog:  "var/nginx-1000.used.log",
	}
	back := facts.Server{Name: "backend", Kind: facts.Backend, Front: "127.0.0.1:1", Counters: "127.0.0.1:1"}
	cell := facts.Planned{Topology: facts.Topology{Name: "nginx-1000", Servers: []facts.Server{front, back}}}
	measure := func(t *testing.T, root string) {
		b := &Bench{Root: root, Site: noPids{}}
		_, err := b.Measure(t.Context(), cell, 1)
		if err == nil || !strings.Contains(err.Error(), "used log of nginx-1000") {
			t.Errorf("error %v, want one that names the log", err)
		}
	}
	f := labtest.NewFaults(t, labtest.Disks)
	f.Try("var/ is removed during a run", func(t *testing.T) { measure(t, t.TempDir()) })
	f.Try("the log of used connections is a directory", func(t *testing.T) {
		root := t.TempDir()
		labtest.Check(t, os.MkdirAll(filepath.Join(root, front.UsedLog), 0o755))
		b := &Bench{Root: root, Site: noPids{}}
		if _, err := b.Measure(t.Context(), cell, 1); err == nil {
			t.Error("no error")
		}
	})
}

// Of 1,000 that may be in flight at a rate of 1,000/s, the connections for those that usually are in
// flight are expected: as many as arrive in the median latency.
func TestExpectedConnectionsOfAnOpenLoop(t *testing.T) {
	for _, c := range []struct {
		what         string
		p            facts.Protocol
		pools, limit int
		p50          float64 // ms
		cold, window int64
	}{
		{"few in flight share one h2 connection", facts.H2, 1, 0, 20, 1, 0},
		{"128 streams fit into one", facts.H2, 1, 0, 128, 1, 0},
		{"more need a second one", facts.H2, 1, 0, 129, 2, 0},
		{"a limit", facts.H2, 1, 1000, 20, 1, 5},
		{"a limit, with more streams than one connection has", facts.H2, 1, 1000, 300, 3, 3},
		{"pools", facts.H2, 4, 1000, 20, 4, 2},
		{"h1 needs a connection for each in flight", facts.H1, 1, 0, 20, 20, 0},
	} {
		w := openWindow(c.p, c.pools, c.limit)
		a := load.Answer{Attempts: 5000, WarmupRequests: 1000,
			Schedule: &facts.Schedule{Due: 5000, InFlight: 1000, UncorrectedMS: facts.Latency{P50: &c.p50}}}
		cold, window := *w.coldStart(a).Expected, *w.connections(a).Expected
		if cold != c.cold || window != c.window {
			t.Errorf("%s: %d and %d, want %d and %d", c.what, cold, window, c.cold, c.window)
		}
	}
}

func openWindow(p facts.Protocol, pools, limit int) *window {
	return &window{bench: &Bench{}, cell: facts.Planned{Protocol: p, Client: facts.GoOnce,
		Topology: facts.Topology{Limit: limit, Servers: []facts.Server{{Kind: facts.Nginx}}},
		Workload: facts.Workload{Concurrency: 1000, Pools: pools, RatePerS: 1000}}}
}

func TestATrialKeepsItsDistributions(t *testing.T) {
	ms := 3.0
	one := &facts.Latency{P50: &ms}
	a := load.Answer{Attempts: 1, Succeeded: 1, ElapsedS: 1, Histogram: "aGk=", ConnectMS: one, HandshakeMS: one,
		Schedule: &facts.Schedule{Due: 1, InFlight: 1}}
	got, err := openWindow(facts.H2, 1, 0).trial(a)
	if err != nil || got.Histogram != "aGk=" || got.ConnectMS != one || got.HandshakeMS != one || got.Schedule != a.Schedule {
		t.Errorf("%v: %+v", err, got)
	}
}

func TestClosedLoopsAreMeasuredOnceWithoutARecord(t *testing.T) {
	f := &fake{limit: asNamed}
	s, saves := score(f, 6, planned("direct", "nginx-1000", "envoy-1000")...)
	s.Cells[0].Workload.DurationS = 60
	s.Unsupported = func(p facts.Planned) facts.Text {
		return map[string]facts.Text{"envoy-1000": facts.Verbatim("no envoy")}[p.Topology.Name]
	}
	got, err := ClosedLoop(context.Background(), s)
	if err != nil || len(got) != 2 || *saves != 0 || len(s.Result.Cells) != 0 {
		t.Fatalf("%v: %v, %d saves, %d cells", err, got, *saves, len(s.Result.Cells))
	}
	if _, ok := got["nginx-1000.h2.go-once"]; !ok || !slices.Equal(f.log, []string{"measure direct 0", "measure nginx-1000 0"}) {
		t.Errorf("%v, %v", got, f.log)
	}
	if s.Cells[0].Workload.DurationS != 60 {
		t.Error("the trials' window was shortened")
	}
}

func TestAClosedLoopThatFailsNamesItsCell(t *testing.T) {
	f := &fake{limit: asNamed, failAt: 2}
	s, _ := score(f, 6, planned("direct", "nginx-1000")...)
	if _, err := ClosedLoop(context.Background(), s); err == nil ||
		!strings.Contains(err.Error(), "nginx-1000.h2.go-once, closed loop: client said nothing") {
		t.Errorf("%v", err)
	}
	f = &fake{limit: asNamed, failAt: 1, dead: errors.New("nginx died")}
	s, _ = score(f, 6, planned("direct")...)
	if _, err := ClosedLoop(context.Background(), s); err == nil || !strings.Contains(err.Error(), "nginx died") {
		t.Errorf("%v", err)
	}
}
