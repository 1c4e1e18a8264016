package native

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
)

// pollEvery is how often a condition is looked at that the kernel doesn't report.
const pollEvery = 10 * time.Millisecond

// process is one running server: the process that was started, or found, and
// what belongs to it.
type process struct {
	server  facts.Server
	program string // its file; empty when it was found and not started here
	pid     int
	started uint64 // start time in ticks, which tells it from a later one with the same pid
	log     string // its output; empty when it was found
	group   string // its cgroup's directory, or empty
	cpus    *float64
	adopted bool
	// family are the process and its children when it was ready.
	family []int
	// exited is closed once it was waited for; nil when it isn't our child.
	exited chan struct{}
	status string // how it ended, once exited is closed
}

// spawn starts a server with its output in a file.
func (s *Site) spawn(ctx context.Context, srv facts.Server, group string) (*process, error) {
	c, err := commandOf(ctx, s.root, s.tools, srv)
	if err != nil {
		return nil, err
	}
	p := &process{server: srv, program: c.program, log: s.logPath(srv.Name), group: group, exited: make(chan struct{})}
	out, err := os.Create(p.log)
	if err != nil {
		return nil, fmt.Errorf("a log for %s: %w", srv.Name, err)
	}
	defer out.Close() // the child has its own descriptor
	cmd := exec.Command(c.program, c.args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.root, out, out
	cmd.SysProcAttr = attributes(s.detach)
	var h hierarchy
	if group != "" {
		h = s.budget.hierarchy
	}
	if err := s.spawner.start(cmd, h, group); err != nil {
		return nil, fmt.Errorf("starting %s: %w", srv.Name, err)
	}
	p.pid = cmd.Process.Pid
	// Until it is waited for, the pid can't be given out again; when it has
	// ended already there is no start time, and nothing that 0 could be taken for.
	p.started, _ = proc.StartTime(p.pid)
	go func() {
		_ = cmd.Wait()
		p.status = cmd.ProcessState.String()
		close(p.exited)
	}()
	return p, nil
}

// alive reports whether it still runs, and is still the same process.
func (p *process) alive() bool {
	if p.exited != nil {
		select {
		case <-p.exited:
			return false
		default:
		}
	}
	return proc.Same(p.pid, p.started)
}

// signal sends sig to the process and to no other: the handle that FindProcess
// opens (a pidfd) stays with it, and only then its start time is compared.
func (p *process) signal(sig syscall.Signal) {
	handle, err := os.FindProcess(p.pid)
	if err != nil {
		return
	}
	defer func() { _ = handle.Release() }()
	if p.alive() {
		_ = handle.Signal(sig)
	}
}

// DiedError says that a server ended by itself.
type DiedError struct {
	Server string
	PID    int
	Status string   // e.g. "exit status 1", "signal: killed"; empty when it was not our child
	Log    string   // the file with all it said
	Last   []string // the last lines of it
}

func (e *DiedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (pid %d) died", e.Server, e.PID)
	if e.Status != "" {
		fmt.Fprintf(&b, ": %s", e.Status)
	}
	if e.Log == "" {
		return b.String()
	}
	if len(e.Last) == 0 {
		b.WriteString(", without a word")
	} else {
		fmt.Fprintf(&b, "; its last words:\n    %s", strings.Join(e.Last, "\n    "))
	}
	fmt.Fprintf(&b, "\n  all it said: cat %s", e.Log)
	return b.String()
}

// died is the error of a process that isn't alive.
func (p *process) died() *DiedError {
	e := &DiedError{Server: p.server.Name, PID: p.pid, Log: p.log, Last: lastLines(p.log, lastWords)}
	if p.exited == nil {
		return e
	}
	select {
	case <-p.exited:
		e.Status = p.status
	case <-time.After(time.Second): // ended, and not yet waited for
	}
	return e
}

// lastWords is how many lines of a dead server's log an error shows.
const lastWords = 5

// lastLines are the last n lines of a file that aren't empty, cut to a readable width.
func lastLines(path string, n int) []string {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	const tail, width = 16 << 10, 300
	if info, err := f.Stat(); err == nil && info.Size() > tail {
		_, _ = f.Seek(-tail, 2)
	}
	var lines []string
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, tail+1)
	for scan.Scan() {
		line := strings.TrimSpace(scan.Text())
		if line == "" {
			continue
		}
		if len(line) > width {
			line = line[:width] + "…"
		}
		lines = append(lines, line)
	}
	return lines[max(0, len(lines)-n):]
}
