package native

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
)

// killWait is how long the kernel may take to end what was killed.
const killWait = 5 * time.Second

// Down stops the servers, those nearest to the clients first: politely, then
// firmly, and waits for each. It then removes cgroups, derived configurations
// and the state file. Servers that were adopted are not ours to stop.
//
// A context that has ended already doesn't hinder it, for that is why most
// callers come; one that ends while it waits makes it skip to SIGKILL.
func (s *Site) Down(ctx context.Context) error {
	ctx = afterCancel(ctx)
	var errs []error
	for k := tier(facts.Nginx); k >= tier(facts.Backend); k-- {
		errs = append(errs, s.stopTier(ctx, k))
	}
	if s.spawner != nil {
		s.spawner.close()
		s.spawner = nil
	}
	for _, dir := range s.groups {
		errs = append(errs, removeGroup(dir, os.Remove))
	}
	errs = append(errs, undoDerive(s.root, s.derived))
	s.groups, s.derived = nil, nil
	if s.state != "" {
		if err := os.Remove(s.state); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("removing the state file: %w", err))
		}
		s.state = ""
	}
	return errors.Join(errs...)
}

// stopTier stops the servers of one tier at the same time.
func (s *Site) stopTier(ctx context.Context, k int) error {
	var group sync.WaitGroup
	errs := make([]error, len(s.processes))
	for i, p := range s.processes {
		if p.adopted || tier(p.server.Kind) != k {
			continue
		}
		group.Go(func() {
			errs[i] = p.stop(ctx, s.grace)
			if errs[i] == nil && p.server.Kind == facts.Nginx {
				// nginx removes it itself, unless it was killed.
				_ = os.Remove(filepath.Join(s.root, "var", p.server.Name+".pid"))
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// stop asks, insists, and kills. nginx finishes its requests on QUIT; the
// others do on TERM.
func (p *process) stop(ctx context.Context, grace time.Duration) error {
	steps := []syscall.Signal{syscall.SIGTERM}
	if p.server.Kind == facts.Nginx {
		steps = []syscall.Signal{syscall.SIGQUIT, syscall.SIGTERM}
	}
	for _, sig := range steps {
		if !p.alive() || ctx.Err() != nil {
			break
		}
		p.signal(sig)
		await(ctx, grace, func() bool { return !p.alive() })
	}
	p.signal(syscall.SIGKILL)
	// Whatever the caller's hurry: what is killed is waited for.
	ctx = context.WithoutCancel(ctx)
	gone := await(ctx, killWait, func() bool { return !p.alive() })
	if gone {
		gone = await(ctx, killWait, p.sweep)
	}
	if p.exited != nil && gone {
		<-p.exited
	}
	if !gone {
		return fmt.Errorf("%s (pid %d) can't be ended; try: sudo kill -9 -- -%d", p.server.Name, p.pid, p.pid)
	}
	return nil
}

// sweep kills what is left of a dead leader's process group, such as the
// workers of an nginx whose master was killed, and reports whether it is
// empty. The kernel doesn't give out a pid that still names a group; when it
// names a living process that isn't ours, the group has been empty before.
func (p *process) sweep() bool {
	if p.pid <= 0 { // group 0 is the kernel's threads
		return true
	}
	if _, err := proc.StartTime(p.pid); err == nil {
		return true
	}
	left := slices.DeleteFunc(proc.Group(p.pid), func(pid int) bool {
		started, err := proc.StartTime(pid)
		return err != nil || started < p.started
	})
	for _, pid := range left {
		if handle, err := os.FindProcess(pid); err == nil {
			_ = handle.Signal(syscall.SIGKILL)
			_ = handle.Release()
		}
	}
	return len(left) == 0
}

// await looks at a condition until it holds, the context ends, or within has passed.
func await(ctx context.Context, within time.Duration, condition func() bool) bool {
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	again := time.NewTicker(pollEvery)
	defer again.Stop()
	for {
		if condition() {
			return true
		}
		select {
		case <-ctx.Done():
			return condition()
		case <-deadline.C:
			return condition()
		case <-again.C:
		}
	}
}
