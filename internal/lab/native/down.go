package native

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"h2lab/internal/base/await"
	"h2lab/internal/base/child"
	"h2lab/internal/facts"
)

// Down stops the servers, those nearest to the clients first, with a signal for a graceful stop and
// then SIGKILL, and waits for each. It then removes cgroups, derived configurations and the state
// file. It does not stop adopted servers.
//
// Down also works with a context that has already ended, as after Ctrl-C; a context that ends while
// Down waits makes it send SIGKILL at once.
func (s *Site) Down(ctx context.Context) error {
	ctx = child.Cleanup(ctx)
	var errs []error
	for _, k := range slices.Backward(tiers) {
		errs = append(errs, s.stopTier(ctx, k))
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
func (s *Site) stopTier(ctx context.Context, k facts.Kind) error {
	var group await.Group
	errs := make([]error, len(s.processes))
	for i, p := range s.processes {
		if p.adopted || p.server.Kind != k {
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

// stop sends a signal and then kills. nginx finishes its requests on QUIT, the others on TERM.
func (p *process) stop(ctx context.Context, grace time.Duration) error {
	how := child.Manner{Grace: grace}
	if p.server.Kind == facts.Nginx {
		how.Signals = []syscall.Signal{syscall.SIGQUIT, syscall.SIGTERM}
	}
	if err := p.Stop(ctx, how); err != nil {
		return fmt.Errorf("%s: %w", p.server.Name, err)
	}
	return nil
}
