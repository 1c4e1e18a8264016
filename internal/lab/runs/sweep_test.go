package runs

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/lab/load"
	"h2lab/internal/lab/plan"
)

// sweepRow is a row of a sweep with rising users.
func sweepCell(users int) facts.Planned {
	return facts.Planned{Topology: facts.Topology{Name: "nginx-1000"}, Protocol: facts.H1, Client: "webclient-h1",
		Users: facts.K6ConnectionPerVU, Workload: facts.Workload{Concurrency: users},
		Service: &facts.Server{Name: "webclient-h1"}}
}

// busyTrial is a trial of a second that used so many of two cores.
func busyTrial(cores, p50 float64) facts.Trial {
	service, client := cores*0.75, cores*0.25
	return facts.Trial{ElapsedS: 1, Attempts: 100, Succeeded: 100, LatencyMS: facts.Latency{P50: &p50},
		CPU: facts.CPU{Service: &service, Client: &client}}
}

func TestUsersAreRaisedUntilTheMachineOrTheServiceIsTheLimit(t *testing.T) {
	hours := 3600e3
	for _, c := range []struct {
		name   string
		trials []facts.Trial
		want   string
	}{
		{"half of the machine", []facts.Trial{busyTrial(1, 105)}, ""},
		{"the whole machine", []facts.Trial{busyTrial(1.98, 105)}, "not measured: with 800 users all 2 cores of this machine " +
			"were busy (service 74 %, load generator 25 %); more users would measure the machine and not the service"},
		{"one of two trials had all cores", []facts.Trial{busyTrial(1, 105), busyTrial(2, 105)}, ""},
		{"its threads", []facts.Trial{busyTrial(0.5, 4200)}, "not measured: with 800 users half of the requests took 4.2 s " +
			"or longer; more users would only wait longer"},
		{"no request succeeds", []facts.Trial{{ElapsedS: 1, Attempts: 10, Failed: 10}}, "not measured: with 800 users no " +
			"request succeeded"},
		{"it fails", []facts.Trial{{Fault: &facts.Fault{Kind: facts.FaultCrashed, Message: "the heap is full"}}},
			"not measured: the trial with 800 users failed: the heap is full"},
		{"nothing was measured", nil, ""},
		{"no processor times are known", []facts.Trial{{ElapsedS: 1, Attempts: 1, Succeeded: 1,
			LatencyMS: facts.Latency{P50: new(float64), Max: &hours}}}, ""},
	} {
		r := &facts.Result{Cells: []facts.Cell{{Topology: "nginx-1000", Protocol: facts.H1, Client: "webclient-h1",
			Workload: facts.Workload{Concurrency: 800}, Trials: c.trials}}}
		s := &rising{cores: 2, users: true, result: r}
		if got := texts.English.In(s.why(sweepCell(1200))); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := texts.English.In(s.why(sweepCell(400))); got != "" {
			t.Errorf("%s: fewer users: %q", c.name, got)
		}
		other := sweepCell(1200)
		if other.Topology.Name = "direct"; !s.why(other).IsZero() {
			t.Errorf("%s: another topology: %v", c.name, s.why(other))
		}
		s.first = 1 // the cell is another sweep's
		if got := texts.English.In(s.why(sweepCell(1200))); got != "" {
			t.Errorf("%s: another sweep: %q", c.name, got)
		}
	}
	r := &facts.Result{Cells: []facts.Cell{{Topology: "nginx-1000", Protocol: facts.H1, Client: "webclient-h1",
		Workload: facts.Workload{Concurrency: 1200}, Unsupported: facts.T("verdict.recorded", "as before")}}}
	if got := texts.English.In((&rising{cores: 2, users: true, result: r}).why(sweepCell(1600))); got != "as before" {
		t.Errorf("after a cell that was not measured: %q", got)
	}
}

// fakeTrials answers with a trial or an error.
type fakeTrials struct {
	trial facts.Trial
	err   error
	calls int
}

func (f *fakeTrials) Limit(context.Context, facts.Topology, facts.Protocol) (facts.Limit, error) {
	return facts.Limit{}, nil
}

func (f *fakeTrials) Renewal(context.Context, facts.Topology) (facts.Renewal, error) {
	return facts.Renewal{}, nil
}

