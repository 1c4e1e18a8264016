//go:build integration

package main

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/accesslog"
	"h2lab/internal/field/cure"
)

// logsConf ends connections after 50 requests and writes three logs: the log_format that h2lab
// prints, the same fields as JSON, and a format without them.
const logsConf = `daemon off; worker_processes 2; pid %[1]s/nginx.pid; error_log stderr warn;
events { worker_connections 1024; }
http {
  client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; ` +
	`scgi_temp_path %[1]s/s;
  %[4]s
  log_format asjson escape=json '{"time":"$msec","connection":"$connection",` +
	`"connection_requests":"$connection_requests",'
                                '"agent":"$http_user_agent","server_protocol":"$server_protocol","status":"$status"}';
  log_format own '$connection_time|$connection|$msec|"$http_user_agent"|$connection_requests|$server_protocol';
  server { listen 127.0.0.1:%[2]d ssl http2; ssl_certificate %[1]s/server.crt; ssl_certificate_key %[1]s/server.key;
    keepalive_requests 50;
    access_log %[1]s/offered.log h2lab; access_log %[1]s/json.log asjson; access_log %[1]s/own.log own; access_log ` +
	`%[1]s/plain.log;
    location / { return 200 "ok\n"; } }
  server { listen 127.0.0.1:%[3]d; access_log off; location = /stub_status { stub_status; } } }
`

// offeredFormat is the log_format as `h2lab logs` prints it.
func offeredFormat(t *testing.T) string {
	t.Helper()
	offer := accesslog.Offer(cure.Nginx)
	from, to := strings.Index(offer, "log_format"), strings.Index(offer, "access_log")
	if from < 0 || to < from {
		t.Fatalf("no log_format in the offer:\n%s", offer)
	}
	return offer[from:to]
}

// driven is the client's own counts.
type driven struct{ requests, dials, used int64 }

// drive sends requests with a pool of workers over one http.Transport.
func drive(t *testing.T, url string, cert labtest.Cert, workers, requests int) (d driven) {
	t.Helper()
	var used sync.Map
	trace := &httptrace.ClientTrace{
		ConnectDone: func(_, _ string, err error) {
			if err == nil {
				atomic.AddInt64(&d.dials, 1)
			}
		},
		GotConn: func(i httptrace.GotConnInfo) { used.Store(i.Conn, true) },
	}
	tr := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: cert.Pool}}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: tr, Timeout: 20 * time.Second}
	left := int64(requests)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for atomic.AddInt64(&left, -1) >= 0 {
				req, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodGet,
					url, nil)
				if err != nil {
					t.Error(err)
					return
				}
				resp, err := client.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				atomic.AddInt64(&d.requests, 1)
			}
		})
	}
	wg.Wait()
	used.Range(func(any, any) bool { d.used++; return true })
	return d
}

// accepts reads stub_status once; its value includes the reading's own connection.
func accepts(t *testing.T, url string) (accepts, requests uint64) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	page, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var handled uint64
	if _, err := fmt.Sscanf(string(page[bytes.IndexByte(page, '\n')+1:]), "server accepts handled requests\n %d %d %d",
		&accepts, &handled, &requests); err != nil {
		t.Fatalf("%v: %s", err, page)
	}
	return accepts, requests
}

// logsOf runs the verb and reads its JSON.
func logsOf(t *testing.T, want int, args ...string) *accesslog.Result {
	t.Helper()
	var out, said bytes.Buffer
	if status := run(t.Context(), append([]string{"logs", "--json"}, args...), &out, &said); status != want {
		t.Fatalf("status %d, want %d: %s", status, want, said.String())
	}
	var r accesslog.Result
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	return &r
}

// Compares what h2lab logs reads from the log of a real nginx (two workers, a Go client with 20
// requests in flight) with the counts of stub_status and the client.
func TestLogsAgreeWithNginxAndTheClient(t *testing.T) {
	dir := t.TempDir()
	cert := labtest.WriteCert(t, dir)
	port, counters := labtest.FreePort(t), labtest.FreePort(t)
	conf := fmt.Sprintf(logsConf, dir, port, counters, offeredFormat(t))
	labtest.Nginx(t, dir, counters, conf)
	status := fmt.Sprintf("http://127.0.0.1:%d/stub_status", counters)
	before, _ := accepts(t, status)
	const requests = 5000
	d := drive(t, fmt.Sprintf("https://localhost:%d/", port), cert, 20, requests)
	time.Sleep(200 * time.Millisecond) // unused connections close
	after, _ := accepts(t, status)
	accepted := after - before // http.Get may have kept or opened one of them
	t.Logf("client: %+v; nginx accepted %d", d, accepted)

	conffile := filepath.Join(dir, "nginx.conf")
	for name, args := range map[string][]string{
		"offered": {filepath.Join(dir, "offered.log")},
		"JSON":    {filepath.Join(dir, "json.log")},
		"own":     {"--format-from", conffile + "#own", filepath.Join(dir, "own.log")},
		"gzip":    {gzipped(t, filepath.Join(dir, "offered.log"))},
	} {
		r := logsOf(t, 0, append(args, "--no-upstreams")...)
		// The client retries requests that met a GOAWAY; nginx logs them once.
		if r.Requests != requests || r.Malformed != 0 || *r.BeganBefore != 0 || r.Restarts != 0 {
			t.Errorf("%s: %d requests of %d, %d malformed, %d from before, %d restarts", name, r.Requests, requests,
				r.Malformed, *r.BeganBefore, r.Restarts)
		}
		if r.Limit == nil || r.Limit.Requests != 50 || r.Limit.Beyond != 0 {
			t.Fatalf("%s: limit %+v", name, r.Limit)
		}
		// Every connection reached the limit, except those open at the end.
		if full := r.Limit.EndedExactly; full > requests/50 || full < requests/50-20 || r.Connections < full ||
			r.Connections > uint64(d.used) {
			t.Errorf("%s: %d ended at the limit, %d carried requests; the client used %d", name, full,
				r.Connections, d.used)
		}
		if o := r.Opened; o == nil || o.AtMost > accepted || o.AtMost+100 < accepted || o.AtMost > uint64(d.dials)+2 {
			t.Errorf("%s: %+v opened; nginx accepted %d, the client dialled %d times", name, r.Opened, accepted,
				d.dials)
		}
		if r.PerConnection.Max != 50 || r.Protocols[0].Protocol != "HTTP/2" {
			t.Errorf("%s: %+v, %+v", name, r.PerConnection, r.Protocols)
		}
		if r.Verdict.ID != accesslog.Stampede && r.Verdict.ID != accesslog.AtLimit {
			t.Errorf("%s: %+v", name, r.Verdict)
		}
	}
	var out, said bytes.Buffer
	if status := run(t.Context(), []string{"logs", filepath.Join(dir, "plain.log")}, &out, &said); status != 1 ||
		!strings.Contains(said.String(), "log_format h2lab") {
		t.Errorf("combined alone: status %d, %s", status, said.String())
	}
}

func gzipped(t *testing.T, name string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(labtest.Read(t, name)))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	labtest.Write(t, name+".1.gz", b.String())
	return name + ".1.gz"
}
