package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"h2lab/clients/kit"
)

// server is h2lab.Echo over TLS in this process, with its own ledger.
type server struct {
	url, ca   string
	conns     atomic.Int64
	ids       sync.Map
	anonymous atomic.Int64
	// answer returns Say's answer, given how often it has seen the call's id.
	answer func(in string, seen int) (string, error)
}

func echo(in string, _ int) (string, error) { return in, nil }

func newServer(t *testing.T, answer func(string, int) (string, error)) *server {
	t.Helper()
	s := &server{answer: answer}
	web := httptest.NewTLSServer(nil) // for its certificate
	web.Close()
	// This isn't grpc.Server.ServeHTTP, whose refusals are never trailers-only responses and so are
	// never retried.
	calls := grpc.NewServer(grpc.Creds(credentials.NewServerTLSFromCert(&web.TLS.Certificates[0])))
	calls.RegisterService(&grpc.ServiceDesc{ServiceName: "h2lab.Echo", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "Say", Handler: s.say}}}, s)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = calls.Serve(counting{listener, &s.conns}) }()
	t.Cleanup(calls.Stop)
	s.url, s.ca = "https://"+listener.Addr().String(), filepath.Join(t.TempDir(), "ca.crt")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw})
	if err := os.WriteFile(s.ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// counting counts the connections that it accepts.
type counting struct {
	net.Listener
	conns *atomic.Int64
}

func (c counting) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.conns.Add(1)
	}
	return conn, err
}

func (s *server) say(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	in := new(wrapperspb.StringValue)
	if err := decode(in); err != nil {
		return nil, err
	}
	ids := metadata.ValueFromIncomingContext(ctx, kit.IDHeader)
	if len(ids) != 1 {
		s.anonymous.Add(1)
		ids = []string{""}
	}
	seen, _ := s.ids.LoadOrStore(ids[0], new(atomic.Int64))
	text, err := s.answer(in.Value, int(seen.(*atomic.Int64).Add(1)))
	return wrapperspb.String(text), err
}

// answer is the part of the JSON line that these tests read.
type answer struct {
	Attempts, Succeeded, Failed, Hung int64
	Warmup                            int64 `json:"warmup_requests"`
	Dialled                           *int64
	TLS                               struct{ Version string }
	Library                           string
	Failures                          []struct {
		Message, Kind string
		Count         int64
	}
}

// run runs the client once against the server; its answer is empty when the client fails.
func (s *server) run(t *testing.T, more ...string) (a answer, exit int, stderr string) {
	t.Helper()
	args := append([]string{"--json", "--url", s.url + "/echo?ms=0", "--ca", s.ca, "--concurrency", "8",
		"--warmup", "50ms", "--duration", "150ms", "--patience", "5s", "--nonce", "t"}, more...)
	var out, errs bytes.Buffer
	exit = kit.Main(t.Context(), args, strings.NewReader("\n\n\n\n"), &out, &errs, program)
	line, done := strings.CutPrefix(out.String(), "READY\nWARM\nDONE\n")
	if err := json.Unmarshal([]byte(line), &a); done && err != nil {
		t.Fatalf("status %d: %s, %v", exit, errs.String(), err)
	}
	return a, exit, errs.String()
}

func TestEveryVariantCountsWhatTheServerSees(t *testing.T) {
	for variant, conns := range map[string]int64{asItComes: 1, withRetry: 1, spread: 4} {
		s := newServer(t, echo)
		a, exit, stderr := s.run(t, "--variant", variant, "--body-bytes", "3")
		if exit != 0 || a.Succeeded == 0 || a.Failed != 0 || a.Hung != 0 || a.Attempts != a.Succeeded {
			t.Fatalf("%s: status %d, %+v, %s", variant, exit, a, stderr)
		}
		ids, again := int64(0), 0
		s.ids.Range(func(_, seen any) bool {
			ids++
			again += int(seen.(*atomic.Int64).Load()) - 1
			return true
		})
		if ids != a.Attempts+a.Warmup || again != 0 || s.anonymous.Load() != 0 {
			t.Errorf("%s: %d ids, %d again, %d without, and %d calls", variant, ids, again, s.anonymous.Load(),
				a.Attempts+a.Warmup)
		}
		if s.conns.Load() != conns || a.Dialled == nil || *a.Dialled != 0 {
			t.Errorf("%s: %d connections, %v dialled in the window; want %d and none", variant, s.conns.Load(),
				a.Dialled, conns)
		}
		if a.TLS.Version != "1.3" || a.Library != "grpc-go "+grpc.Version {
			t.Errorf("%s: TLS %q, library %q", variant, a.TLS.Version, a.Library)
		}
	}
}

