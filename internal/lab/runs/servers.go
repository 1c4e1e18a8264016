package runs

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/facts"
	"h2lab/internal/lab/load"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// servers are running topologies, the services that call them, and the tools that drive both.
type servers struct {
	*native.Site
	services    *native.Site // nil without one
	tools       native.Tools
	adopted     bool              // this process must not stop them
	unsupported map[string]string // topology → reason
}

// start says which servers to start, and what for.
type start struct {
	runtime    string
	knobs      plan.Knobs
	topologies []facts.Topology
	clients    []facts.Client
	detached   bool         // servers run on after this process ends, until h2lab down
	limits     func() error // checks the machine's limits; nil compares them with CONCURRENCY
	// build makes what the servers need besides tools; it may be nil.
	build func(context.Context) error
}

// startServers makes missing certificates and tools, then starts the servers of the topologies that
// can run here. In the pod it adopts the servers that already run.
func (l *Lab) startServers(ctx context.Context, w start) (*servers, error) {
	ample := w.limits
	if ample == nil {
		ample = func() error {
			return l.ampleLimits(load.Needs{InFlight: w.knobs.MayBeInFlight(), Ports: portsOf(plan.Servers(w.topologies))})
		}
	}
	if err := ample(); err != nil {
		return nil, err
	}
	s := &servers{unsupported: map[string]string{}, adopted: w.runtime == pod}
	need := clientTools(w.clients)
	if !s.adopted {
		need = append(serverTools(w.topologies), need...)
		if err := l.makeReady(ctx, w.knobs.Key, need); err != nil {
			return nil, err
		}
	}
	if w.build != nil {
		if err := w.build(ctx); err != nil {
			return nil, err
		}
	}
	var err error
	if s.tools, err = native.FindTools(ctx, l.Root, need...); err != nil {
		return nil, err
	}
	if s.Site, err = l.up(ctx, w, s); err != nil {
		return nil, err
	}
	for _, warning := range s.Warnings() {
		l.message("h2lab: warning: %s", warning)
	}
	return s, nil
}

// up starts or adopts the servers.
func (l *Lab) up(ctx context.Context, w start, s *servers) (*native.Site, error) {
	can := l.supported(ctx, s, w.topologies)
	cpus, _ := w.knobs.CPUBudget() // Validate has checked it
	opts := native.Options{Root: l.Root, Tools: s.tools, CPUs: cpus, Limit: w.knobs.Limit, Detach: w.detached,
		HideLimit: w.knobs.HideLimit, LogDir: filepath.Join(l.Root, "var", "log")}
	if w.detached {
		opts.State = l.stateFile()
	}
	if s.adopted {
		opts.AdoptedCPUs, opts.Accounts = l.Order.budgets(), l.Order.Accounts
		return native.Adopt(ctx, opts, can)
	}
	return native.Up(ctx, opts, can)
}

// supported returns the servers of the topologies that can run here and keeps the reasons why the
// others can't.
func (l *Lab) supported(ctx context.Context, s *servers, topologies []facts.Topology) []facts.Server {
	var can []facts.Topology
	for _, t := range topologies {
		reason := ""
		for _, server := range t.Servers {
			if r := native.Supported(ctx, s.tools, server); r != "" && reason == "" {
				reason = r
			}
		}
		if ctx.Err() != nil { // then no version was read
			break
		}
		if reason != "" {
			s.unsupported[t.Name] = reason
			l.message("h2lab: %s is unsupported here: %s", t.Name, reason)
			continue
		}
		can = append(can, t)
	}
	return plan.Servers(can)
}

// lacks returns the reason why a cell can't run here, or "".
func (s *servers) lacks(p facts.Planned) string { return s.unsupported[p.Topology.Name] }

// stopping bounds the time to stop the servers.
const stopping = 30 * time.Second

// stop stops the servers, also after an interrupt.
func (s *servers) stop(ctx context.Context) error {
	if s.adopted {
		return nil
	}
	ctx, cancel := context.WithTimeout(child.Cleanup(context.WithoutCancel(ctx)), stopping)
	defer cancel()
	return errors.Join(s.stopServices(ctx), s.Site.Down(ctx))
}
