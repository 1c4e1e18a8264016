//go:build integration

package probe

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
)

const nginxConf = `daemon off; worker_processes 1; pid %[1]s/nginx.pid; error_log stderr info;
events { worker_connections 256; }
http { access_log off;
  client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
  server { listen 127.0.0.1:%[2]d ssl http2; ssl_certificate %[1]s/server.crt; ssl_certificate_key %[1]s/server.key;
    keepalive_requests %[3]d;
    location = /lab/health { return 200 "ok\n"; } } }
`

// realNginx runs nginx with a limit and returns it as a target.
func realNginx(t *testing.T, limit int) Target {
	dir := t.TempDir()
	ca := labtest.WriteCert(t, dir).File
	port := labtest.FreePort(t)
	labtest.Nginx(t, dir, port, fmt.Sprintf(nginxConf, dir, port, limit))
	return Target{Addr: fmt.Sprint("127.0.0.1:", port), CAFile: ca}
}

// realEnvoy runs Envoy with a limit and returns it as a target.
func realEnvoy(t *testing.T, limit int) Target {
	dir := t.TempDir()
	ca := labtest.WriteCert(t, dir).File
	port := labtest.FreePort(t)
	labtest.Envoy(t, dir, port, labtest.EnvoyYAML(port, 0,
		fmt.Sprintf("drain_timeout: 0.5s\ncommon_http_protocol_options: {max_requests_per_connection: %d}", limit)))
	return Target{Addr: fmt.Sprint("127.0.0.1:", port), CAFile: ca}
}

func TestTheLimitOfARealNginxIsExact(t *testing.T) {
	for _, limit := range []int{1, 2, 7, 100, 1000, 100000} {
		target := realNginx(t, limit)
		for _, hint := range []int{limit, 0, 1000} {
			began := time.Now()
			got, err := RequestLimit(t.Context(), target, 2*limit+100, hint)
			if err != nil {
				t.Fatalf("limit %d, hint %d: %v", limit, hint, err)
			}
			if got.Effective == nil || *got.Effective != limit || got.Closing != "goaway" ||
				*got.LastStreamID != uint32(2*limit-1) {
				t.Errorf("limit %d, hint %d: effective %v, closing %q, last stream %v", limit, hint,
					show(got.Effective), got.Closing, show(got.LastStreamID))
			}
			t.Logf("h2 limit %d, hint %d: %v", limit, hint, time.Since(began))
		}
		began := time.Now()
		got, err := RequestLimitH1(t.Context(), target, 2*limit+100)
		if err != nil || got.Effective == nil || *got.Effective != limit {
			t.Errorf("limit %d over HTTP/1.1: effective %v, %+v, %v", limit, show(got.Effective), got, err)
		}
		t.Logf("h1 limit %d: %v", limit, time.Since(began))
	}
}

func TestTheLimitOfARealEnvoyIsExact(t *testing.T) {
	for _, limit := range []int{1, 7, 1000} {
		target := realEnvoy(t, limit)
		for _, hint := range []int{limit, 0, limit + 500} {
			began := time.Now()
			got, err := RequestLimit(t.Context(), target, 2*limit+600, hint)
			if err != nil {
				t.Fatalf("limit %d, hint %d: %v", limit, hint, err)
			}
			if got.Effective == nil || *got.Effective != limit || got.Closing != "goaway-two-stage" {
				t.Errorf("limit %d, hint %d: effective %v, closing %q", limit, hint, show(got.Effective), got.Closing)
			}
			t.Logf("h2 limit %d, hint %d: %v", limit, hint, time.Since(began))
		}
		got, err := RequestLimitH1(t.Context(), target, 2*limit+100)
		if err != nil || got.Effective == nil || *got.Effective != limit {
			t.Errorf("limit %d over HTTP/1.1: effective %v, %+v, %v", limit, show(got.Effective), got, err)
		}
	}
}

func TestTheTraceOfARealNginx(t *testing.T) {
	for _, ask := range []TraceAsk{{Limit: 20}, {Limit: 1000, Streams: 40}, {Limit: 20, HTTP1: true}} {
		got, err := Trace(t.Context(), realNginx(t, ask.Limit), ask)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s\n%s", got.Renewal.Summary, strings.Join(outline(got.Renewal.Frames), "\n"))
		want := map[bool]int{false: max(ask.Streams, crossing) / 2, true: 0}[ask.HTTP1]
		if len(got.Renewal.Dropped) != want || !strings.Contains(texts.English.Note(got.Renewal.Summary),
			map[bool]string{false: "was answered", true: "got its answer"}[ask.HTTP1]) {
			t.Errorf("%+v: dropped %v, want %d; %s", ask, got.Renewal.Dropped, want, got.Renewal.Summary)
		}
		if !ask.HTTP1 {
			inOrder(t, got.Renewal.Frames)
		}
	}
}

func TestTheTraceOfARealEnvoy(t *testing.T) {
	target := realEnvoy(t, 100)
	got, err := Trace(t.Context(), target, TraceAsk{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%s", got.Renewal.Summary, strings.Join(outline(got.Renewal.Frames), "\n"))
	if n := notesOf(got.Renewal.Frames, "GOAWAY"); len(got.Renewal.Dropped) != 0 || !strings.Contains(n,
		"first stage") || !strings.Contains(n, "second stage") {
		t.Errorf("dropped %v, notes %q", got.Renewal.Dropped, n)
	}
	inOrder(t, got.Renewal.Frames)
	got, err = Trace(t.Context(), target, TraceAsk{Limit: 100, HTTP1: true})
	if err != nil || !strings.Contains(texts.English.Note(got.Renewal.Summary),
		"request 100 said Connection: close") {
		t.Errorf("HTTP/1.1: %s, %v", got.Renewal.Summary, err)
	}
}
