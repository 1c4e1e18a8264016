//go:build integration

package main

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/field/accesslog"
	"h2lab/internal/field/advise/document"
	"h2lab/internal/field/cause"
	"h2lab/internal/field/cure"
	"h2lab/internal/field/decode"
	"h2lab/internal/field/lint"
	probedoc "h2lab/internal/field/probe/document"
	"h2lab/internal/field/watch"
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

// envoysLogs are Envoy's default log, the same with the connection's id, and JSON with the client's address.
const envoysLogs = `
common_http_protocol_options: {%s}
access_log:
- name: envoy.access_loggers.file
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog
    path: default.log
- name: envoy.access_loggers.file
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog
    path: conn.log
    log_format: {text_format_source: {inline_string: '%s'}}
- name: envoy.access_loggers.file
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog
    path: address.log
    log_format:
      json_format: {start_time: "%%START_TIME%%", response_flags: "%%RESPONSE_FLAGS%%", protocol: "%%PROTOCOL%%",
        response_code: "%%RESPONSE_CODE%%", downstream_remote_address: "%%DOWNSTREAM_REMOTE_ADDRESS%%",
        user-agent: "%%REQ(USER-AGENT)%%"}
`

// envoysFormat is Envoy's documented default with the connection's id, as YAML has it.
const envoysFormat = `[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% ` +
	`%RESPONSE_FLAGS% %BYTES_RECEIVED% %BYTES_SENT% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% ` +
	`"%REQ(X-FORWARDED-FOR)%" "%REQ(USER-AGENT)%" "%REQ(X-REQUEST-ID)%" "%REQ(:AUTHORITY)%" "%UPSTREAM_HOST%" ` +
	"conn=%CONNECTION_ID%\n\n"

// Logs of a real Envoy whose connections end at an age, or at a limit.
func TestRealEnvoyLogsNameTheCause(t *testing.T) {
	for options, want := range map[string]string{
		"max_connection_duration: 2s":      accesslog.Aged,
		"max_requests_per_connection: 100": accesslog.AtLimit,
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			envoyLogs(t, options, want)
		})
	}
}

func envoyLogs(t *testing.T, options, want string) {
	dir := t.TempDir()
	cert, port, admin := labtest.WriteCert(t, dir), labtest.FreePort(t), labtest.FreePort(t)
	labtest.Envoy(t, dir, port, labtest.EnvoyYAML(port, admin, fmt.Sprintf(envoysLogs, options, envoysFormat)))
	var visitors []visitor
	for i := range 6 {
		visitors = append(visitors, visitor{url: fmt.Sprintf("https://localhost:%d/", port), cert: cert,
			agent: fmt.Sprint("pool/", i), pause: every(time.Duration(5+8*i) * time.Millisecond)})
	}
	visitAll(t, 20*time.Second, visitors)
	time.Sleep(11 * time.Second) // Envoy writes its logs every ten seconds
	for _, file := range []string{"conn.log", "address.log"} {
		r := logsOf(t, 0, filepath.Join(dir, file))
		if r.Verdict.ID != want || r.Server != cure.Envoy {
			t.Errorf("%s, %s: %s: %s", options, file, r.Verdict.ID, fmt.Sprint(r.Verdict.Says))
			keepLog(t, filepath.Join(dir, file), want)
		}
	}
	var out, said bytes.Buffer
	if status := run(t.Context(), []string{"logs", filepath.Join(dir, "default.log")}, &out, &said); status != 1 ||
		!strings.Contains(said.String(), "Envoy's default format, which has no %CONNECTION_ID%") {
		t.Errorf("Envoy's default: status %d, %s", status, said.String())
	}
}

const incidentConf = `daemon off; worker_processes 1; pid %[1]s/nginx.pid; error_log stderr warn;
events { worker_connections 1024; }
http {
  client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u;
  scgi_temp_path %[1]s/s;
  %[4]s
  keepalive_requests 400;
  server { listen 127.0.0.1:%[2]d ssl http2; server_name localhost;
    ssl_certificate %[1]s/server.crt; ssl_certificate_key %[1]s/server.key;
    access_log %[1]s/access.log h2lab; location / { return 200 "ok\n"; } }
  server { listen 127.0.0.1:%[3]d; access_log off; location = /stub_status { stub_status; } } }
`

// incident is a machine on which an engineer pastes one line after the other.
type incident struct {
	*testing.T
	dir string
	env []string
}

// newIncident has h2lab and an nginx with that configuration in its PATH, and trusts the server's certificate.
func newIncident(t *testing.T, dir string, cert labtest.Cert) incident {
	t.Helper()
	bin := filepath.Join(dir, "bin")
	labtest.Check(t, labtest.CopySelf(filepath.Join(bin, "h2lab")))
	nginx := fmt.Sprintf("#!/bin/sh\nexec %s -p %s/ -c %[2]s/nginx.conf -e stderr \"$@\"\n", labtest.Program(t, "nginx"), dir)
	labtest.WriteProgram(t, filepath.Join(bin, "nginx"), nginx)
	return incident{t, dir, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "SSL_CERT_FILE="+cert.File, "LC_ALL=C")}
}

// paste runs a line in a shell, with --json behind h2lab's verb, and reads the last line or the whole of its output.
func (i incident) paste(status int, line string, into any) {
	i.Helper()
	before, after, ok := strings.Cut(line, "h2lab ")
	if !ok {
		i.Fatalf("%q is no line of h2lab", line)
	}
	verb, rest, _ := strings.Cut(after, " ")
	cmd := exec.CommandContext(i.Context(), "sh", "-c", before+"h2lab "+verb+" --json "+rest)
	cmd.Dir, cmd.Env = i.dir, i.env
	var said strings.Builder
	cmd.Stderr = &said
	out, _ := cmd.Output()
	if got := cmd.ProcessState.ExitCode(); got != status {
		i.Fatalf("%s\nended with %d, not %d: %s", line, got, status, said.String())
	}
	if verb == "watch" {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		out = []byte(lines[len(lines)-1])
	}
	if err := json.Unmarshal(out, into); err != nil {
		i.Fatalf("%s\n%v: %s", line, err, out)
	}
}

