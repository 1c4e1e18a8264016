package main

import (
	"bytes"
	"context"
	"log"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

// runArgs runs the program to its end, with free ports and a valid certificate unless args override
// them.
func runArgs(t *testing.T, p pair, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // a program that serves stops at once
	var out, errs bytes.Buffer
	status = run(ctx, append([]string{"--listen", "127.0.0.1:0", "--counters", "127.0.0.1:0", "--cert", p.certFile,
		"--key", p.keyFile}, args...), &out, &errs)
	return status, out.String(), errs.String()
}

func TestWhatCannotBeServedEndsWithOneClearLine(t *testing.T) {
	now := time.Now()
	good := newPair(t, now.Add(-time.Hour), now.Add(time.Hour))
	other := newPair(t, now.Add(-time.Hour), now.Add(time.Hour))
	expired := newPair(t, now.Add(-48*time.Hour), now.Add(-24*time.Hour))
	early := newPair(t, now.Add(24*time.Hour), now.Add(48*time.Hour))
	absent := filepath.Join(t.TempDir(), "absent.crt")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	labtest.Check(t, err)
	defer taken.Close()
	addr := taken.Addr().String()
	for _, c := range []struct {
		name   string
		pair   pair
		args   []string
		status int
		says   []string
	}{
		{"an unknown flag", good, []string{"--port", "1"}, 2, []string{"-port", "backend --help"}},
		{"an argument", good, []string{"now"}, 2, []string{"unexpected argument now", "backend --help"}},
		{"no time to stop", good, []string{"--grace", "0s"}, 2, []string{"--grace 0s"}},
		{"a listen address without a port", good, []string{"--listen", "localhost"}, 2,
			[]string{`--listen "localhost"`, ":18443"}},
		{"counters on all addresses", good, []string{"--counters", ":18090"}, 2,
			[]string{"--counters :18090", "not a loopback address", "127.0.0.1:18090"}},
		{"counters on any address", good, []string{"--counters", "0.0.0.0:18090"}, 2,
			[]string{"not a loopback address"}},
		{"counters under a name", good, []string{"--counters", "pod:18090"}, 2, []string{"not a loopback address"}},
		{"counters without a port", good, []string{"--counters", "127.0.0.1"}, 2, []string{"not HOST:PORT"}},
		{"no certificate", good, []string{"--cert", absent}, 3, []string{absent, "no such file", "make certs"}},
		{"no key", good, []string{"--key", absent}, 3, []string{absent, "no such file", "make certs"}},
		{"a key of another pair", good, []string{"--key", other.keyFile}, 3,
			[]string{good.certFile, other.keyFile, "no pair", "make certs"}},
		{"an expired certificate", expired, nil, 3, []string{expired.certFile, "expired on 20", "make certs"}},
		{"one of tomorrow", early, nil, 3, []string{early.certFile, "is not valid before", "make certs"}},
		{"a front that is taken", good, []string{"--listen", addr}, 1,
			[]string{"--listen " + addr, "in use", "ss -ltnp"}},
		{"counters that are taken", good, []string{"--counters", addr}, 1,
			[]string{"--counters " + addr, "in use", "ss -ltnp"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, stdout, stderr := runArgs(t, c.pair, c.args...)
			if status != c.status || stdout != "" || strings.Count(stderr, "\n") != 1 {
				t.Errorf("status %d, stdout %q, stderr %q; want %d and one line", status, stdout, stderr, c.status)
			}
			for _, s := range c.says {
				if !strings.Contains(stderr, s) {
					t.Errorf("%q does not say %q", stderr, s)
				}
			}
		})
	}
}

func TestHelpGoesToStdoutAndNamesEveryFlag(t *testing.T) {
	status, stdout, stderr := runArgs(t, pair{}, "--help")
	if status != 0 || stderr != "" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	for _, flag := range []string{"--listen", "--counters", "--cert", "--key", "--grace"} {
		if !strings.Contains(stdout, " "+flag+"=") {
			t.Errorf("help does not explain %s", flag)
		}
	}
}

// lines collects what is written to it; tests can wait for a line.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
	any chan struct{}
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.any <- struct{}{}:
	default:
	}
	return l.buf.Write(b)
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func TestTheProgramSaysWhereItServesAndStopsWhenTold(t *testing.T) {
	p := newPair(t, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	ctx, cancel := context.WithCancel(t.Context())
	stderr := &lines{any: make(chan struct{}, 1)}
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"--listen", "127.0.0.1:0", "--counters", "[::1]:0", "--cert", p.certFile, "--key",
			p.keyFile}, stderr, stderr)
	}()
	select {
	case <-stderr.any:
	case status := <-ended:
		if strings.Contains(stderr.text(), "::1") {
			t.Skipf("no IPv6 loopback here: %s", stderr.text())
		}
		t.Fatalf("ended with %d: %s", status, stderr.text())
	}
	cancel()
	if status := <-ended; status != 0 {
		t.Errorf("status %d: %s", status, stderr.text())
	}
	if !regexp.MustCompile(`^backend: serving h2 and http/1\.1 over TLS on 127\.0\.0\.1:\d+, the ledger on ` +
		`http://\[::1\]:\d+/ledger\.json; .*ECDSA.*\n$`).MatchString(stderr.text()) {
		t.Errorf("said %q", stderr.text())
	}
}

