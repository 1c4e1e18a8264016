package compose

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"golang.org/x/term"

	"h2lab/internal/base/child"
)

// labContainer is the name of the measuring container. It is fixed, so that a leftover container is
// found and two can't run at once.
const labContainer = ProjectName + "-lab-run"

// stopGrace is how long the h2lab inside may take, after SIGTERM, to end its children and write its
// results.
const stopGrace = 20 * time.Second

// LabRun is one `docker compose run --rm lab`.
type LabRun struct {
	Args []string          // of the h2lab inside
	Env  map[string]string // in addition to the image's
	// Stdin, Stdout and Stderr are passed through. Where both Stdin and Stdout are terminals, the
	// h2lab inside gets a terminal too.
	Stdin          *os.File
	Stdout, Stderr io.Writer
}

// RunLab runs h2lab inside the pod, which must be up, and returns its exit status. When ctx ends,
// RunLab stops the container (SIGTERM first, so that h2lab saves its results) and returns when it
// is gone.
func (p *Project) RunLab(ctx context.Context, run LabRun) (int, error) {
	clean := context.WithoutCancel(ctx)
	removeLab(clean) // left by a run that crashed
	args := []string{"run", "--rm", "--no-deps", "--name", labContainer}
	tty := isTerminal(run.Stdin) && isTerminal(run.Stdout)
	if !tty {
		args = append(args, "--no-TTY")
	}
	for _, name := range slices.Sorted(maps.Keys(run.Env)) {
		args = append(args, "--env", name+"="+run.Env[name])
	}
	args = p.args(append(append(args, "lab"), run.Args...)...)
	// Not command(ctx, …): an interrupt must reach the h2lab inside, not the docker command that
	// waits for it.
	spec := child.Spec{
		Argv:   append([]string{"docker"}, args...),
		Env:    p.env(ctx),
		Stdout: run.Stdout,
		Stderr: run.Stderr,
	}
	if tty { // it reads from the terminal; otherwise h2lab passes Ctrl-C on
		spec.Stdin, spec.Foreground = run.Stdin, true
		if out, ok := run.Stderr.(*os.File); ok {
			spec.Stderr = out
		}
	}
	c, err := child.Start(spec)
	if err != nil {
		return 0, failure(ctx, args, "", err)
	}
	waitOrStop(ctx, c)
	if ctx.Err() != nil {
		removeLab(clean)
		return c.Status(), ctx.Err()
	}
	var exit *exec.ExitError
	if err := c.Err(); err != nil && !errors.As(err, &exit) {
		return 0, fmt.Errorf("docker compose run lab: %w", err)
	}
	return c.Status(), nil
}

// waitOrStop waits for the docker command; when ctx ends it stops the container, which ends the
// command.
func waitOrStop(ctx context.Context, c *child.Child) {
	select {
	case <-c.Exited():
		return
	case <-ctx.Done():
	}
	clean, cancel := context.WithTimeout(child.Cleanup(ctx), 2*stopGrace)
	defer cancel()
	seconds := strconv.Itoa(int(stopGrace / time.Second))
	if _, err := docker(clean, os.Environ(), "stop", "--time", seconds, labContainer); err != nil {
		c.Signal(interrupt) // no container exists yet
	}
	select {
	case <-c.Exited():
	case <-clean.Done():
		_ = c.Stop(clean, child.Manner{Group: true})
	}
}

// removeLab removes the measuring container, if there is one.
func removeLab(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	_, _ = docker(ctx, os.Environ(), "rm", "--force", labContainer)
}

// isTerminal reports whether f is a terminal.
func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && file != nil && term.IsTerminal(int(file.Fd()))
}
