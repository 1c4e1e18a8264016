//go:build linux

package load

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
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

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

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