func (f *fakeTrials) Measure(context.Context, facts.Planned, int) (facts.Trial, error) {
	f.calls++
	return f.trial, f.err
}

type fakeKeeper struct {
	busy, servers, services, again error
	restarts                       int
}

func (k *fakeKeeper) idle(context.Context, facts.Planned) error { return k.busy }
func (k *fakeKeeper) serversAlive() error                       { return k.servers }
func (k *fakeKeeper) servicesAlive() error                      { return k.services }
func (k *fakeKeeper) restart(context.Context) error {
	k.restarts++
	k.services = nil
	return k.again
}

func TestAServiceThatFailsEndsItsTrialAndNotTheSweep(t *testing.T) {
	full := errors.New("webclient-h1 ended with status 3: the heap of 256 MB is full\nlog")
	garbled := &load.ProgramError{Fault: facts.Fault{Kind: facts.FaultGarbled, Message: "ab prints garbage"}}
	f := labtest.NewFaults(t, labtest.Programs)
	for _, c := range []struct {
		fault    string
		trials   fakeTrials
		keeper   fakeKeeper
		want     *facts.Fault
		wantErr  string
		restarts int
	}{
		{"a service of a sweep runs out of heap in a trial", fakeTrials{err: errors.New("view: EOF")}, fakeKeeper{services: full},
			&facts.Fault{Kind: facts.FaultCrashed, Message: "webclient-h1 ended with status 3: the heap of 256 MB is full"}, "", 1},
		{"a service of a sweep dies after its trial", fakeTrials{trial: facts.Trial{Attempts: 1}}, fakeKeeper{services: full},
			&facts.Fault{Kind: facts.FaultCrashed, Message: "webclient-h1 ended with status 3: the heap of 256 MB is full"}, "", 1},
		{"the load generator of a sweep prints garbage", fakeTrials{err: garbled}, fakeKeeper{}, &garbled.Fault, "", 1},
		{"a service doesn't answer for its view", fakeTrials{err: errors.New("the view of x: timeout")}, fakeKeeper{},
			&facts.Fault{Kind: facts.FaultSilent, Message: "the view of x: timeout"}, "", 1},
		{"a service never finishes the requests of the trial before", fakeTrials{},
			fakeKeeper{busy: errors.New("it still works")}, &facts.Fault{Kind: facts.FaultSilent, Message: "it still works"}, "", 1},
		{"a proxy dies in a sweep", fakeTrials{err: errors.New("counters are gone")},
			fakeKeeper{servers: errors.New("nginx died"), services: full}, nil, "counters are gone", 0},
		{"a service of a sweep doesn't start again", fakeTrials{err: errors.New("EOF")},
			fakeKeeper{services: full, again: errors.New("no memory")}, nil, "no memory", 1},
	} {
		f.Try(c.fault, func(t *testing.T) {
			s := &sweepTrials{Instruments: &c.trials, services: &c.keeper}
			trial, err := s.Measure(t.Context(), sweepCell(100), 1)
			switch {
			case c.want == nil:
				if err == nil || !strings.Contains(err.Error(), c.wantErr) {
					t.Errorf("%v, want %q", err, c.wantErr)
				}
			case err != nil || trial.Fault == nil || *trial.Fault != *c.want || trial.Errors == nil:
				t.Errorf("%+v, %v, want %+v", trial, err, c.want)
			}
			if c.keeper.restarts != c.restarts {
				t.Errorf("%d restarts", c.keeper.restarts)
			}
		})
	}
}

func TestASweepEndsWhereItCannotGoOn(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Programs)
	f.Try("every trial of a sweep fails", func(t *testing.T) {
		s := &sweepTrials{Instruments: &fakeTrials{err: errors.New("no route")}, services: &fakeKeeper{}}
		for n := 1; ; n++ {
			_, err := s.Measure(t.Context(), sweepCell(100), 1)
			if err != nil {
				if n != mostFailed {
					t.Errorf("the sweep ends after %d trials: %v", n, err)
				}
				return
			}
		}
	})
	f.Try("a sweep is interrupted in a trial", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		k := &fakeKeeper{}
		s := &sweepTrials{Instruments: &fakeTrials{err: context.Canceled}, services: k}
		if _, err := s.Measure(ctx, sweepCell(100), 1); !errors.Is(err, context.Canceled) || k.restarts > 0 {
			t.Errorf("%v, %d restarts", err, k.restarts)
		}
	})
}

