package main

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"h2lab/clients/kit"
	"h2lab/internal/facts"
)

// answer is the part of the JSON line that these tests read.
type answer struct {
	Attempts, Succeeded, Failed int64
	Dialled                     *int64
	TLS                         facts.TLS
	Library                     string
	Failures                    []struct {
		Message, Kind string
		Count         int64
	}
}

// server is a server with its own ledger: plain HTTP/1.1, or TLS with HTTP/2 too.
type server struct {
	*httptest.Server
	ca           string
	conns, dupes atomic.Int64
	mu           sync.Mutex
	ids          map[string]string // id → the connection's address
}

func newServer(t *testing.T, tls bool, handle func(w http.ResponseWriter, r *http.Request, id string)) *server {
	t.Helper()
	s := &server{ids: map[string]string{}}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(kit.IDHeader)
		s.mu.Lock()
		if s.ids[id] != "" {
			s.dupes.Add(1)
		}
		s.ids[id] = r.RemoteAddr
		s.mu.Unlock()
		handle(w, r, id)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.conns.Add(1)
		}
	}
	t.Cleanup(s.Close)
	if !tls {
		s.Start()
		return s
	}
	s.EnableHTTP2 = true
	s.StartTLS()
	s.ca = certificate(t, s.Server)
	return s
}

// certificate is a server's certificate in a file.
func certificate(t *testing.T, s *httptest.Server) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func echo(w http.ResponseWriter, r *http.Request, _ string) { _, _ = io.Copy(w, r.Body) }

// args returns the flags for a short run against s.
func (s *server) args(more ...string) []string {
	return append([]string{"--url", s.URL + "/echo?ms=0", "--ca", s.ca, "--concurrency", "8", "--warmup", "300ms",
		"--duration", "150ms", "--nonce", "t"}, more...)
}

// conducted runs the client as internal/lab/load does and returns its answer.
func conducted(t *testing.T, args []string, at map[string]func()) (a answer) {
	t.Helper()
	out, stderr := conductor{at: at}, bytes.Buffer{}
	status := run(t.Context(), append(args, "--json"), strings.NewReader("\n\n\n"), &out, &stderr)
	if err := json.Unmarshal(out.line, &a); status != kit.Done || err != nil {
		t.Fatalf("status %d, %v: %s", status, err, stderr.String())
	}
	return a
}

// conductor acts on the lines that the client prints.
type conductor struct {
	at   map[string]func()
	line []byte // the last one
}

func (c *conductor) Write(line []byte) (int, error) {
	c.line = bytes.Clone(line)
	if act := c.at[strings.TrimSpace(string(line))]; act != nil {
		act()
	}
	return len(line), nil
}

func TestEveryVariantCountsWhatTheServerSees(t *testing.T) {
	for _, variant := range []string{"go-replayable", "go-once", "go-single-dial", "go-resume", "go-resume-single-dial",
		"go-http2-transport"} {
		for _, protocol := range []string{"h1", "h2"} {
			if variant == "go-http2-transport" && protocol == "h1" {
				continue // refused, see TestAMisuse
			}
			s := newServer(t, true, echo)
			var cold int64
			a := conducted(t, s.args("--variant", variant, "--protocol", protocol, "--pools", "2"),
				map[string]func(){"WARM": func() { cold = settled(&s.conns) }})
			name := variant + " " + protocol
			if a.Failed != 0 || a.Succeeded != a.Attempts || a.Attempts == 0 {
				t.Fatalf("%s: answer %+v", name, a)
			}
			if s.dupes.Load() != 0 {
				t.Errorf("%s: %d request ids came twice", name, s.dupes.Load())
			}
			if seen := settled(&s.conns) - cold; *a.Dialled != seen {
				t.Errorf("%s: dialled %d in the window, the server accepted %d", name, *a.Dialled, seen)
			}
			if variant == "go-single-dial" && protocol == "h2" && s.conns.Load() != 2 {
				t.Errorf("%s: %d connections for two pools", name, s.conns.Load())
			}
			if a.TLS.Version != "1.3" || !strings.HasPrefix(variant, "go-resume") && *a.TLS.Resumed != 0 ||
				!strings.Contains(a.Library, "net/http") {
				t.Errorf("%s: answer %+v", name, a)
			}
		}
	}
}

// settled returns a count once it no longer changes: the pool completes a dial even when another
// connection has meanwhile answered its request.
func settled(count *atomic.Int64) int64 {
	last, since := count.Load(), time.Now()
	for time.Since(since) < 200*time.Millisecond {
		if now := count.Load(); now != last {
			last, since = now, time.Now()
		}
		time.Sleep(time.Millisecond)
	}
	return last
}

