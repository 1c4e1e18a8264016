package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"h2lab/internal/facts"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// site is the running topologies with the tools that drive them.
type site struct {
	*native.Site
	tools       native.Tools
	adopted     bool              // not ours to take down
	unsupported map[string]string // topology → reason
}

// tenancy says whether the servers end with us.
type tenancy bool

const (
	attached tenancy = false
	detached tenancy = true // they go on when we have ended, until h2lab down
)

// openSite makes what is missing (certificates, tools), then brings up the
// servers of the topologies that can run here, or adopts them in the pod.
func openSite(a *app, runtime string, k plan.Knobs, topologies []facts.Topology, mode tenancy) (*site, error) {
	s := &site{unsupported: map[string]string{}, adopted: runtime == runtimePod}
	if !s.adopted {
		if err := makeReady(a, k.Key); err != nil {
			return nil, err
		}
	}
	var err error
	if s.tools, err = native.FindTools(a.root, toolsFor(s.adopted)...); err != nil {
		return nil, err
	}
	servers := s.supported(a, topologies)
	cpus, _ := k.CPUBudget() // Validate has seen it
	opts := native.Options{Root: a.root, Tools: s.tools, CPUs: cpus, Limit: k.Limit, Detach: bool(mode), LogDir: filepath.Join(a.root, "var", "log")}
	if s.adopted {
		if opts.AdoptedCPUs, err = budgetsFromHost(); err != nil {
			return nil, err
		}
		s.Site, err = native.Adopt(a.ctx, opts, servers)
	} else {
		s.Site, err = native.Up(a.ctx, opts, servers)
	}
	if err != nil {
		return nil, err
	}
	for _, w := range s.Warnings() {
		a.say("h2lab: warning: %s", w)
	}
	return s, nil
}

// supported are the servers of the topologies that can run here; the others'
// reasons are kept.
func (s *site) supported(a *app, topologies []facts.Topology) []facts.Server {
	var can []facts.Topology
	for _, t := range topologies {
		reason := ""
		for _, server := range t.Servers {
			if r := native.Supported(a.ctx, s.tools, server); r != "" && reason == "" {
				reason = r
			}
		}
		if reason != "" {
			s.unsupported[t.Name] = reason
			a.say("h2lab: %s is unsupported here: %s", t.Name, reason)
			continue
		}
		can = append(can, t)
	}
	return plan.Servers(can)
}

// lacks is why a cell can't run here, or nothing.
func (s *site) lacks(p facts.Planned) string { return s.unsupported[p.Topology.Name] }

// closing bounds how long the servers may take to be taken down.
const closing = 30 * time.Second

// close takes the servers down, also when we were interrupted.
func (s *site) close(a *app) error {
	if s.adopted {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(a.ctx), closing)
	defer cancel()
	return s.Site.Down(ctx)
}

func toolsFor(adopted bool) []string {
	if adopted {
		return []string{"k6", "go-client"}
	}
	return []string{"nginx", "envoy", "k6", "backend", "go-client"}
}

// makeReady makes certificates and gets the tools that PATH and tools/bin
// lack, so that the first command a newcomer types is enough.
func makeReady(a *app, key string) error {
	if err := script(a, "certs/make.sh", key); err != nil {
		return err
	}
	var missing *native.ToolError
	if _, err := native.FindTools(a.root, toolsFor(false)...); errors.As(err, &missing) {
		a.say("h2lab: %v: getting it (once; some minutes)", err)
		return script(a, "tools/get.sh", "all")
	} else if err != nil {
		return err
	}
	return nil
}

// script runs one of the project's own scripts with its words passed on.
func script(a *app, name string, args ...string) error {
	cmd := exec.CommandContext(a.ctx, filepath.Join(a.root, name), args...)
	cmd.Dir = a.root
	cmd.Stdout, cmd.Stderr = a.stderr, a.stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Run(); a.ctx.Err() != nil {
		return a.ctx.Err()
	} else if err != nil {
		return missingError{errors.New(strings.Join(append([]string{name}, args...), " ") + " failed: " + err.Error() + "; its own words stand above")}
	}
	return nil
}
