//go:build integration

package load

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
)

// front is a TLS server in this process that counts requests.
type front struct {
	*httptest.Server
	ca string

	mu    sync.Mutex
	ids   map[string]int
	proto map[string]int
	conns int
	// spoil, if set, may answer a request itself.
	spoil func(w http.ResponseWriter, id string) bool
}

func newFront(t *testing.T, h2 bool) *front {
	t.Helper()
	f := &front{ids: map[string]int{}, proto: map[string]int{}}
	f.Server = httptest.NewUnstartedServer(f)
	f.Config.ErrorLog = log.New(io.Discard, "", 0) // one test makes handshakes fail
	f.EnableHTTP2 = h2
	f.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			f.mu.Lock()
			f.conns++
			f.mu.Unlock()
		}
	}
	f.StartTLS()
	t.Cleanup(f.Close)
	f.ca = filepath.Join(t.TempDir(), "ca.crt")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.Certificate().Raw})
	labtest.Write(t, f.ca, string(block))
	return f
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get("X-Lab-Request-Id")
	f.mu.Lock()
	f.ids[id]++
	f.proto[r.Proto]++
	f.mu.Unlock()
	if f.spoil != nil && f.spoil(w, id) {
		return
	}
	_, _ = io.Copy(w, r.Body)
}

// executed counts the requests of a phase, and their distinct ids.
func (f *front) executed(phase string) (requests, distinct int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, n := range f.ids {
		if strings.Contains(id, "-"+phase+"-") {
			requests += int64(n)
			distinct++
		}
	}
	return requests, distinct
}

var goClient = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "go-client-")
	if err != nil {
		return "", err
	}
	atExit = append(atExit, func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "go-client")
	out, err := exec.Command("go", "build", "-o", path, "../../../clients/go").CombinedOutput()
	os.Stderr.Write(out)
	return path, err
})

// findK6 finds k6 on PATH or in tools/bin. The test fails without it, since a skipped test proves
// nothing.
func findK6(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"k6", "../../../tools/bin/k6"} {
		if path, err := exec.LookPath(name); err == nil {
			path, err = filepath.Abs(path)
			labtest.Check(t, err)
			return path
		}
	}
	t.Fatal("k6 is neither on PATH nor in tools/bin: make tools")
	return ""
}

func realJob(t *testing.T, f *front, c facts.Client, p facts.Protocol) Job {
	t.Helper()
	program, err := goClient()
	labtest.Check(t, err)
	return Job{Client: c, Topology: "direct", Protocol: p, Base: f.URL, CA: f.ca, Nonce: "it", Dir: t.TempDir(),
		K6: findK6(t), K6Scripts: filepath.Join(labtest.Root(t), "k6"), Argv: []string{program, "--variant", string(c)}, Env: os.Environ(),
		Workload: facts.Workload{
			Method:      "POST",
			BodyBytes:   3,
			Concurrency: 10,
			Pools:       2,
			WarmupS:     0.2,
			DurationS:   0.4,
			MaxTLS:      "1.3",
		}}
}

func TestRealClientsCountWhatTheServerCounts(t *testing.T) {
	for _, client := range facts.Clients {
		for protocol, spoken := range map[facts.Protocol]string{facts.H1: "HTTP/1.1", facts.H2: "HTTP/2.0"} {
			t.Run(string(client)+" "+string(protocol), func(t *testing.T) {
				f := newFront(t, true)
				job := realJob(t, f, client, protocol)
				warmed, done := 0, 0
				a, err := Run(t.Context(), job, Hooks{
					Warm: func(context.Context) error {
						warmed++
						if n, _ := f.executed("run"); n > 0 {
							t.Errorf("%d requests of the window before it was opened", n)
						}
						return nil
					},
					Done: func(context.Context) error { done++; return nil },
				})
				labtest.Check(t, err)
				if warmed != 1 || done != 1 {
					t.Errorf("the gate was opened %d and %d times", warmed, done)
				}
				if n, ids := f.executed("run"); n != a.Attempts || ids != n || a.Succeeded != n {
					t.Errorf("%d attempts, %d succeeded; the server executed %d with %d ids", a.Attempts,
						a.Succeeded, n, ids)
				}
				if n, ids := f.executed("warm"); n != a.WarmupRequests || ids != n {
					t.Errorf("%d warm-up requests; the server executed %d with %d ids", a.WarmupRequests, n, ids)
				}
				if len(f.proto) != 1 || f.proto[spoken] == 0 {
					t.Errorf("protocols spoken: %v, want %s alone", f.proto, spoken)
				}
				if a.TLS.Version != "1.3" || a.ElapsedS < 0.4 || a.Latency.P50 == nil {
					t.Errorf("TLS %q, elapsed %v s, p50 %v", a.TLS.Version, a.ElapsedS, a.Latency.P50)
				}
				f.checkConnections(t, client, protocol)
			})
		}
	}
}

// checkConnections: ten requests in flight on two pools.
func (f *front) checkConnections(t *testing.T, c facts.Client, p facts.Protocol) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case p == facts.H2 && c == facts.GoSingleDial && f.conns != 2:
		t.Errorf("%d connections, want one a pool", f.conns)
	case c == facts.K6ConnectionPerVU && f.conns != 10:
		t.Errorf("%d connections, want one a VU", f.conns)
	case f.conns < 2:
		t.Errorf("%d connections for two pools", f.conns)
	case p == facts.H1 && f.conns > 40:
		t.Errorf("%d connections for ten requests in flight: idle ones are not kept", f.conns)
	}
}