// TestOnlyTheOnceBodyCannotBeSentAgain runs a server that sends a GOAWAY after every tenth request,
// as nginx does after its thousandth. Go's server sends a one-stage GOAWAY too.
func TestOnlyTheOnceBodyCannotBeSentAgain(t *testing.T) {
	for variant, lost := range map[string]bool{"go-replayable": false, "go-once": true} {
		var n atomic.Int64
		s := newServer(t, true, func(w http.ResponseWriter, r *http.Request, id string) {
			if n.Add(1)%10 == 0 {
				w.Header().Set("Connection", "close") // net/http answers with GOAWAY
			}
			echo(w, r, id)
		})
		// A request is in flight when the GOAWAY arrives only by chance, and rarely on a busy
		// machine: it can take several windows until one is lost.
		found, renewed := false, false
		var a answer
		for tries := 1; tries == 1 || (lost && !found || !renewed) && tries <= 20; tries++ {
			a = conducted(t, s.args("--variant", variant, "--concurrency", "32"), nil)
			renewed = renewed || *a.Dialled > 0
			for _, g := range a.Failures {
				found = found || strings.Contains(g.Message, "cannot retry err") && strings.Contains(g.Message, "define Request.GetBody")
			}
		}
		if found != lost {
			t.Errorf("%s: failures for want of GetBody: %t, want %t: %+v", variant, found, lost, a.Failures)
		}
		if !renewed {
			t.Errorf("%s: no connection was renewed", variant)
		}
	}
}

func TestFailuresAreGroupedAndKeptVerbatim(t *testing.T) {
	// By its own count, not by a caller's: a slow machine may have a few requests of each caller alone.
	var measured atomic.Int64
	tampering := func(w http.ResponseWriter, r *http.Request, id string) {
		n := int64(0)
		if strings.Contains(id, "-run-") {
			n = measured.Add(1)
		}
		switch n % 4 {
		case 1:
			w.WriteHeader(http.StatusBadGateway)
		case 2:
			fmt.Fprint(w, "something else")
		default:
			echo(w, r, id)
		}
	}
	a := conducted(t, newServer(t, true, tampering).args(), nil)
	kinds := map[string]string{}
	var sum int64
	for _, g := range a.Failures {
		kinds[g.Message] = g.Kind
		sum += g.Count
	}
	if kinds["HTTP status 502 Bad Gateway"] != "status" ||
		kinds["the answer is not the body that was sent: 1 bytes sent, 14 received"] != "transport" || len(kinds) != 2 {
		t.Errorf("failures %+v", a.Failures)
	}
	if sum != a.Failed || a.Succeeded+a.Failed != a.Attempts {
		t.Errorf("the counts don't add up: %+v", a)
	}
}

func TestAMisuseHasItsStatusAndSaysWhatNext(t *testing.T) {
	s := newServer(t, true, echo)
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{s.args("--pools", "9"), kit.WrongUsage, "--pools=9 is out of range: give a whole number from 1 to 8"},
		{s.args("--variant", "go-http2-transport", "--protocol", "h1"), kit.WrongUsage, "HTTP/2 only"},
		{s.args("--ca", "nowhere.crt"), kit.IsMissing, "make certs"},
		{[]string{"--url", "https://127.0.0.1:1/", "--warmup", "10ms"}, kit.CouldNot, "no request of the warm-up succeeded"},
	} {
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), c.args, strings.NewReader(""), &stdout, &stderr)
		if status != c.status || !strings.Contains(stderr.String(), c.says) || stdout.Len() > 0 {
			t.Errorf("%q: status %d, want %d with %q; stderr %s stdout %s", c.args, status, c.status, c.says,
				stderr.String(), stdout.String())
		}
	}
}

func TestAnotherProtocolIsNotMeasured(t *testing.T) {
	s := httptest.NewTLSServer(http.NotFoundHandler()) // HTTP/1.1 alone
	defer s.Close()
	var stdout, stderr bytes.Buffer
	if status := run(t.Context(), []string{"--url", s.URL, "--ca", certificate(t, s), "--warmup", "50ms"}, nil, &stdout,
		&stderr); status != kit.CouldNot || !strings.Contains(stderr.String(), "h2 was requested") {
		t.Errorf("status %d, stderr %s", status, stderr.String())
	}
}

func TestASingleDialAllowsWhatTheStreamsNeed(t *testing.T) {
	for _, c := range []struct {
		protocol    string
		share, want int
	}{{"h2", 1, 1}, {"h2", 100, 1}, {"h2", 128, 1}, {"h2", 129, 2}, {"h1", 100, 100}} {
		rt, err := newTransport(kit.Flags{Protocol: c.protocol, Variant: string(facts.GoSingleDial)}, c.share, &kit.Meter{})
		if err != nil {
			t.Fatal(err)
		}
		if got := rt.(*http.Transport).MaxConnsPerHost; got != c.want {
			t.Errorf("%s with %d in flight: %d connections, want %d", c.protocol, c.share, got, c.want)
		}
	}
}
