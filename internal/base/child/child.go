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

// pipeDelay is how long a pipe is read on when the child has ended and a
// process that left its group still holds the other end.
const pipeDelay = time.Second

// Spec says what is started and how.
type Spec struct {
	Argv []string
	Dir  string
	Env  []string // the whole environment; nil is our own
	// Stdin is given to the child; nil is /dev/null. Stdout is discarded where it is nil.
	Stdin  io.Reader
	Stdout io.Writer
	// Stderr gets what the child prints there, besides the tail that is kept
	// for errors. A file is given to the child itself, and then there is no tail.
	Stderr io.Writer
	// Outlives gives the child a session of its own: it goes on when we have ended.
	Outlives bool
	// EndsWithUs has the kernel send SIGTERM to the child when we end, however
	// we end (Linux).
	EndsWithUs bool
	// Foreground leaves the child in our process group, so that it may read from the terminal.
	Foreground bool
	// Chroot is the child's root directory, or empty.
	Chroot string
	// Ended is called when the child has ended, before the rest of its output is read; it may be nil.
	Ended func()
	// Start starts the command in another way than cmd.Start, in a cgroup for
	// example. It runs on a thread that lives as long as we do.
	Start func(*exec.Cmd) error
}

// Child is a process: one that Start started, or one that Find found.
type Child struct {
	PID     int
	Started uint64 // start time in clock ticks since boot, 0 where it isn't known

	name   string
	cmd    *exec.Cmd // nil when it was found
	tail   *Tail
	mark   string
	group  bool          // it leads a process group
	exited chan struct{} // nil when it was found
	err    error         // how it ended; read it after exited

	mu     sync.Mutex
	reaped bool // its number may be another's by now
}

// Start starts a program.
func Start(spec Spec) (*Child, error) {
	if len(spec.Argv) == 0 {
		return nil, errors.New("there is no program to start")
	}
	c := &Child{name: spec.Argv[0], tail: &Tail{}, mark: newMark(), group: !spec.Foreground, exited: make(chan struct{})}
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
	// Until it is waited for its number is its own. One that has ended already
	// has no start time, and none is alive that 0 could be taken for.
	c.Started, _ = proc.StartTime(c.PID)
	go c.wait(spec.Ended)
	return c, nil
}

// command is the exec.Cmd of a spec.
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

// sameWriter compares without a panic where a writer's type is not comparable.
func sameWriter(a, b io.Writer) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	return a == b
}

// wait waits for the child's end, kills what is left of its group, and then
// takes the child's status, which frees its number.
func (c *Child) wait(ended func()) {
	if awaitEnd(c.PID) {
		c.mu.Lock()
		if c.group {
			_ = syscall.Kill(-c.PID, syscall.SIGKILL) // ESRCH is the usual answer
		}
		c.reaped = true
		c.mu.Unlock()
	}
	if ended != nil {
		ended()
	}
	err := c.cmd.Wait()
	if errors.Is(err, exec.ErrWaitDelay) { // it ended well; somebody else holds its pipes
		err = nil
	}
	c.mu.Lock()
	c.reaped, c.err = true, err
	c.mu.Unlock()
	close(c.exited)
}

// Find is a process that somebody else started, known by its start time.
func Find(pid int, started uint64, name string) *Child {
	return &Child{PID: pid, Started: started, name: name, group: true, tail: &Tail{}}
}

// Ours reports whether Start started it, so that its end will be known.
func (c *Child) Ours() bool { return c.exited != nil }

// Exited is closed when the child has ended and its output has been read. It
// is nil for one that was found.
func (c *Child) Exited() <-chan struct{} { return c.exited }

// Err is how it ended: nil for status 0. It is there once Exited is closed.
func (c *Child) Err() error { return c.err }

// Status is its exit status once it has ended, and -1 when a signal ended it.
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

// Tail is the end of what it printed to stderr.
func (c *Child) Tail() *Tail { return c.tail }

// Alive reports whether it runs, and is still the same process.
func (c *Child) Alive() bool {
	if c.exited != nil {
		select {
		case <-c.exited:
			return false
		default:
		}
	}
	return c.PID > 0 && proc.Same(c.PID, c.Started)
}

// Ending says how it ended, in words that follow its name: "ended with status
// 1", "was ended by signal 9 (killed)".
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

// Describe is one line about an end: which program, how it ended, and the last
// line that it printed to stderr.
func (c *Child) Describe() string {
	return strings.TrimSpace(c.name+" "+c.Ending()) + c.tail.LastLine()
}
