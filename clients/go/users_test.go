package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"h2lab/clients/kit"
)

func (s *server) thinking(users int, more ...string) []string {
	return append([]string{"--variant", "go-users", "--protocol", "h1", "--url", s.URL + "/echo?ms=1", "--concurrency",
		fmt.Sprint(users), "--warmup", "60ms", "--duration", "150ms", "--think", "20ms", "--nonce", "t"}, more...)
}

// user is who sent a request: ID is NONCE-PHASE-USER-N.
func sender(id string) string { return strings.Split(id, "-")[2] }

func TestEveryUserHasOneConnectionForBothWindows(t *testing.T) {
	var mu sync.Mutex
	at := map[string]map[string]bool{} // user → addresses
	s := newServer(t, false, func(w http.ResponseWriter, r *http.Request, id string) {
		mu.Lock()
		defer mu.Unlock()
		if at[sender(id)] == nil {
			at[sender(id)] = map[string]bool{}
		}
		at[sender(id)][r.RemoteAddr] = true
		echo(w, r, id)
	})
	var before int64
	a := conducted(t, s.thinking(50), map[string]func(){"WARM": func() { before = s.conns.Load() }})
	if a.Failed != 0 || a.Attempts < 50 || *a.Dialled != 0 {
		t.Fatalf("answer %+v", a)
	}
	if before != 50 || s.conns.Load() != 50 || len(at) != 50 {
		t.Errorf("%d users, %d connections after the warm-up, %d at the end", len(at), before, s.conns.Load())
	}
	for user, addrs := range at {
		if len(addrs) != 1 {
			t.Errorf("user %s had %d connections", user, len(addrs))
		}
	}
}

func TestUsersStartEvenlyOverTheirCycle(t *testing.T) {
	u := &users{service: &service{flags: kit.Flags{Think: 700 * time.Millisecond}}, each: make([]*user, 4),
		cycle: 800 * time.Millisecond}
	for i, want := range []time.Duration{0, 200, 400, 600} {
		if got := u.first(i, 3*time.Second); got != want*time.Millisecond {
			t.Errorf("user %d starts after %s", i, got)
		}
	}
	if got := u.first(3, time.Second); got != 500*time.Millisecond {
		t.Errorf("in a window of 1 s user 3 starts after %s", got)
	}
	u.flags.Think = 0
	if got := u.first(3, time.Second); got != 0 {
		t.Errorf("without a pause user 3 starts after %s", got)
	}
}

func TestAUserWhoseConnectionIsClosedDialsAgain(t *testing.T) {
	var n atomic.Int64
	s := newServer(t, false, func(w http.ResponseWriter, r *http.Request, id string) {
		if n.Add(1)%2 == 0 {
			w.Header().Set("Connection", "close")
		}
		echo(w, r, id)
	})
	a := conducted(t, s.thinking(8, "--think", "0s"), nil)
	if a.Failed != 0 || *a.Dialled == 0 {
		t.Errorf("answer %+v, dialled %d", a, *a.Dialled)
	}
}

func TestFailuresOfUsersNameTheServicesReason(t *testing.T) {
	s := newServer(t, false, func(w http.ResponseWriter, r *http.Request, id string) {
		switch {
		case !strings.HasPrefix(id, "t-run-"):
			echo(w, r, id)
		case sender(id) == "1":
			http.Error(w, "java.util.concurrent.RejectedExecutionException: queue of 20000 is full", http.StatusServiceUnavailable)
		case sender(id) == "2":
			_, _ = io.Copy(io.Discard, r.Body) // the server notices a closed connection from here on
			<-r.Context().Done()
		default:
			echo(w, r, id)
		}
	})
	a := conducted(t, s.thinking(4, "--patience", "300ms"), nil)
	if len(a.Failures) != 2 || a.Succeeded == 0 {
		t.Fatalf("answer %+v", a)
	}
	for _, g := range a.Failures {
		want := "no answer within 300ms"
		if g.Kind == kit.Status {
			want = "HTTP status 503 Service Unavailable: java.util.concurrent.RejectedExecutionException: queue of 20000 is full"
		}
		if !strings.HasPrefix(g.Message, want) {
			t.Errorf("%+v, want %q", g, want)
		}
	}
}

func TestAServiceThatIsGoneEndsTheWarmUp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), []string{"--variant", "go-users", "--protocol", "h1", "--url", "http://127.0.0.1:1/",
		"--warmup", "10ms", "--concurrency", "2"}, nil, &stdout, &stderr)
	if status != kit.CouldNot || !strings.Contains(stderr.String(), "no request of the warm-up succeeded") {
		t.Errorf("status %d: %s", status, stderr.String())
	}
}

func (s *server) burst(users int, more ...string) []string {
	return append([]string{"--variant", "go-burst", "--protocol", "h1", "--url", s.URL + "/wait?ms=1", "--method", "GET",
		"--concurrency", fmt.Sprint(users), "--warmup", "50ms", "--duration", "10s", "--nonce", "t"}, more...)
}