// The first attempt of every call is UNAVAILABLE: the application sees each of them without the
// retry policy, and none with it.
func TestOnlyTheRetryVariantTriesUnavailableAgain(t *testing.T) {
	flaky := func(in string, seen int) (string, error) {
		if seen == 1 {
			return "", status.Error(codes.Unavailable, "try again")
		}
		return in, nil
	}
	a, exit, stderr := newServer(t, flaky).run(t, "--variant", withRetry)
	if exit != 0 || a.Succeeded == 0 || a.Failed != 0 {
		t.Errorf("%s: status %d, %+v, %s", withRetry, exit, a, stderr)
	}
	_, exit, stderr = newServer(t, flaky).run(t, "--variant", asItComes)
	if want := "rpc error: code = Unavailable desc = try again"; exit != 1 || !strings.Contains(stderr, want) {
		t.Errorf("%s: status %d, %q; want 1 and %q", asItComes, exit, stderr, want)
	}
}

func TestFailuresAreKeptAsGRPCSaysThem(t *testing.T) {
	for _, c := range []struct {
		err  error
		kind string
	}{
		{status.Error(codes.Unavailable, "the connection is draining"), kit.Transport},
		{fmt.Errorf("max retries exhausted: failed after 5 attempts: %w", status.Error(codes.Unavailable, "x")),
			kit.Transport},
		{status.Error(codes.Internal, "stream terminated by RST_STREAM with error code: INTERNAL_ERROR"),
			kit.Transport},
		{io.ErrUnexpectedEOF, kit.Transport},
		{status.Error(codes.Unimplemented, "unknown method"), kit.Status},
		{status.Error(codes.ResourceExhausted, "too long"), kit.Status},
	} {
		if f := failure(c.err); f.Kind != c.kind || f.Message != c.err.Error() {
			t.Errorf("%v: %+v, want %s", c.err, f, c.kind)
		}
	}
}

func TestAnAnswerThatIsNotWhatWasSentIsAFailure(t *testing.T) {
	s := newServer(t, func(in string, _ int) (string, error) { return in + "1", nil })
	_, exit, stderr := s.run(t)
	if exit != 1 || !strings.Contains(stderr, "the answer is not the text that was sent: 1 bytes sent, 2 received") {
		t.Errorf("status %d, %q", exit, stderr)
	}
}

func TestWhatCannotBeIsRefusedInOneLine(t *testing.T) {
	s := newServer(t, echo)
	for _, c := range []struct {
		args []string
		exit int
		says string
	}{
		{[]string{"--protocol", "h1"}, kit.WrongUsage, "gRPC needs HTTP/2"},
		{[]string{"--method", "GET"}, kit.WrongUsage, "a gRPC call is a POST"},
		{[]string{"--ca", "/nowhere/ca.crt"}, kit.IsMissing, "/nowhere/ca.crt"},
		{[]string{"--url", "https://127.0.0.1:1/"}, kit.CouldNot, "rpc error: code = Unavailable"},
	} {
		_, exit, stderr := s.run(t, c.args...)
		if exit != c.exit || !strings.Contains(stderr, c.says) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, %q; want %d, %q and one line", c.args, exit, stderr, c.exit, c.says)
		}
	}
}
