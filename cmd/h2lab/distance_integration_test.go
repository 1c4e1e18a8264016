//go:build integration && linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"h2lab/internal/base/child"
	"h2lab/internal/base/histogram"
	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/live"
	"h2lab/internal/lab/results"
)

// Over a distance of 20 ms no answer comes earlier, k6 and Go alike, and the host's devices are those
// of before.
func TestARunOverADistance(t *testing.T) {
	before, err := net.Interfaces()
	labtest.Check(t, err)
	p := start(t, "repro", "RTT=20ms", "TOPOLOGY=nginx-100", "CLIENT=k6-shared-pool,go-once")
	p.until("1/4")
	if during, err := net.Interfaces(); err != nil || len(during) != len(before) {
		t.Errorf("%v: %+v, before %+v", err, during, before)
	}
	p.end(0)
	dir := p.run()
	r, err := results.Read(dir)
	if err != nil || r.Run.Command != "repro" {
		t.Fatal(r, err)
	}
	for _, c := range r.Cells {
		if len(c.Trials) != 1 || c.Workload.Distance.RTTMS != 20 {
			t.Errorf("%s: %d trials, %+v", c.ID(), len(c.Trials), c.Workload)
			continue
		}
		if p50 := c.Trials[0].LatencyMS.P50; p50 == nil || *p50 < 20 {
			t.Errorf("%s: p50 is %v ms", c.ID(), p50)
		}
	}
	if !strings.Contains(r.Run.Repeat, " RTT=20ms") {
		t.Errorf("repeat: %s", r.Run.Repeat)
	}
	for page, says := range map[string]string{"report.md": "round trip of 20 ms", "report.zh.md": "往返时间为 20 ms"} {
		text, err := os.ReadFile(filepath.Join(dir, page))
		if err != nil || !strings.Contains(string(text), says) {
			t.Errorf("%s doesn't say %q: %v", page, says, err)
		}
	}
}

// delayed is `h2lab delay` with these arguments.
func delayed(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := filepath.Abs("../../bin/h2lab")
	labtest.Check(t, err)
	cmd := exec.Command(binary, append([]string{"delay"}, args...)...)
	t.Cleanup(func() {
		if cmd.Process != nil && cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return cmd
}

// devices are the names of this namespace's devices.
func devices(t *testing.T) (names string) {
	t.Helper()
	all, err := net.Interfaces()
	labtest.Check(t, err)
	for _, i := range all {
		names += i.Name + " "
	}
	return names
}

// curl reaches a server of this machine over the distance, h2lab has the program's status and output, and
// no device is left.
func TestACommandAtADistance(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	before := devices(t)
	for _, c := range []struct {
		name   string
		args   []string
		status int
		says   string
	}{
		{"a status", []string{"--rtt", "1ms", "--", "sh", "-c", "echo out; exit 7"}, 7, "out\n"},
		{"no --", []string{"--rtt", "1ms", "sh", "-c", "echo out"}, 0, "out\n"},
		{"ended by a signal", []string{"--rtt", "1ms", "--", "sh", "-c", "kill -9 $$"}, 1, ""},
		{"its input", []string{"--rtt", "1ms", "--", "cat"}, 0, "in\n"},
	} {
		cmd := delayed(t, c.args...)
		cmd.Stdin = strings.NewReader("in\n")
		out, _ := cmd.Output()
		if got := cmd.ProcessState.ExitCode(); got != c.status || string(out) != c.says {
			t.Errorf("%s: status %d, %q; want %d, %q", c.name, got, out, c.status, c.says)
		}
	}
	for _, rtt := range []float64{0.02, 0.08} {
		least := 1.0
		for range 3 {
			out, err := delayed(t, "--rtt", time.Duration(rtt*float64(time.Second)).String(), "--",
				"curl", "-so", os.DevNull, "-w", "%{time_connect}", server.URL).Output()
			took, bad := strconv.ParseFloat(string(out), 64)
			if err != nil || bad != nil {
				t.Fatal(err, string(out))
			}
			least = min(least, took)
		}
		if least < rtt || least > 1.75*rtt {
			t.Errorf("curl connected in %g s, the round trip takes %g s", least, rtt)
		}
	}
	if after := devices(t); after != before {
		t.Errorf("devices before %s, after %s", before, after)
	}
}

// shellOf waits until the shell that `h2lab delay` runs has written its pid.
func shellOf(t *testing.T, file string) (pid int) {
	t.Helper()
	if !child.Await(t.Context(), 10*time.Second, func() bool {
		text, _ := os.ReadFile(file)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return pid > 0
	}) {
		t.Fatal("the command doesn't run")
	}
	return pid
}

// goesOn reports whether a process has not ended: one that has ended has no command line.
func goesOn(pid int) bool {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return len(text) > 0
}

func TestALineThatEndsLeavesNothing(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.Signals)
	before := devices(t)
	for _, c := range []struct {
		name   string
		signal syscall.Signal
	}{{"h2lab delay gets Ctrl-C", syscall.SIGINT}, {"h2lab delay gets SIGTERM", syscall.SIGTERM},
		{"h2lab delay is killed", syscall.SIGKILL}} {
		faults.Try(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			cmd := delayed(t, "--rtt", "1ms", "--", "sh", "-c", "echo $$ >"+file+"; exec sleep 60")
			labtest.Check(t, cmd.Start())
			pid := shellOf(t, file)
			if during := devices(t); during == before {
				t.Errorf("devices: %s", during)
			}
			labtest.Check(t, cmd.Process.Signal(c.signal))
			_ = cmd.Wait()
			if !child.Await(t.Context(), 10*time.Second, func() bool { return !goesOn(pid) && devices(t) == before }) {
				t.Errorf("the command runs: %t; devices: %s, before %s", goesOn(pid), devices(t), before)
			}
		})
	}
	faults.Try("a command at a distance leaves a process in a session of its own", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "pid")
		left := "setsid sh -c 'echo $$ >" + file + "; exec sleep 60' & until test -s " + file + "; do sleep 0.01; done"
		cmd := delayed(t, "--rtt", "1ms", "--", "sh", "-c", left)
		if err := cmd.Run(); err != nil {
			t.Error(err)
		}
		if pid := shellOf(t, file); goesOn(pid) {
			t.Errorf("%d runs on", pid)
		}
	})
}

