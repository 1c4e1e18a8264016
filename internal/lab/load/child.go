package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"h2lab/internal/facts"
)

// child is the client's process, in a process group of its own.
type child struct {
	cmd    *exec.Cmd
	words  *tail         // the end of its stderr
	exited chan struct{} // closed when it has been waited for
	err    error         // how it ended; read it after exited
}

// start starts argv with exactly this environment, in the working directory of
// h2lab, since the job's paths may be relative to it.
func start(argv, env []string, stdin io.Reader, stdout io.Writer) (*child, error) {
	c := &child{cmd: exec.Command(argv[0], argv[1:]...), words: &tail{}, exited: make(chan struct{})}
	c.cmd.Env = env
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = stdin, stdout, c.words
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.cmd.WaitDelay = time.Second // what a grandchild still writes is not waited for
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting it: %w; see what is there with: h2lab doctor", err)
	}
	go func() {
		c.err = c.cmd.Wait()
		close(c.exited)
	}()
	return c, nil
}

// stop ends the process group and waits for it: politely, and after grace with SIGKILL.
func (c *child) stop(grace time.Duration) {
	c.signal(syscall.SIGTERM)
	select {
	case <-c.exited:
	case <-time.After(grace):
		c.signal(syscall.SIGKILL)
		<-c.exited
	}
}

// signal reaches the group only while its leader has not been waited for: after
// that the number may be another's.
func (c *child) signal(s syscall.Signal) {
	select {
	case <-c.exited:
	default:
		_ = syscall.Kill(-c.cmd.Process.Pid, s) // ESRCH: it has just ended
	}
}

// await waits for ready; what names it for the error when it doesn't come.
func (c *child) await(ctx context.Context, ready <-chan struct{}, limit time.Duration, what func() string) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ready:
		return nil
	case <-c.exited:
		select {
		case <-ready: // both have happened; the good news was first
			return nil
		default:
			return c.ended(what())
		}
	case <-timer.C:
		return fault(facts.FaultSilent, "%s did not come within %s and was ended%s", what(), limit, c.words.quote())
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// finish waits for a good end.
func (c *child) finish(ctx context.Context, limit time.Duration) error {
	exit := func() string { return "its end" }
	if err := c.await(ctx, c.exited, limit, exit); err != nil {
		return err
	}
	if c.err != nil {
		return fault(facts.FaultCrashed, "it ended with %w after its answer%s", c.err, c.words.quote())
	}
	return nil
}

// ended is the error of a child that is gone too early.
func (c *child) ended(what string) error {
	how := "exit status 0"
	if c.err != nil {
		how = c.err.Error()
	}
	var exit *exec.ExitError
	if c.err != nil && !errors.As(c.err, &exit) {
		how = "an error of its pipes: " + how
	}
	return fault(facts.FaultCrashed, "it ended with %s before %s%s", strings.TrimSpace(how), what, c.words.quote())
}
