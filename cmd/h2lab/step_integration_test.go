//go:build integration

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
	"h2lab/internal/field/probe/document"
	"h2lab/internal/lab/native"
	"h2lab/internal/workshop"
)

// These tests do the workshop as a learner does, on the lab's real ports, in a separate project:
// the learner's directory of this checkout must not change.

func TestTheExercisesWithServers(t *testing.T) {
	b := newBench(t)
	b.step(1, 3, "the lab's servers aren't up", "make up FOR=learner")
	if said, status := b.run("up"); status != 0 {
		t.Fatalf("h2lab up: status %d\n%s", status, said)
	}
	b.step(4, 3, "a limit other than yours", "make down, then make up FOR=learner")
	b.run("down")
	b.up()
	b.hidesLimit()
	for n := 1; n <= 9; n++ {
		b.step(n, 4, fmt.Sprintf("exercise %d isn't done yet: ", n))
		if n == 9 { // its numbers are those of another machine: TestWhatAdviseMeasures…
			continue
		}
		b.solve(n)
		b.step(n, 0, fmt.Sprintf("exercise %d is done: ", n))
	}
	b.mistakes()
	b.solve(7) // takes six seconds
	b.solve(8)
	for _, n := range []int{7, 8} {
		cmd := b.command("step", fmt.Sprint(n))
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		labtest.Check(t, cmd.Start())
		time.Sleep(500 * time.Millisecond)
		labtest.Check(t, cmd.Process.Signal(syscall.SIGINT))
		_ = cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != 1 || !strings.Contains(said.String(), "interrupted") {
			t.Errorf("exercise %d, interrupted: status %d\n%s", n, got, said.String())
		}
	}
	b.nothing()
}

// mistakes are those that a real program or server shows; internal/workshop has the others.
func (b *bench) mistakes() {
	const pool = "transport.TLSClientConfig = &tls.Config{RootCAs: pool}"
	const h1 = pool + "\n\ttransport.Protocols = new(http.Protocols)\n\ttransport.Protocols.SetHTTP1(true)"
	const ownClient = "workers.Go(func() {\n\t\t\t_ = client\n\t\t\tclient, _ := newClient()"
	for _, c := range []struct {
		n                            int
		place, file, from, to, words string
	}{
		{1, "solutions", "answers.txt", "nginx-high = more than 20000", "nginx-high = 100000", "is not confirmed"},
		{2, "start", "count.sh", "set -eu", "sleep 60", "did not end within 3s"},
		{3, "start", "load.js", "http.post(target, '1');", "http.post(target, '1'", "k6 ended with status"},
		{3, "solutions", "load.js", "Date.now() < until", "true", "still running after 10s"},
		{5, "start", "main.go", "errors.New(res.Status)", "errors.New(res.Stat)", "doesn't build"},
		{5, "start", "main.go", pool, h1, "spoke HTTP/1.1"},
		{6, "solutions", "nginx.conf", "keepalive_requests 100000;", "keepalive_request 100000;", "unknown directive"},
		{8, "solutions", "main.go", "workers.Go(func() {", ownClient, "connections in use at the same time"},
	} {
		b.put(c.place, c.n, c.file, c.from, c.to)
		if said := b.step(c.n, 4, c.words); strings.Count(said, "\n") != 1 {
			b.t.Errorf("exercise %d says more than a sentence:\n%s", c.n, said)
		}
	}
}

