//go:build integration

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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