// offers fails the test unless one of the changes has the line.
func (i incident) offers(verb, line string, changes []cure.Change) {
	i.Helper()
	if !slices.ContainsFunc(changes, func(c cure.Change) bool { return c.Line == line }) {
		i.Errorf("%s doesn't offer %s: %+v", verb, line, changes)
	}
}

// fail sends POSTs whose body can't be sent again, and logs what net/http says when they fail.
func (i incident) fail(url string, cert labtest.Cert, length time.Duration) {
	i.Helper()
	until := time.Now().Add(length)
	log := lostPosts(i.T, url, cert, 20, func(int) bool { return time.Now().Before(until) })
	labtest.Write(i, filepath.Join(i.dir, "app.log"), log)
}

// One incident, followed as an engineer would: the line that each verb prints is pasted as it is, and every verb names
// the same cause, the same change and the same number.
func TestEveryVerbTellsTheSameStory(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Places)
	const limit = 400
	change := fmt.Sprintf("keepalive_requests %d;", cure.Requests(limit))
	dir := t.TempDir()
	cert, port, counters := labtest.WriteCert(t, dir), labtest.FreePort(t), labtest.FreePort(t)
	labtest.Nginx(t, dir, port, fmt.Sprintf(incidentConf, dir, port, counters, offeredFormat(t)))
	url := fmt.Sprintf("https://localhost:%d/", port)
	i := newIncident(t, dir, cert)
	var alarm struct {
		Summary watch.Summary `json:"summary"`
	}
	over := make(chan struct{})
	go func() { i.fail(url, cert, 4*time.Second); close(over) }()
	status := fmt.Sprintf("h2lab watch http://127.0.0.1:%d/stub_status --limit %d --for 4s --window 2s", counters, limit)
	i.paste(exitstatus.Contradicted, status, &alarm)
	<-over
	i.offers("watch", change, alarm.Summary.Changes)

	f.Try("a server's request limit, from the client's error to the line to change", func(t *testing.T) {
		i := incident{t, i.dir, i.env}
		next := i.fromError(change)
		if next != "h2lab probe "+url {
			t.Fatalf("decode leads to %q", next)
		}
		next = i.fromProbe(next, limit, change)
		i.fromLint(next, url, limit, change)
		i.fromLog(next, limit, change)
		var advice document.Document
		i.paste(statusDone, fmt.Sprintf("h2lab advise --rate 5000 --in-flight 20 --handshake-ms 1 --limit %d", limit), &advice)
		if i.offers("advise", change, advice.Advice.Changes); advice.Next != next {
			t.Errorf("advise leads to %q, and probe to %q", advice.Next, next)
		}
	})
}

func (i incident) fromError(change string) (next string) {
	i.Helper()
	var said decode.Report
	i.paste(statusDone, "h2lab decode app.log", &said)
	at := slices.IndexFunc(said.Findings, func(f decode.Reported) bool { return f.Kind == decode.Unprocessed })
	if at < 0 {
		i.Fatalf("decode finds no GOAWAY: %+v", said.Findings)
	}
	var changes []cure.Change
	for _, c := range said.Findings[at].Changes {
		changes = append(changes, cure.Change{Line: texts.English.In(c.Line.Text)})
	}
	i.offers("decode", change, changes)
	return said.Next.String()
}

func (i incident) fromProbe(line string, limit int, change string) (next string) {
	i.Helper()
	var d probedoc.Document
	i.paste(statusDone, line, &d)
	if c := d.Verdict.Cause; c.Kind != cause.Count || *c.Requests != limit || d.Verdict.Family != cure.Nginx {
		i.Errorf("probe finds %s: %s", d.Verdict.Family, d.Verdict.Limit)
	}
	i.offers("probe", change, d.Verdict.Changes)
	return d.Verdict.Next
}

func (i incident) fromLint(line, url string, limit int64, change string) {
	i.Helper()
	var r struct {
		lint.Report
		Next string `json:"next"`
	}
	i.paste(statusDone, line, &r)
	if len(r.Findings) == 0 || r.Findings[0].Fix != change || r.Listeners[0].Limit.Requests == nil ||
		*r.Listeners[0].Limit.Requests != limit {
		i.Errorf("lint finds %+v on %+v", r.Findings, r.Listeners)
	}
	if !strings.Contains(r.Next, "h2lab probe "+url+"   # after the change to ") {
		i.Errorf("lint leads to %q", r.Next)
	}
}

func (i incident) fromLog(next string, limit int, change string) {
	i.Helper()
	var r accesslog.Result
	i.paste(statusDone, "h2lab logs --no-upstreams access.log", &r)
	if v := r.Verdict; v.ID != accesslog.Stampede || v.KeepaliveRequests == nil ||
		int(*v.KeepaliveRequests) != cure.Requests(limit) || r.Limit == nil || int(r.Limit.Requests) != limit {
		i.Errorf("logs finds %s: %v", v.ID, v.Says)
	}
	i.offers("logs", change, r.Verdict.Changes)
	if !slices.ContainsFunc(r.Verdict.Next, func(line texts.Sentence) bool { return strings.HasPrefix(line.String(), next) }) {
		i.Errorf("logs leads to %q, and probe to %q", r.Verdict.Next, next)
	}
}
