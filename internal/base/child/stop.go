package child

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unicode"

	"github.com/prometheus/procfs"

	"h2lab/internal/base/proc"
)

// pollEvery is the interval for checking conditions that the kernel doesn't report.
const pollEvery = 10 * time.Millisecond

// KillWait is how long the kernel may take to end a killed process.
const KillWait = 5 * time.Second

// Signal sends sig to this process and no other: FindProcess opens a pidfd, which keeps referring
// to the same process, and the start time is compared after that.
func (c *Child) Signal(sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reaped || c.PID <= 0 {
		return
	}
	if c.cmd != nil { // the pid is the child's own until it is reaped
		c.family.signal(sig)
		return
	}
	signalSame(c.PID, c.Started, sig)
}

// SignalGroup sends sig to the child's whole group.
func (c *Child) SignalGroup(sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reaped || c.PID <= 0 {
		return
	}
	if c.cmd != nil {
		if c.group {
			c.family.signalAll(sig)
		} else {
			c.family.signal(sig)
		}
		return
	}
	for _, pid := range c.others() {
		if started, err := proc.StartTime(pid); err == nil {
			signalSame(pid, started, sig)
		}
	}
	signalSame(c.PID, c.Started, sig)
}

// others are the members of a found leader's group that are not older than the leader. While a
// group has members, the kernel gives its number to no new process; a living process with that
// number but another start time means that the group was empty.
func (c *Child) others() []int {
	if c.PID <= 0 || !c.group { // group 0 has the kernel's threads
		return nil
	}
	if started, err := proc.StartTime(c.PID); err == nil && started != c.Started {
		return nil
	}
	return slices.DeleteFunc(proc.Group(c.PID), func(pid int) bool {
		started, err := proc.StartTime(pid)
		return pid == c.PID || err != nil || started < c.Started
	})
}

// signalSame sends sig to the process with that pid and start time.
func signalSame(pid int, started uint64, sig syscall.Signal) {
	handle, err := os.FindProcess(pid)
	if err != nil {
		return
	}
	defer func() { _ = handle.Release() }()
	if proc.Same(pid, started) {
		_ = handle.Signal(sig)
	}
}

// Manner is how to end a child.
type Manner struct {
	// Signals are sent in this order, with a pause of Grace after each; empty means SIGTERM.
	Signals []syscall.Signal
	Grace   time.Duration
	// Group sends them to the child's whole group.
	Group bool
}

// Stop sends the signals to the child, then kills it and its group when it does not end, and
// returns when no process is left. When the context ends, Stop sends SIGKILL at once.
func (c *Child) Stop(ctx context.Context, how Manner) error {
	if len(how.Signals) == 0 {
		how.Signals = []syscall.Signal{syscall.SIGTERM}
	}
	send := c.Signal
	if how.Group {
		send = c.SignalGroup
	}
	for _, sig := range how.Signals {
		if c.over() || ctx.Err() != nil {
			break
		}
		send(sig)
		c.await(ctx, how.Grace)
	}
	c.SignalGroup(syscall.SIGKILL)
	// Even in a hurry, Stop waits for the processes it has killed.
	ctx = context.WithoutCancel(ctx)
	gone := c.await(ctx, KillWait) && Await(ctx, KillWait, c.swept)
	if !gone {
		return fmt.Errorf("%s (pid %d) can't be ended; try: %s", c.name, c.PID, killByHand(c.PID))
	}
	return nil
}

// over reports whether the child has ended and, if Start started it, was waited for.
func (c *Child) over() bool {
	if c.exited == nil {
		return !c.Alive()
	}
	select {
	case <-c.exited:
		return true
	default:
		return false
	}
}

func (c *Child) await(ctx context.Context, within time.Duration) bool {
	if c.exited == nil {
		return Await(ctx, within, c.over)
	}
	select {
	case <-c.exited:
	case <-time.After(within):
	case <-ctx.Done():
	}
	return c.over()
}