func TestWhatAdviseMeasuresIsTheAnswerAboutHandshakes(t *testing.T) {
	b := newBench(t)
	type document struct {
		Handshake struct {
			Measured struct {
				Full    float64 `json:"full_ms"`
				Resumed float64 `json:"resumed_ms"`
			} `json:"measured"`
		} `json:"handshake"`
	}
	asked := map[string]document{}
	for _, key := range []string{"rsa", "ecdsa"} {
		out, err := b.command("advise", "--rate", "1000", "--in-flight", "100", "--key", key, "--json").Output()
		var d document
		if err != nil || json.Unmarshal(out, &d) != nil || d.Handshake.Measured.Full == 0 {
			t.Fatalf("h2lab advise --key %s: %v\n%s", key, err, out)
		}
		asked[key] = d
		b.write(9, key+".json", string(out))
	}
	rsa, ecdsa := asked["rsa"].Handshake.Measured, asked["ecdsa"].Handshake.Measured
	b.write(9, "answers.txt", fmt.Sprintf("ecdsa_times_cheaper = %.1f\nresumption_times_cheaper = %.1f\n",
		rsa.Full/ecdsa.Full, rsa.Full/rsa.Resumed))
	b.step(9, 0, "exercise 9 is done")
	b.write(9, "answers.txt", "ecdsa_times_cheaper = 50\nresumption_times_cheaper = 5\n")
	b.step(9, 4, "by more than a factor of 2")
	b.write(9, "answers.txt", fmt.Sprintf("ecdsa_times_cheaper = %.1f\nresumption_times_cheaper = 4\n", rsa.Full/ecdsa.Full*1.4))
	b.step(9, 4, "is not what your own files give")
}

// mysteryURL matches the server's address in a check's output.
var mysteryURL = regexp.MustCompile(`https://127\.0\.0\.1:\d+/`)

func TestAMysteryServerIsSolvedByProbeInBothFamilies(t *testing.T) {
	b := newBench(t)
	seen := map[string]bool{}
	for range 20 { // each start chooses the family at random
		b.put("start", 10, "answers.txt")
		url := mysteryURL.FindString(b.step(10, 4, "a mystery server has just been started at https://127.0.0.1:"))
		b.step(10, 4, "the mystery server is at "+url)
		for _, name := range []string{"nginx.conf", "envoy.yaml"} {
			if left, _ := filepath.Glob(filepath.Join(b.root, "var", "mystery", name)); len(left) > 0 {
				t.Errorf("a learner can read %q", left)
			}
		}
		out, err := b.command("probe", url, "--cacert", "certs/out/ca.crt", "--json").Output()
		var d document.Document
		if err != nil || json.Unmarshal(out, &d) != nil || len(d.Verdict.Changes) == 0 {
			t.Fatalf("h2lab probe: %v\n%s", err, out)
		}
		b.write(10, "answers.txt",
			fmt.Sprintf("limit = %d\nfamily = %s\nchange = %s\n", d.Endpoint.Budget.Least+1, d.Verdict.Family,
				strings.ReplaceAll(d.Verdict.Changes[0].Line.String(), "\n", " ")))
		b.step(10, 4, "is not the limit")
		b.write(10, "answers.txt",
			fmt.Sprintf("limit = %d\nfamily = %s\nchange = %s\n", d.Endpoint.Budget.Least, d.Verdict.Family,
				strings.ReplaceAll(d.Verdict.Changes[0].Line.String(), "\n", " ")))
		b.step(10, 0, "exercise 10 is done", "has been stopped")
		b.nothing()
		if seen[d.Verdict.Family] = true; len(seen) == 2 {
			return
		}
	}
	t.Errorf("of twenty mystery servers all were %v", seen)
}

func TestAnOwnQuestionIsAnsweredByARunOfItsCommand(t *testing.T) {
	b := newBench(t)
	b.solve(11)
	b.step(11, 4, "is not in results/")
	cmd := b.command("repro")
	cmd.Env = append(cmd.Env, "LIMIT=100", "CONCURRENCY=10", "DURATION=1s", "WARMUP=300ms", "TRIALS=1", "SEED=1")
	// 4: ten requests in flight may cause too small a stampede
	if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 4 {
		t.Fatalf("h2lab repro: %v\n%s", err, out)
	}
	runs, _ := filepath.Glob(filepath.Join(b.root, "results", "2*"))
	if len(runs) != 1 {
		t.Fatalf("runs: %q", runs)
	}
	b.put("solutions", 11, "question.md", "20260101T000000Z-repro", filepath.Base(runs[0]))
	b.step(11, 0, "exercise 11 is done", filepath.Base(runs[0]))
}

// bench is a project with the lab's programs and a learner's directory.
type bench struct {
	t    *testing.T
	root string
	tmp  string
	h2   string
}

// seed determines the limit of the bench's learner: that of docs/workshop/solutions.
const seed = "anna"

