//go:build integration

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

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

// goFor runs the go command for Windows in the checkout.
func goFor(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = labtest.Root(t), append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// TestTheCommandRunsOnWindows runs the commands that need no Linux as a Windows program.
func TestTheCommandRunsOnWindows(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("needs an amd64 machine: wine runs programs of its own architecture")
	}
	w := newWine(t)
	exe := filepath.Join(t.TempDir(), "h2lab.exe")
	goFor(t, "build", "-ldflags", "-s -w", "-o", exe, "./cmd/h2lab")
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
	put(t, dir, "nginx.conf", labtest.CRLF("events {}\nhttp {\n include /etc/nginx/conf.d/*.conf;\n}\n"))
	put(t, dir, "conf.d/a.conf", labtest.CRLF("server { listen 443 ssl; http2 on; keepalive_requests 77; }\n"))
	put(t, dir, "nginx.txt", labtest.PowerShell("# configuration file /etc/nginx/nginx.conf:\nevents {}\nhttp { include "+
		"/etc/nginx/s/*; }\n\n# configuration file /etc/nginx/s/a:\nserver { listen 443 ssl; http2 on; keepalive_requests 88; }\n"))
	put(t, dir, "app 1.log", labtest.CRLF("http2: server sent GOAWAY and closed the connection; LastStreamID=1999, "+
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

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	labtest.Write(t, file, text)
}

// unitPackages are the packages of tools/unit.txt that have tests, with their directories.
func unitPackages(t *testing.T) map[string]string {
	t.Helper()
	var patterns []string
	for line := range strings.Lines(labtest.Read(t, filepath.Join(labtest.Root(t), "tools", "unit.txt"))) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			patterns = append(patterns, line)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles"},
		patterns...)...)
	cmd.Dir, cmd.Env = labtest.Root(t), append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := cmd.Output()
	labtest.Check(t, err)
	dirs := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p struct {
			ImportPath, Dir           string
			TestGoFiles, XTestGoFiles []string
		}
		labtest.Check(t, d.Decode(&p))
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			dirs[p.ImportPath] = p.Dir
		}
	}
	return dirs
}

// costly are tests that compute for seconds what every system computes alike, or open ten thousand files.
const costly = "TestIncludesAreBounded|TestFixesLeaveNothingToFix|TestHostileFilesEnd|TestHeldOutScenarios|" +
	"TestScenarios|TestRandomWorlds|TestServersAndCollectors"

// unitTests builds the tests of tools/unit.txt for Windows and runs them.
func (w wine) unitTests(t *testing.T) {
	dirs := unitPackages(t)
	if len(dirs) < 15 {
		t.Errorf("only %d packages of tools/unit.txt have tests", len(dirs))
	}
	programs := map[string]string{} // by package
	for _, batch := range distinct(dirs) {
		bin := t.TempDir()
		for _, name := range batch {
			programs[name] = filepath.Join(bin, path.Base(name)+".test.exe")
		}
		// internal/base/labtest/wine.go says why.
		args := []string{"test", "-c", "-tags", "wine", "-ldflags", "-checklinkname=0", "-o", bin + "/"}
		goFor(t, append(args, batch...)...)
	}
	var group sync.WaitGroup
	turn := make(chan struct{}, runtime.NumCPU())
	for name, dir := range dirs {
		group.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			cmd := w.command(t.Context(), programs[name], "-test.timeout=5m", "-test.short",
				"-test.skip=^("+costly+")$")
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", name, err, last(string(out), 40))
			}
		})
	}
	group.Wait()
}

// distinct divides packages into groups in which no two have the same last element, since go test -c names
// a program after that.
func distinct(dirs map[string]string) (groups [][]string) {
	for _, name := range slices.Sorted(maps.Keys(dirs)) {
		same := func(other string) bool { return path.Base(other) == path.Base(name) }
		at := slices.IndexFunc(groups, func(g []string) bool { return !slices.ContainsFunc(g, same) })
		if at < 0 {
			at, groups = len(groups), append(groups, nil)
		}
		groups[at] = append(groups[at], name)
	}
	return groups
}

func last(text string, lines int) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(all) <= lines {
		return text
	}
	return fmt.Sprintf("(%d lines before)\n", len(all)-lines) + strings.Join(all[len(all)-lines:], "\n")
}
