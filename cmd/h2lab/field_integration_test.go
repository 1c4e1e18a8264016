//go:build integration

package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/field/accesslog"
	"h2lab/internal/field/cure"
	"h2lab/internal/field/decode"
)

// realNginx is a server of a real nginx that speaks HTTP/2 and answers "ok".
type realNginx struct {
	dir, url, status string
	cert             labtest.Cert
}

const realConf = `daemon off; worker_processes 2; pid DIR/nginx.pid; error_log stderr warn;
events { worker_connections 1024; }
http { access_log off; client_body_temp_path DIR/b; proxy_temp_path DIR/p; fastcgi_temp_path DIR/f; uwsgi_temp_path DIR/u;
  scgi_temp_path DIR/s; FORMATS
  server { listen 127.0.0.1:PORT ssl http2; server_name localhost; ssl_certificate DIR/server.crt;
    ssl_certificate_key DIR/server.key; SETTINGS
    location / { return 200 "ok\n"; } }
  server { listen 127.0.0.1:STATUS; access_log off; location = /stub_status { stub_status; } } }
`

// startNginx starts one with these settings of its server, and these log_formats beside the one that h2lab prints; DIR is
// its directory. Each has a process of its own, since all servers of one nginx share its serials.
func startNginx(t *testing.T, settings, formats string) realNginx {
	t.Helper()
	n := realNginx{dir: t.TempDir()}
	n.cert = labtest.WriteCert(t, n.dir)
	port, status := labtest.FreePort(t), labtest.FreePort(t)
	n.url, n.status = fmt.Sprintf("https://localhost:%d/", port), fmt.Sprintf("http://127.0.0.1:%d/stub_status", status)
	offer := accesslog.Offer(cure.Nginx)
	from, to := strings.Index(offer, "log_format"), strings.Index(offer, "access_log")
	if from < 0 || to < from {
		t.Fatalf("no log_format in the offer:\n%s", offer)
	}
	conf := strings.NewReplacer("SETTINGS", settings, "FORMATS", offer[from:to]+formats).Replace(realConf)
	labtest.Nginx(t, n.dir, port, strings.NewReplacer("DIR", n.dir, "PORT", fmt.Sprint(port), "STATUS", fmt.Sprint(status)).Replace(conf))
	return n
}

// accepted is how many connections it has accepted; the value includes this reading's own.
func (n realNginx) accepted(t *testing.T) (accepts uint64) {
	t.Helper()
	resp, err := http.Get(n.status)
	labtest.Check(t, err)
	defer func() { _ = resp.Body.Close() }()
	page, err := io.ReadAll(resp.Body)
	labtest.Check(t, err)
	if _, err := fmt.Sscanf(string(page[bytes.IndexByte(page, '\n')+1:]), "server accepts handled requests\n %d", &accepts); err != nil {
		t.Fatalf("%v: %s", err, page)
	}
	return accepts
}

// caller is the users of one http.Client.
type caller struct {
	url, agent string
	cert       labtest.Cert
	users      int                  // 0 is one
	once       bool                 // it sends POSTs whose body can't be sent again
	pause      func() time.Duration // between two requests of a user; nil is none
	visit      int                  // requests after which it closes its connection; 0 means never
}

// readOnce hides a reader's type, so that http.NewRequest sets no GetBody.
type readOnce struct{ io.Reader }

