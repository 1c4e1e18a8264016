package native

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/facts"
)

// process is one running server, started or found, with its files.
type process struct {
	server  facts.Server
	program string // path of the program; empty when the process was found
	*child.Child
	log     string // its output; empty when the process was found
	group   string // its cgroup's directory, or empty
	cpus    *float64
	adopted bool
	account Account // of a server in another container
	// family is the process and its children at the time it was ready.
	family []int
}

// spawn starts a server that writes its output to a file.
func (s *Site) spawn(ctx context.Context, srv facts.Server, group string) (*process, error) {
	c, err := commandOf(ctx, s.root, s.tools, srv)
	if err != nil {
		return nil, err
	}
	p := &process{server: srv, program: c.program, log: s.logPath(srv.Name), group: group}
	out, err := os.Create(p.log)
	if err != nil {
		return nil, advised(s.root, fmt.Errorf("a log for %s: %w", srv.Name, err))
	}
	defer out.Close() // the child has its own descriptor
	spec := child.Spec{Argv: append([]string{c.program}, c.args...), Dir: s.root, Stdout: out, Stderr: out,
		Outlives: s.detach, EndsWithUs: !s.detach}
	if s.stdin != nil { // an io.Reader with a nil *os.File isn't nil
		spec.Stdin = s.stdin
	}
	if group != "" {
		spec.Start = func(cmd *exec.Cmd) error { return startInside(cmd, s.budget.hierarchy, group) }
	}
	if p.Child, err = child.Start(spec); err != nil {
		return nil, fmt.Errorf("starting %s: %w", srv.Name, err)
	}
	return p, nil
}

// DiedError means that a server ended by itself.
type DiedError struct {
	Server string
	PID    int
	Status string // e.g. "ended with status 1"
	Log    string // the file with all its output
	Last   string // the last line of it
}

func (e *DiedError) Error() string {
	if e.Log == "" || e.Last == "" {
		return e.Ending()
	}
	return e.Ending() + "; all that it printed: cat " + e.Log
}

// Ending is how the server ended, for a result: without the path of a file that the next start
// overwrites.
func (e *DiedError) Ending() string {
	what := fmt.Sprintf("%s (pid %d) %s", e.Server, e.PID, e.Status)
	switch {
	case e.Log == "":
		return what
	case e.Last == "":
		return what + " and printed nothing"
	}
	return what + "; its last line: " + e.Last
}

// died is the error of a process that isn't alive.
func (p *process) died() *DiedError {
	if p.Ours() {
		select {
		case <-p.Exited():
		case <-time.After(time.Second): // ended, and not yet waited for
		}
	}
	return &DiedError{Server: p.server.Name, PID: p.PID, Status: p.Ending(), Log: p.log, Last: lastLine(p.log)}
}

// lastLine is the last line of a file, or empty.
func lastLine(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	const most = 16 << 10
	if info, err := f.Stat(); err == nil && info.Size() > most {
		_, _ = f.Seek(-most, io.SeekEnd)
	}
	var tail child.Tail
	_, _ = io.Copy(&tail, io.LimitReader(f, most)) // a read error leaves what was read
	return tail.Last()
}
