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
	f := labtest.NewFaults(t, labtest.Programs)
	_, table, _ := strings.Cut(labtest.Read(t, "testdata/answers.txt"), "\n\n")
	lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	whole := string(with(kept + `,"histogram":"` + nine(t) + `","connect_ms":` + aLatency))
	for i := 0; i+3 < len(lines); i += 4 {
		from, to, says := strings.TrimSpace(lines[i+1]), strings.TrimSpace(lines[i+2]), strings.TrimSpace(lines[i+3])
		f.Try("an answer with "+lines[i], func(t *testing.T) {
			if from == "*" {
				from = whole
			}
			line := strings.Replace(whole, from, to, 1)
			if line == whole {
				t.Fatal("nothing was replaced")
			}
			_, err := parseAnswer([]byte(line), facts.H2)
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Fatalf("error %v, want one that says %q", err, says)
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