// run sends requests as long as more says so, and returns what net/http says of those that failed.
func (c caller) run(t *testing.T, more func(sent int) bool) string {
	tr := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: c.cert.Pool}}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: tr, Timeout: 20 * time.Second}
	var mu sync.Mutex
	var log strings.Builder
	var users sync.WaitGroup
	for range max(1, c.users) {
		users.Go(func() {
			for sent := 1; more(sent); sent++ {
				method, body := http.MethodGet, io.Reader(nil)
				if c.once {
					method, body = http.MethodPost, readOnce{strings.NewReader("1")}
				}
				req, err := http.NewRequestWithContext(t.Context(), method, c.url, body)
				if err != nil {
					t.Error(err)
					return
				}
				req.Header.Set("User-Agent", c.agent)
				resp, err := client.Do(req)
				if err != nil {
					mu.Lock()
					fmt.Fprintf(&log, "ERROR app: %v\n", err)
					mu.Unlock()
					continue
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				if c.visit > 0 && sent%c.visit == 0 {
					tr.CloseIdleConnections()
					time.Sleep(500 * time.Millisecond)
				}
				if c.pause != nil {
					time.Sleep(c.pause())
				}
			}
		})
	}
	users.Wait()
	return log.String()
}

// callAll runs callers at the same time; none of their requests may fail.
func callAll(t *testing.T, length time.Duration, all []caller) {
	t.Helper()
	until := time.Now().Add(length)
	var wg sync.WaitGroup
	for _, c := range all {
		wg.Go(func() {
			if log := c.run(t, func(int) bool { return time.Now().Before(until) }); log != "" {
				t.Errorf("%s: %.500s", c.url, log)
			}
		})
	}
	wg.Wait()
}