// After `up` with a distance, h2lab delay has it until `down`.
func TestUpAtADistance(t *testing.T) {
	root := labtest.Root(t)
	lab := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(filepath.Join(root, "bin/h2lab"), args...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("h2lab %q: %v: %s", args, err, out)
		}
		return string(out)
	}
	defer lab("down")
	if said := lab("up", "--limit", "100", "--rtt", "20ms"); !strings.Contains(said, "bin/h2lab delay -- curl") {
		t.Errorf("up says nothing about the distance: %s", said)
	}
	lab("delay", "--", "sh", "-c", "curl -so /dev/null --cacert certs/out/ca.crt -w '%{time_connect}' "+
		"https://127.0.0.1:18101/lab/health | awk '{ exit !($1 >= 0.020) }'")
	lab("down")
	if err := delayed(t, "--", "true").Run(); err == nil || !strings.Contains(err.Error(), "status 2") {
		t.Errorf("after down: %v", err)
	}
}

// A learner's own load on the servers of make up appears on the live page: the low limit beside the high
// one, with its new connections and GOAWAY marks.
func TestLiveViewShowsTheServersOfUpUnderAnyLoad(t *testing.T) {
	root := labtest.Root(t)
	lab := func(args ...string) {
		t.Helper()
		cmd := exec.Command(filepath.Join(root, "bin/h2lab"), args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("h2lab %q: %v: %s", args, err, out)
		}
	}
	lab("up", "--limit", "100", "--runtime", "native")
	defer lab("down")
	dir := t.TempDir()
	tab := watching(t, root, dir)
	for _, front := range []string{"18101", "18111"} {
		out, err := exec.Command(filepath.Join(root, "bin/go-client"), "--protocol", "h2", "--url",
			"https://127.0.0.1:"+front+"/echo?ms=0", "--concurrency", "50", "--warmup", "300ms", "--duration", "1500ms",
			"--ca", filepath.Join(root, "certs/out/ca.crt")).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	labtest.Do(t, tab, chromedp.Poll[chromedp.Void](`document.querySelectorAll('svg .mark').length >= 3`,
		chromedp.WithPollingTimeout(0)))
	picture(t, tab, "live-up.png")
	sides := labtest.Eval[string](t, tab, `[...document.querySelectorAll('.panel')].map((p) => `+
		`p.querySelector('select').value + ': ' + p.querySelector('.sum').textContent).join('; ')`)
	for _, want := range []string{"nginx-100: Last minute: ", "nginx-100000: Last minute: ", " new connections for "} {
		if !strings.Contains(sides, want) {
			t.Errorf("the page shows %q, which lacks %q", sides, want)
		}
	}
}

// watching opens the live page of the servers that run.
func watching(t *testing.T, root, dir string) (tab context.Context) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	labtest.Check(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{}, 2)
	go func() {
		live.Watch(ctx, root, dir, (&app{ctx: ctx, root: root}).fronts(dir))
		ended <- struct{}{}
	}()
	go func() {
		_ = live.Serve(ctx, l, live.Follow(filepath.Join(dir, live.File)), func() []byte { return nil }, live.Words{})
		ended <- struct{}{}
	}()
	t.Cleanup(func() { stop(); <-ended; <-ended })
	tab = labtest.Browser(t)
	labtest.Do(t, tab, chromedp.Navigate("http://"+l.Addr().String()+"/"),
		chromedp.Poll[chromedp.Void](`document.getElementById('run').textContent === 'Your servers'`))
	return tab
}

