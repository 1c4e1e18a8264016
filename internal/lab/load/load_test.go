//go:build linux

package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
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

// atExit removes what several tests share.
var atExit []func()

// The test binary is its own fake client: started by Run it finds a nonce that begins with "fake-"
// on its command line or in its environment, and misbehaves as the rest of the nonce says.
func TestMain(m *testing.M) {
	nonce := os.Getenv("NONCE")
	if i := slices.Index(os.Args, "--nonce"); i >= 0 {
		nonce = os.Args[i+1]
	}
	behaviour, fake := strings.CutPrefix(nonce, "fake-")
	switch {
	case !fake:
		status := m.Run()
		for _, clean := range atExit {
			clean()
		}
		os.Exit(status)
	case os.Getenv("GATE") != "":
		fakeK6(behaviour)
	case strings.HasPrefix(behaviour, "ab-"):
		fakeAb(behaviour)
	default:
		fakeProgram(behaviour)
	}
}

const goodAnswer = `{"attempts":10,"succeeded":9,"failed":1,"warmup_requests":3,"elapsed_s":0.5,` +
	`"failures":[{"message":"HTTP status 502 Bad Gateway","count":1,"kind":"status"}],` +
	`"latency_ms":{"p50":1,"p90":2,"p95":2,"p99":3,"p999":3,"max":4},"dialled":7,"client_reported":2,` +
	`"tls":{"version":"1.3","resumed":0},"hung":0,"library":"net/http","runtime":"go1.26.8"}`

func fakeProgram(behaviour string) {
	in := bufio.NewReader(os.Stdin)
	meet := func(word string) {
		fmt.Println(word)
		if _, err := in.ReadString('\n'); err != nil {
			os.Exit(1)
		}
	}
	switch behaviour {
	case "dies-at-once":
		fmt.Fprintln(os.Stderr, "no such luck")
		os.Exit(3)
	case "babbles":
		fmt.Println("Welcome to the client!")
	case "floods-stdout":
		for {
			if _, err := fmt.Println(strings.Repeat("x", 1<<16)); err != nil {
				os.Exit(1)
			}
		}
	case "never-ready":
		forever()
	}
	meet("READY")
	switch behaviour {
	case "dies-in-warm-up":
		fmt.Fprintln(os.Stderr, "the warm-up was too warm")
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "floods-stderr":
		for range 2000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 200))
		}
		fmt.Fprintln(os.Stderr, "the last straw")
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
		forever()
	case "has-children":
		child := exec.Command(os.Args[0], "--nonce", "fake-never-ready")
		if child.Start() == nil {
			fmt.Fprintf(os.Stderr, "grandchild %d\n", child.Process.Pid)
		}
		forever()
	}
	meet("WARM")
	meet("DONE")
	switch behaviour {
	case "garbage":
		fmt.Println("segmentation fault, core dumped")
	case "silent-end":
	case "bad-end":
		fmt.Println(goodAnswer)
		os.Exit(7)
	case "lingers":
		fmt.Println(goodAnswer)
		forever()
	default:
		fmt.Println(goodAnswer)
	}
}

// forever waits for a signal, but not longer than any test.
func forever() {
	time.Sleep(2 * time.Minute)
	os.Exit(9)
}

func fakeK6(behaviour string) {
	gate, n := os.Getenv("GATE"), 1
	if strings.Contains(os.Args[len(os.Args)-1], "connection-per-vu") {
		n, _ = strconv.Atoi(os.Getenv("CONCURRENCY"))
	}
	switch behaviour {
	case "dies-at-once":
		fmt.Fprintln(os.Stderr, `level=error msg="test aborted: no request of the warm-up succeeded"`)
		os.Exit(108)
	case "one-vu-missing":
		n--
	}
	var all sync.WaitGroup
	for vu := range n {
		all.Go(func() { fakeVU(gate, vu+1, behaviour) })
	}
	all.Wait()
	if behaviour == "one-vu-missing" || behaviour == "lingers" {
		forever()
	}
}

