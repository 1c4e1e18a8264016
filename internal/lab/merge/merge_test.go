package merge

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
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
		if got := strings.Join(r.Cells[0].Trials[0].Warnings, "\n"); !strings.Contains(got, c.want) {
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
	if len(trial.Warnings) != 1 || !strings.Contains(trial.Warnings[0],
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
		!strings.Contains(strings.Join(r.Run.Warnings, "\n"), "runner 2 of 4 (segment 1/4:2/4) has no log") {
		t.Errorf("%+v", r.Run)
	}
}
