//go:build integration

package runs

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
)

// lab is a lab of this checkout with results of its own.
func lab(t *testing.T) *Lab {
	t.Helper()
	root, err := filepath.Abs(labtest.Root(t))
	labtest.Check(t, err)
	return &Lab{Root: root, Results: t.TempDir(), Own: true, Messages: io.Discard, Stdout: io.Discard, Stderr: io.Discard,
		Progress: func(conduct.Step) {}}
}

// fakeCells are short cells of one fake service on both topologies.
func fakeCells(t *testing.T, name facts.Client, k plan.Knobs) ([]facts.Planned, *services) {
	t.Helper()
	var cells []facts.Planned
	for _, top := range plan.Topologies(k.Limit) {
		if top.Name == "envoy" || top.Name == "nginx-100-envoy" {
			cells = append(cells, facts.Planned{Topology: top, Protocol: facts.H2, Client: name,
				Program: &facts.Program{Ecosystem: "fake", IDs: true}, Workload: k.Workload(), Users: facts.K6ConnectionPerVU})
		}
	}
	svc := &services{argv: map[facts.Client][]string{name: {os.Args[0], mark + string(name)}}}
	cells, err := plan.Serviced(cells, svc.argv)
	labtest.Check(t, err)
	return cells, svc
}

func request() Request {
	k := plan.UsualFor(plan.Story)
	k.Limit, k.Concurrency, k.Trials, k.Seed, k.CPUs = 100, 8, 2, 1, "none"
	k.Duration, k.Warmup = 500*time.Millisecond, 300*time.Millisecond
	return Request{Command: plan.Story, Knobs: k, Runtime: Native, Timeline: true}
}

// nothingRuns checks that no server and no service is left.
func nothingRuns(t *testing.T, l *Lab, cells []facts.Planned) {
	t.Helper()
	for _, err := range native.Taken(l.Root, append(plan.Servers(plan.TopologiesOf(cells)), plan.ServicesOf(cells)...)) {
		t.Errorf("left behind: %v", err)
	}
	for _, f := range native.Running(l.Root) {
		t.Errorf("left behind: %+v", f)
	}
}

func TestARunThroughAServiceHasAllThreeViews(t *testing.T) {
	l, q := lab(t), request()
	cells, svc := fakeCells(t, "fake-honest", q.Knobs)
	later := 0
	dir, err := l.throughServices(t.Context(), q, svc, []stage{{cells: cells, passes: func(r *facts.Result) []func() []facts.Planned {
		return []func() []facts.Planned{func() []facts.Planned { return cells[:1] }, func() []facts.Planned {
			later = len(r.Cells[0].Trials)
			return cells[1:]
		}}
	}}})
	labtest.Check(t, err)
	nothingRuns(t, l, cells)
	r, err := results.Read(dir)
	labtest.Check(t, err)
	if later != 2 || len(r.Cells) != 2 || len(r.Environment.Servers) != 4 {
		t.Errorf("%d trials before the second pass, %d cells, servers %+v", later, len(r.Cells), r.Environment.Servers)
	}
	for _, c := range r.Cells {
		if len(c.Trials) != 2 || c.Users != facts.K6ConnectionPerVU || c.Client != "fake-honest" {
			t.Fatalf("cell %s has %d trials, users %q", c.ID(), len(c.Trials), c.Users)
		}
		for _, x := range c.Trials {
			s, handled := x.Service, x.Backend.HandledMS
			if s == nil || s.Calls != x.Attempts || s.Succeeded+s.Failed != s.Calls || s.Settings["pool"] != "1" {
				t.Errorf("%s: the service saw %+v of %d attempts", c.ID(), s, x.Attempts)
			}
			if handled == nil || handled.P50 == nil || *handled.P50 < 20 {
				t.Errorf("%s: the backend took %+v for a delay of 20 ms", c.ID(), handled)
			}
			if x.CPU.Service == nil || x.Backend.Distinct == nil || *x.Backend.Distinct < x.Succeeded {
				t.Errorf("%s: processor time %+v, the backend executed %+v of %d", c.ID(), x.CPU, x.Backend, x.Succeeded)
			}
			if _, err := results.ReadSeries(dir, x.Series); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestAServiceThatFailsEndsTheRunAndFinishedTrialsAreKept(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Programs)
	for _, c := range []struct {
		fault  string
		name   facts.Client
		trials int
		says   string
	}{
		{"a service ends in the middle of a window", "fake-dies", 1,
			"ended with status 3; its last line: Terminating due to java.lang.OutOfMemoryError: Java heap space"},
		{"a service's view is garbage", "fake-garbage", 0, "the view of fake-garbage: its answer is no JSON object"},
		{"a service ignores SIGTERM", "fake-hangs", 4, ""},
	} {
		f.Try(c.fault, func(t *testing.T) {
			l, q := lab(t), request()
			cells, svc := fakeCells(t, c.name, q.Knobs)
			dir, err := l.throughServices(t.Context(), q, svc, []stage{{cells: cells}})
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("error %v, want %q", err, c.says)
			}
			nothingRuns(t, l, cells)
			keeps(t, dir, c.trials, c.says != "")
		})
	}
}

func TestARunThatCannotBeginLeavesNoDirectory(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Programs)
	f.Try("a service answers no request", func(t *testing.T) {
		l, q := lab(t), request()
		cells, svc := fakeCells(t, "fake-refuses", q.Knobs)
		dir, err := l.throughServices(t.Context(), q, svc, []stage{{cells: cells}})
		if err == nil || dir != "" ||
			!strings.Contains(err.Error(), "fake-refuses answers no request through envoy: GoException: EOF") {
			t.Errorf("%q, error %v", dir, err)
		}
		nothingRuns(t, l, cells)
		if left, _ := filepath.Glob(filepath.Join(l.Results, "2*")); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	})
}

// keeps checks that a run has so many finished trials.
func keeps(t *testing.T, dir string, trials int, interrupted bool) {
	t.Helper()
	r, err := results.Read(dir)
	labtest.Check(t, err)
	n := 0
	for _, c := range r.Cells {
		n += len(c.Trials)
	}
	if n != trials || r.Run.Interrupted != interrupted {
		t.Errorf("%d trials are kept, interrupted %t, want %d, %t", n, r.Run.Interrupted, trials, interrupted)
	}
}

func TestAnInterruptInTheMiddleKeepsTrialsAndStopsTheService(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Signals)
	f.Try("Ctrl-C in the second trial of a run with services", func(t *testing.T) {
		l, q := lab(t), request()
		cells, svc := fakeCells(t, "fake-honest", q.Knobs)
		ctx, cancel := context.WithCancel(t.Context())
		l.Progress = func(s conduct.Step) {
			if s.Done == 1 {
				time.AfterFunc(500*time.Millisecond, cancel)
			}
		}
		dir, err := l.throughServices(ctx, q, svc, []stage{{cells: cells}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		nothingRuns(t, l, cells)
		keeps(t, dir, 1, true)
	})
}
