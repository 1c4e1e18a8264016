//go:build integration

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/proc"
	"h2lab/internal/lab/native"
	"h2lab/internal/workshop"
)

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

// hints checks that the three hints for what is missing differ.
func (b *bench) hints(n int) {
	b.t.Helper()
	seen := map[string]bool{}
	for k := 1; k <= 3; k++ {
		said, status := b.run("step", fmt.Sprint(n), "--hint", fmt.Sprint(k))
		_, hint, ok := strings.Cut(said, "\nhint: ")
		if status != 4 || !ok || seen[hint] {
			b.t.Errorf("exercise %d, hint %d, status %d:\n%s", n, k, status, said)
		}
		seen[hint] = true
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