func newBench(t *testing.T) *bench {
	t.Helper()
	checkout, err := filepath.Abs("../..")
	labtest.Check(t, err)
	unlock, err := native.Lock(checkout) // the ports are the checkout's
	labtest.Check(t, err)
	t.Cleanup(func() { _ = unlock() })
	b := &bench{t: t, root: t.TempDir(), tmp: t.TempDir(), h2: filepath.Join(checkout, "bin", "h2lab")}
	for _, name := range []string{"bin", "certs", "docs", "envoy", "haproxy", "k6", "nginx", "tools", "go.mod", "versions.env"} {
		labtest.Check(t, os.Symlink(filepath.Join(checkout, name), filepath.Join(b.root, name)))
	}
	labtest.Check(t, os.Mkdir(filepath.Join(b.root, "var"), 0o755))
	if said, status := b.run("workshop", "--seed", seed); status != 0 {
		t.Fatalf("h2lab workshop: status %d\n%s", status, said)
	}
	return b
}

// run runs h2lab in the project, as make does, and returns stdout, stderr and the status.
func (b *bench) run(args ...string) (string, int) {
	b.t.Helper()
	cmd := b.command(args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		b.t.Fatalf("%v; run: make build", err)
	}
	return said.String(), cmd.ProcessState.ExitCode()
}

func (b *bench) command(args ...string) *exec.Cmd {
	cmd := exec.Command(b.h2, append([]string{"--root", b.root}, args...)...)
	cmd.Dir = b.root
	cmd.Env = append(os.Environ(), "RUNTIME=native", "NO_COLOR=1", "TMPDIR="+b.tmp)
	return cmd
}

func (b *bench) up() {
	b.t.Helper()
	if said, status := b.run("up", "--for", "learner"); status != 0 {
		b.t.Fatalf("h2lab up: status %d\n%s", status, said)
	}
	b.t.Cleanup(func() {
		if said, status := b.run("down"); status != 0 {
			b.t.Errorf("h2lab down: status %d\n%s", status, said)
		}
	})
}

// step verifies an exercise and compares the status and the output.
func (b *bench) step(n, status int, words ...string) string {
	b.t.Helper()
	said, got := b.run("step", fmt.Sprint(n))
	if got != status {
		b.t.Errorf("exercise %d ended with status %d, want %d:\n%s", n, got, status, said)
	}
	for _, w := range words {
		if !strings.Contains(said, w) {
			b.t.Errorf("exercise %d doesn't say %q:\n%s", n, w, said)
		}
	}
	return said
}

func (b *bench) path(n int, name string) string {
	return filepath.Join(b.root, "workshop", fmt.Sprintf("%02d", n), name)
}

// put copies a learner's file from start or solutions, with changes.
func (b *bench) put(place string, n int, name string, change ...string) {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(b.root, "docs/workshop", place, fmt.Sprintf("%02d", n), name))
	if err != nil {
		b.t.Fatal(err)
	}
	changed := strings.NewReplacer(change...).Replace(string(text))
	if len(change) > 0 && changed == string(text) {
		b.t.Fatalf("nothing to change in %s of exercise %d: %q", name, n, change)
	}
	b.write(n, name, changed)
}

