//go:build integration && linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
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

// At a fifth of the slowest closed loop, over a distance of 20 ms: requests arrive at every cell as a Poisson process, no
// answer comes earlier, from k6 and Go alike, and the host's devices are those of before.
func TestARunAtARateOverADistance(t *testing.T) {
	before := devices(t)
	p := start(t, "repro", "RTT=20ms", "RATE=20%", "ARRIVALS=poisson", "TOPOLOGY=nginx-100", "PROTOCOL=h2",
		"CLIENT=k6-shared-pool,go-once")
	p.until("1/2")
	if during := devices(t); during != before {
		t.Errorf("devices %s, before %s", during, before)
	}
	p.end(0)
	dir := p.run()
	r, err := results.Read(dir)
	labtest.Check(t, err)
	rate := r.Run.Rate
	if rate == nil || rate.Asked != "20%" || len(rate.ClosedLoopRPS) != 2 || len(r.Cells) != 2 ||
		!strings.Contains(r.Run.Repeat, " RTT=20ms") || !strings.Contains(r.Run.Repeat, " RATE=20% ARRIVALS=poisson") {
		t.Fatalf("%+v, repeat %s", rate, r.Run.Repeat)
	}
	for cell, closed := range rate.ClosedLoopRPS {
		if rate.PerS > 0.2*closed+1 {
			t.Errorf("%v a second are more than a fifth of the %v of %s", rate.PerS, closed, cell)
		}
	}
	for _, c := range r.Cells {
		if w := c.Workload; len(c.Trials) != 1 || w.Distance.RTTMS != 20 || w.RatePerS != rate.PerS || w.Arrivals != facts.Poisson {
			t.Errorf("%s: %d trials, %+v", c.ID(), len(c.Trials), w)
			continue
		}
		if p50 := c.Trials[0].LatencyMS.P50; p50 == nil || *p50 < 20 {
			t.Errorf("%s: p50 is %v ms", c.ID(), p50)
		}
		kept(t, c.ID(), rate.PerS, c.Workload, c.Trials[0])
	}
	for page, says := range map[string]string{"report.md": "round trip of 20 ms", "report.zh.md": "往返时间为 20 ms"} {
		if text := labtest.Read(t, filepath.Join(dir, page)); !strings.Contains(text, says) {
			t.Errorf("%s doesn't say %q", page, says)
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
	const rtt = 0.05
	least := 1.0
	for range 3 {
		out, err := delayed(t, "--rtt", "50ms", "--", "curl", "-so", os.DevNull, "-w", "%{time_connect}", server.URL).Output()
		took, bad := strconv.ParseFloat(string(out), 64)
		if err != nil || bad != nil {
			t.Fatal(err, string(out))
		}
		least = min(least, took)
	}
	if least < rtt || least > 1.75*rtt {
		t.Errorf("curl connected in %g s, the round trip takes %g s", least, rtt)
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

// What works with the servers of one up: requests, a command at its distance, the live page, k6 processes that share a
// test, and the refusal of another run. After down none of it is left.
func TestWhatServersOfUpAreFor(t *testing.T) {
	up := start(t, "up", "RTT=20ms")
	if err := up.ended(); err != nil {
		t.Fatalf("%v:\n%s", err, up.said.String())
	}
	t.Cleanup(func() { _ = exec.Command("../../bin/h2lab", "down").Run() }) // where the test failed before its own
	up.says("https://127.0.0.1:18101", "make down", "bin/h2lab delay -- curl")
	curl := []string{"curl", "--silent", "--fail", "--cacert", filepath.Join(labtest.Root(t), "certs/out/ca.crt"), "--http2",
		"-d", "1", "https://127.0.0.1:18101/echo"}
	if out, err := exec.Command(curl[0], curl[1:]...).CombinedOutput(); err != nil || string(out) != "1" {
		t.Errorf("curl through nginx says %q, %v", out, err)
	}
	far := append([]string{"--"}, append(curl, "-o", os.DevNull, "-w", "%{time_connect}")...)
	out, err := delayed(t, far...).Output()
	if took, _ := strconv.ParseFloat(string(out), 64); err != nil || took < 0.020 {
		t.Errorf("over the distance of up a connect took %s s, %v", out, err)
	}
	for _, knob := range []string{"RTT=0", "RTT=20ms"} {
		second := start(t, "repro", knob)
		_ = second.ended()
		second.says("make down")
	}
	t.Run("the live page", liveOfUp)
	t.Run("four runners", fourRunners)
	start(t, "down").end(0)
	if err := delayed(t, "--", "true").Run(); err == nil || !strings.Contains(err.Error(), "status 2") {
		t.Errorf("after down: %v", err)
	}
}

// liveOfUp: a learner's own load appears on the page: the low limit beside the high one, with its new connections and
// GOAWAY marks.
func liveOfUp(t *testing.T) {
	root := labtest.Root(t)
	tab := watching(t, root, t.TempDir())
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
// seconds, however busy the machine is. The others have 80 a second due for 2.5 s, and 100 for 1.5 s.
var sharedLoads = func() (out []sharedLoad) {
	closed := []string{"TARGET=https://127.0.0.1:18101/echo?ms=4000", "WARMUP=500ms", "DURATION=6s", "CONCURRENCY=32", "POOLS=4",
		"LIMIT=100"}
	rate := []string{"TARGET=https://127.0.0.1:18101/echo?ms=100", "WARMUP=500ms", "DURATION=2500ms", "CONCURRENCY=400", "POOLS=4",
		"RATE=80", "LIMIT=100"}
	return []sharedLoad{{"one", "shared-pool", 1, closed}, {"four", "shared-pool", 4, closed},
		{"one at a rate", "shared-pool", 1, rate}, {"four at a rate", "shared-pool", 4, rate},
		{"four open", "open-loop", 4, []string{"TARGET=https://127.0.0.1:18101/echo?ms=0", "WARMUP=500ms", "DURATION=1s",
			"CONCURRENCY=40", "RATE=100"}}}
}()

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

// fourRunners: four k6 processes, each with its execution segment, count together what one with four times their VUs
// counts, and what the backend counts.
func fourRunners(t *testing.T) {
	root := labtest.Root(t)
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
		if h, err := histogram.Read(x.Histogram); err != nil || h.Samples() != x.Succeeded || x.Failed > 0 {
			t.Errorf("%s: %+v, %v; %d succeeded, %d failed, %q", l.name, h, err, x.Succeeded, x.Failed, x.Warnings)
		}
	}
	if n := executed(t) - before; n != sent {
		t.Errorf("the runners sent %d requests, the backend executed %d", sent, n)
	}
	one, four := trials["one"], trials["four"]
	if one.Attempts != 64 || four.Attempts != 64 || *one.ColdStart.Requests != 32 || *four.ColdStart.Requests != 32 ||
		*one.Connections.Expected != *four.Connections.Expected {
		t.Errorf("one process: %d attempts, %d in the warm-up, %d connections expected; four: %d, %d, %d", one.Attempts,
			*one.ColdStart.Requests, *one.Connections.Expected, four.Attempts, *four.ColdStart.Requests, *four.Connections.Expected)
	}
	if one, four := trials["one at a rate"].Schedule, trials["four at a rate"].Schedule; one == nil || four == nil ||
		one.Due != 200 || four.Due != 200 {
		t.Errorf("200 were due; one process has %+v, four %+v", one, four)
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
