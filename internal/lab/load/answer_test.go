//go:build linux

package load

import (
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

func TestAnAnswerThatDoesNotAddUpIsRefusedAndShown(t *testing.T) {
	for _, c := range []struct{ name, old, new, says string }{
		{"garbage", goodAnswer, "Segmentation fault", "not the expected JSON"},
		{"an array", goodAnswer, "[]", "not the expected JSON"},
		{"nothing", goodAnswer, "", "not the expected JSON"},
		{"more than JSON", `"runtime":"go1.26.8"}`, `"runtime":"go1.26.8"} bye`, "more output after"},
		{"unknown field", `"hung":0`, `"hung":0,"rps":4`, `unknown field "rps"`},
		{"missing fields", `"attempts":10,"succeeded":9,`, ``, "it lacks attempts, succeeded"},
		{"missing hung", `"hung":0,`, ``, "it lacks hung"},
		{"null latency", `"latency_ms":{"p50":1,"p90":2,"p95":2,"p99":3,"p999":3,"max":4}`, `"latency_ms":null`,
			"it lacks latency_ms"},
		{"a negative number", `"succeeded":9,"failed":1`, `"succeeded":11,"failed":-1`, "failed is -1, below 0"},
		{"negative dials", `"dialled":7`, `"dialled":-7`, "dialled is -7"},
		{"sums", `"attempts":10`, `"attempts":11`, "9 succeeded and 1 failed are not the 11 attempts"},
		{"kinds of failure", `"count":1,`, `"count":2,`, "add up to 2, not to the 1 failed"},
		{"a kind", `"kind":"status"`, `"kind":"weather"`, `kind "weather"`},
		{"no time", `"elapsed_s":0.5`, `"elapsed_s":0`, "elapsed_s is 0"},
		{"falling percentiles", `"p90":2`, `"p90":0.5`, "a higher percentile can't be lower"},
		{"half of the percentiles", `"max":4`, `"max":null`, "latency_ms does not fit"},
		{"TLS", `"version":"1.3"`, `"version":"TLSv1.3"`, `tls.version is "TLSv1.3"`},
		{"hung", `"hung":0`, `"hung":2`, "hung is 2 of 1"},
		{"a float for a count", `"attempts":10`, `"attempts":10.5`, "not the expected JSON"},
		{"too large", `"attempts":10`, `"attempts":1e30`, "not the expected JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			line := strings.Replace(goodAnswer, c.old, c.new, 1)
			if line == goodAnswer {
				t.Fatal("nothing was replaced")
			}
			_, err := parseAnswer([]byte(line), facts.H2)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("error %v, want one that says %q", err, c.says)
			}
			if !strings.Contains(err.Error(), "it printed ") || len(err.Error()) > 1000 {
				t.Errorf("it does not show what was printed, bounded: %v", err)
			}
		})
	}
}

func TestAHungRequestIsAWarning(t *testing.T) {
	a, err := parseAnswer([]byte(strings.Replace(goodAnswer, `"hung":0`, `"hung":1`, 1)), facts.H2)
	labtest.Check(t, err)
	if len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], "1 requests never settled") {
		t.Errorf("warnings are %q", a.Warnings)
	}
}

func TestUnknownCountsStayUnknown(t *testing.T) {
	a, err := parseAnswer([]byte(strings.Replace(goodAnswer, `"dialled":7`, `"dialled":null`, 1)), facts.H2)
	labtest.Check(t, err)
	if a.Dialled != nil {
		t.Errorf("dialled is %d, not unknown", *a.Dialled)
	}
}

func TestTalliesThatDoNotAddUpAreRefused(t *testing.T) {
	good := func() tally {
		return tally{Attempts: new(int64(2)), Succeeded: new(int64(2)), Failed: new(int64(0)),
			WarmupRequests: new(int64(1)),
			ClientReported: new(int64(0)),
			BeganMS:        new(10.),
			EndedMS:        new(20.),
			MaxMS:          2,
			LatencyUS:      [][2]int64{{1000, 1}, {2000, 1}}}
	}
	if _, err := mergeTallies([]tally{good(), good()}, facts.H2); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*tally){
		"lacks failed":     func(x *tally) { x.Failed = nil },
		"attempts = -2, a": func(x *tally) { x.Attempts = new(int64(-2)) },
		"has no time":      func(x *tally) { x.EndedMS = nil },
		"latencies for":    func(x *tally) { x.LatencyUS = nil },
		"ends before it":   func(x *tally) { x.EndedMS = x.BeganMS; x.BeganMS = new(20.) },
		"are not the":      func(x *tally) { x.Attempts = new(int64(3)) },
		"kinds of failure": func(x *tally) { x.Failures = []failure{{Kind: "status", Count: 1}} },
	} {
		bad := good()
		spoil(&bad)
		if _, err := mergeTallies([]tally{bad}, facts.H2); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestPercentilesComeFromAllVUsTogether(t *testing.T) {
	one := func(us, n int64) tally {
		return tally{Attempts: &n, Succeeded: &n, Failed: new(int64(0)), WarmupRequests: new(int64(0)),
			ClientReported: new(int64(0)),
			BeganMS:        new(0.), EndedMS: new(1000.), MaxMS: float64(us) / 1000, LatencyUS: [][2]int64{{us, n}}}
	}
	a, err := mergeTallies([]tally{one(1000, 90), one(50000, 10)}, facts.H2)
	labtest.Check(t, err)
	if *a.Latency.P50 > 1.01 || *a.Latency.P90 > 1.01 || *a.Latency.P95 < 49.9 || *a.Latency.Max != 50 {
		t.Errorf("p50 %v, p90 %v, p95 %v, max %v", *a.Latency.P50, *a.Latency.P90, *a.Latency.P95, *a.Latency.Max)
	}
}
