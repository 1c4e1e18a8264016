package workshop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"h2lab/internal/base/child"
)

// task is a learner's program, or a program that runs a learner's file.
type task struct {
	dir    string
	env    []string // in addition to this process's environment
	argv   []string
	within time.Duration
}

// outcome is how a task ended.
type outcome struct {
	stdout, stderr string
	status         int
	late           bool // stopped at its time limit
}

// run runs the task until it ends or reaches its time limit, and leaves no process of it. It keeps
// the end of its output.
func (t task) run(ctx context.Context) (outcome, error) {
	var stdout child.Tail
	r, err := child.Run(ctx, child.Spec{Argv: t.argv, Dir: t.dir, Env: append(os.Environ(), t.env...), Stdout: &stdout},
		child.Limits{Within: t.within})
	out := outcome{stdout: stdout.String(), stderr: r.Stderr, status: r.Status}
	var hung *child.HungError
	var exit *child.ExitError
	switch {
	case errors.As(err, &hung):
		out.late = true
	case err != nil && !errors.As(err, &exit):
		return out, err
	}
	return out, nil
}

// lastWords returns the last line that a program printed on stderr, or else on stdout.
func (o outcome) lastWords() string {
	for _, text := range []string{o.stderr, o.stdout} {
		lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(text, "?")), "\n")
		if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
			return quoted(last)
		}
	}
	return "nothing"
}

// mostQuoted is how much of a program's message a finding repeats.
const mostQuoted = 160

func quoted(s string) string {
	if r := []rune(s); len(r) > mostQuoted {
		s = string(r[:mostQuoted]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// program is a built program of a learner.
type program struct {
	path string
	fail string // why it doesn't build, or ""
}

// buildTime limits the first build, which compiles the standard library.
const buildTime = 3 * time.Minute

// prepare builds an exercise's program. Its time doesn't count as the check's.
func (e Exercise) prepare(ctx context.Context, d *Desk) error {
	d.built = program{}
	if len(e.Files) != 1 || e.Files[0] != "main.go" {
		return nil
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		return &MissingError{"go, which builds " + shown(e.Number, "main.go") + ", isn't on the PATH",
			"install Go 1.26 or newer"}
	}
	if _, err := os.Stat(filepath.Join(d.dir(), "go.mod")); err != nil {
		return &MissingError{Learner + "/go.mod isn't there", "make workshop"}
	}
	dir, err := os.MkdirTemp("", "h2lab-workshop-")
	if err != nil {
		return err
	}
	d.built.path = filepath.Join(dir, fmt.Sprintf("%02d", e.Number))
	out, err := task{
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

// stateBuild is the state of a program that doesn't build.
const stateBuild State = "build"

var buildHints = Hints{
	"the compiler has the word: it names a line",
	"build it yourself from the workshop's directory and read the first message, not the last",
	"an import that isn't used, a name that isn't declared and a missing brace are the usual three; the file that " +
		"the exercise began with does build",
}

// runBuilt runs the program that prepare built.
func (d *Desk) runBuilt(ctx context.Context, within time.Duration) (outcome, error) {
	return task{dir: d.dir(), argv: []string{d.built.path}, within: within}.run(ctx)
}
