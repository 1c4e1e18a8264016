package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/facts"
)

// program is the client's process, in a process group of its own.
type program struct{ *child.Child }

// start starts argv with exactly this environment, in h2lab's working directory, since the job's
// paths may be relative to it. A client ends when h2lab ends, for whatever reason.
func (job Job) start(argv, env []string, stdin io.Reader, stdout io.Writer) (*program, error) {
	c, err := child.Start(child.Spec{Argv: argv, Env: env, Stdin: stdin, Stdout: stdout, EndsWithUs: true, Start: job.Start})
	if err != nil {
		return nil, fmt.Errorf("starting it: %w; check the tools with: h2lab doctor", err)
	}
	return &program{c}, nil
}

// stop ends the process group and waits for it.
func (c *program) stop(grace time.Duration) {
	_ = c.Stop(context.Background(), child.Manner{Grace: grace, Group: true})
}

// await waits for ready; what describes it in the error.
func (c *program) await(ctx context.Context, ready <-chan struct{}, limit time.Duration, what func() string) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ready:
		return nil
	case <-c.Exited():
		select {
		case <-ready: // both have happened, ready first
			return nil
		default:
			return c.ended(what())
		}
	case <-timer.C:
		return fault(facts.FaultSilent, "%s did not come within %s and was ended%s", what(), limit, c.Tail().Quote())
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// finish waits for the program to end with status 0.
func (c *program) finish(ctx context.Context, limit time.Duration) error {
	exit := func() string { return "its end" }
	if err := c.await(ctx, c.Exited(), limit, exit); err != nil {
		return err
	}
	if c.Err() != nil {
		return fault(facts.FaultCrashed, "it ended with %w after its answer%s", c.Err(), c.Tail().Quote())
	}
	return nil
}

// ended is the error of a child that ended too early.
func (c *program) ended(what string) error {
	how := "exit status 0"
	if c.Err() != nil {
		how = c.Err().Error()
	}
	var exit *exec.ExitError
	if c.Err() != nil && !errors.As(c.Err(), &exit) {
		how = "an error of its pipes: " + how
	}
	return fault(facts.FaultCrashed, "it ended with %s before %s%s", strings.TrimSpace(how), what, c.Tail().Quote())
}
