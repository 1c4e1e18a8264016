package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"h2lab/clients/kit"
)

func (s *plainServer) thinking(users int, more ...string) []string {
	return append([]string{"--variant", "go-users", "--protocol", "h1", "--url", s.URL + "/echo?ms=1", "--concurrency",
		fmt.Sprint(users), "--warmup", "60ms", "--duration", "150ms", "--think", "20ms", "--nonce", "t"}, more...)
}

// user is who sent a request: ID is NONCE-PHASE-USER-N.
func sender(id string) string { return strings.Split(id, "-")[2] }

func TestEveryUserHasOneConnectionForBothWindows(t *testing.T) {
	var mu sync.Mutex
	at := map[string]map[string]bool{} // user → addresses
	s := newPlainServer(t, func(w http.ResponseWriter, r *http.Request, id string) {
		mu.Lock()
		defer mu.Unlock()
		if at[sender(id)] == nil {
			at[sender(id)] = map[string]bool{}
		}
		at[sender(id)][r.RemoteAddr] = true
		echo(w, r)
	})
	var before int64
	a, status, stderr := conducted(t, s.thinking(50), map[string]func(){"WARM": func() { before = s.conns.Load() }})
	if status != kit.Done || a.Failed != 0 || a.Attempts < 50 || *a.Dialled != 0 {
		t.Fatalf("status %d, answer %+v, stderr %s", status, a, stderr)
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
	s := newPlainServer(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if n.Add(1)%2 == 0 {
			w.Header().Set("Connection", "close")
		}
		echo(w, r)
	})
	a, status, stderr := conducted(t, s.thinking(8, "--think", "0s"), nil)
	if status != kit.Done || a.Failed != 0 || *a.Dialled == 0 {
		t.Errorf("status %d, answer %+v, dialled %d, stderr %s", status, a, *a.Dialled, stderr)
	}
}

func TestFailuresOfUsersNameTheServicesReason(t *testing.T) {
	s := newPlainServer(t, func(w http.ResponseWriter, r *http.Request, id string) {
		switch {
		case !strings.HasPrefix(id, "t-run-"):
			echo(w, r)
		case sender(id) == "1":
			http.Error(w, "java.util.concurrent.RejectedExecutionException: queue of 20000 is full", http.StatusServiceUnavailable)
		case sender(id) == "2":
			_, _ = io.Copy(io.Discard, r.Body) // the server notices a closed connection from here on
			<-r.Context().Done()
		default:
			echo(w, r)
		}
	})
	a, status, stderr := conducted(t, s.thinking(4, "--patience", "300ms"), nil)
	if status != kit.Done || len(a.Failures) != 2 || a.Succeeded == 0 {
		t.Fatalf("status %d, answer %+v, stderr %s", status, a, stderr)
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
