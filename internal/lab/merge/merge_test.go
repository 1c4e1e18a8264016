package merge

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/lab/results"
)

func merged(t *testing.T, o Order) *facts.Result {
	t.Helper()
	r, err := Merge(o)
	labtest.Check(t, err)
	return r
}

func TestCountsAreAddedAndPercentilesAreThoseOfAllSamples(t *testing.T) {
	x := newTest(4, 3, 5000)
	r := merged(t, Order{Paths: []string{x.write(t, logfmt)}})
	trial := r.Cells[0].Trials[0]
	if trial.Attempts != 12*5001 || trial.Succeeded != 60000 || trial.Failed != 12 || *trial.ColdStart.Requests != 1200 ||
		*trial.Connections.ClientReported != 12 {
		t.Errorf("counts: %+v", trial)
	}
	if len(trial.Errors) != 1 || trial.Errors[0].Count != 12 || trial.Errors[0].Class != facts.ErrConnectionLost ||
		trial.Errors[0].Message != `read: "connection reset by peer" 日` {
		t.Errorf("errors: %+v", trial.Errors)
	}
	slices.Sort(x.samples)
	for q, got := range map[float64]*float64{50: trial.LatencyMS.P50, 90: trial.LatencyMS.P90, 99: trial.LatencyMS.P99,
		99.9: trial.LatencyMS.P999} {
		want := float64(x.samples[int(math.Ceil(q/100*float64(len(x.samples))))-1]) / 1000
		if math.Abs(*got-want) > want/500 {
			t.Errorf("p%v is %v ms, of all samples %v ms", q, *got, want)
		}
	}
	h, err := hdrhistogram.Decode([]byte(trial.Histogram))
	if err != nil || h.TotalCount() != trial.Succeeded || float64(h.ValueAtQuantile(99))/1000 != *trial.LatencyMS.P99 {
		t.Errorf("the histogram isn't that of the percentiles: %v, %v", h, err)
	}
	if trial.ElapsedS < 10.0029 || trial.ElapsedS > 10.0031 { // from the first runner's start to the last one's end
		t.Errorf("elapsed %v s", trial.ElapsedS)
	}
	if trial.Connections.Accepted != nil || trial.Backend.Executed != nil || trial.CPU.Proxy != nil {
		t.Errorf("a counter of a server is known: %+v", trial)
	}
	// 12 pools opened a connection each in the warm-up; 61,212 requests take 62 of 1,000 each.
	if *trial.ColdStart.Expected != 12 || *trial.Connections.Expected != 50 {
		t.Errorf("expected %d and %d", *trial.ColdStart.Expected, *trial.Connections.Expected)
	}
	if len(trial.Warnings) > 0 || r.Run.Interrupted {
		t.Errorf("a whole test has warnings: %q", trial.Warnings)
	}
	if err := results.Write(t.TempDir(), r); err != nil {
		t.Error(err)
	}
}