func TestALineWithoutAServiceIsMeasuredAsItIs(t *testing.T) {
	trials := &fakeTrials{err: errors.New("the backend is gone")}
	s := &sweepTrials{Instruments: trials, services: &fakeKeeper{busy: errors.New("unused")}}
	cell := sweepCell(50)
	cell.Service = nil
	if _, err := s.Measure(t.Context(), cell, 1); err != trials.err {
		t.Errorf("%v", err)
	}
}

func TestATrialWaitsUntilTheQueueOfTheOneBeforeIsEmpty(t *testing.T) {
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) <= atOnce { // the queue is still full
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer s.Close()
	if err := awaitIdle(t.Context(), s.URL, time.Minute); err != nil || asked.Load() <= atOnce {
		t.Errorf("%v after %d probes", err, asked.Load())
	}
	stuck := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer stuck.Close()
	if err := awaitIdle(t.Context(), stuck.URL, 10*time.Millisecond); err == nil ||
		!strings.Contains(err.Error(), "it still works on requests of the trial before after 10ms: it answers 503") {
		t.Errorf("%v", err)
	}
}

// The tables name services that the manifests of services/ have.
func TestEveryServiceOfTheSweepsHasAManifest(t *testing.T) {
	svc, err := (&Lab{Root: labtest.Root(t)}).readServices()
	labtest.Check(t, err)
	for _, name := range plan.Sweeps {
		if _, err := plan.SweepCells(name, plan.UsualFor(plan.Sweep), svc.rows); err != nil {
			t.Error(err)
		}
	}
}

// A sweep with one pass plans all its cells before the first trial: no cell follows from another.
func TestACellOfASweepWithoutRisingUsersFollowsFromNoOther(t *testing.T) {
	cells := []facts.Planned{sweepCell(100), sweepCell(800)}
	for name, want := range map[string]string{plan.Async: "", plan.Callers: "lacks Java"} {
		r := &facts.Result{}
		st := sweepStage(name, cells)
		if got := st.unsupported(cells[1]); !got.IsZero() {
			t.Errorf("%s, before the first pass: %q", name, got)
		}
		st.passes(r)
		r.Cells = append(r.Cells, facts.Cell{Topology: "nginx-1000", Protocol: facts.H1, Client: "webclient-h1",
			Workload: facts.Workload{Concurrency: 100}, Unsupported: facts.T("verdict.recorded", "lacks Java")})
		if got := texts.English.In(st.unsupported(cells[1])); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestAStoryRunsNativelyOnly(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Knobs)
	settle := func(runtime string) (l *Lab, r *run, err error) {
		l = &Lab{Root: labtest.Root(t), Results: filepath.Join(t.TempDir(), "none"), Messages: io.Discard, System: "linux"}
		r = l.servicesRun(Request{Command: plan.Story, Runtime: runtime}, programsOf(nil), nil)
		_, err = l.settle(t.Context(), r)
		return l, r, err
	}
	for _, c := range []struct {
		name, runtime, says string
	}{
		{"a story under Docker", Docker, "RUNTIME=docker: story has no images of its services yet; use RUNTIME=native"},
		{"a story in an unknown runtime", "podman", "RUNTIME=podman is unknown"},
	} {
		f.Try(c.name, func(t *testing.T) {
			l, _, err := settle(c.runtime)
			if err == nil || !strings.HasPrefix(err.Error(), c.says) || exitstatus.Of(err) != exitstatus.Usage {
				t.Errorf("error %v", err)
			}
			if _, err := os.Stat(l.Results); err == nil {
				t.Error("it made the directory of results")
			}
		})
	}
	for _, runtime := range []string{Auto, Native} {
		if _, r, err := settle(runtime); err != nil || r.Runtime != Native {
			t.Errorf("RUNTIME=%s became %s, %v", runtime, r.Runtime, err)
		}
	}
}

func TestAMachineWithoutTheMemoryIsRefusedBeforeTheStart(t *testing.T) {
	mb := func(n int64) *int64 { return &n }
	f := labtest.NewFaults(t, labtest.Limits)
	f.Try("2000 MB of memory for 6 JVMs", func(t *testing.T) {
		err := ampleMemory(mb(2000), make([]facts.Server, 6))
		if exitstatus.Of(err) != exitstatus.Missing || !strings.Contains(err.Error(), "2000 MB of free memory, and 6 JVMs "+
			"require 2436 MB") || !strings.Contains(err.Error(), "CLIENT=NAME") {
			t.Errorf("error %v", err)
		}
	})
	server := []facts.Server{{Name: "server-sync"}}
	if ampleMemory(mb(661), server) == nil || ampleMemory(mb(662), server) != nil {
		t.Error("a server needs 662 MB")
	}
	for _, free := range []*int64{nil, mb(2436)} {
		if err := ampleMemory(free, make([]facts.Server, 6)); err != nil {
			t.Error(err)
		}
	}
}

// checkout is a directory with one service whose toolchain is that need.
func checkout(t *testing.T, need, build string) *Lab {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"clients.txt": "spring\n",
		"spring/client.json": `{"ecosystem": "spring", "title": "Spring", "needs": [` + need + `], "build": [` + build + `],
 "clients": [{"name": "caller", "library": "Spring", "says": "calls", "run": ["out/run", "caller"], "protocol": "h2"},
  {"name": "newer", "library": "Spring", "says": "calls", "run": ["out/run", "newer"], "protocol": "h2",
   "needs": [{"tool": "h2lab-no-such-java", "install": "apt-get install it"}]}]}`,
	} {
		path := filepath.Join(root, OwnServices, name)
		labtest.Write(t, path, text)
	}
	return &Lab{Root: root, Messages: io.Discard}
}