func (b *bench) write(n int, name, text string) {
	b.t.Helper()
	if err := os.WriteFile(b.path(n, name), []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// solve puts an exercise's solution in place.
func (b *bench) solve(n int) {
	b.t.Helper()
	files, err := filepath.Glob(filepath.Join(b.root, "docs/workshop/solutions", fmt.Sprintf("%02d", n), "*"))
	if err != nil || len(files) == 0 {
		b.t.Fatalf("exercise %d has no solution: %v", n, err)
	}
	for _, f := range files {
		b.put("solutions", n, filepath.Base(f))
	}
}

// nothing asserts that a check has left nothing behind.
func (b *bench) nothing() {
	b.t.Helper()
	for _, pattern := range []string{
		filepath.Join(b.tmp, "h2lab-workshop-*"), filepath.Join(b.root, "var/workshop*"),
		filepath.Join(b.root, "var/mystery*"),
	} {
		if left, _ := filepath.Glob(pattern); len(left) > 0 {
			b.t.Errorf("left behind: %q", left)
		}
	}
}

// hidesLimit asserts that neither a file below var/ nor a server's command line shows the learner's limit.
func (b *bench) hidesLimit() {
	b.t.Helper()
	limit, err := workshop.OwnLimit(b.root)
	if err != nil {
		b.t.Fatal(err)
	}
	shows := regexp.MustCompile(fmt.Sprintf(`-%d\b|(?:keepalive_requests|max_requests_per_connection:)\s+%[1]d\b`, limit))
	err = filepath.WalkDir(filepath.Join(b.root, "var"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if shows.MatchString(e.Name()) || shows.Match(text) {
			b.t.Errorf("%s shows the limit", path)
		}
		return err
	})
	if err != nil {
		b.t.Error(err)
	}
	running := native.Running(b.root)
	for _, server := range running {
		if line := strings.Join(proc.Args(server.PID), " "); shows.MatchString(line) {
			b.t.Errorf("a command line shows the limit: %s", line)
		}
	}
	if len(running) < 5 {
		b.t.Errorf("%d servers are recognised: %+v", len(running), running)
	}
}

// mostBinary is the largest size of the stripped program: 40 MB.
const mostBinary = 40_000_000

// wine is an environment in which Windows programs run.
type wine struct {
	program string
	env     []string
}

// newWine makes an environment that ends with the test.
func newWine(t *testing.T) wine {
	t.Helper()
	bin, prefix := filepath.Join(labtest.Root(t), "tools", "bin"), t.TempDir()
	w := wine{program: filepath.Join(bin, "wine")}
	if _, err := os.Stat(w.program); err != nil {
		t.Fatal("tools/bin has no wine; get it with: tools/wine.sh")
	}
	// WINEDEBUG drops messages on what wine doesn't have, such as a display.
	w.env = append(os.Environ(), "WINEPREFIX="+prefix, "WINEDEBUG=-all", "DISPLAY=", "NO_COLOR=1")
	// Its status says that the 32-bit half is missing, which no test needs.
	out, _ := w.command(t.Context(), "wineboot", "--init").CombinedOutput()
	system := filepath.Join(prefix, "drive_c", "windows", "system32")
	if _, err := os.Stat(filepath.Join(system, "kernel32.dll")); err != nil {
		t.Fatalf("wine can't be started: %v\n%s", err, out)
	}
	const random = "bcryptprimitives.dll" // tools/wine.sh says why
	b, err := os.ReadFile(filepath.Join(bin, ".wine", random))
	if err == nil {
		err = os.WriteFile(filepath.Join(system, random), b, 0o644)
	}
	labtest.Check(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = w.command(ctx, "wineboot", "--kill").Run()
	})
	return w
}

func (w wine) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.program, args...)
	cmd.Env = w.env
	return cmd
}