// read runs a verb with --json and reads its document.
func readAnswer(t *testing.T, into any, args ...string) {
	t.Helper()
	status, out, said := h2lab(t.Context(), append([]string{args[0], "--json"}, args[1:]...)...)
	if err := json.Unmarshal([]byte(out), into); err != nil || status != statusDone {
		t.Fatalf("h2lab %q: status %d, %v: %s", args, status, err, said)
	}
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

// read runs tshark and returns its output.
func read(t *testing.T, tshark string, args ...string) string {
	t.Helper()
	return strings.TrimSpace(quiet(t, exec.CommandContext(t.Context(), tshark, args...)))
}

// Traces a real nginx with a real capture; a real tshark decrypts it and finds the last-stream-id
// that nginx sent.
func TestACaptureOfARenewalOpensDecrypted(t *testing.T) {
	tshark := labtest.Program(t, "tshark")
	n := startNginx(t, "keepalive_requests 20;", "")
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
			status, out, said := h2lab(t.Context(), "trace", "--cacert", n.cert.File, "--pcap", pcap, "--keylog", keys, n.url)
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
	n := startNginx(t, "keepalive_requests 1000000;", "")
	port := strings.Trim(n.url[strings.LastIndex(n.url, ":")+1:], "/")
	onlyOnPath(t, "tcpdump", "editcap")
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	over := make(chan int, 1)
	var out, said bytes.Buffer
	go func() {
		over <- run(ctx, []string{"trace", "--cacert", n.cert.File, "--limit", "1000000", "--rate", "100", "--pcap",
			filepath.Join(dir, "p"), "--keylog", filepath.Join(dir, "k"), "--out", filepath.Join(dir, "o"), n.url},
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
	n := startNginx(t, "keepalive_requests 20;", "")
	for _, format := range []string{"json", "har"} {
		file := filepath.Join(t.TempDir(), "out")
		status, out, said := h2lab(t.Context(), "trace", "--cacert", n.cert.File, "--limit", "20", "--format", format, "--out", file, n.url)
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
	status, out, said := h2lab(t.Context(), "trace", "--cacert", n.cert.File, "--http1", n.url)
	if status != statusDone || !strings.Contains(out, "The answer to request 20 said Connection: close") {
		t.Errorf("HTTP/1.1: status %d\n%s\n%s", status, out, said)
	}
	status, out, said = h2lab(t.Context(), "trace", "--cacert", n.cert.File, "--max-streams", "10", n.url)
	if status != statusDone || !strings.Contains(out, "limit: none met in 10 requests") ||
		!strings.Contains(out, "next: h2lab trace --max-streams 100 ") {
		t.Errorf("no limit: status %d\n%s\n%s", status, out, said)
	}
}

// decode reads the errors that a real client gets and a real nginx logs at the limit: Go's error
// says that the request wasn't executed, and nginx's last-stream-id gives the limit.
func TestDecodeWhatARealLimitLeavesInLogs(t *testing.T) {
	n := startNginx(t, "keepalive_requests 20; error_log DIR/error.log debug;", "")
	log := caller{url: n.url, cert: n.cert, users: 30, once: true}.run(t, func(sent int) bool { return sent < 40 })
	app := filepath.Join(n.dir, "app.log")
	labtest.Write(t, app, log)
	var said, servers decode.Report
	readAnswer(t, &said, "decode", app)
	if log == "" || said.Unknown != 0 || said.Other != 0 {
		t.Errorf("of the client's own errors %d are unknown:\n%s", said.Unknown+said.Other, log)
	}
	if !strings.HasPrefix(said.Next.String(), "h2lab probe https://HOST/") {
		t.Errorf("next: %s", said.Next)
	}
	readAnswer(t, &servers, "decode", filepath.Join(n.dir, "error.log"))
	counts := map[string]int{}
	for _, f := range servers.Findings {
		counts[f.ID] += f.Count
		if f.ID == "nginx-send-goaway" && (f.Facts.Requests == nil || *f.Facts.Requests != 20) {
			t.Errorf("nginx's GOAWAYs are read as %v of %v", f.Facts.Requests, f.LastStreamIDs)
		}
	}
	if counts["nginx-send-goaway"] == 0 || counts["nginx-skip-headers"] == 0 {
		t.Errorf("nginx's debug log: %v", counts)
	}
}

// What zsh and fish offer, where bash's test has the same lines. A script that a shell rejects, or
// a verb that it takes for a file, shows at once.
var completedLines = []struct {
	line string
	want []string // all that is offered
}{
	{"h2lab lint --ki", []string{"--kind"}},
	{"h2lab lint --kind ", []string{"envoy", "haproxy", "ingress-nginx", "nginx", "traefik"}},
	{"h2lab lint --kind=ha", []string{"--kind=haproxy"}},
	{"h2lab --root . repro --key ", []string{"ecdsa", "rsa"}},
	{"h2lab step --hint ", []string{"1", "2", "3"}},
	{"h2lab completion ", []string{"bash", "fish", "zsh"}},
	{"h2lab probe --cacert unlikely-n", []string{"unlikely-name.conf"}},
	{"h2lab decode unlikely-n", []string{"unlikely-name.conf"}},
	{"h2lab report unlikely", []string{"unlikely-dir"}},
	{"h2lab hol", nil},
}

// completed compares a shell's answers; ask returns the words that it offers.
func completed(t *testing.T, ask func(dir, line string) []string) {
	t.Helper()
	dir := filepath.Dir(saved(t, "unlikely-name.conf", ""))
	labtest.Check(t, os.Mkdir(filepath.Join(dir, "unlikely-dir"), 0o755))
	for _, c := range completedLines {
		got := ask(dir, c.line)
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, c.want) {
			t.Errorf("%q: it offers %q, want %q", c.line, got, c.want)
		}
	}
	got, want := ask(dir, "h2lab "), verbs(t)
	slices.Sort(got)
	slices.Sort(want)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("the verbs are %q, it offers %q", want, got)
	}
}

// quiet runs a program in an empty directory or the one that it has, and fails on any message.
func quiet(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v: %s", cmd.Args, err, errs.String())
	}
	if errs.Len() > 0 && filepath.Base(cmd.Path) != "tshark" {
		t.Fatalf("%q says %s", cmd.Args, errs.String())
	}
	return string(out)
}

func TestFishCompletes(t *testing.T) {
	file := script(t, "fish")
	completed(t, func(dir, line string) (words []string) {
		cmd := exec.CommandContext(t.Context(), "fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", file, line)
		cmd.Dir = dir
		for offer := range strings.Lines(quiet(t, cmd)) {
			word, _, _ := strings.Cut(strings.TrimSpace(offer), "\t")
			words = append(words, strings.TrimSuffix(word, "/"))
		}
		return words
	})
}

func TestZshCompletes(t *testing.T) {
	scripts := t.TempDir()
	labtest.Write(t, filepath.Join(scripts, "_h2lab"), labtest.Read(t, script(t, "zsh")))
	asker, err := filepath.Abs("testdata/zsh/ask.zsh")
	labtest.Check(t, err)
	completed(t, func(dir, line string) []string {
		cmd := exec.CommandContext(t.Context(), "zsh", "-f", asker, scripts, line)
		cmd.Dir = dir
		return strings.Fields(quiet(t, cmd))
	})
}

func TestTheManualPageIsSound(t *testing.T) {
	_, page, _ := h2lab(t.Context(), "man")
	cmd := exec.CommandContext(t.Context(), "groff", "-man", "-ww", "-Tutf8", "-P-cbou")
	cmd.Stdin = strings.NewReader(page)
	text := quiet(t, cmd)
	parser, _ := parserOf(t)
	for _, node := range visible(parser) {
		if !strings.Contains(text, "\n       "+node.Name+" ") {
			t.Errorf("the page lacks %s", node.Name)
		}
		for _, f := range node.Flags {
			if !f.Hidden && !strings.Contains(text, "--"+f.Name) {
				t.Errorf("the page lacks --%s of %s", f.Name, node.Name)
			}
		}
	}
	for _, section := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "EXIT STATUS"} {
		if !strings.Contains(text, "\n"+section+"\n") {
			t.Errorf("the page has no section %s", section)
		}
	}
}

