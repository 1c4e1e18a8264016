package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/lab/compose"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// inDocker starts the servers under Compose, measures with an h2lab inside the pod, and removes the
// containers. The inner h2lab writes to the terminal; both use the same results/ directory.
func (c *measureFlags) inDocker(a *app, command string, cells []facts.Planned) (err error) {
	unlock, err := native.Lock(a.root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	project, services, err := composed(a, c.Knobs, plan.TopologiesOf(cells))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dismantle(a)) }()
	if err := project.Up(a.ctx, services...); err != nil {
		return err
	}
	return c.runInside(a, command, project, services, nil)
}

// composed prepares the Compose project for some topologies: certificates, derived configurations,
// and the names of the services that the images can run.
func composed(a *app, k plan.Knobs, topologies []facts.Topology) (*compose.Project, []string, error) {
	if err := script(a, "certs/make.sh", k.Key); err != nil {
		return nil, nil, err
	}
	configs := map[string]string{}
	var services []string
	for _, server := range plan.Servers(topologies) {
		if reason := compose.ImageRuns(a.ctx, a.root, server); reason != "" {
			a.say("h2lab: %s is unsupported here: %s", server.Name, reason)
			continue
		}
		if native.CarriesLimit(server, k.Limit) {
			derived, err := native.Derive(a.root, server, k.Limit)
			if err != nil {
				return nil, nil, err
			}
			configs[server.Name] = derived.Config
		}
		services = append(services, server.Name)
	}
	cpus, _ := k.CPUBudget() // Validate has checked it
	return &compose.Project{
		Root:      a.root,
		Variables: compose.Variables(cpus, configs),
		Log:       text.Raw(a.stderr),
	}, services, nil
}

// dismantle removes the containers and the derived configurations, also after an interrupt.
func dismantle(a *app) error {
	ctx, cancel := context.WithTimeout(child.Cleanup(context.WithoutCancel(a.ctx)), time.Minute)
	defer cancel()
	return errors.Join(compose.Down(ctx, a.root), native.Underive(a.root))
}

// runInside measures with an h2lab in the pod and the same knobs. lacks names the client programs
// without a container, with the reason.
func (c *measureFlags) runInside(a *app, command string, project *compose.Project, services []string,
	lacks map[facts.Client]string) error {
	budgets, err := compose.ReadBack(a.ctx, services...)
	if err != nil {
		return err
	}
	o := order{Command: command, Knobs: c.Knobs, Timeline: c.Timeline, Budgets: budgets, Git: git(a), Lacks: lacks}
	if !a.inRoot() { // the user reads the inner h2lab's output outside the pod
		o.ShownRoot = a.show(a.root)
	}
	given, err := json.Marshal(o)
	if err != nil {
		return err
	}
	status, err := project.RunLab(a.ctx, compose.LabRun{Args: []string{"inside"},
		Env: map[string]string{orderVariable: string(given)}, Stdin: os.Stdin, Stdout: file(a.stdout),
		Stderr: file(a.stderr)})
	if err != nil {
		return err
	}
	if status != statusDone {
		return childStatus(status)
	}
	return nil
}

// dockerUp starts the topologies that the images can run under Compose, leaves them running and
// returns them. When it fails, it removes what it started.
func dockerUp(a *app, k plan.Knobs, topologies []facts.Topology) ([]facts.Topology, error) {
	project, services, err := composed(a, k, topologies)
	if err != nil {
		return nil, err
	}
	if err := project.Up(a.ctx, services...); err != nil {
		return nil, errors.Join(err, dismantle(a))
	}
	return slices.DeleteFunc(topologies, func(t facts.Topology) bool {
		return !slices.Contains(services, t.Front().Name)
	}), nil
}
