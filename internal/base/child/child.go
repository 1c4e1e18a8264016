// Package child starts other programs and ends them. h2lab runs every program through it: servers,
// client programs, builds, capture programs, scripts and version queries.
//
// A child has a process group of its own, so that the terminal's Ctrl-C reaches only h2lab, which
// then stops its children in order. When a child ends, the package kills the rest of its group
// before it waits for the child: until then the kernel gives the pid to no other process. A
// variable in the environment identifies descendants that left the group (setsid(2), as a daemon
// does). Stop sends SIGTERM, waits and kills; Run starts a program that is expected to end within a
// time, and stops it otherwise.
//
// Other Unix systems have the group, but no way to kill the rest of it at the child's end (system_other.go); on Windows a
// child is ended alone (system_windows.go).
package child

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"time"

	"h2lab/internal/base/proc"
)

// pipeDelay is how long a pipe is still read after the child has ended, while a process that left
// its group holds the other end.
const pipeDelay = time.Second

// Spec describes what to start and how.
type Spec struct {
	Argv []string
	// Dir is where it starts; empty is the root directory. A child that started in the user's directory would take files
	// there for its own, as python does (-m pip runs pip.py of the working directory).
	Dir string
	Env []string // the whole environment; nil is h2lab's own
	// Stdin is the child's input; nil is /dev/null. A nil Stdout discards the output.
	Stdin  io.Reader
	Stdout io.Writer
	// Stderr gets the child's stderr, in addition to the tail that is kept for errors. The child
	// gets an *os.File directly, and then there is no tail.
	Stderr io.Writer
	// Outlives gives the child a session of its own: it keeps running after h2lab has ended.
	Outlives bool
	// EndsWithUs makes Linux end the child when h2lab ends, for whatever reason.
	EndsWithUs bool
	// Foreground leaves the child in h2lab's process group, so that it may read from the terminal.
	Foreground bool
	// Ended is called when the child has ended, before the rest of its output is read; it may be nil.
	Ended func()
	// Start replaces cmd.Start, for example to start the command in a cgroup. It runs on a thread
	// that lives as long as h2lab.
	Start func(*exec.Cmd) error
}

// Child is a process that Start started or Find found.
type Child struct {
	PID     int
	Started uint64 // start time in clock ticks since boot, 0 where it is unknown

	name   string
	cmd    *exec.Cmd // nil for one that Find found
	family family    // of one that Start started
	tail   *Tail
	mark   string
	group  bool          // it leads a process group
	exited chan struct{} // nil for one that Find found
	err    error         // how it ended; read it after exited

	mu     sync.Mutex
	reaped bool // another process may have its pid now
}

// Start starts a program.
func Start(spec Spec) (*Child, error) {
	if len(spec.Argv) == 0 {
		return nil, errors.New("there is no program to start")
	}
	c := &Child{name: spec.Argv[0], tail: &Tail{}, mark: newMark(), group: !spec.Foreground,
		exited: make(chan struct{})}
	c.cmd = c.command(spec)
	start := spec.Start
	if start == nil {
		start = (*exec.Cmd).Start
	}
	var err error
	onLastingThread(func() { err = start(c.cmd) })
	if err != nil {
		return nil, err
	}
	c.PID = c.cmd.Process.Pid
	c.family = familyOf(c.cmd.Process)
	// The pid stays the child's own until it is waited for. A child that has ended already has no
	// start time, and no living process has start time 0.
	c.Started, _ = proc.StartTime(c.PID)
	go c.wait(spec.Ended)
	return c, nil
}