func fakeVU(gate string, vu int, behaviour string) {
	at := fmt.Sprintf("?vu=%d", vu)
	fakeCall(http.Post(gate+"/warm"+at, "", nil))
	if behaviour == "dies-in-the-window" {
		fmt.Fprintln(os.Stderr, "panic: runtime error")
		os.Exit(2)
	}
	fakeCall(http.Post(gate+"/done"+at, "", nil))
	tally := `{"attempts":3,"succeeded":2,"failed":1,"warmup_requests":5,"client_reported":1,"began_ms":1000,` +
		`"ended_ms":1500,` +
		`"max_ms":3,"tls":"tls1.3","latency_us":[[1000,1],[3000,1]],"failures":[{"message":"http2: received ` +
		`GoAway with http2 ErrCode NO_ERROR","count":1,"kind":"transport","code":1611}]}`
	switch behaviour {
	case "garbage":
		tally = "[[["
	case "lies":
		tally = strings.Replace(tally, `"attempts":3`, `"attempts":4`, 1)
	}
	fakeCall(http.Post(gate+"/tally"+at, "application/json", strings.NewReader(tally)))
}

func fakeCall(r *http.Response, err error) {
	if err != nil || r.StatusCode != 200 {
		fmt.Fprintln(os.Stderr, "the gate did not open:", r, err)
		os.Exit(108)
	}
	r.Body.Close()
}

// fakeJob is a job whose client has the given behaviour.
func fakeJob(t *testing.T, c facts.Client, behaviour string) Job {
	t.Helper()
	self, err := os.Executable()
	labtest.Check(t, err)
	ca := filepath.Join(t.TempDir(), "ca.crt")
	labtest.Write(t, ca, "")
	return Job{Client: c, Topology: "nginx-1000", Protocol: facts.H2, Base: "https://127.0.0.1:1", CA: ca,
		Nonce: "fake-" + behaviour,
		Dir:   t.TempDir(), K6: self, K6Scripts: "scripts", Argv: []string{self}, Env: os.Environ(),
		Workload: facts.Workload{
			Method:      "POST",
			BodyBytes:   1,
			Concurrency: 4,
			Pools:       1,
			WarmupS:     0.1,
			DurationS:   0.1,
			MaxTLS:      "1.3",
		}}
}

// brief and impatient end a client early; impatient is brief only where the fake prints nothing, so
// that a busy machine changes no outcome. ample must end no client.
var (
	brief = patience{start: 500 * time.Millisecond, slack: time.Minute, end: time.Minute,
		stop: 200 * time.Millisecond}
	impatient = patience{start: 4 * time.Second, slack: time.Second, end: 2 * time.Second, stop: 200 * time.Millisecond}
	ample     = patience{start: time.Minute, slack: time.Minute, end: time.Minute, stop: time.Second}
)

// gone waits until a process group has no member left.
func gone(t *testing.T, pid int) {
	t.Helper()
	deadline, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for syscall.Kill(-pid, 0) != syscall.ESRCH {
		select {
		case <-tick.C:
		case <-deadline.Done():
			t.Fatalf("process group %d is still there", pid)
		}
	}
}

// ask is one VU's request to the gate; its status arrives on the channel.
func ask(url string) <-chan int {
	status := make(chan int, 1)
	go func() {
		r, err := http.Post(url, "", nil)
		if err != nil {
			status <- -1
			return
		}
		r.Body.Close()
		status <- r.StatusCode
	}()
	return status
}

func TestTheGateHoldsEveryVUUntilAllHaveComeAndItIsOpened(t *testing.T) {
	const n = 20
	g, err := openGate(n)
	labtest.Check(t, err)
	defer g.close()
	var waiting []<-chan int
	for vu := range n {
		select {
		case <-g.warm.full:
			t.Fatalf("full with %d of %d VUs", vu, n)
		default:
		}
		waiting = append(waiting, ask(fmt.Sprintf("%s/warm?vu=%d", g.url, vu)))
	}
	<-g.warm.full
	for vu, status := range waiting {
		select {
		case s := <-status:
			t.Fatalf("VU %d passed with status %d before the door was opened", vu, s)
		default:
		}
	}
	g.warm.open()
	for vu, status := range waiting {
		if s := <-status; s != http.StatusOK {
			t.Errorf("VU %d got status %d", vu, s)
		}
	}
	select {
	case <-g.done.full:
		t.Error("the second door counted the first one's VUs")
	default:
	}
}

