//go:build integration

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

const traceNginxConf = `daemon off; worker_processes 1; pid %[1]s/nginx.pid; error_log stderr info;
events { worker_connections 256; }
http { access_log off;
  client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; ` +
	`scgi_temp_path %[1]s/s;
  server { listen 127.0.0.1:%[2]d ssl http2; ssl_certificate %[1]s/server.crt; ssl_certificate_key %[1]s/server.key;
    keepalive_requests %[3]d;
    location / { return 200 "ok\n"; } } }
`

// tracedNginx runs nginx with a limit and returns its URL and CA.
func tracedNginx(t *testing.T, limit int) (url, ca string) {
	dir := t.TempDir()
	ca = labtest.WriteCert(t, dir).File
	port := labtest.FreePort(t)
	labtest.Nginx(t, dir, port, fmt.Sprintf(traceNginxConf, dir, port, limit))
	return fmt.Sprintf("https://localhost:%d/", port), ca
}

// onlyOnPath keeps only these capture programs on the PATH.
func onlyOnPath(t *testing.T, names ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		// one of tools/bin is a launcher
		script := "#!/bin/sh\nPATH=/usr/bin:/bin exec '" + labtest.Program(t, name) + "' \"$@\"\n"
		labtest.WriteProgram(t, filepath.Join(dir, name), script)
	}
	t.Setenv("PATH", dir)
}

func traced(t *testing.T, args ...string) (status int, out, said string) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(t.Context(), append([]string{"trace"}, args...), &o, &e)
	return status, o.String(), e.String()
}

// read runs tshark and returns its output.
func read(t *testing.T, tshark string, args ...string) string {
	t.Helper()
	var errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), tshark, args...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tshark %v: %v\n%s", args, err, errs.String())
	}
	return strings.TrimSpace(string(out))
}

// Traces a real nginx with a real capture; a real tshark decrypts it and finds the last-stream-id
// that nginx sent.
func TestACaptureOfARenewalOpensDecrypted(t *testing.T) {
	tshark := labtest.Program(t, "tshark")
	url, ca := tracedNginx(t, 20)
	goaway := []string{"-Y", "http2.goaway.last_stream_id", "-T", "fields", "-e", "http2.goaway.last_stream_id"}
	for name, c := range map[string]struct {
		programs []string
		inside   bool // the secrets are in the capture itself
	}{
		"tcpdump alone":       {[]string{"tcpdump"}, false},
		"dumpcap alone":       {[]string{"dumpcap"}, false},
		"tcpdump and editcap": {[]string{"tcpdump", "editcap"}, true},
		"dumpcap and editcap": {[]string{"dumpcap", "editcap"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			pcap, keys := filepath.Join(dir, "renewal.pcap"), filepath.Join(dir, "keys.log")
			onlyOnPath(t, c.programs...)
			status, out, said := traced(t, "--cacert", ca, "--pcap", pcap, "--keylog", keys, url)
			if status != statusDone || !strings.Contains(out, "the peer names stream 39") ||
				!strings.Contains(said, "decrypts what was sent") {
				t.Fatalf("status %d\n%s\n%s", status, out, said)
			}
			for _, f := range []string{pcap, keys} {
				if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("%s: %v, %v", f, info, err)
				}
			}
			t.Setenv("PATH", "/usr/bin:/bin")
			if got := read(t, tshark,
				append([]string{"-r", pcap, "-o", "tls.keylog_file:" + keys}, goaway...)...); got != "39" {
				t.Errorf("with the key log tshark reads last-stream-id %q, want 39", got)
			}
			want := map[bool]string{true: "39", false: ""}[c.inside]
			if got := read(t, tshark, append([]string{"-r", pcap}, goaway...)...); got != want {
				t.Errorf("without it tshark reads %q, want %q", got, want)
			}
			// The capture contains both connections from their SYN on, and no other packets.
			if got := read(t, tshark, "-r", pcap, "-Y", "tcp.flags.syn == 1 && tcp.flags.ack == 0"); strings.Count(got,
				"\n") != 1 {
				t.Errorf("SYNs:\n%s", got)
			}
			if strings.Contains(out, "the capture lacks") {
				t.Errorf("packets are missing:\n%s", out)
			}
		})
	}
}

func TestACaptureThatIsInterruptedLeavesNothing(t *testing.T) {
	url, ca := tracedNginx(t, 1_000_000)
	port := strings.Trim(url[strings.LastIndex(url, ":")+1:], "/")
	onlyOnPath(t, "tcpdump", "editcap")
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	over := make(chan int, 1)
	var out, said bytes.Buffer
	go func() {
		over <- run(ctx, []string{"trace", "--cacert", ca, "--limit", "1000000", "--rate", "100", "--pcap",
			filepath.Join(dir, "p"), "--keylog", filepath.Join(dir, "k"), "--out", filepath.Join(dir, "o"), url},
			&out, &said)
	}()
	for until := time.Now().Add(20 * time.Second); len(capturing(t, port)) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("tcpdump was not started")
		}
	}
	cancel()
	if status := <-over; status != statusCouldNot || !strings.Contains(said.String(), "interrupted") || out.Len() > 0 {
		t.Errorf("status %d, stdout %q, stderr %q", status, out.String(), said.String())
	}
	if left := capturing(t, port); len(left) > 0 {
		t.Errorf("captures still: %q", left)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// capturing returns the processes whose command line contains the capture filter of a port.
func capturing(t *testing.T, port string) []string {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(all) == 0 {
		t.Fatalf("no processes: %v", err)
	}
	var out []string
	for _, name := range all {
		if b, err := os.ReadFile(name); err == nil && bytes.Contains(b, []byte("tcp port "+port+" and host")) {
			out = append(out, name)
		}
	}
	return out
}

func TestTheFormatsOfARealRenewal(t *testing.T) {
	url, ca := tracedNginx(t, 20)
	for _, format := range []string{"json", "har"} {
		file := filepath.Join(t.TempDir(), "out")
		status, out, said := traced(t, "--cacert", ca, "--limit", "20", "--format", format, "--out", file, url)
		b, err := os.ReadFile(file)
		if status != statusDone || err != nil || !json.Valid(b) || !strings.Contains(out, "next: h2lab probe") {
			t.Errorf("%s: status %d, %v\n%s\n%s", format, status, err, out, said)
		}
		if format != "json" {
			continue
		}
		var line facts.FrameTrace
		if err := json.Unmarshal(b, &line); err != nil || line.SchemaVersion != 1 || len(line.Renewal.Dropped) != 3 ||
			*line.Limit != 20 || !line.LimitGiven {
			t.Errorf("%+v, %v", line, err)
		}
	}
	status, out, said := traced(t, "--cacert", ca, "--http1", url)
	if status != statusDone || !strings.Contains(out, "The answer to request 20 said Connection: close") {
		t.Errorf("HTTP/1.1: status %d\n%s\n%s", status, out, said)
	}
	status, out, said = traced(t, "--cacert", ca, "--max-streams", "10", url)
	if status != statusDone || !strings.Contains(out, "limit: none met in 10 requests") ||
		!strings.Contains(out, "next: h2lab trace --max-streams 100 ") {
		t.Errorf("no limit: status %d\n%s\n%s", status, out, said)
	}
}