// measured are the ids of the burst, and the connections that they came on.
func (s *server) measured() (ids, conns int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	addrs := map[string]bool{}
	for id, addr := range s.ids {
		if strings.HasPrefix(id, "t-run-") {
			ids++
			addrs[addr] = true
		}
	}
	return ids, len(addrs)
}

// The service answers no request of the burst before all of them have come: only users that send at
// the same time, each on its own connection, get an answer.
func TestABurstSendsEveryRequestAtOnceOnAConnectionOfItsOwn(t *testing.T) {
	const users = 300
	var come atomic.Int64
	all := make(chan struct{})
	s := newServer(t, false, func(_ http.ResponseWriter, _ *http.Request, id string) {
		if strings.HasPrefix(id, "t-run-") {
			if come.Add(1) == users {
				close(all)
			}
			<-all
		}
	})
	var before int64
	warm := func() { // a connection that the kernel has accepted may still wait for the server
		for until := time.Now().Add(10 * time.Second); s.conns.Load() < users+warmUsers && time.Now().Before(until); {
			time.Sleep(time.Millisecond)
		}
		before = s.conns.Load()
	}
	a := conducted(t, s.burst(users), map[string]func(){"WARM": warm})
	if a.Attempts != users || a.Succeeded != users || len(a.Failures) > 0 {
		t.Fatalf("answer %+v", a)
	}
	if ids, conns := s.measured(); ids != users || conns != users {
		t.Errorf("%d requests on %d connections", ids, conns)
	}
	if before != users+warmUsers || s.conns.Load() != before {
		t.Errorf("%d connections before the burst, %d after it", before, s.conns.Load())
	}
}

func TestFailuresOfABurstNameTheServicesReason(t *testing.T) {
	s := newServer(t, false, func(w http.ResponseWriter, _ *http.Request, id string) {
		var user int
		if _, err := fmt.Sscanf(id, "t-run-%d-1", &user); err != nil {
			return // the warm-up
		}
		switch user % 4 {
		case 0:
			http.Error(w, "PoolAcquirePendingLimitException: Pending acquire queue has reached its maximum size of 1000\nat x",
				http.StatusBadGateway)
		case 1:
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				conn.Close()
			}
		}
	})
	a := conducted(t, s.burst(40), nil)
	if a.Succeeded != 20 || a.Failed != 20 || len(a.Failures) != 2 {
		t.Fatalf("answer %+v", a)
	}
	want := map[string]string{"status": "HTTP status 502 Bad Gateway: PoolAcquirePendingLimitException: Pending acquire " +
		"queue has reached its maximum size of 1000", "transport": "unexpected EOF"}
	for _, g := range a.Failures {
		if g.Count != 10 || !strings.Contains(g.Message, want[g.Kind]) && !strings.Contains(g.Message, "EOF") {
			t.Errorf("%+v, want %q", g, want[g.Kind])
		}
	}
}

func TestAnAnswerThatDoesNotComeInTimeIsHung(t *testing.T) {
	s := newServer(t, false, func(_ http.ResponseWriter, r *http.Request, id string) {
		if id == "t-run-3-1" {
			<-r.Context().Done()
		}
	})
	a := conducted(t, s.burst(8, "--duration", "400ms"), nil)
	if a.Succeeded != 7 || len(a.Failures) != 1 ||
		!strings.HasPrefix(a.Failures[0].Message, "no answer within 400ms") {
		t.Errorf("answer %+v", a)
	}
}

func TestAUserWithoutAConnectionHasFailed(t *testing.T) {
	s := newServer(t, false, func(http.ResponseWriter, *http.Request, string) {})
	var once sync.Once
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew && s.conns.Add(1) == warmUsers+2 {
			once.Do(func() { s.Listener.Close() })
		}
	}
	a := conducted(t, s.burst(30, "--warmup", "600ms"), nil)
	if a.Attempts != 30 || a.Failed == 0 || a.Succeeded == 0 ||
		!strings.Contains(a.Failures[0].Message, "connection refused") {
		t.Errorf("answer %+v", a)
	}
}

func TestABurstGoesToThisMachineOnly(t *testing.T) {
	for _, c := range []struct{ url, protocol, says string }{
		{"https://127.0.0.1:1/", "h1", "is no service of this machine"},
		{"http://example.org/wait", "h1", "is no service of this machine"},
		{"http://127.0.0.1/", "h1", "is no service of this machine"},
		{"http://127.0.0.1:1/", "h2", "go-burst speaks HTTP/1.1 only"},
	} {
		var stdout, stderr bytes.Buffer
		if status := run(t.Context(), []string{"--variant", "go-burst", "--url", c.url, "--protocol", c.protocol}, nil, &stdout,
			&stderr); status != kit.WrongUsage || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("%s over %s: status %d, %s", c.url, c.protocol, status, stderr.String())
		}
	}
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), []string{"--variant", "go-burst", "--url", "http://127.0.0.1:1/", "--protocol", "h1",
		"--concurrency", "3", "--warmup", "10ms"}, nil, &stdout, &stderr)
	if status != kit.CouldNot || !strings.Contains(stderr.String(), "no request of the warm-up succeeded") {
		t.Errorf("status %d: %s", status, stderr.String())
	}
}
