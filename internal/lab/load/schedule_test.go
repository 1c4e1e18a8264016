//go:build linux

package load

import (
	"strings"
	"testing"

	"h2lab/internal/base/histogram"
	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

const (
	aLatency = `{"p50":1,"p90":2,"p95":2,"p99":3,"p999":3,"max":4}`
	kept     = `"schedule":{"due":12,"not_started":2,"in_flight":3,"late_ms":` + aLatency +
		`,"uncorrected_ms":` + aLatency + `}`
)

// nine is a histogram of nine latencies, as goodAnswer has successes.
func nine(t *testing.T) string {
	t.Helper()
	h := histogram.New()
	labtest.Check(t, h.Add(2000, 9))
	text, err := h.Text()
	labtest.Check(t, err)
	return text
}

// with is a good answer with further fields.
func with(fields string) []byte {
	return []byte(strings.TrimSuffix(goodAnswer, "}") + "," + fields + "}")
}

func TestAScheduleThatDoesNotAddUpIsRefused(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Programs)
	for _, c := range []struct{ name, fields, old, new, says string }{
		{"a schedule whose due requests are not those sent and not started", kept, `"due":12`, `"due":11`,
			"11 requests were due, which are not the 10 attempts and the 2 not started"},
		{"a schedule with a negative number of requests", kept, `"not_started":2`, `"not_started":-2`, "-2 not started"},
		{"a schedule with more requests in flight than were sent", kept, `"in_flight":3`, `"in_flight":11`, "11 requests were in flight"},
		{"a schedule without latenesses", kept, `"late_ms":` + aLatency, `"late_ms":{}`, "late_ms does not fit"},
		{"latencies from when requests were sent that fall", kept, `"uncorrected_ms":{"p50":1,"p90":2`,
			`"uncorrected_ms":{"p50":1,"p90":0`, "uncorrected_ms is 0 after 1"},
		{"a histogram with another number of latencies than successes", "", "", "", "9 latencies for 8 successes"},
		{"a histogram that is not base64", `"histogram":"%%"`, "", "", "the histogram can't be read"},
		{"a histogram that is cut off", `"histogram":"HISTFAAAAA=="`, "", "", "the histogram can't be read"},
		{"connect times without a maximum", `"connect_ms":{"p50":1,"p90":1,"p95":1,"p99":1,"p999":1,"max":null}`, "", "",
			"connect_ms does not fit"},
		{"handshake times below 0", `"handshake_ms":{"p50":-1,"p90":1,"p95":1,"p99":1,"p999":1,"max":1}`, "", "",
			"handshake_ms is -1"},
	} {
		f.Try(c.name, func(t *testing.T) {
			line := with(strings.Replace(c.fields, c.old, c.new, 1))
			if c.fields == "" {
				line = []byte(strings.Replace(string(with(`"histogram":"`+nine(t)+`"`)), `"succeeded":9,"failed":1`,
					`"succeeded":8,"failed":2`, 1))
			}
			if _, err := parseAnswer(line, facts.H2); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q", err, c.says)
			}
		})
	}
}

func TestAnAnswerWithEverythingIsTaken(t *testing.T) {
	a, err := parseAnswer(with(kept+`,"histogram":"`+nine(t)+`","connect_ms":`+aLatency), facts.H2)
	labtest.Check(t, err)
	if a.Schedule == nil || a.Schedule.Due != 12 || a.Schedule.InFlight != 3 ||
		*a.Schedule.UncorrectedMS.Max != 4 || a.Histogram != nine(t) || *a.ConnectMS.Max != 4 || a.HandshakeMS != nil {
		t.Errorf("%+v", a)
	}
}

func TestAClientMustDoWhatTheWorkloadAsksFor(t *testing.T) {
	s := &facts.Schedule{Due: 5, InFlight: 5}
	for _, c := range []struct {
		a    Answer
		w    facts.Workload
		says string
	}{
		{Answer{}, facts.Workload{Concurrency: 5}, ""},
		{Answer{Schedule: s}, facts.Workload{Concurrency: 5, RatePerS: 10}, ""},
		{Answer{}, facts.Workload{Concurrency: 5, RatePerS: 10}, "a rate of 10 requests a second was asked for"},
		{Answer{Schedule: s}, facts.Workload{Concurrency: 5}, "no rate was asked for"},
		{Answer{Schedule: s}, facts.Workload{Concurrency: 4, RatePerS: 10}, "5 requests in flight, more than the 4 allowed"},
	} {
		err := c.a.fits(c.w)
		if (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("error %v, want %q", err, c.says)
		}
	}
}

// openVU is the tally of a VU that sent two requests of three.
func openVU() tally {
	return tally{Attempts: new(int64(2)), Succeeded: new(int64(2)), Failed: new(int64(0)), WarmupRequests: new(int64(1)),
		ClientReported: new(int64(0)), BeganMS: new(0.), EndedMS: new(20.), MaxMS: 100, LatencyUS: [][2]int64{{100_000, 2}},
		Open: &openTally{NotStarted: 1, InFlight: 2, LateUS: [][2]int64{{500, 1}, {90_000, 1}},
			UncorrectedUS: [][2]int64{{10_000, 2}}}}
}

func TestSchedulesOfVUsAreMerged(t *testing.T) {
	a, err := mergeTallies([]tally{openVU(), openVU()}, facts.H2)
	labtest.Check(t, err)
	s := a.Schedule
	if s == nil || s.Due != 6 || s.NotStarted != 2 || s.InFlight != 4 ||
		*s.UncorrectedMS.P99 > 10.1 || *s.LateMS.Max < 89 || *a.Latency.P50 < 99 {
		t.Errorf("%+v, latency %v", s, *a.Latency.P50)
	}
	h, err := histogram.Read(a.Histogram)
	if err != nil || h.Samples() != 4 {
		t.Errorf("%v: %+v", err, h)
	}
}

func TestSchedulesOfVUsThatDoNotAddUpAreRefused(t *testing.T) {
	for says, spoil := range map[string]func(*tally){
		"1 of its 2 VUs have a schedule":            func(x *tally) { x.Open = nil },
		"its schedule has 3 times for 4 attempts":   func(x *tally) { x.Open.LateUS = [][2]int64{{5, 1}} },
		"neither number may be negative":            func(x *tally) { x.Open.UncorrectedUS = [][2]int64{{5, -1}} },
		"its schedule has 1 due and -3 not started": func(x *tally) { x.Open.NotStarted = -4 },
	} {
		bad := openVU()
		spoil(&bad)
		if _, err := mergeTallies([]tally{openVU(), bad}, facts.H2); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
	}
}