// command makes the exec.Cmd of a spec.
func (c *Child) command(spec Spec) *exec.Cmd {
	cmd := exec.Command(spec.Argv[0], spec.Argv[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout = spec.Dir, spec.Stdin, spec.Stdout
	if spec.Dir == "" {
		cmd.Dir = string(filepath.Separator)
		if abs, err := filepath.Abs(cmd.Path); err == nil && filepath.Base(cmd.Path) != cmd.Path { // it would be looked for there
			cmd.Path = abs
		}
	}
	env := spec.Env
	if env == nil {
		env = os.Environ()
	}
	cmd.Env = append(env[:len(env):len(env)], markVariable+"="+c.mark)
	switch to := spec.Stderr.(type) {
	case nil:
		cmd.Stderr = c.tail
	case *os.File:
		cmd.Stderr = to
	default:
		if sameWriter(spec.Stdout, to) { // exec gives both one pipe when they are equal
			both := io.MultiWriter(c.tail, to)
			cmd.Stdout, cmd.Stderr = both, both
			break
		}
		cmd.Stderr = io.MultiWriter(c.tail, to)
	}
	cmd.SysProcAttr = attributes(spec)
	cmd.WaitDelay = pipeDelay
	return cmd
}

// sameWriter compares two writers; comparing uncomparable types would panic.
func sameWriter(a, b io.Writer) bool { return reflect.ValueOf(a).Comparable() && a == b }

// wait waits for the child's end, kills the rest of its group, and then reads the child's status,
// which frees its pid.
func (c *Child) wait(ended func()) {
	if awaitEnd(c.PID) {
		c.mu.Lock()
		if c.group {
			c.family.signalAll(syscall.SIGKILL) // usually none is left
		}
		c.reaped = true
		c.mu.Unlock()
	}
	if ended != nil {
		ended()
	}
	err := c.cmd.Wait()
	if errors.Is(err, exec.ErrWaitDelay) { // the child ended with status 0; another process holds its pipes
		err = nil
	}
	c.mu.Lock()
	c.reaped, c.err = true, err
	c.mu.Unlock()
	close(c.exited)
}

// Find returns a process that another program started, identified by its start time.
func Find(pid int, started uint64, name string) *Child {
	return &Child{PID: pid, Started: started, name: name, group: true, tail: &Tail{}}
}

// Ours reports whether Start started it, so that its exit status will be known.
func (c *Child) Ours() bool { return c.exited != nil }

// Exited is closed when the child has ended and its output has been read. It is nil for a child
// that Find found.
func (c *Child) Exited() <-chan struct{} { return c.exited }

// Err is how the child ended: nil for status 0. It is valid once Exited is closed.
func (c *Child) Err() error { return c.err }

// state is the end of a child that Start started; its zero value has status -1.
func (c *Child) state() *os.ProcessState {
	if c.cmd == nil {
		return nil
	}
	return c.cmd.ProcessState
}

// Status is the exit status of an ended child, -1 when a signal ended it.
func (c *Child) Status() int { return c.state().ExitCode() }

// Signalled is the signal that ended it, or 0.
func (c *Child) Signalled() syscall.Signal {
	if s := c.state(); s != nil {
		if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			return ws.Signal()
		}
	}
	return 0
}

// Tail is the end of the child's stderr.
func (c *Child) Tail() *Tail { return c.tail }

// Alive reports whether the process is running and is still the same one.
func (c *Child) Alive() bool {
	return (c.exited == nil || !c.over()) && c.PID > 0 && c.running()
}

// Ending describes how the child ended, to follow its name: "ended with status 1", "was ended by
// signal 9 (killed)".
func (c *Child) Ending() string {
	switch sig := c.Signalled(); {
	case c.state() == nil:
		return "ended"
	case sig != 0:
		return fmt.Sprintf("was ended by signal %d (%s)", int(sig), sig)
	default:
		return fmt.Sprintf("ended with status %d", c.Status())
	}
}

// Describe describes an end in one line: the program, how it ended, and the last line of its
// stderr.
func (c *Child) Describe() string {
	return strings.TrimSpace(c.name+" "+c.Ending()) + c.tail.LastLine()
}

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
		late = time.After(limits.Within)
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
