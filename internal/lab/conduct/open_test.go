package conduct

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"h2lab/internal/facts"
	"h2lab/internal/lab/load"
)

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
	s.Unsupported = func(p facts.Planned) string { return map[string]string{"envoy-1000": "no envoy"}[p.Topology.Name] }
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