func TestAMissingToolchainIsOneLine(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Programs)
	const mvn = `{"tool": "h2lab-no-such-mvn", "args": ["--version"], "least": "3.8", "install": "apt-get install maven"}`
	build := func(l *Lab, named ...string) (programs, error) {
		s, err := l.readServices()
		labtest.Check(t, err)
		r := l.servicesRun(Request{Knobs: plan.Knobs{Clients: named}}, s, nil)
		return r.programs, l.build(t.Context(), r.programs)
	}
	f.Try("the toolchain of the services is missing", func(t *testing.T) {
		_, err := build(checkout(t, mvn, `"true"`))
		want := "services/spring: h2lab-no-such-mvn is missing; install it with: apt-get install maven"
		if err == nil || err.Error() != want || exitstatus.Of(err) != exitstatus.Missing {
			t.Errorf("error %v", err)
		}
	})
	f.Try("a build of the services fails", func(t *testing.T) {
		_, err := build(checkout(t, "", `"sh", "-c", "echo no network >&2; exit 7"`))
		if err == nil || exitstatus.Of(err) != exitstatus.Missing ||
			!strings.Contains(err.Error(), "building services/spring: ended with status 7") ||
			!strings.Contains(err.Error(), "no network") {
			t.Errorf("error %v", err)
		}
	})
	f.Try("a service that the user named needs a tool of its own", func(t *testing.T) {
		_, err := build(checkout(t, "", ""), "newer")
		if err == nil || !strings.HasPrefix(err.Error(), "services/spring: newer: h2lab-no-such-java is missing") {
			t.Errorf("error %v", err)
		}
	})
	s, err := build(checkout(t, "", ""))
	labtest.Check(t, err)
	cell := facts.Planned{Client: "newer", Service: &facts.Server{Name: "newer"}}
	if why := texts.English.In(s.why(cell)); !strings.HasPrefix(why, "h2lab-no-such-java is missing") {
		t.Errorf("the cell's reason is %q", why)
	}
	if able := s.able([]facts.Planned{cell, {Client: "caller", Service: &facts.Server{Name: "caller"}}}); len(able) != 1 ||
		able[0].Name != "caller" {
		t.Errorf("able are %+v", able)
	}
}

func TestAServiceThatAssumesALimitIsUnsupportedAtALowerOne(t *testing.T) {
	s := programs{}
	cell := facts.Planned{Client: "renew", Service: &facts.Server{Name: "renew"}, Program: &facts.Program{AssumesLimit: 1000}}
	for limit, supported := range map[int]bool{0: true, 100: false, 1000: true, 100000: true} {
		cell.Topology.Limit = limit
		if why := texts.English.In(s.why(cell)); (why == "") != supported {
			t.Errorf("at a limit of %d: %q", limit, why)
		}
	}
}
