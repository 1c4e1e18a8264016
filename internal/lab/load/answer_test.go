//go:build linux

package load

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/histogram"
	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
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
	if len(a.Warnings) != 1 || !strings.Contains(texts.English.In(a.Warnings[0]), "1 requests never settled") {
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

func TestMessagesAreClassedByWhatBecameOfTheRequest(t *testing.T) {
	n := 0
	for line := range strings.Lines(labtest.Read(t, "testdata/messages.tsv")) {
		words := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(words) < 3 {
			continue
		}
		n++
		f, p := failure{Kind: "transport", Message: words[2]}, facts.Protocol(words[0])
		if words[0] == "status" {
			f.Kind, p = "status", facts.H2
		}
		if got := classify(f, p); got != words[1] {
			t.Errorf("%s\n  is %s, want %s", f.Message, got, words[1])
		}
	}
	if n < 59 {
		t.Errorf("only %d messages", n)
	}
	err := fault(facts.FaultCrashed,
		"it ended with exit status 1 before READY; its last lines:\n  pthread_create: Resource temporarily unavailable")
	var program *ProgramError
	if !errors.As(err, &program) || program.Kind != facts.FaultStarved {
		t.Errorf("%+v", err)
	}
}

func TestMessagesThatDifferInNumbersOnlyAreOneGroup(t *testing.T) {
	got := groupErrors([]failure{
		{Kind: "transport", Count: 1, Message: "EOF"},
		{Kind: "transport", Count: 2, Message: "read tcp 127.0.0.1:1->127.0.0.1:2: connection reset by peer"},
		{Kind: "transport", Count: 3, Message: "read tcp 127.0.0.1:3->127.0.0.1:2: connection reset by peer"},
		{Kind: "transport", Count: 1, Message: "graceful shutdown GOAWAY"},
	}, facts.H2)
	want := []facts.Error{
		{Class: facts.ErrGoawayNotReplayable, Count: 1, Message: "graceful shutdown GOAWAY"},
		{
			Class:   facts.ErrConnectionLost,
			Count:   5,
			Message: "read tcp 127.0.0.1:1->127.0.0.1:2: connection reset by peer",
		},
		{Class: facts.ErrConnectionLost, Count: 1, Message: "EOF"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("groups differ (-want +got):\n%s", diff)
	}
}

func TestManyKindsOfFailureAreBoundedAndStillAddUp(t *testing.T) {
	var failures []failure
	for i := range 80 {
		failures = append(failures, failure{
			Kind:    "transport",
			Count:   2,
			Message: fmt.Sprintf("novel %c%c", 'a'+i/26, 'a'+i%26),
		})
	}
	got := groupErrors(failures, facts.H2)
	var sum int64
	for _, e := range got {
		sum += e.Count
	}
	if len(got) != mostErrors+1 || sum != 160 {
		t.Errorf("%d groups with %d failures, want %d with 160", len(got), sum, mostErrors+1)
	}
}

func TestAServicesFailedCallsAreClassifiedByTheirMessages(t *testing.T) {
	got := Classify([]facts.Error{
		{Count: 3, Message: "org.springframework.web.client.ResourceAccessException: I/O error on POST request for " +
			`"https://127.0.0.1:18141/echo": stream was reset: CANCEL; nested exception is ` +
			"okhttp3.internal.framed.StreamResetException: stream was reset: CANCEL"},
		{Count: 2, Message: "org.springframework.web.client.HttpServerErrorException$BadGateway: 502 Bad Gateway"},
		{Count: 4, Message: "org.springframework.web.client.HttpServerErrorException$BadGateway: 503 Bad Gateway"},
		{Count: 1, Message: "org.springframework.web.reactive.function.client.WebClientResponseException$NotFound: 404"},
		{Count: 1, Message: "java.io.IOException: unexpected end of stream: java.io.EOFException: \\n not found"},
		{Count: 1, Message: "java.net.SocketException: Too many open files"},
		{Count: 1, Message: "java.net.SocketTimeoutException: timeout"},
		{Count: 1, Message: "okhttp3.internal.http2.StreamResetException: stream was reset: REFUSED_STREAM"},
		{Count: 1, Message: "reactor.netty.internal.shaded.reactor.pool.PoolAcquirePendingLimitException: Pending acquire " +
			"queue has reached its maximum size of 1000"},
	}, facts.H2)
	want := map[string]int64{facts.ErrRefusedStream: 1, facts.ErrConnectionLost: 1, facts.ErrTimeout: 1,
		facts.ErrHTTPStatus: 7, facts.ErrClientResources: 1, facts.ErrOther: 4}
	sums := map[string]int64{}
	for _, e := range got {
		sums[e.Class] += e.Count
	}
	if diff := cmp.Diff(want, sums); diff != "" {
		t.Errorf("classes (-want +got):\n%s\n%+v", diff, got)
	}
	if got[len(got)-1].Count != 1 || got[len(got)-2].Count != 3 {
		t.Errorf("the most frequent doesn't come first: %+v", got)
	}
	if len(Classify(nil, facts.H2)) != 0 {
		t.Error("no errors have classes")
	}
}

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
