package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/facts"
	"h2lab/internal/lab/compose"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// inDocker starts the servers under Compose, measures with an h2lab inside the pod, and removes the
// containers. The inner h2lab writes to the terminal; both use the same results/ directory.
func (l *Lab) inDocker(ctx context.Context, q Request, cells []facts.Planned) error {
	_, err := l.locked(func() (_ string, err error) {
		project, services, err := l.composed(ctx, q.Knobs, plan.TopologiesOf(cells))
		if err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, l.dismantle(ctx)) }()
		if err := project.Up(ctx, services...); err != nil {
			return "", err
		}
		return "", l.runInside(ctx, q, project, services, nil)
	})
	return err
}

// composed prepares the Compose project for some topologies: certificates, derived configurations,
// and the names of the services that the images can run.
func (l *Lab) composed(ctx context.Context, k plan.Knobs, topologies []facts.Topology) (*compose.Project, []string,
	error) {
	if err := l.script(ctx, "certs/make.sh", k.Key); err != nil {
		return nil, nil, err
	}
	configs := map[string]string{}
	var services []string
	for _, server := range plan.Servers(topologies) {
		if reason := compose.ImageRuns(ctx, l.Root, server); reason != "" {
			l.message("h2lab: %s is unsupported here: %s", server.Name, reason)
			continue
		}
		if native.CarriesLimit(server, k.Limit) {
			derived, err := native.Derive(l.Root, server, k.Limit)
			if err != nil {
				return nil, nil, err
			}
			configs[server.Name] = derived.Config
		}
		services = append(services, server.Name)
	}
	cpus, _ := k.CPUBudget() // Validate has checked it
	return &compose.Project{Root: l.Root, Variables: compose.Variables(cpus, configs), Log: l.Stderr}, services, nil
}

// dismantle removes the containers and the derived configurations, also after an interrupt.
func (l *Lab) dismantle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(child.Cleanup(context.WithoutCancel(ctx)), time.Minute)
	defer cancel()
	return errors.Join(compose.Down(ctx, l.Root), native.Underive(l.Root))
}

// runInside measures with an h2lab in the pod and the same knobs. lacks names the client programs
// without a container, with the reason.
func (l *Lab) runInside(ctx context.Context, q Request, project *compose.Project, services []string,
	lacks map[facts.Client]string) error {
	budgets, err := compose.ReadBack(ctx, services...)
	if err != nil {
		return err
	}
	given, err := json.Marshal(Order{Command: q.Command, Knobs: q.Knobs, Timeline: q.Timeline, Budgets: budgets,
		Git: l.git(ctx), Lacks: lacks, ShownRoot: l.Shown})
	if err != nil {
		return err
	}
	status, err := project.RunLab(ctx, compose.LabRun{Args: []string{"inside"},
		Env: map[string]string{OrderVariable: string(given)}, Stdin: os.Stdin, Stdout: l.Stdout, Stderr: l.Stderr})
	if err != nil || status == exitstatus.Done {
		return err
	}
	return &exitstatus.Error{Status: status, Err: fmt.Errorf("the run inside the pod ended with the error above")}
}
