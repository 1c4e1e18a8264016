//go:build integration

package main

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
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

// ownFormats are the fields of the offered log_format as JSON, and in another order.
const ownFormats = `
  log_format asjson escape=json '{"time":"$msec","connection":"$connection","connection_requests":"$connection_requests",'
                                '"agent":"$http_user_agent","server_protocol":"$server_protocol","status":"$status"}';
  log_format own '$connection_time|$connection|$msec|"$http_user_agent"|$connection_requests|$server_protocol';`

// Compares what h2lab logs reads from the log of a real nginx (two workers, a Go client with 20
// requests in flight) with the counts of stub_status and the client.
func TestLogsAgreeWithNginxAndTheClient(t *testing.T) {
	n := startNginx(t, `keepalive_requests 50; access_log DIR/offered.log h2lab; access_log DIR/json.log asjson;
    access_log DIR/own.log own; access_log DIR/plain.log;`, ownFormats)
	before := n.accepted(t)
	const requests = 5000
	var sent atomic.Int64
	if log := (caller{url: n.url, cert: n.cert, users: 20}).run(t, func(int) bool { return sent.Add(1) <= requests }); log != "" {
		t.Fatalf("%.500s", log)
	}
	time.Sleep(200 * time.Millisecond) // unused connections close
	accepted := n.accepted(t) - before // this reading may have kept or opened one of them
	offered := filepath.Join(n.dir, "offered.log")
	packed, err := os.Create(offered + ".1.gz")
	labtest.Check(t, err)
	z := gzip.NewWriter(packed)
	_, err = z.Write([]byte(labtest.Read(t, offered)))
	labtest.Check(t, err)
	labtest.Check(t, z.Close())
	for name, args := range map[string][]string{
		"offered": {offered},
		"JSON":    {filepath.Join(n.dir, "json.log")},
		"own":     {"--format-from", filepath.Join(n.dir, "nginx.conf") + "#own", filepath.Join(n.dir, "own.log")},
		"gzip":    {packed.Name()},
	} {
		var r accesslog.Result
		readAnswer(t, &r, append([]string{"logs", "--no-upstreams"}, args...)...)
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
			r.Connections > accepted {
			t.Errorf("%s: %d ended at the limit, %d carried requests; nginx accepted %d", name, full, r.Connections, accepted)
		}
		if o := r.Opened; o == nil || o.AtMost > accepted || o.AtMost+100 < accepted {
			t.Errorf("%s: %+v opened; nginx accepted %d", name, r.Opened, accepted)
		}
		if r.PerConnection.Max != 50 || r.Protocols[0].Protocol != "HTTP/2" ||
			r.Verdict.ID != accesslog.Stampede && r.Verdict.ID != accesslog.AtLimit {
			t.Errorf("%s: %+v, %+v, %+v", name, r.PerConnection, r.Protocols, r.Verdict)
		}
	}
	refusesLog(t, filepath.Join(n.dir, "plain.log"), "log_format h2lab")
}

// refusesLog reads a log that can't tell, and expects what to add.
func refusesLog(t *testing.T, file, says string) {
	t.Helper()
	if status, _, said := h2lab(t.Context(), "logs", file); status != statusCouldNot || !strings.Contains(said, says) {
		t.Errorf("%s: status %d, %s", file, status, said)
	}
}

// fromTo draws a pause from a range of milliseconds.
func fromTo(from, to int) func() time.Duration {
	return func() time.Duration { return time.Duration(from*1000+rand.IntN((to-from)*1000+1)) * time.Microsecond }
}

// causes are the servers of a real nginx, with the callers of one with each pause, and the verdicts that are right for their
// logs: with milliseconds, and with seconds, which may show too little. None but the limit's may offer a limit.
var causes = []struct {
	name, settings string
	fine, coarse   []string
	callers        int
	pause          func(i int) func() time.Duration
	visit          int
}{
	{"age", "keepalive_time 2s; keepalive_requests 100000;", []string{accesslog.Aged},
		[]string{accesslog.Aged, accesslog.CountOrAge, accesslog.Calm, accesslog.MaybeEmpty}, 6,
		func(i int) func() time.Duration { return fromTo(5+12*i, 5+12*i) }, 0},
	{"idle", "keepalive_timeout 1s; keepalive_requests 1000;", []string{accesslog.Idled},
		[]string{accesslog.Idled, accesslog.Churn, accesslog.TooLittle}, 30,
		func(int) func() time.Duration { return fromTo(100, 2000) }, 0},
	{"programs", "keepalive_requests 1000;", []string{accesslog.ClientsStop, accesslog.SameCount},
		[]string{accesslog.ClientsStop, accesslog.SameCount}, 8, func(int) func() time.Duration { return fromTo(3, 3) }, 37},
	{"limit", "keepalive_requests 100;", []string{accesslog.AtLimit, accesslog.PerhapsIt},
		[]string{accesslog.AtLimit, accesslog.PerhapsIt}, 4, func(i int) func() time.Duration { return fromTo(2, 8+i) }, 0},
	{"reload", "keepalive_requests 100000;", []string{accesslog.Reloaded},
		[]string{accesslog.Reloaded, accesslog.Calm, accesslog.MaybeEmpty}, 12,
		func(int) func() time.Duration { return fromTo(5, 60) }, 0},
}

