//go:build integration && linux

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/results"
)

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
