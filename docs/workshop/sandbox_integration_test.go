//go:build integration

package workshop

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
)

// sandbox is a copy of the project in its own network and process namespace, so that the lab's ports
// are free and no process outlives the test.
type sandbox struct {
	project string
	scripts string // the directory of scripts
	inside  string // its path in the sandbox
	stdin   io.WriteCloser
	said    chan string
}

// linked lists what tools/get.sh made; a sandbox uses it and never downloads.
var linked = []string{"tools/bin", "tools/lib", "tools/nginx-current"}

func openSandbox(t *testing.T) *sandbox {
	t.Helper()
	dir := roomDir(t)
	r := &sandbox{
		project: filepath.Join(dir, "h2-keepalive-lab"),
		said:    make(chan string, 10),
	}
	copyProject(t, labtest.Root(t), r.project)
	cmd := r.command(t, dir)
	cmd.Dir, cmd.Stderr = r.project, os.Stderr
	cmd.Env = roomEnvironment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	labtest.Check(t, err)
	stdout, err := cmd.StdoutPipe()
	labtest.Check(t, err)
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v; a sandbox of its own takes unshare (util-linux)", err)
	}
	r.stdin = stdin
	go func() {
		for s := bufio.NewScanner(stdout); s.Scan(); {
			r.said <- s.Text()
		}
		close(r.said)
	}()
	t.Cleanup(func() {
		_ = stdin.Close() // the loop ends, and the process namespace or the container with it
		late := time.AfterFunc(15*time.Second, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		defer late.Stop()
		_ = cmd.Wait()
	})
	return r
}

// scriptLoop runs the scripts whose names it reads, one after the other.
const scriptLoop = `while read -r script; do bash "$script" >"$script.out" 2>&1 </dev/null; echo "$?"; done`

// command is the sandbox's shell, which runs scriptLoop.
func (r *sandbox) command(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	if os.Getenv("SANDBOX") == "container" {
		return r.containerCommand(t)
	}
	r.scripts = filepath.Join(dir, "scripts")
	r.inside = r.scripts
	labtest.Check(t, os.Mkdir(r.scripts, 0o755))
	// --kill-child and the process namespace end every process of the sandbox with it. A learner isn't
	// root, so the second namespace drops root once the network is up.
	return exec.Command("unshare", "--net", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc", "sh",
		"-c", "ip link set lo up && exec unshare --map-user=1000 --map-group=1000 sh -c '"+scriptLoop+"'")
}

// learner is the user and the group of a sandbox that is a container.
const learner = 1000

// containerCommand opens the lab container on the sandbox's project, as `make shell` does for a user
// whose number is learner (e2e/lab_container_test.go starts the engine and the test).
func (r *sandbox) containerCommand(t *testing.T) *exec.Cmd {
	t.Helper()
	r.scripts = filepath.Join(r.project, "results", ".scripts")
	r.inside = "/lab/results/.scripts"
	labtest.Check(t, os.MkdirAll(r.scripts, 0o755))
	err := filepath.WalkDir(r.project, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, learner, learner)
	})
	labtest.Check(t, err)
	t.Setenv("CMD", scriptLoop)
	t.Setenv("LAB_USER", fmt.Sprintf("%d:%[1]d", learner))
	return exec.Command("tools/shell.sh")
}

// roomDir is not t.TempDir(), whose name ends with digits, a slash and digits: Envoy prints the
// path before its version, and the path then looks like a version.
func roomDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "h2lab-sandbox-")
	labtest.Check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// roomEnvironment is this process's environment without the knobs of a run, the proxy settings and
// the variables of a running make. Docker is not used, and the output is English, as in the pages.
func roomEnvironment() []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(kv), "=")
		return slices.Contains([]string{"LIMIT", "SEED", "FOR", "N", "RESULTS", "KEY", "CPUS", "RUNTIME", "TARGET", "MAKEFLAGS", "MFLAGS",
			"MAKELEVEL", "SSL_CERT_FILE"}, name) ||
			strings.HasSuffix(name, "_PROXY")
	})
	return append(env, "RUNTIME=native", "LC_ALL=C")
}

// copyProject copies what git knows and what it doesn't ignore, and links what was downloaded.
func copyProject(t *testing.T, from, to string) {
	t.Helper()
	labtest.Check(t, os.MkdirAll(to, 0o755))
	pack := exec.CommandContext(t.Context(), "sh", "-ec", "git ls-files -z --cached --others --exclude-standard -- . ':!workshop' | "+
		`tar -c --null --ignore-failed-read -T - | tar -x -C "$0"`, to)
	pack.Dir = from
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("copying the project: %v: %s", err, out)
	}
	if os.Getenv("SANDBOX") == "container" {
		return // which has them, for its own system
	}
	for _, name := range linked {
		if _, err := os.Stat(filepath.Join(from, name)); err == nil {
			_ = os.Remove(filepath.Join(to, name))
			labtest.Check(t, os.Symlink(filepath.Join(from, name), filepath.Join(to, name)))
		}
	}
}

// mark separates the outputs of two commands; no output contains it.
const mark = "\x01\x02"

// carryOut runs commands in one shell, in order, and compares their output with the page's.
func (r *sandbox) carryOut(t *testing.T, commands []command) {
	t.Helper()
	var script strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&script, "%s\nprintf '\\n%s%%s\\n' \"$?\"\n", c.text, mark)
	}
	out := r.run(t, script.String(), 4*time.Minute)
	parts := strings.Split(out, "\n"+mark)
	if len(parts) != len(commands)+1 {
		t.Fatalf("%d of %d commands came to their end:\n%s", len(parts)-1, len(commands), out)
	}
	shown := parts[0]
	for i, c := range commands {
		status, rest, _ := strings.Cut(parts[i+1], "\n")
		if got := lines(shown); !c.shown && status != "0" {
			t.Errorf("%v\nended with status %s, and the page shows no output:\n%s", c, status, shown)
		} else if c.shown && !matches(c.want, got) {
			t.Errorf("%v\nended with status %s and shows:\n%s\nthe page has:\n%s", c, status, shown,
				strings.Join(c.want, "\n"))
		} else if status == "126" || status == "127" {
			t.Errorf("%v\nis no command:\n%s", c, shown)
		}
		shown = rest
	}
}

// run runs a script in the sandbox and returns its stdout and stderr together.
func (r *sandbox) run(t *testing.T, script string, within time.Duration) string {
	t.Helper()
	f, err := os.CreateTemp(r.scripts, "*.sh")
	labtest.Check(t, err)
	// The learner of a container is another user than this test's.
	if _, err := f.WriteString(script); err != nil || f.Chmod(0o644) != nil || f.Close() != nil {
		t.Fatal("cannot write a script")
	}
	if _, err := fmt.Fprintln(r.stdin, path.Join(r.inside, filepath.Base(f.Name()))); err != nil {
		t.Fatalf("the sandbox has ended: %v", err)
	}
	select {
	case _, open := <-r.said:
		if !open {
			t.Fatal("the sandbox ended before its script")
		}
	case <-time.After(within):
		t.Errorf("not done within %v", within)
	}
	return labtest.Read(t, f.Name()+".out")
}
