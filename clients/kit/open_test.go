package kit

import (
	"bytes"
	"context"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// atRate runs a program with a schedule and returns its answer.
func atRate(t *testing.T, s *fake, more ...string) answer {
	t.Helper()
	line, a := conducted(t, s, more...)
	if a.Schedule == nil {
		t.Fatalf("no schedule in %s", line)
	}
	return a
}

func TestEveryRequestThatWasDueIsSentOrCounted(t *testing.T) {
	t.Parallel()
	var sent, now, most atomic.Int64
	var mu sync.Mutex
	ids, workers := map[string]bool{}, map[int]bool{}
	s := &fake{send: func(_ context.Context, c Call) (*Failure, error) {
		if strings.Contains(c.ID, "-run-") {
			sent.Add(1)
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
		}
		mu.Lock()
		ids[c.ID], workers[c.Worker] = true, true
		mu.Unlock()
		time.Sleep(5 * time.Millisecond)
		return nil, nil
	}}
	a := atRate(t, s, "--rate", "1000", "--concurrency", "2", "--duration", "200ms")
	if a.Schedule.Due != 200 || a.Attempts != sent.Load() || a.Attempts+a.Schedule.NotStarted != 200 {
		t.Errorf("%d due, %d attempts, %d sent, %d not started", a.Schedule.Due, a.Attempts, sent.Load(),
			a.Schedule.NotStarted)
	}
	// two at a time, 5 ms each: 80 in 200 ms
	if a.Schedule.NotStarted < 100 || a.Schedule.InFlight != 2 || most.Load() > 2 {
		t.Errorf("%+v, %d at once", a.Schedule, most.Load())
	}
	if len(workers) != 2 || int64(len(ids)) != a.Attempts+a.WarmupRequests {
		t.Errorf("workers %v, %d ids for %d calls", workers, len(ids), a.Attempts+a.WarmupRequests)
	}
}

// A server that answers nothing for 100 ms delays every request of its users in that time. A closed loop
// stops sending meanwhile, so it sees one slow request for each in flight (coordinated omission).
func TestAnOpenLoopSeesEveryRequestOfAStall(t *testing.T) {
	t.Parallel()
	slow := func(window func(*fake) (*Tally, error)) (n int64) {
		var once sync.Once
		var stall time.Time
		s := &fake{send: func(context.Context, Call) (*Failure, error) {
			once.Do(func() { stall = time.Now().Add(100 * time.Millisecond) })
			time.Sleep(time.Until(stall))
			time.Sleep(time.Millisecond)
			return nil, nil
		}}
		tally, err := window(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, bar := range tally.latency.Distribution() {
			if bar.From > 20_000 {
				n += bar.Count
			}
		}
		return n
	}
	f := Flags{Rate: 500, Concurrency: 4, Arrivals: "constant", Patience: time.Second, Nonce: "t"}
	closed := slow(func(s *fake) (*Tally, error) {
		return (&loop{subject: s, flags: f}).window(t.Context(), "run", 150*time.Millisecond)
	})
	f.Concurrency = 100
	open := slow(func(s *fake) (*Tally, error) {
		return (&openLoop{loop{subject: s, flags: f}}).window(t.Context(), "run", 150*time.Millisecond)
	})
	if closed < 4 || open < 30 || closed > open/2 {
		t.Errorf("%d slow requests in a closed loop of 4, %d at 500/s; 4 and 40 were to be expected", closed, open)
	}
}

// The account alone shows what is counted from when, without any clock.
func TestWhatALateRequestCounts(t *testing.T) {
	t.Parallel()
	a := &account{tally: NewTally()}
	a.tally.pace = newPace()
	for _, late := range []time.Duration{0, 90 * time.Millisecond} {
		if !a.begin(late) || !a.count(nil, late+10*time.Millisecond, 10*time.Millisecond) {
			t.Fatal("the window is over")
		}
	}
	a.skip()
	sum := NewTally()
	a.settle(time.Second, sum)
	got, err := newAnswer(&Tally{}, sum, Counts{}, Counts{})
	near := func(ms *float64, want float64) bool { return ms != nil && math.Abs(*ms-want) < 0.1 }
	s := got.Schedule
	if err != nil || !near(got.Latency.Max, 100) || !near(s.UncorrectedMS.Max, 10) || !near(s.LateMS.Max, 90) ||
		s.Due != 3 || s.NotStarted != 1 || s.InFlight != 1 {
		t.Errorf("%v: %+v, %+v", err, got.Latency, s)
	}
	if a.begin(0) {
		t.Error("a call began after the window")
	}
}

func TestACallThatIsInFlightAtTheEndIsHungOnce(t *testing.T) {
	t.Parallel()
	var first atomic.Bool
	s := &fake{send: func(_ context.Context, c Call) (*Failure, error) {
		if strings.Contains(c.ID, "-run-") && first.CompareAndSwap(false, true) {
			select {}
		}
		return nil, nil
	}}
	a := atRate(t, s, "--rate", "200", "--patience", "500ms", "--duration", "100ms")
	if a.Hung != 1 || a.Failed != 1 || a.Schedule.Due != 20 || a.Attempts+a.Schedule.NotStarted != 20 {
		t.Errorf("%+v, %+v", a, a.Schedule)
	}
}

func TestPoissonArrivalsAreSeededAndHaveTheRate(t *testing.T) {
	t.Parallel()
	all := func(seed uint64, phase string) (out []time.Duration) {
		a := newArrivals(Flags{Rate: 1000, Arrivals: "poisson", Seed: seed}, phase)
		for range 100_000 {
			out = append(out, a.next())
		}
		return out
	}
	one := all(7, "run")
	if again := all(7, "run"); again[99_999] != one[99_999] {
		t.Error("the same seed gave other arrivals")
	}
	if all(8, "run")[0] == one[0] || all(7, "warm")[0] == one[0] {
		t.Error("another seed or phase gave the same arrivals")
	}
	// 100,000 gaps of 1 ms last 100 s with a standard deviation of 0.3 s; their own deviation is their mean.
	if last := one[99_999].Seconds(); math.Abs(last-100) > 1.5 {
		t.Errorf("100,000 arrivals at 1,000/s last %.1f s", last)
	}
	var squares float64
	for i := range one[1:] {
		gap := (one[i+1] - one[i]).Seconds() * 1000
		squares += (gap - 1) * (gap - 1)
	}
	if variance := squares / 99_999; math.Abs(variance-1) > 0.05 {
		t.Errorf("the gaps' variance is %.2f of their mean's square, not 1", variance)
	}
}

func TestConstantArrivalsDoNotDrift(t *testing.T) {
	t.Parallel()
	a := newArrivals(Flags{Rate: 3, Arrivals: "constant"}, "run")
	var last time.Duration
	for range 3*1000 + 1 {
		last = a.next()
	}
	if last != 1000*time.Second {
		t.Errorf("request 3,001 at 3/s is due after %s", last)
	}
}

func TestTheHistogramHasEverySuccess(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	s := &fake{send: func(_ context.Context, c Call) (*Failure, error) {
		time.Sleep(time.Millisecond)
		if n.Add(1)%3 == 0 {
			return &Failure{Kind: Status, Message: "HTTP status 503"}, nil
		}
		return nil, nil
	}}
	line, a := conducted(t, s)
	h, err := hdrhistogram.Decode([]byte(a.Histogram))
	if err != nil || h.TotalCount() != a.Succeeded || float64(h.ValueAtQuantile(99))/1000 != *a.Latency.P99 {
		t.Errorf("%v: %s", err, line)
	}
	if a.Schedule != nil || strings.Contains(line, "schedule") || strings.Contains(line, "connect_ms") {
		t.Errorf("a closed loop has %s", line)
	}
}

func TestRatesThatAProgramRefuses(t *testing.T) {
	t.Parallel()
	ok := func(context.Context, Call) (*Failure, error) { return nil, nil }
	batch := Program{Name: "tool", Variants: []string{"curl"}, NewBatch: func(Flags) (Batch, error) { return nil, nil }}
	users := program(&fake{send: ok})
	users.Users = map[string]func(Flags) (Batch, error){"plain": nil}
	for _, c := range []struct {
		p    Program
		args []string
		says string
	}{
		{program(&fake{send: ok}), []string{"--rate=-1"}, "--rate=-1 is out of range"},
		{program(&fake{send: ok}), []string{"--rate", "100001"}, "from 1 to 100000"},
		{program(&fake{send: ok}), []string{"--arrivals", "poisson"}, "has no --rate: give one such as --rate=2000"},
		{program(&fake{send: ok}), []string{"--rate", "10", "--arrivals", "bursts"}, "poisson"},
		{batch, []string{"--rate", "10"}, "curl of tool sends its requests itself"},
		{users, []string{"--rate", "10"}, "plain of fake-client sends its requests itself"},
	} {
		var stdout, stderr bytes.Buffer
		status := Main(t.Context(), append(append([]string{}, short...), c.args...), nil, &stdout, &stderr, c.p)
		if status != WrongUsage || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("%v: status %d, want %q: %s", c.args, status, c.says, stderr.String())
		}
	}
}

func TestByHandTheAnswerIsPrintedOverSeveralLines(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	s := &fake{send: func(context.Context, Call) (*Failure, error) { return nil, nil }}
	args := append(append([]string{}, short...), "--rate", "100", "--arrivals", "poisson")
	if status := Main(t.Context(), args, nil, &stdout, &stderr, program(s)); status != Done ||
		!strings.Contains(stdout.String(), "\n  \"schedule\": {\n    \"due\": ") {
		t.Errorf("status %d: %s%s", status, stdout.String(), stderr.String())
	}
}
