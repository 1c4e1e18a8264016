//go:build linux

package load

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/facts"
)

func TestAProgramsAnswerComesBackAndHooksRunInOrder(t *testing.T) {
	var order []string
	pid := 0
	hooks := Hooks{
		Started: func(p int) { pid = p; order = append(order, "started") },
		Warm:    func(context.Context) error { order = append(order, "warm"); return nil },
		Done:    func(context.Context) error { order = append(order, "done"); return nil },
	}
	got, err := run(t.Context(), fakeJob(t, facts.GoOnce, "honest"), hooks, ample)
	labtest.Check(t, err)
	want := Answer{Attempts: 10, Succeeded: 9, Failed: 1, WarmupRequests: 3, ElapsedS: 0.5,
		Errors:  []facts.Error{{Class: facts.ErrHTTPStatus, Count: 1, Message: "HTTP status 502 Bad Gateway"}},
		Latency: facts.Latency{P50: new(1.), P90: new(2.), P95: new(2.), P99: new(3.), P999: new(3.), Max: new(4.)},
		Dialled: new(int64(7)), ClientReported: new(int64(2)), TLS: facts.TLS{Version: "1.3", Resumed: new(int64(0))},
		Hung: new(int64(0)), Library: "net/http", Runtime: "go1.26.8"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the answer differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"started", "warm", "done"}, order); diff != "" {
		t.Errorf("the hooks' order differs:\n%s", diff)
	}
	gone(t, pid)
}

func TestK6sTalliesAreAddedUp(t *testing.T) {
	job := fakeJob(t, facts.K6ConnectionPerVU, "honest")
	got, err := run(t.Context(), job, Hooks{}, ample)
	labtest.Check(t, err)
	if got.Attempts != 12 || got.Succeeded != 8 || got.Failed != 4 || got.WarmupRequests != 20 ||
		*got.ClientReported != 4 {
		t.Errorf("four equal tallies did not add up: %+v", got)
	}
	if got.Dialled != nil || got.TLS.Resumed != nil {
		t.Errorf("k6 can't know what it dialled or resumed, but the answer says %v and %v", got.Dialled,
			got.TLS.Resumed)
	}
	if got.ElapsedS != 0.5 || *got.Latency.Max != 3 || got.TLS.Version != "1.3" {
		t.Errorf("elapsed %v, max %v, TLS %q", got.ElapsedS, *got.Latency.Max, got.TLS.Version)
	}
	if len(got.Errors) != 1 || got.Errors[0].Class != facts.ErrGoawayAfterProcessing || got.Errors[0].Count != 4 {
		t.Errorf("errors %+v", got.Errors)
	}
	if left, err := os.ReadDir(job.Dir); err != nil || len(left) > 0 {
		t.Errorf("left in the job's folder: %v (%v)", left, err)
	}
}

func TestAClientThatMisbehavesEndsInAnErrorThatNamesIt(t *testing.T) {
	const program, k6 = facts.GoReplayable, facts.K6ConnectionPerVU
	for _, c := range []struct {
		client    facts.Client
		behaviour string
		patience  patience
		says      []string
	}{
		{program, "dies-at-once", ample, []string{"exit status 3", "before READY", "no such luck"}},
		{program, "dies-in-warm-up", ample, []string{"signal: killed", "before WARM", "the warm-up was too warm"}},
		{program, "babbles", ample, []string{`it printed "Welcome to the client!" where the word READY was due`}},
		{program, "floods-stdout", ample, []string{"xxx", "bytes", "READY was due"}},
		{program, "never-ready", brief, []string{"READY did not come within 500ms"}},
		{program, "deaf", impatient, []string{"WARM did not come within"}},
		{program, "has-children", impatient, []string{"WARM did not come within", "grandchild"}},
		{program, "garbage", ample, []string{"its answer can't be used", "segmentation fault, core dumped"}},
		{program, "silent-end", ample, []string{"exit status 0", "before its answer"}},
		{program, "bad-end", ample, []string{"exit status 7", "after its answer"}},
		{program, "lingers", impatient, []string{"its end did not come within"}},
		{k6, "dies-at-once", ample,
			[]string{"exit status 108", "before the arrival of all 4 VUs at the gate after the warm-up (0 have arrived)",
				"no request of the warm-up succeeded"}},
		{k6, "one-vu-missing", impatient, []string{"at the gate after the warm-up (3 have arrived) did not come " +
			"within"}},
		{k6, "dies-in-the-window", ample,
			[]string{"exit status 2", "at the gate after the window", "panic: runtime error"}},
		{k6, "garbage", ample, []string{"tallies (0 have arrived)", "exit status 108"}},
		{k6, "lies", ample, []string{"8 succeeded and 4 failed are not the 16 attempts"}},
		{k6, "lingers", impatient, []string{"its end did not come within"}},
	} {
		t.Run(string(c.client)+" "+c.behaviour, func(t *testing.T) {
			t.Parallel()
			pid := 0
			_, err := run(t.Context(), fakeJob(t, c.client, c.behaviour), Hooks{Started: func(p int) {
				pid = p
			}}, c.patience)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range append(c.says, string(c.client)+": ") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not say %q:\n%v", want, err)
				}
			}
			if len(err.Error()) > 3000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			if want := kinds[c.behaviour]; c.client == program {
				var failed *ProgramError
				if !errors.As(err, &failed) || failed.Kind != want {
					t.Errorf("the error is not a ProgramError of kind %s: %#v", want, err)
				}
			}
			gone(t, pid)
		})
	}
}

