//go:build integration

package runs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
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
func fakeCells(t *testing.T, name facts.Client, k plan.Knobs) ([]facts.Planned, programs) {
	t.Helper()
	var cells []facts.Planned
	for _, top := range plan.Topologies(k.Limit) {
		if top.Name == "envoy" || top.Name == "nginx-100-envoy" {
			cells = append(cells, facts.Planned{Topology: top, Protocol: facts.H2, Client: name,
				Program: &facts.Program{Ecosystem: "fake", IDs: true}, Workload: k.Workload(), Users: facts.K6ConnectionPerVU})
		}
	}
	svc := programs{argv: map[facts.Client][]string{name: {os.Args[0], mark + string(name)}}}
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

// through carries out a run with services.
func through(ctx context.Context, l *Lab, q Request, svc programs, stages []stage) (dir string, err error) {
	return l.measure(ctx, l.servicesRun(q, svc, stages))
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
	dir, err := through(t.Context(), l, q, svc, []stage{{cells: cells, passes: func(r *facts.Result) []func() []facts.Planned {
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
			dir, err := through(t.Context(), l, q, svc, []stage{{cells: cells}})
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
		dir, err := through(t.Context(), l, q, svc, []stage{{cells: cells}})
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
		dir, err := through(ctx, l, q, svc, []stage{{cells: cells}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		nothingRuns(t, l, cells)
		keeps(t, dir, 1, true)
	})
}

// shortPlaces are two limits of three places: the base, another key with resumption, and a distance.
func shortPlaces(k plan.Knobs) (out [][]facts.Planned) {
	for _, p := range plan.MattersPlaces(k, nil) {
		if !slices.Contains([]string{"100-in-flight-0ms-rtt0", "100-in-flight-0ms-rtt0-ecdsa-resumed",
			"100-in-flight-0ms-rtt20"}, p[0].Point) || p[0].Client != facts.GoReplayable {
			continue
		}
		p = slices.DeleteFunc(p, func(c facts.Planned) bool { return c.Topology.Limit > 1000 })
		for i := range p {
			p[i].Workload.WarmupS, p[i].Workload.DurationS = 0.2, 0.5
		}
		out = append(out, p)
	}
	return out
}

// This process is in the machine's own network namespace, where the lab makes no line.
func TestPlacesAreMeasuredWithBothKeysAndAfterAProxyDied(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Programs)
	f.Try("nginx is killed in a trial of SWEEP=matters", func(t *testing.T) {
		l, said := lab(t), &strings.Builder{}
		l.Messages = said
		k := plan.UsualFor(plan.Sweep)
		k.Sweep, k.Seed, k.CPUs = plan.Matters, 1, "none"
		m := l.placesOf(Request{Command: plan.Sweep, Knobs: k, Runtime: Native}, programsOf(nil), shortPlaces(k))
		killed := ""
		l.Progress = func(s conduct.Step) {
			if s.What == "trial" && killed == "" {
				killed = s.Cell
				server, _, _ := strings.Cut(s.Cell, ".")
				text, _ := os.ReadFile(filepath.Join(l.Root, "var", server+".pid"))
				pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
				if err == nil {
					err = syscall.Kill(pid, syscall.SIGKILL)
				}
				if err != nil {
					t.Error(err)
				}
			}
		}
		dir, err := l.measure(t.Context(), m.run)
		if err != nil {
			t.Fatal(err, said)
		}
		nothingRuns(t, l, slices.Concat(m.all...))
		r, err := results.Read(dir)
		labtest.Check(t, err)
		for _, c := range r.Cells {
			measuredAs(t, c, c.ID() == killed)
		}
		if len(r.Cells) != 6 || !strings.Contains(said.String(), "starting the servers again with a certificate of the key") {
			t.Errorf("%d cells, %s", len(r.Cells), said)
		}
	})
}

// measuredAs checks a cell of shortPlaces.
func measuredAs(t *testing.T, c facts.Cell, killed bool) {
	t.Helper()
	w := c.Workload
	switch {
	case w.Distance.Any():
		if !strings.Contains(texts.English.In(c.Unsupported), "not measured: a delay line must not change the host's own network namespace") {
			t.Errorf("%s: %q, %d trials", c.ID(), c.Unsupported, len(c.Trials))
		}
	case len(c.Trials) != 1:
		t.Errorf("%s has %d trials, %q", c.ID(), len(c.Trials), c.Unsupported)
	case killed:
		if x := c.Trials[0]; x.Fault == nil || x.Fault.Kind != facts.FaultCrashed {
			t.Errorf("%s: %+v", c.ID(), x)
		}
	default:
		x := c.Trials[0]
		if x.Fault != nil || x.Connections.Dialled == nil || *x.Connections.Dialled == 0 || *x.Connections.UsedUp == 0 {
			t.Errorf("%s: %+v", c.ID(), x)
			return
		}
		if n := *x.TLS.Resumed; w.Resume != (n == *x.Connections.Dialled) {
			t.Errorf("%s: %d of %d handshakes resumed", c.ID(), n, *x.Connections.Dialled)
		}
	}
}

// The test binary is its own service: real servers, k6 and users call a fake whose name is its
// behaviour. Package cmd/h2lab tests the real services.
const mark = "-Dh2lab.service="

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], mark) {
		os.Exit(fakeService(strings.TrimPrefix(os.Args[1], mark), os.Args[2:]))
	}
	os.Exit(m.Run())
}

// fakeService calls the front of the topology that a request names, one goroutine for each request.
func fakeService(name string, args []string) int {
	flags := flag.NewFlagSet(name, flag.ExitOnError)
	port, ca := flags.String("port", "", ""), flags.String("ca", "", "")
	fronts := map[string]string{}
	flags.Func("upstream", "", func(v string) error {
		topology, front, _ := strings.Cut(v, "=")
		fronts[topology] = front
		return nil
	})
	_ = flags.Parse(args)
	pem, err := os.ReadFile(*ca)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	s := &fake{name: name, fronts: fronts, client: &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{RootCAs: roots, MaxVersion: tls.VersionTLS12}}}}
	mux := http.NewServeMux()
	mux.HandleFunc("/lab/ready", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /lab/view/reset", s.reset)
	mux.HandleFunc("/lab/view.json", s.view)
	mux.HandleFunc("/through/{topology}/{rest...}", s.through)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	if name == "fake-hangs" {
		signal.Ignore(syscall.SIGTERM)
	}
	go func() {
		fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:"+*port, mux))
		os.Exit(1)
	}()
	<-stop
	return 0
}

