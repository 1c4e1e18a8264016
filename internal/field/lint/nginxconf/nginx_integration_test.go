//go:build integration

package nginxconf

import (
	"context"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	stdtime "time"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/lint"
	"h2lab/internal/field/lint/fix"
)

// real is an nginx binary with its release.
type real struct{ path, version string }

// nginxes returns the two nginx binaries among the project's tools.
func nginxes(t *testing.T) []real {
	t.Helper()
	var out []real
	for _, name := range []string{"nginx", "nginx-current"} {
		path, err := filepath.Abs(filepath.Join("../../../../tools/bin", name))
		labtest.Check(t, err)
		said, err := exec.Command(path, "-v").CombinedOutput()
		m := regexp.MustCompile(`nginx/(\S+)`).FindSubmatch(said)
		if err != nil || m == nil {
			t.Fatalf("%s -v: %v: %s; get it with: make tools", path, err, said)
		}
		out = append(out, real{path, string(m[1])})
	}
	return out
}

// room makes a directory with the files that the configurations of the corpus name.
func room(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	labtest.Check(t, os.CopyFS(dir, os.DirFS("testdata/corpus")))
	labtest.WriteCert(t, dir)
	for from, to := range map[string]string{"server.crt": "cert.pem", "server.key": "cert.key"} {
		labtest.Check(t, os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)))
	}
	put(t, dir, "mime.types", "types { text/html html; }\n")
	labtest.Check(t, os.Mkdir(filepath.Join(dir, "logs"), 0o755))
	var temp strings.Builder // where the build's own paths aren't writable
	for _, name := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		temp.WriteString(name + "_temp_path " + filepath.Join(dir, name) + "; ")
	}
	put(t, dir, "temp.inc", temp.String()+"access_log off;\n")
	return dir
}

// try makes nginx test and print a configuration. It also includes temp.inc in the http block, on the
// same line, so that line numbers stay.
func (r real) try(t *testing.T, dir, text string) (printed string, refused bool) {
	t.Helper()
	text = regexp.MustCompile(`(?m)^http ?\{|\bhttp\{`).ReplaceAllString(text, "http { include temp.inc;")
	path := put(t, dir, "tried.conf", text)
	out, err := exec.Command(r.path, "-vT", "-p", dir, "-c", path, "-e", "stderr", "-g",
		"pid "+filepath.Join(dir, "pid")+";").CombinedOutput()
	return string(out), err != nil
}

// For the release that a file names: what nginx prints of the configuration has the same directives as
// the file, and lint reads what nginx refuses for a value, too.
func TestNginxReadsTheSame(t *testing.T) {
	dir := room(t)
	tried := 0
	for _, n := range nginxes(t) {
		for name, o := range corpus(t) {
			major := n.version[:strings.LastIndex(n.version, ".")]
			if !strings.HasPrefix(o.Version, major+".") {
				continue
			}
			text := string(read(t, name))
			printed, refused := n.try(t, dir, text)
			if filepath.Base(name) == "fragment.conf" {
				if !refused {
					t.Errorf("nginx %s takes a server without http", n.version)
				}
				continue
			}
			if regexp.MustCompile(`unknown directive "(stream|mail|\w+_by_lua_block)"`).MatchString(printed) {
				continue // it needs a module that this nginx doesn't have
			}
			here := filepath.Join(dir, "tried.conf")
			report, err := Lint([]lint.File{{Name: here, Data: read(t, here)}}, lint.Options{Version: n.version})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if refused {
				continue
			}
			tried++
			dumped, err := Lint([]lint.File{{Name: "-", Data: []byte(printed)}}, lint.Options{})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			report.Data, dumped.Data = nil, nil // the output has a line more at the end of each file
			if diff := cmp.Diff(report, dumped); diff != "" {
				t.Errorf("%s: nginx %s (- file, + its output):\n%s", name, n.version, diff)
			}
		}
	}
	if tried < 20 {
		t.Errorf("only %d configurations were tried", tried)
	}
}

// Lint reads times as nginx does: two hundred random combinations of the parts of times.
func TestNginxReadsTimesTheSame(t *testing.T) {
	dir, n := room(t), nginxes(t)[0]
	draw := mathrand.New(mathrand.NewPCG(1, 2))
	pieces := []string{"1", "5", "60", "y", "M", "w", "d", "h", "m", "s", "ms", " ", "1h", "30m", "5s",
		"9223372036854775807", "1h "}
	taken := 0
	for range 200 {
		value := ""
		for range 1 + draw.IntN(4) {
			value += pieces[draw.IntN(len(pieces))]
		}
		_, refused := n.try(t, dir, fmt.Sprintf("events {}\nhttp {\nkeepalive_timeout \"%s\";\n}\n", value))
		if _, ok := seconds(value); ok == refused {
			t.Errorf("%q: nginx refuses: %v, here: %v", value, refused, !ok)
		}
		if !refused {
			taken++
		}
	}
	if taken < 20 || taken > 180 {
		t.Errorf("%d of 200 were taken: that tries one side only", taken)
	}
}

// firstLine is nginx's message before it prints the configuration.
func firstLine(s string) string {
	lines := strings.SplitN(s, "\n", 3)
	return strings.Join(lines[:min(2, len(lines))], "\n")
}

// What nginx takes, it takes with all fixes applied.
func TestNginxTakesTheFixes(t *testing.T) {
	dir := room(t)
	for _, n := range nginxes(t) {
		tried := 0
		for name := range corpus(t) {
			here := put(t, dir, "nginx.conf", string(read(t, name)))
			r, err := fixed(here, lint.Options{Version: n.version})
			_, refusedBefore := n.try(t, dir, string(read(t, here)))
			if err != nil || refusedBefore {
				continue // what nginx refuses is left to nginx -t
			}
			text := string(read(t, here))
			for _, f := range r.Files {
				if f.Name == here {
					text = string(f.New)
				}
			}
			printed, refused := n.try(t, dir, text)
			tried++
			if refused {
				t.Errorf("nginx %s refuses the fixed %s: %s\n%s", n.version, name, firstLine(printed), text)
			}
		}
		if tried < 10 {
			t.Errorf("nginx %s: only %d configurations were tried", n.version, tried)
		}
	}
}

// fixed applies the fixes of a file in memory.
func fixed(name string, o lint.Options) (*fix.Result, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return fix.Run(func(changed map[string][]byte) (lint.Report, error) {
		return LintChanged(changed, []lint.File{{Name: name, Data: data}}, o)
	})
}

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
			port := labtest.FreePort(t)
			text := "daemon off; master_process off; worker_processes 1;\nerror_log stderr crit;\nevents {}\n" +
				"http { include temp.inc;\n" +
				strings.ReplaceAll(block, "PORT", fmt.Sprintf("127.0.0.1:%d", port)) + "\n}\n"
			path := put(t, dir, "running.conf", text)
			report, err := Lint([]lint.File{{Name: path, Data: []byte(text)}}, lint.Options{Version: n.version})
			labtest.Check(t, err)
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

// serve runs nginx and counts the requests that it answers on one connection.
func serve(t *testing.T, n real, dir, path string, port int, name string) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), stdtime.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, n.path, "-p", dir, "-c", path, "-e", "stderr", "-g",
		"pid "+filepath.Join(dir, "pid")+";")
	labtest.Check(t, cmd.Start())
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
		labtest.Check(t, err)
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