// swept kills what is left of a dead leader's group, such as the workers of an nginx whose master
// was killed, and the descendants that left the group. It reports whether none was left.
func (c *Child) swept() bool {
	left := append(c.others(), strays(c.mark)...)
	for _, pid := range left {
		if started, err := proc.StartTime(pid); err == nil {
			signalSame(pid, started, syscall.SIGKILL)
		}
	}
	return len(left) == 0
}

// Await polls a condition until it holds, the context ends, or within has passed.
func Await(ctx context.Context, within time.Duration, condition func() bool) bool {
	for deadline := time.After(within); !condition(); {
		select {
		case <-ctx.Done():
			return condition()
		case <-deadline:
			return condition()
		case <-time.After(pollEvery):
		}
	}
	return true
}

type hurryKey struct{}

// WithHurry stores a second context in ctx: the user's first Ctrl-C ends ctx, the second Ctrl-C
// ends hurry. Cleanup code then kills processes instead of waiting for them.
func WithHurry(ctx, hurry context.Context) context.Context {
	return context.WithValue(ctx, hurryKey{}, hurry)
}

// Cleanup returns the context for cleaning up after ctx, which may have ended already. It ends with
// the hurry context of WithHurry.
func Cleanup(ctx context.Context) context.Context {
	hurry, ok := ctx.Value(hurryKey{}).(context.Context)
	if !ok {
		if ctx.Err() == nil {
			return ctx
		}
		return context.WithoutCancel(ctx)
	}
	cleanup, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	context.AfterFunc(hurry, func() { cancel(context.Cause(hurry)) })
	return cleanup
}

// markVariable identifies the child of h2lab that a process descends from. Every descendant
// inherits it, even one in a session of its own.
const markVariable = "H2LAB_CHILD"

var marks atomic.Int64

// newMark returns a value that is unique among all children of all h2lab processes since boot.
func newMark() string {
	started, _ := proc.StartTime(os.Getpid()) // 0 without a /proc, where marks are not read either
	return fmt.Sprintf("%d.%d.%d", os.Getpid(), started, marks.Add(1))
}

// strays are the living descendants of the child with that mark.
func strays(mark string) []int {
	all, err := procfs.AllProcs()
	if mark == "" || err != nil {
		return nil
	}
	var out []int
	for _, p := range all {
		env, err := p.Environ() // empty for a zombie
		if err == nil && slices.Contains(env, markVariable+"="+mark) {
			out = append(out, p.PID)
		}
	}
	return out
}

const (
	mostTail  = 64 << 10 // bytes to keep
	mostQuote = 1500     // bytes of it that an error shows
	mostLine  = 300      // bytes of one line that an error shows
)

// Tail is a writer that keeps only the end, so that its memory is bounded.
type Tail struct {
	mu  sync.Mutex
	buf []byte
}

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(p) >= mostTail {
		t.buf = append(t.buf[:0], p[len(p)-mostTail:]...)
		return len(p), nil
	}
	if over := len(t.buf) + len(p) - mostTail; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	t.buf = append(t.buf, p...)
	return len(p), nil
}

// String is the kept text.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.buf), "?")
}

// Last is the last non-empty line, shortened to a readable width.
func (t *Tail) Last() string {
	text := strings.TrimSpace(t.String())
	line := strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	if len(line) > mostLine {
		line = strings.ToValidUTF8(line[:mostLine], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?' // a terminal would interpret it
	}, line)
}

// LastLine returns a suffix for an error's text: "; its last line: …".
func (t *Tail) LastLine() string {
	if last := t.Last(); last != "" {
		return "; its last line: " + last
	}
	return "; it printed nothing to stderr"
}

// Quote returns a suffix for an error's text: the last lines, indented.
func (t *Tail) Quote() string {
	s := strings.TrimSpace(t.String())
	if s == "" {
		return "; it printed nothing to stderr"
	}
	if len(s) > mostQuote {
		s = strings.ToValidUTF8(s[len(s)-mostQuote:], "?")
		if _, rest, cut := strings.Cut(s, "\n"); cut {
			s = rest
		}
	}
	return "; its last lines:\n  " + strings.ReplaceAll(s, "\n", "\n  ")
}