func TestAVUComesOnce(t *testing.T) {
	b := newBarrier("to the gate", 2)
	nothing := func() {}
	labtest.Check(t, b.arrive("1", nothing))
	if err := b.arrive("1", nothing); !errors.Is(err, errTwice) {
		t.Errorf("a second time: %v", err)
	}
	if err := b.arrive("", nothing); err == nil {
		t.Error("a VU without a name was let in")
	}
	labtest.Check(t, b.arrive("2", nothing))
	if err := b.arrive("3", nothing); err == nil {
		t.Error("a third of two was let in")
	}
	if got := b.progress(); !strings.Contains(got, "(2 have arrived)") {
		t.Errorf("progress is %q", got)
	}
}

func TestTheGateRefusesWhatIsNoTally(t *testing.T) {
	g, err := openGate(1)
	labtest.Check(t, err)
	defer g.close()
	for name, c := range map[string]struct {
		path, body string
		want       int
	}{
		"garbage":     {"/tally?vu=1", "[[[", http.StatusBadRequest},
		"no VU":       {"/tally", "{}", http.StatusConflict},
		"other paths": {"/exit", "", http.StatusNotFound},
	} {
		r, err := http.Post(g.url+c.path, "application/json", strings.NewReader(c.body))
		labtest.Check(t, err)
		r.Body.Close()
		if r.StatusCode != c.want {
			t.Errorf("%s: status %d, want %d", name, r.StatusCode, c.want)
		}
	}
	if got := g.tallies(); len(got) != 0 {
		t.Errorf("it kept %d tallies", len(got))
	}
}

func TestAClosedGateTurnsAwayWhoWaits(t *testing.T) {
	g, err := openGate(1)
	labtest.Check(t, err)
	status := ask(g.url + "/warm?vu=1")
	<-g.warm.full
	g.close()
	if s := <-status; s == http.StatusOK {
		t.Error("a VU passed a gate that was closed")
	}
}

func TestAProgramThatDidNotGetGoingIsToldFromOneThatCrashed(t *testing.T) {
	for _, c := range []struct {
		what, word string
		err        error
		want       string
	}{
		{"too slow to be ready", "READY", fault(facts.FaultSilent, "READY did not come within 15s"),
			facts.FaultNotStarted},
		{"a warm-up without an answer", "WARM",
			fault(facts.FaultCrashed,
				"it ended with exit status 1 before WARM: no request of the warm-up succeeded (100 attempts)"),
			facts.FaultNotStarted},
		{"dead in its window", "DONE", fault(facts.FaultCrashed, "no request of the warm-up succeeded"),
			facts.FaultCrashed},
	} {
		var p *ProgramError
		if err := beforeItsFirst(c.word, fmt.Errorf("client: %w", c.err)); !errors.As(err, &p) || p.Kind != c.want {
			t.Errorf("%s: %v, want %s", c.what, p, c.want)
		}
	}
	other := errors.New("the counters can't be read")
	if got := beforeItsFirst("READY", other); !errors.Is(got, other) {
		t.Errorf("another error became %v", got)
	}
}

// Every request here would count as VU 1 if the gate accepted it.
func TestWebPagesDoNotPassTheGate(t *testing.T) {
	g, err := openGate(1)
	labtest.Check(t, err)
	defer g.close()
	u, err := url.Parse(g.url)
	labtest.Check(t, err)
	port, err := strconv.Atoi(u.Port())
	labtest.Check(t, err)
	paths := []string{"/warm?vu=1", "/done?vu=1", "/tally?vu=1"}
	faults := labtest.NewFaults(t, labtest.HostilePages)
	refused := func(t *testing.T, f labtest.PageFault, want int) {
		for _, path := range paths {
			if status, body := labtest.AskAs(t, g.url+path, f); status != want {
				t.Errorf("%s: status %d: %s", path, status, body)
			}
		}
	}
	for _, f := range labtest.PageFaults(port) {
		faults.Try("k6's gate: "+f.Name, func(t *testing.T) { refused(t, f, http.StatusForbidden) })
	}
	faults.Try("k6's gate: GET, as an image in a page of an old browser sends it", func(t *testing.T) {
		refused(t, labtest.PageFault{}, http.StatusMethodNotAllowed)
	})
	for _, b := range []*barrier{g.warm, g.done, g.told} {
		if len(b.come) != 0 {
			t.Errorf("%s: %v have arrived", b.what, b.come)
		}
	}
}
