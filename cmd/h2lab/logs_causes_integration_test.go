//go:build integration

package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/accesslog"
)

// causesConf is an nginx with one server, which logs twice. Each cause has an nginx of its own, since all
// servers of one nginx share its serials.
const causesConf = `daemon off; worker_processes 1; pid %[1]s/nginx.pid; error_log stderr warn;
events { worker_connections 1024; }
http {
  client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u;
  scgi_temp_path %[1]s/s;
  %[2]s
  log_format fine escape=json '{"msec":"$msec","connection":"$connection","connection_requests":"$connection_requests",'
    '"request":"$request","status":"$status","remote_addr":"$remote_addr","http_user_agent":"$http_user_agent"}';
  ssl_certificate %[1]s/server.crt; ssl_certificate_key %[1]s/server.key;
  server { listen 127.0.0.1:%[3]d ssl http2; %[4]s
    access_log %[1]s/coarse.log h2lab; access_log %[1]s/fine.json fine; location / { return 200 "ok\n"; } }
}
`

// visitor sends requests over one connection at a time, until a time.
type visitor struct {
	url, agent string
	cert       labtest.Cert
	pause      func() time.Duration
	visit      int // requests after which it closes its connection; 0 means never
	away       time.Duration
}

func (v visitor) run(t *testing.T, until time.Time) {
	tr := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: v.cert.Pool}}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: tr, Timeout: 10 * time.Second}
	for n := 1; time.Now().Before(until); n++ {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.url, nil)
		if err != nil {
			t.Error(err)
			return
		}
		req.Header.Set("User-Agent", v.agent)
		resp, err := client.Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if v.visit > 0 && n%v.visit == 0 {
			tr.CloseIdleConnections()
			time.Sleep(v.away)
		}
		time.Sleep(v.pause())
	}
}

func every(d time.Duration) func() time.Duration { return func() time.Duration { return d } }

// fromTo draws a pause from a range.
func fromTo(from, to time.Duration) func() time.Duration {
	return func() time.Duration { return from + rand.N(to-from) }
}

// visitAll runs visitors at the same time.
func visitAll(t *testing.T, length time.Duration, all []visitor) {
	t.Helper()
	until := time.Now().Add(length)
	var wg sync.WaitGroup
	for _, v := range all {
		wg.Go(func() { v.run(t, until) })
	}
	wg.Wait()
}

// causes are the servers of a real nginx and the verdicts that are right for their logs: with milliseconds,
// and with seconds, which may show too little. None but the limit's may offer a limit.
var causes = []struct {
	name, settings string
	fine, coarse   []string
	clients        func(url string, cert labtest.Cert) []visitor
}{
	{"age", "keepalive_time 2s; keepalive_requests 100000;", []string{accesslog.Aged},
		[]string{accesslog.Aged, accesslog.CountOrAge, accesslog.Calm, accesslog.MaybeEmpty},
		func(url string, cert labtest.Cert) (out []visitor) {
			for i := range 6 {
				out = append(out, visitor{url: url, cert: cert, agent: fmt.Sprint("pool/", i),
					pause: every(time.Duration(5+12*i) * time.Millisecond)})
			}
			return out
		}},
	{"idle", "keepalive_timeout 1s; keepalive_requests 1000;", []string{accesslog.Idled},
		[]string{accesslog.Idled, accesslog.Churn, accesslog.TooLittle},
		func(url string, cert labtest.Cert) (out []visitor) {
			for i := range 30 {
				out = append(out, visitor{url: url, cert: cert, agent: fmt.Sprint("caller/", i),
					pause: fromTo(100*time.Millisecond, 2000*time.Millisecond)})
			}
			return out
		}},
	{"programs", "keepalive_requests 1000;", []string{accesslog.ClientsStop, accesslog.SameCount},
		[]string{accesslog.ClientsStop, accesslog.SameCount},
		func(url string, cert labtest.Cert) (out []visitor) {
			for range 8 {
				out = append(out, visitor{url: url, cert: cert, agent: "program/1", pause: every(3 * time.Millisecond),
					visit: 37, away: 500 * time.Millisecond})
			}
			return out
		}},
	{"limit", "keepalive_requests 100;", []string{accesslog.AtLimit, accesslog.PerhapsIt},
		[]string{accesslog.AtLimit, accesslog.PerhapsIt},
		func(url string, cert labtest.Cert) (out []visitor) {
			for i := range 4 {
				out = append(out, visitor{url: url, cert: cert, agent: "Go-http-client/2.0",
					pause: fromTo(2*time.Millisecond, time.Duration(8+i)*time.Millisecond)})
			}
			return out
		}},
	{"reload", "keepalive_requests 100000;", []string{accesslog.Reloaded},
		[]string{accesslog.Reloaded, accesslog.Calm, accesslog.MaybeEmpty},
		func(url string, cert labtest.Cert) (out []visitor) {
			for i := range 12 {
				out = append(out, visitor{url: url, cert: cert, agent: fmt.Sprint("pool/", i),
					pause: fromTo(5*time.Millisecond, 60*time.Millisecond)})
			}
			return out
		}},
}

// Logs of real nginx whose connections end in known ways. It is reloaded while the clients of one are at
// work.
func TestRealLogsNameTheCause(t *testing.T) {
	dirs := map[string]string{}
	var visitors []visitor
	for _, c := range causes {
		dir := t.TempDir()
		cert, port := labtest.WriteCert(t, dir), labtest.FreePort(t)
		labtest.Nginx(t, dir, port, fmt.Sprintf(causesConf, dir, offeredFormat(t), port, c.settings))
		visitors = append(visitors, c.clients(fmt.Sprintf("https://localhost:%d/", port), cert)...)
		dirs[c.name] = dir
	}
	var wg sync.WaitGroup
	wg.Go(func() { visitAll(t, 16*time.Second, visitors) })
	time.Sleep(8 * time.Second)
	pid, err := strconv.Atoi(strings.TrimSpace(labtest.Read(t, filepath.Join(dirs["reload"], "nginx.pid"))))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	time.Sleep(200 * time.Millisecond)
	for _, c := range causes {
		for file, want := range map[string][]string{"fine.json": c.fine, "coarse.log": c.coarse} {
			r := logsOf(t, 0, filepath.Join(dirs[c.name], file))
			if !slices.Contains(want, r.Verdict.ID) {
				t.Errorf("%s, %s: %s, not %v: %s", c.name, file, r.Verdict.ID, want, fmt.Sprint(r.Verdict.Says))
				keepLog(t, filepath.Join(dirs[c.name], file), c.name)
			}
			if offers := r.Verdict.KeepaliveRequests != nil; offers != (c.name == "limit") {
				t.Errorf("%s, %s: offers a limit: %v", c.name, file, offers)
			}
		}
	}
}

// keepLog copies a log for examination, if the environment names a directory.
func keepLog(t *testing.T, path, name string) {
	t.Helper()
	if to := os.Getenv("KEEP_LOGS"); to != "" {
		if err := os.WriteFile(filepath.Join(to, name+"-"+filepath.Base(path)), []byte(labtest.Read(t, path)),
			0o644); err != nil {
			t.Error(err)
		}
	}
}
