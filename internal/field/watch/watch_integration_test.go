//go:build integration

package watch

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

const nginxConf = `daemon off; worker_processes 1; pid %[1]s/nginx.pid; error_log stderr warn;
events { worker_connections 1024; }
http { access_log off;
  client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
  server { listen 127.0.0.1:%[2]d ssl http2; ssl_certificate %[1]s/server.crt; ssl_certificate_key %[1]s/server.key;
    keepalive_requests 50; location / { return 200 "ok\n"; } }
  server { listen 127.0.0.1:%[3]d; keepalive_requests 5; location = /status { stub_status; } }
  server { listen 127.0.0.1:%[4]d ssl; ssl_certificate %[1]s/server.crt; ssl_certificate_key %[1]s/server.key;
    location = /status { stub_status; } } }
`

// client sends requests with 20 in flight over one http.Transport and counts its dials. Each must be answered.
func client(t *testing.T, url string, cert labtest.Cert, requests int64) (dials int64) {
	t.Helper()
	return load(t, url, cert, requests, func(err error) { t.Error(err) })
}

// load does the same and passes on the errors.
func load(t *testing.T, url string, cert labtest.Cert, requests int64, failed func(error)) (dials int64) {
	t.Helper()
	var d net.Dialer
	tr := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: cert.Pool},
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := d.DialContext(ctx, network, addr)
			if err == nil {
				atomic.AddInt64(&dials, 1)
			}
			return c, err
		}}
	defer tr.CloseIdleConnections()
	c := &http.Client{Transport: tr, Timeout: 20 * time.Second}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for atomic.AddInt64(&requests, -1) >= 0 {
				resp, err := c.Get(url)
				if err != nil {
					failed(err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
	wg.Wait()
	return dials
}

// watchWhile watches an address until the work is done and its last counts are read.
func watchWhile(t *testing.T, address string, trust Trust, rule Rule, work func()) (*Summary, []Event) {
	t.Helper()
	s, err := Open(t.Context(), address, trust)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var events []Event
	started := make(chan struct{})
	var summary *Summary
	over := make(chan error, 1)
	go func() {
		var err error
		summary, err = Run(ctx, s, Options{Every: 100 * time.Millisecond, Rule: rule}, func(e Event) error {
			if events = append(events, e); e.Kind == Started {
				close(started)
			}
			return nil
		})
		over <- err
	}()
	select {
	case <-started:
	case err := <-over:
		t.Fatal(err)
	}
	work()
	time.Sleep(300 * time.Millisecond) // wasted connections end, and are read
	cancel()
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	return summary, events
}

// agrees compares what was watched with what the client did. A server also accepts connections that the client gave
// up before its dial was over: of 860 dials against Envoy 5 more, on a busy machine.
func agrees(t *testing.T, address string, summary *Summary, requests, dials int64) {
	t.Helper()
	if summary.Requests != requests || summary.New < dials || summary.New > dials+dials/50 {
		t.Errorf("%s: %d requests, %d new connections; the client sent %d and dialled %d times", address,
			summary.Requests, summary.New, requests, dials)
	}
}

func TestARealNginxIsWatched(t *testing.T) {
	dir := t.TempDir()
	cert := labtest.WriteCert(t, dir)
	port, plain, secure := labtest.FreePort(t), labtest.FreePort(t), labtest.FreePort(t)
	labtest.Nginx(t, dir, plain, fmt.Sprintf(nginxConf, dir, port, plain, secure))
	for address, trust := range map[string]Trust{
		fmt.Sprintf("http://127.0.0.1:%d/status", plain):   {},
		fmt.Sprintf("https://localhost:%d/status", secure): {CAFile: cert.File},
	} {
		var dials int64
		summary, events := watchWhile(t, address, trust, Rule{Limit: 1000, Window: time.Second}, func() {
			dials = client(t, fmt.Sprintf("https://localhost:%d/", port), cert, 8000)
		})
		agrees(t, address, summary, 8000, dials)
		if summary.Alarms < 1 || events[0].Source != StubStatus {
			t.Errorf("%s: %+v, %s", address, summary, events[0].Source)
		}
		t.Logf("%s: %d dials, %+v", address, dials, summary)
	}
	// The only traffic is the watch itself, whose connection is closed every 5 requests.
	summary, _ := watchWhile(t, fmt.Sprintf("http://127.0.0.1:%d/status", plain), Trust{}, Rule{},
		func() { time.Sleep(2 * time.Second) })
	if summary.New != 0 || summary.Requests != 0 {
		t.Errorf("the watching counts itself: %+v", summary)
	}
}

func TestARealEnvoyIsWatched(t *testing.T) {
	dir := t.TempDir()
	cert := labtest.WriteCert(t, dir)
	port, admin := labtest.FreePort(t), labtest.FreePort(t)
	labtest.Envoy(t, dir, admin, labtest.EnvoyYAML(port, admin,
		"common_http_protocol_options: {max_requests_per_connection: 50}"))
	for path, kind := range map[string]string{"/stats/prometheus": EnvoyMetrics, "/stats": EnvoyStats} {
		var dials int64
		summary, events := watchWhile(t, fmt.Sprintf("http://127.0.0.1:%d%s", admin, path), Trust{},
			Rule{Limit: 1000, Window: time.Second}, func() {
				dials = client(t, fmt.Sprintf("https://localhost:%d/", port), cert, 3000)
			})
		agrees(t, path, summary, 3000, dials)
		if events[0].Source != kind {
			t.Errorf("%s was read as %s", path, events[0].Source)
		}
		var atLimit int64
		for _, e := range events {
			if e.Kind == Measured {
				atLimit += *e.Interval.AtLimit
			}
		}
		if atLimit == 0 {
			t.Errorf("%s: no request at the limit of 50 was seen", path)
		}
		t.Logf("%s: %d dials, %d requests at the limit, %+v", path, dials, atLimit, summary)
	}
}

// Envoy counts the connections that reach their maximum age, so no limit is offered.
func TestARealEnvoysAgeIsNoLimit(t *testing.T) {
	dir := t.TempDir()
	cert := labtest.WriteCert(t, dir)
	port, admin := labtest.FreePort(t), labtest.FreePort(t)
	labtest.Envoy(t, dir, admin, labtest.EnvoyYAML(port, admin,
		"common_http_protocol_options: {max_connection_duration: 0.05s}"))
	summary, _ := watchWhile(t, fmt.Sprintf("http://127.0.0.1:%d/stats", admin), Trust{},
		Rule{MinRatio: 1e6, MinNew: 2, Window: time.Second}, func() {
			for range 10 {
				// A request can be under way when its connection's time is over.
				load(t, fmt.Sprintf("https://localhost:%d/", port), cert, 2000, func(err error) { t.Log(err) })
			}
		})
	if summary.Alarms < 1 || summary.Cause != ByAge || *summary.AtAge == 0 || *summary.AtLimit != 0 {
		t.Errorf("%+v", summary)
	}
}

const (
	rulesFile = "h2-connections.rules.yml"
	testsFile = "h2-connections.test.yml"
)

// promtool runs the real promtool in a directory.
func promtool(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	made := filepath.Join(labtest.Root(t), "tools", "bin", "promtool")
	if _, err := exec.LookPath("promtool"); err != nil {
		if _, err := os.Stat(made); err != nil {
			t.Fatal("promtool is neither on PATH nor in tools/bin; get it with: tools/promtool.sh")
		}
	}
	cmd := exec.CommandContext(t.Context(), labtest.Program(t, "promtool"), args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func alertsDir(t *testing.T) string { return filepath.Join(labtest.Root(t), "docs", "alerts") }

func TestTheRulesAreRulesAndFireAsTested(t *testing.T) {
	if out, err := promtool(t, alertsDir(t), "check", "rules", rulesFile); err != nil ||
		strings.Contains(out, "duplicate") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := promtool(t, alertsDir(t), "test", "rules", testsFile); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Each change of a threshold must make the rules' tests fail.
func TestTheRulesTestsNotice(t *testing.T) {
	rules := labtest.Read(t, filepath.Join(alertsDir(t), rulesFile))
	for _, c := range [][2]string{
		{"ratio5m < 25 and h2", "ratio5m < 15 and h2"},
		{"ratio5m < 25 and h2", "ratio5m < 120 and h2"},
		{"rate5m > 2\n", "rate5m > 60\n"},
		{"ratio5m < 200", "ratio5m < 100"},
		{"ratio5m < 200", "ratio5m < 250"},
		{"[5m])) > 0.2\n", "[5m])) > 200\n"},
		{"[5m])) > 1\n", "[5m])) > 4\n"},
		{"> 0.05", "> 0.5"},
		{"> 0.01)", "> 0.03)"},
		{`envoy_http_conn_manager_prefix!="admin"}[5m]))
        labels: {server: envoy}`, `envoy_http_conn_manager_prefix=~".*"}[5m]))
        labels: {server: nginx}`},
	} {
		if !strings.Contains(rules, c[0]) {
			t.Errorf("%q is not in the rules any more; change this row", c[0])
			continue
		}
		dir := t.TempDir()
		write(t, filepath.Join(dir, rulesFile), strings.Replace(rules, c[0], c[1], 1))
		write(t, filepath.Join(dir, testsFile), labtest.Read(t, filepath.Join(alertsDir(t), testsFile)))
		if out, err := promtool(t, dir, "test", "rules", testsFile); err == nil {
			t.Errorf("%q → %q: the tests pass all the same\n%s", c[0], c[1], out)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Every expression of the dashboard must be valid PromQL. promtool parses expressions only in
// rules, so each becomes a rule, with Grafana's variables replaced.
func TestTheDashboardsExpressionsAreRead(t *testing.T) {
	var found []string
	var board any
	if err := json.Unmarshal([]byte(labtest.Read(t, filepath.Join(alertsDir(t), "grafana-dashboard.json"))),
		&board); err != nil {
		t.Fatal(err)
	}
	expressions(board, &found)
	if len(found) < 20 {
		t.Fatalf("only %d expressions found", len(found))
	}
	fill := strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*", "$job", ".*", "$limit", "1000")
	rules := "groups:\n- name: dashboard\n  rules:\n"
	for i, e := range found {
		filled := fill.Replace(e)
		if left := regexp.MustCompile(`\$\w+`).FindString(filled); left != "" {
			t.Errorf("%s: no such variable: %s", e, left)
		}
		rules += fmt.Sprintf("  - record: dashboard:%d\n    expr: %q\n", i, filled)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "dashboard.yml"), rules)
	if out, err := promtool(t, dir, "check", "rules", "dashboard.yml"); err != nil ||
		!strings.Contains(out, fmt.Sprintf("%d rules found", len(found))) {
		t.Errorf("%v\n%s", err, out)
	}
	write(t, filepath.Join(dir, "broken.yml"), strings.Replace(rules, "sum by", "sum buy", 1))
	if out, err := promtool(t, dir, "check", "rules", "broken.yml"); err == nil {
		t.Errorf("a broken expression passes:\n%s", out)
	}
}

// expressions collects all values of "expr" keys, at any depth.
func expressions(v any, into *[]string) {
	switch v := v.(type) {
	case map[string]any:
		for key, below := range v {
			if text, ok := below.(string); ok && key == "expr" {
				*into = append(*into, text)
				continue
			}
			expressions(below, into)
		}
	case []any:
		for _, below := range v {
			expressions(below, into)
		}
	}
}