// sharedLoad is one test: its script and knobs, in one k6 process or in four.
type sharedLoad struct {
	name, script string
	runners      int
	knobs        []string
}

// Requests that take four seconds fix the counts: a loop sends one in the warm-up, and two in a window of six
// seconds, however busy the machine is.
var fourSeconds = []string{"TARGET=https://127.0.0.1:18101/echo?ms=4000", "WARMUP=500ms", "DURATION=6s", "CONCURRENCY=32",
	"LIMIT=100"}

// atARate has 80 a second due for 2.5 s.
var atARate = []string{"TARGET=https://127.0.0.1:18101/echo?ms=100", "WARMUP=500ms", "DURATION=2500ms", "CONCURRENCY=400",
	"POOLS=4", "RATE=80", "LIMIT=100"}

var sharedLoads = []sharedLoad{
	{"one-pool", "shared-pool", 1, append(fourSeconds, "POOLS=4")},
	{"four-pools", "shared-pool", 4, append(fourSeconds, "POOLS=4")},
	{"one-users", "connection-per-vu", 1, fourSeconds},
	{"four-users", "connection-per-vu", 4, fourSeconds},
	{"one-rate", "shared-pool", 1, atARate},
	{"four-rate", "shared-pool", 4, atARate},
	{"four-open", "open-loop", 4, []string{"TARGET=https://127.0.0.1:18101/echo?ms=0", "WARMUP=500ms", "DURATION=1s",
		"CONCURRENCY=40", "RATE=100"}},
}

// start starts the k6 processes and returns how to wait for them.
func (l sharedLoad) start(t *testing.T, root, dir string) (wait func()) {
	t.Helper()
	var all sync.WaitGroup
	bounds := []string{"0", "1/4", "1/2", "3/4", "1"}
	for i := range l.runners {
		args := []string{"run", "--quiet", "--no-color", "--no-usage-report", "--address", "",
			filepath.Join(root, "k6", l.script+".js")}
		if l.runners > 1 {
			args = append(args, "--execution-segment", bounds[i]+":"+bounds[i+1], "--execution-segment-sequence",
				strings.Join(bounds, ","))
		}
		log, err := os.Create(filepath.Join(dir, fmt.Sprintf("runner-%d.log", i+1)))
		labtest.Check(t, err)
		cmd := exec.CommandContext(t.Context(), filepath.Join(root, "tools/bin/k6"), args...)
		cmd.Env = append([]string{"HOME=" + t.TempDir(), "SSL_CERT_FILE=" + filepath.Join(root, "certs/out/ca.crt"),
			"TALLY=log", fmt.Sprintf("NONCE=%s-%d", l.name, i)}, l.knobs...)
		cmd.Stdout, cmd.Stderr = log, log
		labtest.Check(t, cmd.Start())
		all.Go(func() {
			if err := cmd.Wait(); err != nil {
				b, _ := os.ReadFile(log.Name())
				t.Errorf("%s, runner %d: %v\n%s", l.name, i+1, err, b)
			}
			_ = log.Close()
		})
	}
	return all.Wait
}