// goFor runs the go command for Windows in the checkout; what it starts finds wine's environment.
func (w wine) goFor(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = labtest.Root(t), append(slices.Clone(w.env), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestTheCommandRunsOnWindows runs the commands that need no Linux as a Windows program.
func TestTheCommandRunsOnWindows(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("needs an amd64 machine: wine runs programs of its own architecture")
	}
	w := newWine(t)
	exe := filepath.Join(t.TempDir(), "h2lab.exe")
	w.goFor(t, "build", "-ldflags", "-s -w", "-o", exe, "./cmd/h2lab")
	if info, err := os.Stat(exe); err != nil || info.Size() > mostBinary {
		t.Errorf("the program has %d bytes, want at most %d: %v", info.Size(), mostBinary, err)
	}
	t.Run("commands", func(t *testing.T) { w.commands(t, exe) })
	t.Run("unit tests", func(t *testing.T) { w.unitTests(t) })
}

// commands runs one command line of each kind and compares what it prints.
func (w wine) commands(t *testing.T, exe string) {
	dir := t.TempDir()
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	put := func(name, text string) { labtest.Write(t, filepath.Join(dir, name), text) }
	put("nginx.conf", labtest.CRLF("events {}\nhttp {\n include /etc/nginx/conf.d/*.conf;\n}\n"))
	put("conf.d/a.conf", labtest.CRLF("server { listen 443 ssl; http2 on; keepalive_requests 77; }\n"))
	put("nginx.txt", labtest.PowerShell("# configuration file /etc/nginx/nginx.conf:\nevents {}\nhttp { include "+
		"/etc/nginx/s/*; }\n\n# configuration file /etc/nginx/s/a:\nserver { listen 443 ssl; http2 on; keepalive_requests 88; }\n"))
	put("app 1.log", labtest.CRLF("http2: server sent GOAWAY and closed the connection; LastStreamID=1999, "+
		"ErrCode=NO_ERROR, debug=\"\"\n"))
	for _, c := range []struct {
		args   []string
		status int
		want   []string
	}{
		{[]string{"--help"}, 0, []string{"Something fails now", "decode"}},
		{[]string{"decode", "http2: server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERROR"}, 0,
			[]string{"GOAWAY"}},
		{[]string{"decode", `app*.log`}, 0, []string{"Go net/http"}},
		{[]string{"decode", `C:\logs\none.log`}, 1, []string{"no such file"}},
		{[]string{"lint", "nginx.conf"}, 4, []string{"77", "conf.d/a.conf"}},
		{[]string{"lint", `.\nginx.conf`}, 4, []string{"77"}},
		{[]string{"lint", "nginx.txt"}, 4, []string{"88", "/etc/nginx/s/a"}},
		{[]string{"lint", "--sarif", "nginx.conf"}, 4, []string{`"uri": "conf.d/a.conf"`}},
		{[]string{"lint", "--fix", "nginx.conf"}, 0, []string{"backup"}},
		{[]string{"advise", "--help"}, 0, []string{"Usage"}},
		{[]string{"probe", "--insecure", "--max-streams", "20", s.URL}, 0, []string{"20"}},
		{[]string{"trace", "--insecure", "--limit", "5", "--timeout", "1s", "--out", "trace.txt", s.URL}, 0, nil},
		{[]string{"trace", "--pcap", "x.pcapng", s.URL}, 3, []string{"trace --pcap requires Linux, because Windows"}},
		{[]string{"watch", "--patience", "1s", "http://127.0.0.1:1/stub_status"}, 1, []string{"is it running"}},
		{[]string{"repro"}, 3, []string{"repro requires Linux, because Windows has no /proc"}},
		{[]string{"down"}, 3, []string{"down requires Linux"}},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		cmd := w.command(ctx, append([]string{exe}, c.args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		cancel()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != c.status {
			t.Errorf("h2lab %q: %v, want status %d\n%s", c.args, err, c.status, out)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("h2lab %q lacks %q:\n%s", c.args, want, out)
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*trace*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// costly are tests that compute for seconds what every system computes alike, or open ten thousand files.
const costly = "TestIncludesAreBounded|TestFixesLeaveNothingToFix|TestHostileFilesEnd|TestHeldOutScenarios|" +
	"TestScenarios|TestRandomWorlds|TestServersAndCollectors"

// unitTests runs the tests of tools/unit.txt as Windows programs; internal/base/labtest/wine.go says why with these flags.
func (w wine) unitTests(t *testing.T) {
	// What wine leaves running in the background inherits the output: it holds a file, and not the pipe at whose end go test waits.
	const script = "#!/bin/sh\nout=$(mktemp)\n%q \"$@\" >\"$out\" 2>&1\nstatus=$?\ncat \"$out\"\nrm -f \"$out\"\nexit $status\n"
	through := filepath.Join(t.TempDir(), "wine")
	labtest.Check(t, os.WriteFile(through, fmt.Appendf(nil, script, w.program), 0o755))
	args := []string{"test", "-count=1", "-exec", through, "-tags", "wine", "-ldflags", "-checklinkname=0", "-timeout=5m",
		"-short", "-skip=^(" + costly + ")$"}
	for line := range strings.Lines(labtest.Read(t, filepath.Join(labtest.Root(t), "tools", "unit.txt"))) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			args = append(args, line)
		}
	}
	if n := strings.Count("\n"+w.goFor(t, args...), "\nok "); n < 15 {
		t.Errorf("only %d packages of tools/unit.txt have tests", n)
	}
}
