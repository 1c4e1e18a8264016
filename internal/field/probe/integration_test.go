//go:build integration

package probe

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
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

func TestTheRenewalOfARealNginx(t *testing.T) {
	for _, limit := range []int{2, 1000} {
		got, err := TraceRenewal(t.Context(), realNginx(t, limit), limit)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s\n%s", got.Summary, strings.Join(outline(got.Frames), "\n"))
		want := crossing - min(limit, upTo)
		if len(got.Dropped) != want || got.Dropped[0] != streamOf(limit+1) ||
			!strings.Contains(texts.English.Note(got.Summary), "was answered") {
			t.Errorf("limit %d: dropped %v (want %d of them), summary %q", limit, got.Dropped, want, got.Summary)
		}
	}
}

func TestTheRenewalOfARealEnvoy(t *testing.T) {
	got, err := TraceRenewal(t.Context(), realEnvoy(t, 100), 100)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%s", got.Summary, strings.Join(outline(got.Frames), "\n"))
	if len(got.Dropped) != 0 || !strings.Contains(texts.English.Note(got.Summary),
		"a second GOAWAY then named stream 205") {
		t.Errorf("dropped %v, summary %q", got.Dropped, got.Summary)
	}
}

// nginxAs runs one of the two versions of nginx with a limit.
func nginxAs(t testing.TB, program string, limit int) Target {
	t.Helper()
	dir := t.TempDir()
	if program != "nginx" { // labtest runs the program named nginx on the PATH
		bin := t.TempDir()
		script := "#!/bin/sh\nexec '" + labtest.Program(t, program) + "' \"$@\"\n"
		if err := os.WriteFile(filepath.Join(bin, "nginx"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	ca := labtest.WriteCert(t, dir).File
	port := labtest.FreePort(t)
	labtest.Nginx(t, dir, port, fmt.Sprintf(nginxConf, dir, port, limit))
	target, err := ParseTarget(fmt.Sprintf("https://127.0.0.1:%d/lab/health", port))
	if err != nil {
		t.Fatal(err)
	}
	target.CAFile = ca
	return target
}

func TestASurveyOfARealNginxIsExact(t *testing.T) {
	for _, program := range []string{"nginx", "nginx-current"} {
		for _, limit := range []int{1, 2, 7, 100, 777, 1000, 10_000, 100_000} {
			t.Run(fmt.Sprint(program, " ", limit), func(t *testing.T) {
				target := nginxAs(t, program, limit)
				ask := Ask{MaxStreams: limit + 20_000}
				if limit == 100_000 {
					ask.Connections = 1
				}
				got, err := Survey(t.Context(), target, ask)
				if err != nil {
					t.Fatal(err)
				}
				last := got.Ending.Goaways[0]
				if !got.Budget.Exact() || got.Budget.Least != limit || got.Ending.How != facts.EndedByGoaway ||
					last.LastStreamID != streamOf(limit) || len(got.Ending.Goaways) != 1 {
					t.Errorf("budget %+v, ending %+v", got.Budget, got.Ending)
				}
				if ask.Connections == 0 && show(got.Ending.GoawayFirst) != true {
					t.Errorf("GOAWAY before the last answer: %v", show(got.Ending.GoawayFirst))
				}
				x := got.Crossing
				if x.InFlight.Sent == 0 || x.InFlight.Dropped != x.InFlight.Sent || x.After.Dropped != late ||
					x.Covered.Dropped > 0 || got.Ending.Closed != "fin" {
					t.Errorf("crossing %+v, ending %+v", x, got.Ending)
				}
				t.Logf("%.2f s, %v streams/s", got.ElapsedS, show(got.StreamsPerS))
				if limit > 1000 {
					return
				}
				h1, err := Survey(t.Context(), target, Ask{HTTP1: true})
				if err != nil || !h1.Budget.Exact() || h1.Budget.Least != limit ||
					h1.Ending.How != facts.EndedByConnectionClose {
					t.Errorf("over HTTP/1.1: %v, %+v, %+v", err, h1.Budget, h1.Ending)
				}
			})
		}
	}
}

func TestASurveyOfARealEnvoyIsARange(t *testing.T) {
	for _, limit := range []int{1, 7, 1000} {
		target := typed(t, realEnvoy(t, limit))
		got, err := Survey(t.Context(), target, Ask{})
		if err != nil {
			t.Fatal(err)
		}
		x := got.Crossing
		if got.Budget.Least != limit || got.Budget.Exact() || *got.Budget.Most <= limit ||
			got.Ending.How != facts.EndedByTwoStages || len(got.Ending.Goaways) != 2 {
			t.Errorf("limit %d: budget %+v, most %v, ending %+v", limit, got.Budget, show(got.Budget.Most), got.Ending)
		}
		if x.InFlight.Sent != 0 || x.Covered.Answered != x.Covered.Sent || x.After.Answered != late ||
			got.Ending.CloseMS == nil {
			t.Errorf("limit %d: crossing %+v", limit, x)
		}
	}
}

// typed is a lab's target as a user would type it.
func typed(t *testing.T, server Target) Target {
	t.Helper()
	got, err := ParseTarget("https://" + server.Addr + "/lab/health")
	if err != nil {
		t.Fatal(err)
	}
	got.CAFile = server.CAFile
	return got
}

func TestTimeoutsOfARealNginxAreSeen(t *testing.T) {
	dir := t.TempDir()
	ca := labtest.WriteCert(t, dir).File
	port := labtest.FreePort(t)
	labtest.Nginx(t, dir, port, fmt.Sprintf(nginxTimes, dir, port))
	target, err := ParseTarget(fmt.Sprintf("https://127.0.0.1:%d/", port))
	if err != nil {
		t.Fatal(err)
	}
	target.CAFile = ca
	got, err := Survey(t.Context(), target, Ask{MaxStreams: 50, Idle: 10 * time.Second, Age: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if s := got.Idle.Seconds; s == nil || *s < 1.9 || *s > 5 || got.Idle.Ending.How != facts.EndedByGoaway {
		t.Errorf("keepalive_timeout 2s: %+v", got.Idle)
	}
	// nginx checks keepalive_time when a request comes, here once per second.
	if s := got.Age.Seconds; s == nil || *s < 2.9 || *s > 8 || got.Age.Ending.How != facts.EndedByGoaway {
		t.Errorf("keepalive_time 3s: %+v", got.Age)
	}
}

const nginxTimes = `daemon off; worker_processes 1; pid %[1]s/nginx.pid; error_log stderr info;
events { worker_connections 256; }
http { access_log off;
  client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
  server { listen 127.0.0.1:%[2]d ssl http2; ssl_certificate %[1]s/server.crt; ssl_certificate_key %[1]s/server.key;
    keepalive_timeout 2s; keepalive_time 3s; location / { return 200 "ok\n"; } } }
`

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

var h2loadRate = regexp.MustCompile(`finished in [\d.]+m?s, ([\d.]+) req/s`)

// BenchmarkStreamsBesideH2load compares the probe's stream rate on one connection with h2load's, in
// sequence on the same nginx: the ratio is stable even on a busy machine.
func BenchmarkStreamsBesideH2load(b *testing.B) {
	const streams = 100_000
	h2load := labtest.Program(b, "h2load")
	target := nginxAs(b, "nginx", streams)
	var ours, theirs float64
	for b.Loop() {
		got, err := Survey(b.Context(), target, Ask{MaxStreams: 2 * streams, Connections: 1})
		if err != nil || got.Budget.Least != streams {
			b.Fatalf("%v, %+v", err, got.Budget)
		}
		ours += *got.StreamsPerS
		out, err := exec.CommandContext(b.Context(), h2load, "-c1", "-m100", "-n", strconv.Itoa(streams),
			target.url).CombinedOutput()
		m := h2loadRate.FindSubmatch(out)
		if err != nil || m == nil {
			b.Fatalf("h2load: %v\n%s", err, out)
		}
		rate, _ := strconv.ParseFloat(string(m[1]), 64)
		theirs += rate
	}
	n := float64(b.N)
	b.ReportMetric(ours/n, "probe-streams/s")
	b.ReportMetric(theirs/n, "h2load-streams/s")
	b.ReportMetric(ours/theirs, "ratio")
}
