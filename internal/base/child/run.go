package child

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// Result is the output of a program that has ended.
type Result struct {
	Stdout, Stderr string
	Status         int
}

// HungError means that a program did not end in time and was killed.
type HungError struct {
	Argv  []string
	After time.Duration
}

func (e *HungError) Error() string {
	line := strings.Join(e.Argv, " ")
	return fmt.Sprintf("%s did not end within %v and was killed; see what it does with: %s", e.Argv[0], e.After, line)
}

// ExitError means that a program failed.
type ExitError struct {
	Child  *Child
	Stderr string
}

func (e *ExitError) Error() string { return e.Child.Describe() }

// Limits are the limits of one run.
type Limits struct {
	Within time.Duration // the program is killed after this time; 0 is no limit
	Grace  time.Duration // between SIGTERM and SIGKILL when the context ends; 0 kills at once
	Stdout int           // most bytes of stdout to keep, from the beginning; 0 is 1 MiB
}

// mostStdout bounds how much of a program's stdout is kept.
const mostStdout = 1 << 20

// Run runs a program until it ends or its time is over, and leaves no process behind. It returns a
// HungError, an ExitError for a status other than 0, the context's error, or the error of a program
// that can't be started. The result has the program's output in every case.
func Run(ctx context.Context, spec Spec, limits Limits) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, context.Cause(ctx)
	}
	out := &head{most: limits.Stdout}
	if out.most == 0 {
		out.most = mostStdout
	}
	if spec.Stdout == nil {
		spec.Stdout = out
	}
	c, err := Start(spec)
	if err != nil {
		return Result{}, err
	}
	var late <-chan time.Time
	if limits.Within > 0 {
		timer := time.NewTimer(limits.Within)
		defer timer.Stop()
		late = timer.C
	}
	var cut error
	select {
	case <-c.exited:
	case <-ctx.Done():
		cut = context.Cause(ctx)
	case <-late:
		cut = &HungError{Argv: append([]string{filepath.Clean(spec.Argv[0])}, spec.Argv[1:]...), After: limits.Within}
	}
	stop := ctx
	if limits.Grace > 0 {
		stop = context.WithoutCancel(ctx)
	}
	stopped := c.Stop(stop, Manner{Grace: limits.Grace, Group: true})
	if !c.over() {
		return Result{Status: -1}, stopped
	}
	r := Result{Stdout: out.String(), Stderr: c.tail.String(), Status: c.Status()}
	switch {
	case cut != nil:
		return r, cut
	case stopped != nil:
		return r, stopped
	case c.err != nil:
		return r, &ExitError{Child: c, Stderr: r.Stderr}
	}
	return r, nil
}

// head is a writer that keeps only the beginning.
type head struct {
	most int
	buf  bytes.Buffer
}

func (h *head) Write(p []byte) (int, error) {
	h.buf.Write(p[:min(len(p), max(0, h.most-h.buf.Len()))])
	return len(p), nil
}

func (h *head) String() string { return h.buf.String() }