type fake struct {
	name              string
	fronts            map[string]string
	client            *http.Client
	resets            atomic.Int64
	succeeded, failed atomic.Int64
}

func (s *fake) reset(http.ResponseWriter, *http.Request) {
	s.resets.Add(1)
	s.succeeded.Store(0)
	s.failed.Store(0)
}

func (s *fake) through(w http.ResponseWriter, r *http.Request) {
	if s.name == "fake-dies" && s.resets.Load() == 2 && s.succeeded.Load() > 100 {
		fmt.Fprintln(os.Stderr, "Terminating due to java.lang.OutOfMemoryError: Java heap space")
		os.Exit(3)
	}
	if s.name == "fake-refuses" {
		s.failed.Add(1)
		http.Error(w, "GoException: EOF", http.StatusBadGateway)
		return
	}
	url := "https://" + s.fronts[r.PathValue("topology")] + "/" + r.PathValue("rest") + "?" + r.URL.RawQuery
	req, err := http.NewRequestWithContext(r.Context(), r.Method, url, r.Body)
	if err == nil {
		req.Header.Set("X-Lab-Request-Id", r.Header.Get("X-Lab-Request-Id"))
		var resp *http.Response
		if resp, err = s.client.Do(req); err == nil {
			_, err = io.Copy(w, resp.Body)
			_ = resp.Body.Close()
		}
	}
	if err != nil {
		s.failed.Add(1)
		http.Error(w, "GoException: "+err.Error(), http.StatusBadGateway)
		return
	}
	s.succeeded.Add(1)
}

func (s *fake) view(w http.ResponseWriter, _ *http.Request) {
	if s.name == "fake-garbage" {
		fmt.Fprint(w, "<html>it works</html>")
		return
	}
	latency := func(n int64, ms string) string {
		if n == 0 {
			ms = "null"
		}
		return fmt.Sprintf(`{"p50":%[1]s,"p90":%[1]s,"p95":%[1]s,"p99":%[1]s,"p999":%[1]s,"max":%[1]s}`, ms)
	}
	ok, bad, errs := s.succeeded.Load(), s.failed.Load(), ""
	if bad > 0 {
		errs = fmt.Sprintf(`{"class":"","count":%d,"message":"GoException: EOF"}`, bad)
	}
	fmt.Fprintf(w, `{"requests":%d,"rejected":0,"calls":%[1]d,"succeeded":%d,"failed":%d,"errors":[%s],"call_ms":%s,`+
		`"failed_ms":%s,"row_ms":%s,"threads":null,"heap_mb":null,"heap_max_mb":null,"cpu_s":null,"gc_s":null,`+
		`"settings":{"pool":"1"}}`, ok+bad, ok, bad, errs, latency(ok, "21"), latency(bad, "1"), latency(ok, "0.1"))
}