func TestLowerTLSVersionsAreOffered(t *testing.T) {
	for _, client := range []facts.Client{facts.K6SharedPool, facts.GoReplayable} {
		job := realJob(t, newFront(t, true), client, facts.H2)
		job.Workload.MaxTLS = "1.2"
		a, err := Run(t.Context(), job, Hooks{})
		labtest.Check(t, err)
		if a.TLS.Version != "1.2" {
			t.Errorf("%s negotiated TLS %s", client, a.TLS.Version)
		}
	}
}

func TestFailuresAreCountedApartFromSuccesses(t *testing.T) {
	for _, client := range facts.Clients {
		f := newFront(t, true)
		f.spoil = func(w http.ResponseWriter, id string) bool {
			bad := strings.Contains(id, "-run-") && strings.HasSuffix(id, "7")
			if bad {
				w.WriteHeader(http.StatusBadGateway)
			}
			return bad
		}
		a, err := Run(t.Context(), realJob(t, f, client, facts.H2), Hooks{})
		labtest.Check(t, err)
		if len(a.Errors) != 1 || a.Errors[0].Class != facts.ErrHTTPStatus ||
			a.Errors[0].Message != "HTTP status 502 Bad Gateway" {
			t.Errorf("%s: errors %+v", client, a.Errors)
		}
		if n, _ := f.executed("run"); a.Attempts != n || a.Failed == 0 || a.Failed > n/5 {
			t.Errorf("%s: %d of %d attempts failed; the server executed %d", client, a.Failed, a.Attempts, n)
		}
	}
}

func TestAnotherProtocolThanWasAskedForEndsTheRun(t *testing.T) {
	for _, client := range []facts.Client{facts.K6SharedPool, facts.K6ConnectionPerVU, facts.GoReplayable} {
		_, err := Run(t.Context(), realJob(t, newFront(t, false), client, facts.H2), Hooks{})
		if err == nil || !strings.Contains(err.Error(), "HTTP/1.1") || !strings.Contains(err.Error(), "ALPN") {
			t.Errorf("%s: error %v", client, err)
		}
	}
}

func TestAServerThatNobodyTrustsEndsTheRun(t *testing.T) {
	for _, client := range []facts.Client{facts.K6SharedPool, facts.GoReplayable} {
		job := realJob(t, newFront(t, true), client, facts.H2)
		other := filepath.Join(t.TempDir(), "other.crt")
		labtest.Write(t, other, otherAuthority)
		job.CA = other
		_, err := Run(t.Context(), job, Hooks{})
		if err == nil || !strings.Contains(err.Error(), "unknown authority") &&
			!strings.Contains(err.Error(), "signed by unknown") {
			t.Errorf("%s: error %v", client, err)
		}
	}
}

// otherAuthority is a certificate whose key was deleted.
const otherAuthority = `-----BEGIN CERTIFICATE-----
MIIBjzCCATWgAwIBAgIUPZtf2ofoDqgr5xRCj7wJ+qtHNp0wCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRYW5vdGhlciBhdXRob3JpdHkwIBcNMjYxMTIxMDIwNDM1WhgP
MjEyNjEwMjgwMjA0MzVaMBwxGjAYBgNVBAMMEWFub3RoZXIgYXV0aG9yaXR5MFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEBYqZm0ravZZZPpznkID1iP6EIKQT7/GX
EScXxVOpqs1aSr3NEplIBTG1hXpREtSNDBLLz/rYRzT1namm1swlzqNTMFEwHQYD
VR0OBBYEFJkkbKO3fawp6TJRsWD+CtyeKih6MB8GA1UdIwQYMBaAFJkkbKO3fawp
6TJRsWD+CtyeKih6MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIg
RjegKRIrgjJ25rCy+MBzUi8YQVKb/Z4gdXHlc1ZXXLcCIQDWp0mbskBv/VUJqxjN
LpIiHNRUVDLZwd83c5AvF/HiAw==
-----END CERTIFICATE-----
`

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

// usersJob is a job of ten users who call a service on this machine over plain HTTP.
func usersJob(t *testing.T, service http.HandlerFunc) Job {
	t.Helper()
	s := httptest.NewServer(service)
	t.Cleanup(s.Close)
	return Job{Client: facts.K6ConnectionPerVU, Topology: "direct", Protocol: facts.H1, Base: s.URL + "/through/direct",
		CA: filepath.Join("..", "..", "..", "certs", "out", "ca.crt"), Nonce: "it", Dir: t.TempDir(), K6: findK6(t),
		K6Scripts: filepath.Join(labtest.Root(t), "k6"), Workload: facts.Workload{Method: "POST", BodyBytes: 1, Concurrency: 10, Pools: 1,
			WarmupS: 0.3, DurationS: 1, MaxTLS: "1.2"}}
}

func TestUsersOfAServiceThink(t *testing.T) {
	var path atomic.Value
	job := usersJob(t, func(_ http.ResponseWriter, r *http.Request) { path.Store(r.URL.String()) })
	job.Workload.ThinkMS, job.Workload.DelayMS = 200, 50
	a, err := Run(t.Context(), job, Hooks{})
	labtest.Check(t, err)
	// In one second a user who thinks for 200 ms sends six requests at most.
	if a.Failed != 0 || a.Attempts < 10 || a.Attempts > 60 {
		t.Errorf("%d attempts of ten users, %d failed", a.Attempts, a.Failed)
	}
	if path.Load() != "/through/direct/echo?ms=50" {
		t.Errorf("they called %v", path.Load())
	}
}

func TestAServiceThatAnswersNobodyIsMeasured(t *testing.T) {
	a, err := Run(t.Context(), usersJob(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}), Hooks{})
	labtest.Check(t, err)
	if a.Succeeded != 0 || a.Failed != a.Attempts || a.Attempts < 10 || len(a.Errors) != 1 ||
		a.Errors[0].Class != facts.ErrHTTPStatus || a.Latency.P50 != nil {
		t.Errorf("%+v", a)
	}
}
