//go:build integration

package nginxconf

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	stdtime "time"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/field/lint"
)

// real is an nginx binary with its release.
type real struct{ path, version string }

// nginxes returns the two nginx binaries among the project's tools.
func nginxes(t *testing.T) []real {
	t.Helper()
	var out []real
	for _, name := range []string{"nginx", "nginx-current"} {
		path, err := filepath.Abs(filepath.Join("../../../../tools/bin", name))
		if err != nil {
			t.Fatal(err)
		}
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
	if err := os.CopyFS(dir, os.DirFS("testdata/corpus")); err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: stdtime.Now().Add(stdtime.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})))
	put(t, dir, "cert.key", string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})))
	put(t, dir, "mime.types", "types { text/html html; }\n")
	if err := os.Mkdir(filepath.Join(dir, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
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

// refusing reports whether a finding says that nginx won't start.
func refusing(r lint.Report) bool {
	for _, f := range r.Findings {
		if f.Severity == lint.Error && (strings.HasPrefix(f.Rule, "nginx/refused-") ||
			f.Rule == "nginx/missing-semicolon") || f.Rule == "nginx/include-absent" {
			return true
		}
	}
	return false
}

// For the release that a file names: what nginx prints of the configuration has the same directives as
// the file, and what nginx rejects is a finding.
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
			tried++
			here := filepath.Join(dir, "tried.conf")
			report, err := Lint([]lint.File{{Name: here, Data: read(t, here)}}, lint.Options{Version: n.version})
			if err != nil || refusing(report) != refused {
				t.Errorf("%s: nginx %s refuses: %v, here: %v %v\n%s", name, n.version, refused, refusing(report), err,
					printed)
				continue
			}
			if refused {
				continue
			}
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
	if tried < 25 {
		t.Errorf("only %d configurations were tried", tried)
	}
}

// verdicts are single faults and their valid neighbours: lint must reject those that both nginx
// binaries reject, and no others.
var verdicts = []string{
	`keepalive_requests 0;`, `keepalive_requests 1k;`, `keepalive_requests -1;`, `keepalive_requests +1;`,
	`keepalive_requests 1.5;`,
	`keepalive_requests "10";`, `keepalive_requests $x;`, `keepalive_requests;`, `keepalive_requests 1 2;`,
	`keepalive_requests 99999999999999999999;`,
	`keepalive_requests 9223372036854775807;`, `keepalive_requests 1; keepalive_requests 2;`,
	`keepalive_timeout 0;`, `keepalive_timeout 75;`, `keepalive_timeout 75 60;`, `keepalive_timeout 75 60 5;`,
	`keepalive_timeout 75s 1m;`,
	`keepalive_timeout off;`, `keepalive_timeout 1m30;`, `keepalive_timeout 30s1m;`, `keepalive_timeout 1h30m5s10ms;`,
	`keepalive_timeout "1h 30m";`,
	`keepalive_timeout 5S;`, `keepalive_timeout 1M;`, `keepalive_timeout ms;`, `keepalive_timeout "";`,
	`keepalive_timeout 500ms 500ms;`, `keepalive_timeout "1m ";`,
	`keepalive_timeout 10 ""; `, `keepalive_timeout "5 5";`, `keepalive_timeout 5m5m;`, `keepalive_timeout 1ms1s;`,
	`keepalive_timeout 99999999999999y;`,
	`keepalive_time 1h;`, `keepalive_time 30m1h;`, `keepalive_time 1y2M3w4d5h6m7s8ms;`, `keepalive_min_timeout 5s;`,
	`keepalive_min_timeout 5x;`,
	`http2_max_requests 5;`, `http2_max_requests x;`, `http2_max_requests 5; http2_max_requests 6;`,
	`http2_idle_timeout x;`,
	`http2 on;`, `http2 ON;`, `http2 yes;`, `http2_max_concurrent_streams 5;`, `http2_max_concurrent_streams 5m;`,
	`server { listen 18099; location / { keepalive_requests 5; keepalive_time 1h; } }`,
	`server { listen 18099; location / { if ($uri) { keepalive_requests 5; } } }`,
	`server { listen 18099; if ($uri) { keepalive_timeout 5; } }`,
	`server { listen 18099; location / { http2_max_concurrent_streams 5; } }`,
	`server { listen 18099; location / { limit_except GET { keepalive_timeout 5; } } }`,
	`server { listen 18099; proxy_http_version 2; }`, `server { listen 18099; proxy_http_version 1.1; }`,
	`server { listen 18099; proxy_http_version 3; }`,
	`upstream u { server 127.0.0.1:1; keepalive 0; }`,
	`upstream u { server 127.0.0.1:1; keepalive 5; keepalive_requests 5; keepalive_time 1h; keepalive_timeout 5; }`,
	`upstream u { server 127.0.0.1:1; keepalive x; }`, `upstream u { server 127.0.0.1:1; keepalive 5; keepalive 6; }`,
	`upstream u { server 127.0.0.1:1; keepalive_timeout 5 5; }`,
	`upstream u { server 127.0.0.1:1; keepalive_requests 5; keepalive_requests 5; }`,
	`upstream u { server 127.0.0.1:1; keepalive 5 local; }`,
	`upstream u { server 127.0.0.1:1; keepalive_min_timeout 5; }`,
	`ssl_session_tickets maybe;`, `ssl_session_tickets off;`, `map $uri $m { default 1; keepalive_requests 1k; }`,
	`keepalive_requests 5
	keepalive_timeout 5;`,
	`server_name_in_redirect off; keepalive_timeout "5;`, `log_format a "x"y;`, `}`, `{`, `;`, `http2_recv_timeout 1;;`,
}

func TestNginxRefusesTheSame(t *testing.T) {
	dir := room(t)
	for _, n := range nginxes(t) {
		ask := func(text string) {
			t.Helper()
			printed, refused := n.try(t, dir, text)
			here := filepath.Join(dir, "tried.conf")
			report, err := Lint([]lint.File{{Name: here, Data: read(t, here)}}, lint.Options{Version: n.version})
			if ours := err != nil || refusing(report); ours != refused {
				t.Errorf("%s\nnginx %s refuses: %v; here: %v (%v)\n%s", text, n.version, refused, ours, err,
					firstLine(printed))
			}
		}
		for _, v := range verdicts {
			ask("events {}\nhttp {\n" + v + "\n}\n")
		}
		for _, text := range []string{"keepalive_requests 5; events {}", "events { keepalive_requests 5; }",
			"events { worker_connections 0; }",
			"events { worker_connections x; }", "events { worker_connections 5; worker_connections 6; }",
			"events {} worker_connections 5;", "events { http2 on; }"} {
			ask(text)
		}
	}
}

// Lint reads times as nginx does: a hundred random combinations of the parts of times, as either
// argument of keepalive_timeout.
func TestNginxReadsTimesTheSame(t *testing.T) {
	dir, n := room(t), nginxes(t)[0]
	draw := mathrand.New(mathrand.NewPCG(1, 2))
	pieces := []string{"1", "5", "60", "y", "M", "w", "d", "h", "m", "s", "ms", " ", "1h", "30m", "5s",
		"9223372036854775807", "1h "}
	taken := 0
	for range 100 {
		value := ""
		for range 1 + draw.IntN(4) {
			value += pieces[draw.IntN(len(pieces))]
		}
		for whole, form := range map[bool]string{false: "keepalive_timeout \"%s\";",
			true: "keepalive_timeout 5 \"%s\";"} {
			_, refused := n.try(t, dir, "events {}\nhttp {\n"+fmt.Sprintf(form, value)+"\n}\n")
			if _, ok := seconds(value, whole); ok == refused {
				t.Errorf("%q (whole seconds: %v): nginx refuses: %v, here: %v", value, whole, refused, !ok)
			}
			if !refused {
				taken++
			}
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
