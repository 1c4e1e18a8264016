//go:build integration

package nginxconf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	stdtime "time"

	"h2lab/internal/field/lint"
)

// effective are http blocks with PORT for each socket's port. The test counts the requests that a
// socket's first server answers and compares them with the reported limit.
var effective = []string{
	`server { listen PORT http2; }`,
	`keepalive_requests 40; server { listen PORT http2; }`,
	`keepalive_requests 40; server { listen PORT http2; keepalive_requests 7; }`,
	`server { listen PORT http2; keepalive_requests 7; location / { keepalive_requests 3; return 204; } }`,
	`server { listen PORT http2; keepalive_requests 0; }`,
	`http2_max_requests 5; server { listen PORT http2; keepalive_requests 9; }`,
	`server { listen PORT http2; server_name other.test; keepalive_requests 50; } ` +
		`server { listen PORT http2 default_server; server_name def.test; keepalive_requests 6; }`,
	`server { listen PORT; server_name a.test; keepalive_requests 11; } ` +
		`server { listen PORT http2; server_name b.test; }`,
}

// The reported limit is the number of requests that a real nginx answers on one HTTP/2 connection.
func TestTheReportedLimitIsTheOneInEffect(t *testing.T) {
	dir := room(t)
	for _, n := range nginxes(t) {
		for _, block := range effective {
			port := free(t)
			text := "daemon off; master_process off; worker_processes 1;\nerror_log stderr crit;\nevents {}\n" +
				"http { include temp.inc;\n" +
				strings.ReplaceAll(block, "PORT", fmt.Sprintf("127.0.0.1:%d", port)) + "\n}\n"
			path := put(t, dir, "running.conf", text)
			report, err := Lint([]lint.File{{Name: path, Data: []byte(text)}}, lint.Options{Version: n.version})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range report.Listeners {
				if l.Limit.Requests == nil {
					t.Fatalf("%s: %+v", block, l.Limit)
				}
				name := l.Name
				served := serve(t, n, dir, path, port, name)
				// With keepalive_requests 0 a busy nginx 1.22.1 ends some connections before it answers the one request.
				for range 2 {
					if int64(served) < *l.Limit.Requests {
						served = max(served, serve(t, n, dir, path, port, name))
					}
				}
				if int64(served) != *l.Limit.Requests {
					t.Errorf("nginx %s: %s: asked for %q it answered %d requests, %d are reported (%s)", n.version,
						block, name, served, *l.Limit.Requests, l.Limit.From)
				}
			}
		}
	}
}

func free(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// serve runs nginx and counts the requests that it answers on one connection.
func serve(t *testing.T, n real, dir, path string, port int, name string) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), stdtime.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, n.path, "-p", dir, "-c", path, "-e", "stderr", "-g",
		"pid "+filepath.Join(dir, "pid")+";")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}()
	var conn net.Conn
	for deadline := stdtime.Now().Add(20 * stdtime.Second); ; {
		var err error
		if conn, err = net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			break
		}
		if stdtime.Now().After(deadline) {
			t.Fatal(err)
		}
		stdtime.Sleep(20 * stdtime.Millisecond)
	}
	defer func() { _ = conn.Close() }()
	var h2c http.Protocols
	h2c.SetUnencryptedHTTP2(true)
	client := &http.Transport{Protocols: &h2c, DialContext: once(conn)}
	defer client.CloseIdleConnections()
	served := 0
	for ; served <= 2000; served++ {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://x/", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = name
		response, err := client.RoundTrip(request)
		if err != nil {
			break // after GOAWAY the client would dial again, which once forbids
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
	return served
}

// once returns conn to the first dial; later dials fail.
func once(conn net.Conn) func(context.Context, string, string) (net.Conn, error) {
	var given atomic.Bool
	return func(context.Context, string, string) (net.Conn, error) {
		if given.Swap(true) {
			return nil, errors.New("a second connection")
		}
		return conn, nil
	}
}
