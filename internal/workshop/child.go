package workshop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// child is a program that a learner wrote, or one that runs his file.
type child struct {
	dir    string
	env    []string // besides our own
	argv   []string
	within time.Duration
}

// outcome is how it ended.
type outcome struct {
	stdout, stderr string
	status         int
	late           bool // it was ended, its time was over
}

// run runs it to its end, or to the end of its time, and leaves nothing of its
// process group.
func (c child) run(ctx context.Context) (outcome, error) {
	within, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	var stdout, stderr bounded
	cmd := exec.CommandContext(within, c.argv[0], c.argv[1:]...)
	cmd.Dir, cmd.Env = c.dir, append(os.Environ(), c.env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second // what a grandchild still writes is not waited for
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Start(); err != nil {
		return outcome{}, err
	}
	err := cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left in its group; ESRCH is the usual answer
	out := outcome{stdout: stdout.String(), stderr: stderr.String(), status: cmd.ProcessState.ExitCode()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case within.Err() != nil:
		out.late = true
	case err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay):
		return out, err
	}
	return out, nil
}

// mostSaid bounds what is kept of a child's output.
const mostSaid = 64 << 10

// bounded keeps the end of what it is given. The buffer isn't embedded: its
// ReadFrom would let io.Copy pass the bound by.
type bounded struct{ kept bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	_, _ = b.kept.Write(p)
	if over := b.kept.Len() - mostSaid; over > 0 {
		b.kept.Next(over)
	}
	return len(p), nil
}

func (b *bounded) String() string { return b.kept.String() }

// lastWords are the last line of what a program said on stderr, or on stdout.
func (o outcome) lastWords() string {
	for _, text := range []string{o.stderr, o.stdout} {
		lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(text, "?")), "\n")
		if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
			return quoted(last)
		}
	}
	return "nothing"
}

// mostQuoted is how much of a program's message a sentence repeats.
const mostQuoted = 160

func quoted(s string) string {
	if r := []rune(s); len(r) > mostQuoted {
		s = string(r[:mostQuoted]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// program is a learner's program, built.
type program struct {
	path string
	fail string // why it doesn't build, or ""
}

// buildTime is how long a first build may take: it compiles the standard library.
const buildTime = 3 * time.Minute

// prepare builds an exercise's program, outside the check's own time.
func (e Exercise) prepare(ctx context.Context, d *Desk) error {
	d.built = program{}
	if len(e.Files) != 1 || e.Files[0] != "main.go" {
		return nil
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		return &MissingError{"go, which builds " + shown(e.Number, "main.go") + ", isn't on the PATH", "install Go 1.26 or newer"}
	}
	if _, err := os.Stat(filepath.Join(d.dir(), "go.mod")); err != nil {
		return &MissingError{Learner + "/go.mod isn't there", "make workshop"}
	}
	dir, err := os.MkdirTemp("", "h2lab-workshop-")
	if err != nil {
		return err
	}
	d.built.path = filepath.Join(dir, fmt.Sprintf("%02d", e.Number))
	out, err := child{
		dir: d.dir(), within: buildTime,
		env:  []string{"GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local", "GOPROXY=off"},
		argv: []string{tool, "build", "-o", d.built.path, fmt.Sprintf("./%02d", e.Number)},
	}.run(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("building %s: %w", shown(e.Number, "main.go"), err)
	case out.late:
		return fmt.Errorf("building %s took longer than %v; try again", shown(e.Number, "main.go"), buildTime)
	case out.status != 0:
		d.built.fail = out.lastWords()
	}
	return nil
}

// discard removes what prepare made.
func (d *Desk) discard() {
	if d.built.path != "" {
		_ = os.RemoveAll(filepath.Dir(d.built.path))
	}
}

// stateBuild is that of a program that doesn't build.
const stateBuild State = "build"

var buildHints = Hints{
	"the compiler has the word: it names a line",
	"build it yourself from the workshop's directory and read the first message, not the last",
	"an import that isn't used, a name that isn't declared and a missing brace are the usual three; the file that the exercise began with does build",
}

// runBuilt runs the program that prepare built.
func (d *Desk) runBuilt(ctx context.Context, within time.Duration) (outcome, error) {
	return child{dir: d.dir(), argv: []string{d.built.path}, within: within}.run(ctx)
}
