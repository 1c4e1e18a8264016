package kit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// fake is a library whose answers a test sets.
type fake struct {
	send   func(ctx context.Context, c Call) (*Failure, error)
	closed atomic.Bool
}

func (s *fake) Send(ctx context.Context, c Call) (*Failure, error) { return s.send(ctx, c) }
func (s *fake) Library() string                                    { return "fake 1" }
func (s *fake) Counts() Counts                                     { return Counts{} }
func (s *fake) Close()                                             { s.closed.Store(true) }

func program(s Subject) Program {
	return Program{Name: "fake-client", Variants: []string{"plain", "other"}, New: func(Flags) (Subject, error) {
		return s, nil
	}}
}

var short = []string{"--url", "https://127.0.0.1:1/echo", "--concurrency", "4", "--warmup", "20ms", "--duration",
	"60ms", "--nonce", "t"}

// conducted runs a program as internal/lab/load does and returns its line and its answer.
func conducted(t *testing.T, s *fake, more ...string) (line string, a answer) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := Main(t.Context(), slices.Concat(short, []string{"--json"}, more), strings.NewReader("\n\n\n"), &stdout, &stderr, program(s))
	line, ok := strings.CutPrefix(stdout.String(), "READY\nWARM\nDONE\n")
	if err := json.Unmarshal([]byte(line), &a); err != nil || !ok || status != Done {
		t.Fatalf("status %d, %v: %s %s", status, err, stdout.String(), stderr.String())
	}
	return line, a
}

func TestTheAnswerHasEveryFieldAndNullsWhereNothingIsKnown(t *testing.T) {
	var ids atomic.Int64
	s := &fake{send: func(_ context.Context, c Call) (*Failure, error) {
		time.Sleep(time.Millisecond)
		if strings.HasPrefix(c.ID, "t-run-") || strings.HasPrefix(c.ID, "t-warm-") {
			ids.Add(1)
		}
		return nil, nil
	}}
	line, _ := conducted(t, s)
	var a map[string]any
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"attempts", "succeeded", "failed", "warmup_requests", "elapsed_s", "failures",
		"latency_ms", "dialled", "client_reported", "tls", "hung", "library", "runtime"} {
		if _, there := a[name]; !there {
			t.Errorf("no %s in %s", name, line)
		}
	}
	if a["dialled"] != nil || a["library"] != "fake 1" || !s.closed.Load() {
		t.Errorf("closed %t, answer %s", s.closed.Load(), line)
	}
	if got := int64(a["attempts"].(float64) + a["warmup_requests"].(float64)); got != ids.Load() {
		t.Errorf("%d calls counted, %d made under ids of the run", got, ids.Load())
	}
}

func TestACallThatNeverSettlesIsHungWhetherItHeedsTheContextOrNot(t *testing.T) {
	for name, wait := range map[string]func(context.Context){
		"heeds":   func(ctx context.Context) { <-ctx.Done() },
		"ignores": func(context.Context) { select {} },
	} {
		s := &fake{send: func(ctx context.Context, c Call) (*Failure, error) {
			if _, bound := ctx.Deadline(); bound {
				t.Error("the context has a deadline, which a library could send along")
			}
			if c.Worker == 0 && strings.Contains(c.ID, "-run-") {
				wait(ctx)
				return &Failure{Kind: Transport, Message: "cancelled"}, nil
			}
			time.Sleep(time.Millisecond)
			return nil, nil
		}}
		line, a := conducted(t, s, "--patience", "500ms")
		if a.Hung != 1 || a.Failed != 1 ||
			!strings.HasPrefix(a.Failures[0].Message, "no answer within 500ms (the call never settled)") {
			t.Errorf("%s: %s", name, line)
		}
	}
}

func TestFailuresAtOnceDoNotSpin(t *testing.T) {
	s := &fake{send: func(_ context.Context, c Call) (*Failure, error) {
		if strings.Contains(c.ID, "-run-") {
			return &Failure{Kind: Transport, Message: "stream 1 of 0xc0001ab is closed"}, nil
		}
		return nil, nil
	}}
	line, a := conducted(t, s)
	if a.Failed > 4*100 || a.Latency.P50 != nil || len(a.Failures) != 1 {
		t.Errorf("%s", line)
	}
}

func TestWhatEndsAProgramHasItsStatus(t *testing.T) {
	ok := func(context.Context, Call) (*Failure, error) { time.Sleep(time.Millisecond); return nil, nil }
	never := func(context.Context, Call) (*Failure, error) {
		return &Failure{Kind: Transport, Message: "refused"}, nil
	}
	wrong := func(context.Context, Call) (*Failure, error) { return nil, ErrProtocol }
	for _, c := range []struct {
		args   []string
		send   func(context.Context, Call) (*Failure, error)
		status int
		says   string
	}{
		{short, ok, Done, ""},
		{short, never, CouldNot, "refused"},
		{short, wrong, CouldNot, "wrong protocol"},
		{append(short, "--json"), ok, CouldNot, "waiting for a newline after READY"},
		{append(short, "--help"), never, Done, ""},
		{nil, ok, WrongUsage, "--url"},
		{append(short, "--url", "http://127.0.0.1:1/"), ok, WrongUsage, "is not an https address"},
		{append(short, "--protocol", "h3"), ok, WrongUsage, "h1"},
		{append(short, "--concurrency", "0"), ok, WrongUsage, "--concurrency=0 is out of range"},
		{append(short, "--duration", "0s"), ok, WrongUsage, "longer than 0"},
		{append(short, "--patience", "0s"), ok, WrongUsage, "longer than 0"},
		{append(short, "--pools", "2"), ok, WrongUsage, "has one pool"},
		{append(short, "--variant", "third"), ok, WrongUsage, "plain"},
		{append(short, "--fast"), ok, WrongUsage, "unknown flag"},
		{append(short, "--duration", "1m0.5s", "--warmup", "x"), ok, WrongUsage, "--warmup"},
	} {
		var stdout, stderr bytes.Buffer
		status := Main(t.Context(), c.args, strings.NewReader(""), &stdout, &stderr, program(&fake{send: c.send}))
		if status != c.status || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("%q: status %d, want %d with %q: %s", c.args, status, c.status, c.says, stderr.String())
		}
	}
}

func TestACancelledProgramEndsWhereverItIs(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	in, _ := io.Pipe() // nobody ever writes
	s := &fake{send: func(context.Context, Call) (*Failure, error) { return nil, nil }}
	time.AfterFunc(20*time.Millisecond, func() { cancel(errors.New("asked to end")) })
	var stderr bytes.Buffer
	if status := Main(ctx, append(short, "--json"), in, io.Discard, &stderr, program(s)); status != CouldNot ||
		!s.closed.Load() {
		t.Errorf("status %d, closed %t: %s", status, s.closed.Load(), stderr.String())
	}
}

func TestKindsOfFailureAreBounded(t *testing.T) {
	w := NewTally()
	for i := range 80 {
		w.Count(&Failure{Kind: Transport, Message: fmt.Sprintf("novel %c%c", 'a'+i/26, 'a'+i%26)}, time.Millisecond)
	}
	var sum int64
	for _, g := range w.groups {
		sum += g.Count
	}
	if len(w.groups) > mostGroups || sum != 80 {
		t.Errorf("%d kinds with %d failures, want at most %d with 80", len(w.groups), sum, mostGroups)
	}
}