func TestLinesOfLostConnectionsAreCountedAndOthersWritten(t *testing.T) {
	r := startBackend(t, time.Second)
	c, err := net.Dial("tcp", r.frontLn.Addr().String())
	labtest.Check(t, err)
	if _, err := c.Write([]byte("GET / HTTP/1.0\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	r.until("the connection to be given up", func(p page) bool { return p.Connections.Closed == 1 })
	if n := r.ledger.handshakeErrors.Load(); n != 1 {
		t.Errorf("%d handshake errors, want 1", n)
	}
	var written bytes.Buffer
	f := &frontLog{newLedger(), log.New(&written, "", 0)}
	for _, line := range []string{"http: TLS handshake error from x: EOF",
		"http2: server: error reading preface from client x: EOF", "http: panic serving x"} {
		log.New(f, "", 0).Print(line)
	}
	if n := f.ledger.handshakeErrors.Load(); n != 2 || written.String() != "http: panic serving x\n" {
		t.Errorf("counted %d, wrote %q", n, written.String())
	}
}

func TestAStopWaitsForTheAnswerInFlight(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		r := startBackend(t, 10*time.Second)
		c := r.client(h2)
		answered := make(chan error, 1)
		go func() {
			a, err := r.send(c, "POST", "/echo?ms=500", "late", strings.NewReader("1"))
			if err == nil && (a.status != 200 || a.body != "1") {
				t.Errorf("h2 %v: %+v", h2, a)
			}
			answered <- err
		}()
		r.until("a request in flight", func(p page) bool { return p.Executed == 1 })
		r.end()
		if err := <-answered; err != nil {
			t.Errorf("h2 %v: the request in flight got %v", h2, err)
		}
		if err := <-r.ended; err != nil {
			t.Errorf("h2 %v: %v", h2, err)
		}
		if conn, err := net.Dial("tcp", r.frontLn.Addr().String()); err == nil {
			_ = conn.Close()
			t.Errorf("h2 %v: the front still accepts", h2)
		}
		if _, err := http.Get("http://" + r.cntrLn.Addr().String() + "/healthz"); err == nil {
			t.Errorf("h2 %v: the counters are still served", h2)
		}
	}
}

func TestAStopIsBoundedAndSaysWhatItCutOff(t *testing.T) {
	r := startBackend(t, 50*time.Millisecond)
	c := r.client(true)
	answered := make(chan error, 1)
	go func() {
		_, err := r.send(c, "GET", "/delay?ms=30000", "never", nil)
		answered <- err
	}()
	r.until("a request in flight", func(p page) bool { return p.OpenStreams == 1 })
	r.end()
	if err := <-r.ended; err == nil ||
		!strings.Contains(err.Error(), "1 requests were still in flight 50ms after the stop signal") {
		t.Errorf("serve ended with %v", err)
	}
	if err := <-answered; err == nil {
		t.Error("the request that was cut off got an answer")
	}
}

func TestAStopDoesNotWaitForIdleConnections(t *testing.T) {
	r := startBackend(t, 30*time.Second)
	r.must(r.client(false), "GET", "/healthz", "", "")
	r.must(r.client(true), "GET", "/healthz", "", "")
	began := time.Now()
	r.end()
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("stopping took %s", took)
	}
}

func TestAClientThatGoesAwayHasBeenExecutedWithoutAnAnswer(t *testing.T) {
	r := startBackend(t, time.Second)
	ctx, goAway := context.WithCancel(t.Context())
	defer goAway()
	req, err := http.NewRequestWithContext(ctx, "POST", r.url("/echo?ms=20000"), strings.NewReader("1"))
	labtest.Check(t, err)
	req.Header.Set(requestIDHeader, "gone")
	answered := make(chan error, 1)
	go func() {
		_, err := r.client(true).Do(req)
		answered <- err
	}()
	r.until("the request to be executed", func(p page) bool { return p.Executed == 1 && p.OpenStreams == 1 })
	goAway()
	if err := <-answered; err == nil {
		t.Fatal("there was an answer")
	}
	p := r.until("the handler to notice", func(p page) bool { return p.OpenStreams == 0 })
	if p.Executed != 1 || p.HandlingMS.P50 != nil {
		t.Errorf("executed %d, handling %+v, want 1 and null", p.Executed, p.HandlingMS)
	}
}