// mergedTrial is what h2lab merge makes of a directory of logs.
func mergedTrial(t *testing.T, dir string) facts.Trial {
	t.Helper()
	out := filepath.Join(dir, "merged")
	merged, err := exec.Command(filepath.Join(labtest.Root(t), "bin/h2lab"), "merge", "--out", out, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", dir, err, merged)
	}
	r, err := results.Read(out)
	labtest.Check(t, err)
	return r.Cells[0].Trials[0]
}

// executed is how many different requests the backend has executed.
func executed(t *testing.T) (n int64) {
	t.Helper()
	res, err := http.Get("http://127.0.0.1:18090/ledger.json")
	labtest.Check(t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	var ledger struct{ Distinct, Executed int64 }
	if err != nil || json.Unmarshal(b, &ledger) != nil || ledger.Distinct != ledger.Executed {
		t.Fatalf("%v: %s", err, b)
	}
	return ledger.Distinct
}

var latencies = regexp.MustCompile(`\\"latency_us\\":(\[\[[0-9,\[\]]*\]\])`)

// union are all samples in the logs of a directory, sorted, in µs.
func union(t *testing.T, dir string) (all []int64) {
	t.Helper()
	for _, said := range inLogs(t, dir, latencies) {
		var pairs [][2]int64
		labtest.Check(t, json.Unmarshal([]byte(said), &pairs))
		for _, p := range pairs {
			all = append(all, slices.Repeat([]int64{p[0]}, int(p[1]))...)
		}
	}
	slices.Sort(all)
	return all
}

var droppedArrivals = regexp.MustCompile(`\\"dropped\\":(\d+)`)

// dropped is how many arrivals found every VU busy.
func dropped(t *testing.T, dir string) (sum int64) {
	t.Helper()
	for _, said := range inLogs(t, dir, droppedArrivals) {
		n, _ := strconv.ParseInt(said, 10, 64)
		sum += n
	}
	return sum
}

// inLogs are the first groups of an expression's matches in the logs of a directory.
func inLogs(t *testing.T, dir string, e *regexp.Regexp) (out []string) {
	t.Helper()
	logs, _ := filepath.Glob(filepath.Join(dir, "*.log"))
	for _, log := range logs {
		for _, m := range e.FindAllStringSubmatch(labtest.Read(t, log), -1) {
			out = append(out, m[1])
		}
	}
	return out
}

// Four k6 processes, each with its execution segment, count together what one with four times their VUs
// counts, and what the backend counts.
func TestFourRunnersAreOneTest(t *testing.T) {
	root := labtest.Root(t)
	up := start(t, "up")
	if err := up.ended(); err != nil {
		t.Fatalf("%v:\n%s", err, up.said.String())
	}
	defer func() { start(t, "down").end(0) }()
	before, sent := executed(t), int64(0)
	dirs, waits := map[string]string{}, []func(){}
	for _, l := range sharedLoads {
		dirs[l.name] = t.TempDir()
		waits = append(waits, l.start(t, root, dirs[l.name]))
	}
	for _, wait := range waits {
		wait()
	}
	trials := map[string]facts.Trial{}
	for _, l := range sharedLoads {
		x := mergedTrial(t, dirs[l.name])
		trials[l.name] = x
		sent += x.Attempts + *x.ColdStart.Requests
		all := union(t, dirs[l.name])
		if int64(len(all)) != x.Succeeded || x.Failed > 0 {
			t.Errorf("%s: %d latencies, %d succeeded, %d failed, %q", l.name, len(all), x.Succeeded, x.Failed, x.Warnings)
		}
		for q, got := range map[float64]*float64{50: x.LatencyMS.P50, 90: x.LatencyMS.P90, 99: x.LatencyMS.P99} {
			// An HdrHistogram rounds the rank to the nearest sample and the value to 0.1 %.
			rank := q / 100 * float64(len(all))
			least, most := float64(all[int(rank)-1])/1000, float64(all[int(math.Ceil(rank))-1])/1000
			if *got < least*0.998 || *got > most*1.002 {
				t.Errorf("%s: p%v is %v ms, that of all samples %v to %v ms", l.name, q, *got, least, most)
			}
		}
	}
	if n := executed(t) - before; n != sent {
		t.Errorf("the runners sent %d requests, the backend executed %d", sent, n)
	}
	for _, kind := range []string{"pool", "users"} {
		one, four := trials["one-"+kind], trials["four-"+kind+map[string]string{"pool": "s"}[kind]]
		if one.Attempts != 64 || four.Attempts != 64 || *one.ColdStart.Requests != 32 || *four.ColdStart.Requests != 32 ||
			*one.Connections.Expected != *four.Connections.Expected {
			t.Errorf("%s: one process %+v, four %+v", kind, one, four)
		}
	}
	if one, four := trials["one-rate"].Schedule, trials["four-rate"].Schedule; one == nil || four == nil || one.Due != 200 ||
		four.Due != 200 {
		t.Errorf("200 were due; one process has %+v, four %+v", one, four)
	}
	open := trials["four-open"]
	if n := open.Attempts + *open.ColdStart.Requests + dropped(t, dirs["four-open"]); n < 146 || n > 154 { // k6's runners round
		t.Errorf("100 a second for 1.5 s are %d requests", n)
	}
}

// A share of the slowest closed loop arrives at every cell as a Poisson process, from k6 and Go alike.
func TestARunAtAShareOfTheClosedLoop(t *testing.T) {
	p := start(t, "repro", "RATE=20%", "ARRIVALS=poisson", "WARMUP=300ms", "TOPOLOGY=nginx-100", "PROTOCOL=h2",
		"CLIENT=k6-shared-pool,go-once")
	p.end(0)
	r, err := results.Read(p.run())
	if err != nil || r.Run.Command != "repro" {
		t.Fatal(r, err)
	}
	rate := r.Run.Rate
	if rate == nil || rate.Asked != "20%" || len(rate.ClosedLoopRPS) != 2 || !strings.Contains(r.Run.Repeat, " RATE=20% ARRIVALS=poisson") {
		t.Fatalf("%+v, repeat %s", rate, r.Run.Repeat)
	}
	for cell, closed := range rate.ClosedLoopRPS {
		if rate.PerS > 0.2*closed+1 {
			t.Errorf("%v a second are more than a fifth of the %v of %s", rate.PerS, closed, cell)
		}
	}
	for _, c := range r.Cells {
		if len(c.Trials) != 1 || c.Workload.RatePerS != rate.PerS || c.Workload.Arrivals != facts.Poisson {
			t.Errorf("%s: %d trials, %+v", c.ID(), len(c.Trials), c.Workload)
			continue
		}
		kept(t, c.ID(), rate.PerS, c.Workload, c.Trials[0])
	}
}

func kept(t *testing.T, id string, rate float64, w facts.Workload, trial facts.Trial) {
	t.Helper()
	s := trial.Schedule
	if s == nil || s.Due != trial.Attempts+s.NotStarted {
		t.Errorf("%s: schedule %+v of %d attempts", id, s, trial.Attempts)
		return
	}
	// a Poisson process of a thousand and more is within a quarter of its mean
	if due, mean := float64(s.Due), rate*w.DurationS; due < 0.75*mean || due > 1.25*mean {
		t.Errorf("%s: %v requests were due, of %v on average", id, due, mean)
	}
	if h, err := histogram.Read(trial.Histogram); err != nil || h.Samples() != trial.Succeeded {
		t.Errorf("%s: histogram %+v, %v", id, h, err)
	}
	// Each latency from when a request was due is the one from when it was sent, and its lateness.
	if corrected, sent := *trial.LatencyMS.P50, *s.UncorrectedMS.P50; corrected < sent {
		t.Errorf("%s: the median is %v ms from when requests were due, %v from when they were sent", id, corrected, sent)
	}
	if e := trial.Connections.Expected; e == nil || *e < trial.Attempts/100-1 {
		t.Errorf("%s: expected connections %v for %d requests", id, e, trial.Attempts)
	}
}