// rewritten copies a directory with every file changed.
func rewritten(t *testing.T, dir string, change func(string) string) string {
	t.Helper()
	to := t.TempDir()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == "." {
			return err
		}
		if e.IsDir() {
			return os.Mkdir(filepath.Join(to, rel), 0o755)
		}
		return os.WriteFile(filepath.Join(to, rel), []byte(change(labtest.Read(t, path))), 0o644)
	})
	labtest.Check(t, err)
	return to
}

// printed runs a verb in a directory and returns its exit status and stdout.
func printed(t *testing.T, dir string, args ...string) string {
	t.Helper()
	t.Chdir(dir)
	status, out, _ := h2lab(t.Context(), args...)
	return fmt.Sprintf("status %d\n%s", status, out)
}

// Files written on Windows have other line ends, and those redirected by PowerShell another encoding.
func TestFilesWrittenOnWindowsHaveTheSameFindings(t *testing.T) {
	corpora, err := filepath.Glob(filepath.Join(labtest.Root(t), "internal/field/lint/*/testdata/corpus"))
	if err != nil || len(corpora) < 5 {
		t.Fatalf("%v, %v", corpora, err)
	}
	logs, err := filepath.Abs("../../internal/field/decode/testdata")
	labtest.Check(t, err)
	checked := 0
	same := func(verb, dir, pattern string) {
		plain := rewritten(t, dir, func(s string) string { return s })
		crlf, powerShell := rewritten(t, dir, labtest.CRLF), rewritten(t, dir, labtest.PowerShell)
		files, _ := filepath.Glob(filepath.Join(plain, pattern))
		for _, file := range files {
			checked++
			name := filepath.Base(file)
			want := printed(t, plain, verb, name)
			if got := printed(t, crlf, verb, name); got != want {
				t.Errorf("%s with CR LF: %s\nwant %s", name, got, want)
			}
			if strings.Contains(labtest.Read(t, file), "include ") { // nginx itself reads no UTF-16
				continue
			}
			if got := printed(t, powerShell, verb, name); got != want {
				t.Errorf("%s of PowerShell: %s\nwant %s", name, got, want)
			}
		}
	}
	for _, corpus := range corpora {
		same("lint", corpus, "*.[cjty]*") // not conf.d
	}
	same("decode", logs, "app.log")
	if checked < 50 {
		t.Errorf("only %d files were checked", checked)
	}
}