// kinds is the expected kind of fault of each behaviour.
var kinds = map[string]string{
	"dies-at-once": facts.FaultCrashed, "dies-in-warm-up": facts.FaultCrashed, "silent-end": facts.FaultCrashed,
	"bad-end": facts.FaultCrashed,
	"babbles": facts.FaultGarbled, "floods-stdout": facts.FaultGarbled, "garbage": facts.FaultGarbled,
	"never-ready": facts.FaultNotStarted, "deaf": facts.FaultSilent, "has-children": facts.FaultSilent,
	"lingers": facts.FaultSilent,
}

func TestAFloodOnStderrDisturbsNothing(t *testing.T) {
	if _, err := run(t.Context(), fakeJob(t, facts.GoReplayable, "floods-stderr"), Hooks{}, ample); err != nil {
		t.Error(err)
	}
}

func TestACancelledContextEndsTheClientAtOnce(t *testing.T) {
	for _, behaviour := range []string{"never-ready", "deaf", "honest"} {
		for _, client := range []facts.Client{facts.GoOnce, facts.K6SharedPool} {
			t.Run(string(client)+" "+behaviour, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				pid := 0
				hooks := Hooks{
					Started: func(p int) {
						pid = p
						if behaviour != "honest" {
							cancel()
						}
					},
					Warm: func(context.Context) error { cancel(); return nil }, // Ctrl-C just then
				}
				began := time.Now()
				_, err := run(ctx, fakeJob(t, client, behaviour), hooks, ample)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("error %v, not that of the context", err)
				}
				if took := time.Since(began); took > 20*time.Second {
					t.Errorf("it took %s", took)
				}
				gone(t, pid)
			})
		}
	}
}

func TestAnErrorOfAHookEndsTheRun(t *testing.T) {
	sour := errors.New("the counters can't be read")
	for _, client := range []facts.Client{facts.GoOnce, facts.K6SharedPool} {
		for name, hooks := range map[string]Hooks{
			"warm": {Warm: func(context.Context) error { return sour }},
			"done": {Done: func(context.Context) error { return sour }},
		} {
			pid := 0
			hooks.Started = func(p int) { pid = p }
			if _, err := run(t.Context(), fakeJob(t, client, "honest"), hooks, ample); !errors.Is(err, sour) {
				t.Errorf("%s, %s: error %v, not the hook's", client, name, err)
			}
			gone(t, pid)
		}
	}
}

func TestAJobThatCannotBeRunIsRefusedBeforeAnythingStarts(t *testing.T) {
	for name, spoil := range map[string]func(*Job){
		"program":   func(j *Job) { j.Argv = nil },
		"h3":        func(j *Job) { j.Protocol = "h3" },
		"address":   func(j *Job) { j.Base = "127.0.0.1:18101" },
		"service's": func(j *Job) { j.Base = "http://example.org/through/direct" },
		"users":     func(j *Job) { j.Base = "http://127.0.0.1:18301/through/direct" },
		"pools":     func(j *Job) { j.Workload.Pools = 5 },
		"longer":    func(j *Job) { j.Workload.DurationS = 0 },
		"doctor":    func(j *Job) { j.Argv = []string{"/nowhere/go-client"} },
	} {
		job := fakeJob(t, facts.GoReplayable, "honest")
		spoil(&job)
		_, err := run(t.Context(), job, Hooks{}, ample)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	job := fakeJob(t, facts.K6SharedPool, "honest")
	job.CA = "nowhere/ca.crt"
	if _, err := run(t.Context(), job, Hooks{}, ample); err == nil || !strings.Contains(err.Error(), "make certs") {
		t.Errorf("without an authority: error %v", err)
	}
}

func TestOdditiesAreSaidAloud(t *testing.T) {
	w := facts.Workload{DurationS: 5, MaxTLS: "1.3"}
	odd := Answer{ElapsedS: 9, TLS: facts.TLS{Version: "1.2"}}.oddities(w)
	if len(odd) != 2 {
		t.Errorf("late answers and a lower TLS version gave %q", odd)
	}
	if fine := (Answer{ElapsedS: 5.2, TLS: facts.TLS{Version: "1.3"}}).oddities(w); len(fine) != 0 {
		t.Errorf("nothing odd gave %q", fine)
	}
}
