package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/facts"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// site is the running topologies and the tools that drive them.
type site struct {
	*native.Site
	tools       native.Tools
	adopted     bool              // this process must not stop them
	unsupported map[string]string // topology → reason
}

// tenancy is whether the servers end with this process.
type tenancy bool

const (
	attached tenancy = false
	detached tenancy = true // servers run on after this process ends, until h2lab down
)

// openSite makes missing certificates and tools, then starts the servers of the topologies that can
// run here. In the pod it adopts the servers that already run.
func openSite(a *app, runtime string, k plan.Knobs, topologies []facts.Topology, clients []facts.Client,
	mode tenancy) (*site, error) {
	if err := ampleLimits(a, k.Concurrency, plan.Servers(topologies)); err != nil {
		return nil, err
	}
	s := &site{unsupported: map[string]string{}, adopted: runtime == runtimePod}
	need := clientTools(clients)
	if !s.adopted {
		need = append(serverTools(topologies), need...)
		if err := makeReady(a, k.Key, need); err != nil {
			return nil, err
		}
	}
	var err error
	if s.tools, err = native.FindTools(a.ctx, a.root, need...); err != nil {
		return nil, err
	}
	servers := s.supported(a, topologies)
	cpus, _ := k.CPUBudget() // Validate has checked it
	opts := native.Options{
		Root:   a.root,
		Tools:  s.tools,
		CPUs:   cpus,
		Limit:  k.Limit,
		Detach: bool(mode),
		LogDir: filepath.Join(a.root, "var", "log"),
	}
	if mode == detached {
		opts.State = stateFile(a.root)
	}
	if s.adopted {
		opts.AdoptedCPUs = a.host.budgets()
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

// supported returns the servers of the topologies that can run here and keeps the reasons why the
// others can't.
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

// lacks returns the reason why a cell can't run here, or "".
func (s *site) lacks(p facts.Planned) string { return s.unsupported[p.Topology.Name] }

// closing bounds the time to stop the servers.
const closing = 30 * time.Second

// close stops the servers, also after an interrupt.
func (s *site) close(a *app) error {
	if s.adopted {
		return nil
	}
	ctx, cancel := context.WithTimeout(child.Cleanup(context.WithoutCancel(a.ctx)), closing)
	defer cancel()
	return s.Site.Down(ctx)
}

// everyTool lists every tool that any command needs.
var everyTool = []string{"nginx", "envoy", "k6", "backend", "go-client"}

// serverTools lists the programs of the topologies' servers.
func serverTools(topologies []facts.Topology) (need []string) {
	for _, s := range plan.Servers(topologies) {
		if tool := string(s.Kind); !slices.Contains(need, tool) {
			need = append(need, tool)
		}
	}
	return need
}

// clientTools lists the programs of the clients: k6 for its scripts, the project's own Go client
// for the others.
func clientTools(clients []facts.Client) (need []string) {
	for _, c := range clients {
		tool := "go-client"
		if c == facts.K6SharedPool || c == facts.K6ConnectionPerVU {
			tool = "k6"
		}
		if !slices.Contains(need, tool) {
			need = append(need, tool)
		}
	}
	return need
}

// makeReady makes certificates and installs the tools that are in neither PATH nor tools/bin, so
// that a new user's first command runs without preparation.
func makeReady(a *app, key string, need []string) error {
	if err := script(a, "certs/make.sh", key); err != nil {
		return err
	}
	for _, tool := range need {
		var missing *native.ToolError
		var hung *child.HungError
		_, err := native.FindTools(a.ctx, a.root, tool)
		switch {
		case err == nil:
		case errors.As(err, &missing) && !errors.As(err, &hung) &&
			slices.Contains([]string{"nginx", "envoy", "k6"}, tool):
			what := "is missing"
			if missing.Path != "" {
				what = "is too old"
			}
			a.say("h2lab: %s %s: getting it (once; some minutes)", tool, what)
			if err := script(a, "tools/get.sh", tool); err != nil {
				return err
			}
		default:
			return err
		}
	}
	return nil
}

// scriptGrace is how long a script may take to end when h2lab is interrupted.
const scriptGrace = 5 * time.Second

// script runs one of the project's own scripts and sends its messages to stderr.
func script(a *app, name string, args ...string) error {
	words := strings.Join(append([]string{name}, args...), " ")
	c, err := child.Start(child.Spec{Argv: append([]string{filepath.Join(a.root, name)}, args...), Dir: a.root,
		Stdout: file(a.stderr), Stderr: file(a.stderr), Foreground: true}) // it may ask for a password
	if err != nil {
		return exitstatus.Lacks(fmt.Errorf("%s can't be started: %w; get it back with: git checkout %s", words,
			errors.Unwrap(err), name))
	}
	select {
	case <-c.Exited():
	case <-a.ctx.Done():
	}
	err = c.Stop(child.Cleanup(a.ctx), child.Manner{Signals: []syscall.Signal{syscall.SIGINT}, Grace: scriptGrace})
	switch {
	case a.ctx.Err() != nil:
		return a.ctx.Err()
	case err != nil:
		return exitstatus.Lacks(fmt.Errorf("%s: %w", words, err))
	case c.Err() != nil:
		return exitstatus.Lacks(fmt.Errorf("%s %s; its messages are above", words, c.Ending()))
	}
	return nil
}
