//go:build integration

package probe

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

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
