package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
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
	Dir  string
	Env  []string // the whole environment; nil is h2lab's own
	// Stdin is the child's input; nil is /dev/null. A nil Stdout discards the output.
	Stdin  io.Reader
	Stdout io.Writer
	// Stderr gets the child's stderr, in addition to the tail that is kept for errors. The child
	// gets an *os.File directly, and then there is no tail.
	Stderr io.Writer
	// Outlives gives the child a session of its own: it keeps running after h2lab has ended.
	Outlives bool
	// EndsWithUs makes the kernel end the child when h2lab ends, for whatever reason (Linux: SIGTERM;
	// Windows: every child that doesn't outlive h2lab is killed).
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
	c.family = familyOf(c.cmd.Process, spec)
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
func sameWriter(a, b io.Writer) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	return a == b
}

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
	c.family.release()
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

// Status is the exit status of an ended child, -1 when a signal ended it.
func (c *Child) Status() int {
	if c.cmd == nil || c.cmd.ProcessState == nil {
		return -1
	}
	return c.cmd.ProcessState.ExitCode()
}

// Signalled is the signal that ended it, or 0.
func (c *Child) Signalled() syscall.Signal {
	if c.cmd == nil || c.cmd.ProcessState == nil {
		return 0
	}
	if ws, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ws.Signal()
	}
	return 0
}

// Tail is the end of the child's stderr.
func (c *Child) Tail() *Tail { return c.tail }

// Alive reports whether the process is running and is still the same one.
func (c *Child) Alive() bool {
	if c.exited != nil {
		select {
		case <-c.exited:
			return false
		default:
		}
	}
	return c.PID > 0 && c.running()
}

// Ending describes how the child ended, to follow its name: "ended with status 1", "was ended by
// signal 9 (killed)".
func (c *Child) Ending() string {
	switch sig := c.Signalled(); {
	case c.cmd == nil || c.cmd.ProcessState == nil:
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