// Logs of real nginx whose connections end in known ways. It is reloaded while the clients of one are at
// work.
func TestRealLogsNameTheCause(t *testing.T) {
	t.Parallel()
	dirs := map[string]string{}
	var callers []caller
	for _, c := range causes {
		n := startNginx(t, c.settings+"access_log DIR/coarse.log h2lab; access_log DIR/fine.json fine;", `
  log_format fine escape=json '{"msec":"$msec","connection":"$connection","connection_requests":"$connection_requests",'
    '"request":"$request","status":"$status","remote_addr":"$remote_addr","http_user_agent":"$http_user_agent"}';`)
		dirs[c.name] = n.dir
		for i := range c.callers {
			agent := fmt.Sprint(c.name, "/", i)
			if c.visit > 0 {
				agent = "program/1"
			}
			callers = append(callers, caller{url: n.url, cert: n.cert, agent: agent, pause: c.pause(i), visit: c.visit})
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { callAll(t, 16*time.Second, callers) })
	time.Sleep(8 * time.Second)
	pid, err := strconv.Atoi(strings.TrimSpace(labtest.Read(t, filepath.Join(dirs["reload"], "nginx.pid"))))
	labtest.Check(t, err)
	labtest.Check(t, syscall.Kill(pid, syscall.SIGHUP))
	wg.Wait()
	time.Sleep(200 * time.Millisecond)
	for _, c := range causes {
		for file, want := range map[string][]string{"fine.json": c.fine, "coarse.log": c.coarse} {
			var r accesslog.Result
			readAnswer(t, &r, "logs", filepath.Join(dirs[c.name], file))
			if !slices.Contains(want, r.Verdict.ID) {
				t.Errorf("%s, %s: %s, not %v: %s", c.name, file, r.Verdict.ID, want, fmt.Sprint(r.Verdict.Says))
			}
			if offers := r.Verdict.KeepaliveRequests != nil; offers != (c.name == "limit") {
				t.Errorf("%s, %s: offers a limit: %v", c.name, file, offers)
			}
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
	var callers []caller
	for i := range 6 {
		callers = append(callers, caller{url: fmt.Sprintf("https://localhost:%d/", port), cert: cert,
			agent: fmt.Sprint("pool/", i), pause: fromTo(5+8*i, 5+8*i)})
	}
	callAll(t, 14*time.Second, callers)
	time.Sleep(11 * time.Second) // Envoy writes its logs every ten seconds
	for _, file := range []string{"conn.log", "address.log"} {
		var r accesslog.Result
		readAnswer(t, &r, "logs", filepath.Join(dir, file))
		if r.Verdict.ID != want || r.Server != cure.Envoy {
			t.Errorf("%s, %s: %s: %s", options, file, r.Verdict.ID, fmt.Sprint(r.Verdict.Says))
		}
	}
	refusesLog(t, filepath.Join(dir, "default.log"), "Envoy's default format, which has no %CONNECTION_ID%")
}

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
	if !slices.ContainsFunc(changes, func(c cure.Change) bool { return c.Line.String() == line }) {
		i.Errorf("%s doesn't offer %s: %+v", verb, line, changes)
	}
}

// One incident, followed as an engineer would: the line that each verb prints is pasted as it is, and every verb names
// the same cause, the same change and the same number.
func TestEveryVerbTellsTheSameStory(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Places)
	const limit = 400
	change := fmt.Sprintf("keepalive_requests %d;", cure.Requests(limit))
	n := startNginx(t, fmt.Sprintf("keepalive_requests %d; access_log DIR/access.log h2lab;", limit), "")
	i := newIncident(t, n.dir, n.cert)
	var alarm struct {
		Summary watch.Summary `json:"summary"`
	}
	failed := make(chan string, 1)
	until := time.Now().Add(4 * time.Second)
	go func() {
		failed <- caller{url: n.url, cert: n.cert, users: 20, once: true}.run(t, func(int) bool { return time.Now().Before(until) })
	}()
	i.paste(exitstatus.Contradicted, fmt.Sprintf("h2lab watch %s --limit %d --for 4s --window 2s", n.status, limit), &alarm)
	labtest.Write(t, filepath.Join(n.dir, "app.log"), <-failed)
	i.offers("watch", change, alarm.Summary.Changes)

	f.Try("a server's request limit, from the client's error to the line to change", func(t *testing.T) {
		i := incident{t, i.dir, i.env}
		if next := i.fromError(change); !strings.HasPrefix(next, "h2lab probe https://HOST/") {
			t.Fatalf("decode leads to %q", next)
		}
		next := i.fromProbe("h2lab probe "+n.url, limit, change)
		i.fromLint(next, n.url, limit, change)
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
		changes = append(changes, cure.Change{Line: texts.Sentence(c.Line.Text)})
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
	return d.Verdict.Next.String()
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
