package native

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
)

// Up starts the servers and waits until every one answers. On an error, and when the context ends,
// it stops them and removes everything it made for them.
func Up(ctx context.Context, opts Options, servers []facts.Server) (*Site, error) {
	s, err := newSite(opts)
	if err != nil {
		return nil, err
	}
	servers = upstreamFirst(servers)
	if err := s.check(ctx, servers); err != nil {
		return nil, err
	}
	if err := s.raise(ctx, opts, servers); err != nil {
		return nil, errors.Join(err, s.Down(ctx))
	}
	return s, nil
}

// check finds problems before any server starts.
func (s *Site) check(ctx context.Context, servers []facts.Server) error {
	for _, srv := range servers {
		if _, err := commandOf(ctx, s.root, s.tools, srv); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("before the servers were started: %w", err)
	}
	if err := CheckCertificates(s.root, time.Now()); err != nil {
		return err
	}
	return onceEach(portsFree(s.root, servers))
}

// raise makes the servers' files, starts them, and waits for them.
func (s *Site) raise(ctx context.Context, opts Options, servers []facts.Server) error {
	client, err := healthClient(s.root)
	if err != nil {
		return err
	}
	servers, err = s.prepare(opts, servers)
	if err != nil {
		return advised(s.root, err)
	}
	if opts.CPUs != nil {
		if err := s.allot(*opts.CPUs, servers); err != nil {
			return err
		}
	}
	s.state = opts.State // written before any server starts, so that `h2lab down` finds the servers of a killed h2lab
	if err := s.remember(); err != nil {
		return err
	}
	within := opts.ReadyWithin
	if within == 0 {
		within = defaultReadyWithin
	}
	for _, srv := range servers {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("before %s was started: %w", srv.Name, err)
		}
		if err := s.start(ctx, srv); err != nil {
			return err
		}
		if err := s.remember(); err != nil {
			return err
		}
	}
	for _, p := range s.processes {
		if err := s.waitReady(ctx, client, p, within); err != nil {
			return err
		}
		if err := s.settle(p); err != nil {
			return err
		}
	}
	if opts.HideLimit {
		if err := undoDerive(s.root, s.derived); err != nil {
			return err
		}
		s.derived = nil
	}
	return s.remember() // with the CPU limits as read back
}

// remember saves the state, if the servers outlive h2lab.
func (s *Site) remember() error {
	if s.state == "" {
		return nil
	}
	return s.Save(s.state)
}

// prepare makes var/ and the logs' directory, empties old logs of first requests, and derives the
// configurations for another limit.
func (s *Site) prepare(opts Options, servers []facts.Server) ([]facts.Server, error) {
	for _, dir := range []string{filepath.Join(s.root, "var"), s.logDir} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, unwritable(s.root, err)
		}
	}
	out := make([]facts.Server, len(servers))
	for i, srv := range servers {
		if err := emptied(filepath.Join(s.root, srv.UsedLog), srv.UsedLog != ""); err != nil {
			return nil, err
		}
		if err := emptied(filepath.Join(s.root, srv.HundredsLog), srv.HundredsLog != ""); err != nil {
			return nil, err
		}
		if CarriesLimit(srv, opts.Limit) {
			changed, err := Derive(s.root, srv, opts.Limit, opts.HideLimit)
			if changed.Config != srv.Config {
				s.derived = append(s.derived, changed.Config)
			}
			if err != nil {
				return nil, err
			}
			srv = changed
		}
		out[i] = srv
	}
	return out, nil
}

// emptied truncates a log that an earlier run left.
func emptied(path string, isThere bool) error {
	if !isThere {
		return nil
	}
	if err := os.Truncate(path, 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("emptying the log of counted connections: %w", err)
	}
	return nil
}

// allot makes a cgroup with the CPU limit for every server. Where that isn't permitted, all of them
// run unlimited, since limits for some would make results incomparable, and a warning says why. A
// number that no kernel accepts is an error.
func (s *Site) allot(cpus float64, servers []facts.Server) error {
	if cpus < minCPUs {
		return fmt.Errorf("cpus %v: a budget is %v or more; try: CPUS=0.5 or CPUS=none", cpus, minCPUs)
	}
	b, err := openBudget(cgroupMount, "/proc/self/cgroup", os.Getpid())
	if err == nil {
		s.budget, s.groups = b, []string{b.dir}
		err = s.allotEach(cpus, servers)
	}
	if err == nil {
		return nil
	}
	s.warnings = append(s.warnings, fmt.Sprintf("CPUS=%v could not be set, the servers run unlimited: %v", cpus, err))
	if b != nil {
		err = b.remove(s.groups)
		s.budget, s.groups = nil, nil
		return err
	}
	return nil
}

func (s *Site) allotEach(cpus float64, servers []facts.Server) error {
	for _, srv := range servers {
		if onJVM(srv) {
			continue
		}
		dir, err := s.budget.group(srv.Name, cpus)
		if err != nil {
			return err
		}
		s.groups = append([]string{dir}, s.groups...)
	}
	return nil
}

// start starts a server, in its cgroup if it has one, and saves it in the state.
func (s *Site) start(ctx context.Context, srv facts.Server) error {
	var group string
	if s.budget != nil && !onJVM(srv) {
		group = filepath.Join(s.budget.dir, srv.Name)
	}
	p, err := s.spawn(ctx, srv, group)
	if err != nil {
		return err
	}
	s.processes = append(s.processes, p)
	return nil
}

// settle records a ready server's processes and reads its CPU limit back.
func (s *Site) settle(p *process) error {
	p.family = proc.Tree(p.PID)
	if p.group == "" {
		return nil
	}
	in, err := members(p.group)
	if err != nil {
		return fmt.Errorf("the processes in the cgroup of %s: %w", p.server.Name, err)
	}
	for _, pid := range p.family {
		if !in[pid] {
			return fmt.Errorf("%s: its process %d is not in %s, so it runs without the budget", p.server.Name, pid,
				p.group)
		}
	}
	if p.cpus, err = s.budget.cpus(p.group); err != nil {
		return fmt.Errorf("reading the budget of %s back: %w", p.server.Name, err)
	}
	return nil
}
