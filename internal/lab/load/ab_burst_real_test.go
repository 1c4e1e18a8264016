//go:build integration

package load

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
)

// aService is a plain-HTTP server in this process that waits 10 ms and counts requests by connection.
func aService(t *testing.T, answer http.HandlerFunc) (base string, served *atomic.Int64) {
	t.Helper()
	served = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		time.Sleep(10 * time.Millisecond)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, served
}

func usersOfService(t *testing.T, users facts.Client, base string, argv ...string) Job {
	return Job{Client: users, Topology: "direct", Protocol: facts.H1, Base: base, Nonce: "it", Dir: t.TempDir(),
		Argv: argv, Env: os.Environ(), Workload: facts.Workload{Method: "GET", DelayMS: 10, Concurrency: 20, Pools: 1,
			Requests: 400, WarmupS: 0.2, DurationS: 3, MaxTLS: "1.2", NoCall: true}}
}

func TestTheRealAbCountsWhatTheServerCounts(t *testing.T) {
	ab, err := exec.LookPath("ab")
	if err != nil {
		t.Fatal("ab is not on PATH: tools/toolchains.sh integration")
	}
	for _, bad := range []int64{0, 40} {
		var n atomic.Int64
		base, served := aService(t, func(w http.ResponseWriter, _ *http.Request) {
			if n.Add(1) <= bad {
				http.Error(w, "not now", http.StatusServiceUnavailable)
				return
			}
			fmt.Fprint(w, strings.Repeat("x", int(n.Load()%7))) // answers of different lengths
		})
		pid, spent := 0, 0.0
		a, err := Run(t.Context(), usersOfService(t, facts.Ab, base, ab), Hooks{
			Started: func(p int) { pid = p },
			Warm: func(context.Context) error {
				if served.Load() > 0 {
					t.Error("ab sends requests before the window is open")
				}
				return nil
			},
			Done: func(context.Context) (err error) { // ab's processor time can still be read
				spent, err = proc.CPUSeconds(pid)
				return err
			}})
		labtest.Check(t, err)
		if a.Attempts != 400 || served.Load() < 400 || a.Failed != bad || a.Library != "ApacheBench 2.3" {
			t.Errorf("%d bad: ab %+v, the server %d", bad, a, served.Load())
		}
		if (a.Latency.P99 == nil) != (bad > 0) || bad == 0 && (*a.Latency.Mean < 10 || *a.Latency.P50 < 10) {
			t.Errorf("%d bad: latency %+v", bad, a.Latency)
		}
		if spent <= 0 && bad == 0 {
			t.Logf("ab used %v s of processor time", spent)
		}
		gone(t, pid)
	}
}

func TestARealAbIsStoppedByItsBound(t *testing.T) {
	ab, err := exec.LookPath("ab")
	if err != nil {
		t.Fatal("ab is not on PATH: tools/toolchains.sh integration")
	}
	base, _ := aService(t, func(http.ResponseWriter, *http.Request) { time.Sleep(300 * time.Millisecond) })
	job := usersOfService(t, facts.Ab, base, ab)
	job.Workload.DurationS = 1
	a, err := Run(t.Context(), job, Hooks{})
	labtest.Check(t, err)
	mean := float64(job.Workload.Concurrency) * a.ElapsedS * 1000 / float64(a.Attempts)
	if a.Attempts >= 400 || a.Attempts == 0 || *a.Latency.Mean < 0.99*mean || *a.Latency.Mean > 1.01*mean {
		t.Errorf("%+v, mean %v, from the counts %v", a, *a.Latency.Mean, mean)
	}
}

func TestARealBurstCountsWhatTheServerCounts(t *testing.T) {
	program, err := goClient()
	labtest.Check(t, err)
	base, served := aService(t, func(http.ResponseWriter, *http.Request) {})
	job := usersOfService(t, facts.GoBurst, base, program, "--variant", string(facts.GoBurst))
	before := int64(0)
	a, err := Run(t.Context(), job, Hooks{Warm: func(context.Context) error { before = served.Load(); return nil }})
	labtest.Check(t, err)
	if a.Attempts != 20 || a.Failed != 0 || a.WarmupRequests != before || served.Load()-before != 20 {
		t.Errorf("%+v; the server %d, %d of them before the window", a, served.Load(), before)
	}
}