func TestTheSameTestIsReadFromEveryKindOfLog(t *testing.T) {
	x := newTest(3, 2, 50)
	want := merged(t, Order{Paths: []string{x.write(t, raw)}})
	for name, q := range map[string]quoting{"logfmt": logfmt, "JSON": asJSON, "terminal": terminal, "json-file": engine,
		"CRLF":       func(m string) string { return logfmt(m) + "\r" },
		"container":  func(m string) string { return "2026-11-22T15:55:18.1Z stderr F " + logfmt(m) },
		"PowerShell": nil} {
		var dir string
		if q == nil {
			dir = x.write(t, logfmt)
			files, _ := filepath.Glob(filepath.Join(dir, "*"))
			for _, f := range files {
				b, _ := os.ReadFile(f)
				labtest.Write(t, f, labtest.PowerShell(string(b)))
			}
		} else {
			dir = x.write(t, q)
		}
		if diff := cmp.Diff(want, merged(t, Order{Paths: []string{dir}})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestARunOfItsOwnIsWritableAndReadable(t *testing.T) {
	x := newTest(1, 2, 50)
	x.knobs["limit"] = 0
	dir := t.TempDir()
	labtest.Check(t, results.Write(dir, merged(t, Order{Paths: []string{x.write(t, logfmt)}})))
	r, err := results.Read(dir)
	labtest.Check(t, err)
	if r.Cells[0].Limit.Configured != nil || r.Cells[0].Topology != "example.com-443" {
		t.Errorf("%+v", r.Cells[0])
	}
}

// What is wrong with the runners' schedules is a warning.
func TestARunnerThatWasNotWithTheOthersIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(x *test)
		want   string
	}{
		"late": {func(x *test) { shift(x, 2, 3000, 3000) }, "runner 3 of 4 (segment 2/4:3/4) began 3.0 s after the others"},
		"early": {func(x *test) { shift(x, 0, -2000, -2000) },
			"runner 1 of 4 (segment 0:1/4) began 2.0 s before the others"},
		"stopped": {func(x *test) { shift(x, 3, 0, -4000) },
			"runner 4 of 4 (segment 3/4:1) stopped 4.0 s before the end of its window of 10.0 s"},
		"dropped": {func(x *test) { x.logs[1][2]["dropped"] = 7 }, "7 requests of the open loop found every VU busy"},
	} {
		x := newTest(4, 2, 20)
		c.change(x)
		r := merged(t, Order{Paths: []string{x.write(t, logfmt)}})
		if got := said(r.Cells[0].Trials[0].Warnings); !strings.Contains(got, c.want) {
			t.Errorf("%s: the warnings are %q, without %q", name, got, c.want)
		}
	}
}

func shift(x *test, runner int, began, ended float64) {
	for _, l := range x.logs[runner] {
		if l["began"] != nil {
			l["began"], l["ended"] = l["began"].(float64)+began, l["ended"].(float64)+ended
		}
	}
}

// A VU of an open loop may have had no arrival, and a runner no VU.
func TestAVUWithoutRequestsAndARunnerWithoutVUs(t *testing.T) {
	x := newTest(3, 1, 20)
	x.script = "open-loop"
	x.knobs["pools"], x.knobs["rate"] = 2, 1000
	for _, lines := range x.logs {
		for _, l := range lines {
			l["script"] = x.script
		}
	}
	x.logs[2] = x.logs[2][1:]
	idle := x.logs[1][0]
	idle["began"], idle["ended"] = nil, nil
	idle["tally"] = map[string]any{"attempts": 0, "succeeded": 0, "failed": 0, "warmup_requests": 7, "client_reported": 0,
		"began_ms": 0, "ended_ms": 0, "max_ms": 0, "tls": "", "latency_us": []any{}, "failures": []any{}}
	r := merged(t, Order{Paths: []string{x.write(t, logfmt)}})
	if c := r.Cells[0]; c.Trials[0].Attempts != 21 || *c.Trials[0].ColdStart.Requests != 107 || c.Workload.RatePerS != 1000 || c.Workload.Arrivals != facts.Constant ||
		c.Client != "k6-open-loop" {
		t.Errorf("%+v", c)
	}
}

// At a rate each VU has a schedule: what was due is added up, and a runner that sent too late is named.
func TestTheSchedulesOfARateAreAddedAndCheckedForEachRunner(t *testing.T) {
	x := newTest(4, 2, 20)
	x.knobs["rate"], x.knobs["arrivals"] = 17, "poisson"
	for runner, lines := range x.logs {
		for _, l := range lines[:2] {
			late := 100
			if runner == 2 {
				late = 4000
			}
			tally := l["tally"].(map[string]any)
			tally["open"] = map[string]any{"not_started": 3, "in_flight": 5, "warmup_in_flight": 4,
				"late_us": [][2]int{{late, 21}}, "uncorrected_us": [][2]int{{150, 20}}}
		}
	}
	r := merged(t, Order{Paths: []string{x.write(t, logfmt)}})
	trial, work := r.Cells[0].Trials[0], r.Cells[0].Workload
	if s := trial.Schedule; s == nil || s.Due != 8*24 || s.NotStarted != 8*3 || *s.UncorrectedMS.P50 != 0.15 ||
		*s.LateMS.P50 != 0.1 {
		t.Errorf("the schedule is %+v", s)
	}
	if work.RatePerS != 17 || work.Arrivals != facts.Poisson {
		t.Errorf("the workload is %+v", work)
	}
	if len(trial.Warnings) != 1 || !strings.Contains(said(trial.Warnings),
		"runner 3 of 4 (segment 2/4:3/4) fell behind its schedule: it sent 1 % of its requests at least 4") {
		t.Errorf("the warnings are %q", trial.Warnings)
	}
	if err := results.Write(t.TempDir(), r); err != nil {
		t.Error(err)
	}
}

func TestAHundredRunners(t *testing.T) {
	x := newTest(100, 10, 300)
	r := merged(t, Order{Paths: []string{x.write(t, logfmt)}})
	if r.Cells[0].Trials[0].Succeeded != 300000 {
		t.Errorf("%+v", r.Cells[0].Trials[0])
	}
}

func TestPartialMergesWhatIsThereAndSaysWhatIsNot(t *testing.T) {
	x := newTest(4, 2, 20)
	dir := x.write(t, logfmt)
	labtest.Check(t, os.Remove(filepath.Join(dir, "runner-002.log")))
	r := merged(t, Order{Paths: []string{dir}, Partial: true})
	if r.Cells[0].Trials[0].Succeeded != 120 || !r.Run.Interrupted ||
		!strings.Contains(said(r.Run.Warnings), "runner 2 of 4 (segment 1/4:2/4) has no log") {
		t.Errorf("%+v", r.Run)
	}
}

// test is a test of n runners as the scripts would log it, with the latencies of all requests.
type test struct {
	runners int
	vusEach int
	script  string
	knobs   map[string]any
	// logs are the runners' lines, samples the latencies in µs.
	logs    [][]map[string]any
	samples []int64
}

func newTest(runners, vusEach, requestsEach int) *test {
	x := &test{runners: runners, vusEach: vusEach, script: "shared-pool"}
	x.knobs = map[string]any{"target": "https://example.com", "topology": "Example.com:443", "protocol": "h2", "limit": 1000,
		"method": "POST", "bodyBytes": 1, "concurrency": 10 * runners * vusEach, "pools": runners * vusEach, "rate": 0, "arrivals": "constant",
		"burst": 1, "durationMS": 10000, "warmupMS": 1000, "thinkMS": 0, "delayMS": 0, "maxTLS": "1.3"}
	random := rand.New(rand.NewPCG(1, 2))
	for r := range runners {
		var lines []map[string]any
		for v := range vusEach {
			count := map[int64]int64{}
			for range requestsEach {
				us := 100 + random.Int64N(2000) + random.Int64N(50)*random.Int64N(50)*random.Int64N(100)
				if us >= 2048 { // the middle of one of k6/lib/tally.js's buckets
					us = us/512*512 + 256
				}
				count[us]++
				x.samples = append(x.samples, us)
			}
			var pairs [][2]int64
			var most int64
			for us, n := range count {
				pairs, most = append(pairs, [2]int64{us, n}), max(most, us)
			}
			began := 1_795_000_000_000.0 + float64(r)
			lines = append(lines, x.line(r, map[string]any{"vu": r + 1 + v*runners, "vus": vusEach, "began": began,
				"ended": began + 10_000, "tally": map[string]any{"attempts": requestsEach + 1, "succeeded": requestsEach,
					"failed": 1, "warmup_requests": 100, "client_reported": 1, "began_ms": 1000, "ended_ms": 11000,
					"max_ms": float64(most) / 1000, "tls": "tls1.3", "latency_us": pairs, "failures": []any{map[string]any{
						"message": `read: "connection reset by peer" 日`, "count": 1, "kind": "transport", "code": 1220}}}}))
		}
		x.logs = append(x.logs, append(lines, x.line(r, map[string]any{"end": true, "dropped": 0})))
	}
	return x
}

func (x *test) line(runner int, more map[string]any) map[string]any {
	bounds := []string{"0"}
	for i := 1; i < x.runners; i++ {
		bounds = append(bounds, fmt.Sprintf("%d/%d", i, x.runners)) // k6 prints lowest terms; any unique text will do
	}
	bounds = append(bounds, "1")
	l := map[string]any{"format": 1, "script": x.script, "segment": bounds[runner] + ":" + bounds[runner+1],
		"sequence": strings.Join(bounds, ","), "knobs": x.knobs}
	if x.runners == 1 {
		l["segment"], l["sequence"] = "", ""
	}
	maps.Copy(l, more)
	return l
}

// quoting is how a log format writes a message.
type quoting func(message string) string

var (
	raw    quoting = func(m string) string { return m }
	logfmt quoting = func(m string) string {
		return "time=\"2026-11-22T15:55:18Z\" level=info msg=" + strconv.Quote(m) + " source=console"
	}
	asJSON quoting = func(m string) string {
		b, _ := json.Marshal(map[string]string{"level": "info", "msg": m, "source": "console"})
		return string(b)
	}
	terminal quoting = func(m string) string { return "\x1b[36mINFO\x1b[0m[0001] " + m + "  \x1b[36msource\x1b[0m=console" }
	engine   quoting = func(m string) string { // Docker's json-file
		b, _ := json.Marshal(map[string]string{"log": logfmt(m) + "\n", "stream": "stderr"})
		return string(b)
	}
)

// write writes the logs, one file a runner, and returns their directory.
func (x *test) write(t *testing.T, q quoting) string {
	t.Helper()
	dir := t.TempDir()
	for i, lines := range x.logs {
		text := "some other line\n"
		for _, l := range lines {
			b, err := json.Marshal(l)
			labtest.Check(t, err)
			text += q(mark+string(b)) + "\n"
		}
		labtest.Write(t, filepath.Join(dir, fmt.Sprintf("runner-%03d.log", i+1)), text)
	}
	return dir
}

// broken is something wrong with the logs of four runners of two VUs: with the test before its logs are
// written, or with the first runner's log.
type broken struct {
	name   string
	before func(x *test)
	after  func(log string, b []byte) error
	want   []string
}

// all sets a value in every line of a runner.
func all(x *test, runner int, name string, value any) {
	for _, l := range x.logs[runner] {
		l[name] = value
	}
}

var incomplete = []broken{
	{name: "a runner's log is missing", after: func(log string, _ []byte) error { return os.Remove(log) },
		want: []string{"runner 1 of 4 (segment 0:1/4) has no log", "h2lab merge --partial "}},
	{name: "a runner's log is cut in the middle of a line",
		after: func(log string, b []byte) error { return os.WriteFile(log, b[:len(b)/2], 0o600) },
		want:  []string{"the line at ", "runner-001.log:", "is cut"}},
	{name: "a runner's log lacks a VU", before: func(x *test) { x.logs[1] = x.logs[1][1:] },
		want: []string{"runner 2 of 4 (segment 1/4:2/4) has the tallies of 1 of its 2 VUs in "}},
	{name: "a runner's log lacks its end", before: func(x *test) { x.logs[1] = x.logs[1][:2] },
		want: []string{"runner 2 of 4 (segment 1/4:2/4) has no line of its end in "}},
	{name: "a runner's log has nothing but its end", before: func(x *test) { x.logs[1] = x.logs[1][2:] },
		want: []string{"6 of 8 VUs have a tally"}},
	{name: "the logs have no line of a runner",
		after: func(log string, _ []byte) error {
			others, _ := filepath.Glob(filepath.Join(filepath.Dir(log), "*"))
			for _, name := range others {
				if err := os.WriteFile(name, []byte("x\n"), 0o600); err != nil {
					return err
				}
			}
			return nil
		},
		want: []string{`has no line with "h2lab-tally"`, "TALLY=log"}},
}

var mixed = []broken{
	{name: "a runner had a knob of its own", before: func(x *test) {
		own := maps.Clone(x.knobs)
		own["concurrency"] = 99
		all(x, 0, "knobs", own)
	}, want: []string{"runner-002.log:2 ran with concurrency = 80, ", " with 99", "different tests"}},
	{name: "a runner lacked a knob", before: func(x *test) {
		own := maps.Clone(x.knobs)
		delete(own, "limit")
		all(x, 0, "knobs", own)
	}, want: []string{"runner-002.log:2 ran with limit = 1000, ", " with <nil>"}},
	{name: "a runner ran another script", before: func(x *test) { all(x, 3, "script", "open-loop") },
		want: []string{"runner-004.log:2 ran with script = open-loop, ", "with shared-pool"}},
	{name: "a runner had another sequence of segments", before: func(x *test) { all(x, 3, "sequence", "0,1/2,1") },
		want: []string{`runner-004.log:2 ran with segments = 0,1/2,1`}},
	{name: "a segment is not in its sequence", before: func(x *test) { all(x, 3, "segment", "2/4:1") },
		want: []string{`segment "2/4:1" is not in the sequence`}},
	{name: "a runner's log is there twice",
		after: func(log string, b []byte) error {
			return os.WriteFile(filepath.Join(filepath.Dir(log), "copy.log"), b, 0o600)
		},
		want: []string{"runner 1 of 4 (segment 0:1/4) has two logs, at ", "copy.log:2", "runner-001.log:2"}},
	{name: "the lines are of another version", before: func(x *test) { x.logs[0][0]["format"] = 2 },
		want: []string{"runner-001.log:2 has format 2"}},
	{name: "a tally's counts don't add up",
		before: func(x *test) { x.logs[2][0]["tally"].(map[string]any)["succeeded"] = 19 },
		want:   []string{"runner-003.log:2", "19 successes"}},
	{name: "a tally is no object", before: func(x *test) { x.logs[2][0]["tally"] = "x" },
		want: []string{"the tally at ", "runner-003.log:2"}},
	{name: "a tally has a negative number",
		before: func(x *test) { x.logs[2][0]["tally"].(map[string]any)["attempts"] = -5 },
		want:   []string{"runner-003.log:2: ", "has attempts = -5, a negative number"}},
	{name: "a tally lacks a number",
		before: func(x *test) { delete(x.logs[2][0]["tally"].(map[string]any), "failed") },
		want:   []string{"runner-003.log:2: ", "1 of 1 lacks failed"}},
	{name: "a VU's window ends before it begins", before: func(x *test) { shift(x, 1, 0, -11_000) },
		want: []string{"runner-002.log:2: ", "a window that ends before it begins"}},
	{name: "a directory has a large file that is no log",
		after: func(log string, _ []byte) error {
			return os.WriteFile(filepath.Join(filepath.Dir(log), "core"), make([]byte, longestLine+1), 0o600)
		},
		want: []string{"core has a line of more than 16 MiB, which no runner logs; give the logs"}},
	{name: "the logs have the runners' ends only", before: func(x *test) {
		for i := range x.logs {
			x.logs[i] = x.logs[i][2:]
		}
	}, want: []string{"no runner has the tally of a VU"}},
	{name: "the knobs are not those of the scripts", before: func(x *test) { delete(x.knobs, "pools") },
		want: []string{"lacks knobs of the scripts in k6/"}},
}

func TestWhatCantBeMergedIsNamed(t *testing.T) {
	faults := labtest.NewFaults(t, labtest.CorruptResults)
	for _, c := range append(incomplete, mixed...) {
		faults.Try(c.name, c.try)
	}
	faults.Try("the runners' logs are not where they should be", func(t *testing.T) {
		if _, err := Merge(Order{Paths: []string{filepath.Join(t.TempDir(), "none")}}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%v", err)
		}
	})
}

func (c broken) try(t *testing.T) {
	x := newTest(4, 2, 20)
	if c.before != nil {
		c.before(x)
	}
	dir := x.write(t, logfmt)
	if c.after != nil {
		log := filepath.Join(dir, "runner-001.log")
		b, err := os.ReadFile(log)
		labtest.Check(t, errors.Join(err, c.after(log, b)))
	}
	_, err := Merge(Order{Paths: []string{dir}})
	if err == nil {
		t.Fatal("it was merged")
	}
	for _, w := range c.want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error lacks %q: %v", w, err)
		}
	}
	if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "0xc000") || len(err.Error()) > 1000 {
		t.Errorf("the error isn't one short line: %v", err)
	}
	if strings.Contains(err.Error(), "no runner has") && strings.Contains(err.Error(), "--partial") {
		t.Errorf("the error offers a merge that fails too: %v", err)
	}
}

func said(warnings []facts.Text) string {
	return texts.English.In(facts.Join("join.semicolon", warnings...))
}
