package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
		c, err := l.composed(ctx, q.Knobs, plan.TopologiesOf(cells))
		if err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, l.dismantle(ctx)) }()
		if err := c.Up(ctx, c.names()...); err != nil {
			return "", err
		}
		return "", l.runInside(ctx, q, c, nil)
	})
	return err
}

// composition is the Compose project for some topologies, with the servers that its images can run.
type composition struct {
	*compose.Project
	servers []facts.Server // with their derived configurations
}

func (c *composition) names() (out []string) {
	for _, s := range c.servers {
		out = append(out, s.Name)
	}
	return out
}

// composed prepares the Compose project for some topologies: certificates, the programs for
// containers, derived configurations, and the servers that the images can run.
func (l *Lab) composed(ctx context.Context, k plan.Knobs, topologies []facts.Topology) (*composition, error) {
	engine, err := compose.Engine(ctx)
	if err != nil {
		return nil, exitstatus.Lacks(err)
	}
	cpus, _ := k.CPUBudget() // Validate has checked it
	if err := engine.NoBudget(cpus); err != nil {
		return nil, exitstatus.Lacks(err)
	}
	if engine, err = engine.AsSeen(ctx, l.Root); err != nil {
		return nil, exitstatus.Lacks(err)
	}
	if err := l.script(ctx, "certs/make.sh", k.Key); err != nil {
		return nil, err
	}
	if err := l.programsFor(ctx, engine.Arch); err != nil {
		return nil, err
	}
	configs := map[string]string{}
	c := &composition{}
	for _, server := range plan.Servers(topologies) {
		if reason := compose.ImageRuns(ctx, l.Root, server); reason != "" {
			l.message("h2lab: %s is unsupported here: %s", server.Name, reason)
			continue
		}
		if native.CarriesLimit(server, k.Limit) {
			// Even if it is hidden, the file stays: a container that is started again reads it again.
			if server, err = native.Derive(l.Root, server, k.Limit, k.HideLimit); err != nil {
				return nil, err
			}
			configs[server.Name] = server.Config
		}
		c.servers = append(c.servers, server)
	}
	c.Project = &compose.Project{Root: l.Root, Variables: compose.Variables(cpus, configs), Log: l.Stderr,
		Distance: k.Line().Any(), Engine: engine}
	return c, nil
}

// programsFor makes the lab's own programs for containers on a machine of that architecture, unless
// they are this machine's own, which `make build` links there.
func (l *Lab) programsFor(ctx context.Context, arch string) error {
	own, errA := os.Stat(filepath.Join(l.Root, "bin", "h2lab"))
	theirs, errB := os.Stat(filepath.Join(l.Root, "bin", "linux", arch, "h2lab"))
	if errA == nil && errB == nil && os.SameFile(own, theirs) {
		return nil
	}
	return l.script(ctx, "tools/build.sh", "linux", arch)
}

// dismantle removes the containers and the derived configurations, also after an interrupt.
func (l *Lab) dismantle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(child.Cleanup(context.WithoutCancel(ctx)), time.Minute)
	defer cancel()
	return errors.Join(compose.Down(ctx, l.Root), native.Underive(l.Root))
}

// runInside measures with an h2lab in the pod and the same knobs. lacks names the client programs
// without a container, with the reason.
func (l *Lab) runInside(ctx context.Context, q Request, c *composition, lacks map[facts.Client]string) error {
	budgets, err := compose.ReadBack(ctx, c.names()...)
	if err != nil {
		return err
	}
	given, err := json.Marshal(Order{Command: q.Command, Knobs: q.Knobs, Timeline: q.Timeline, Budgets: budgets,
		Accounts: c.accounts(ctx), Git: l.git(ctx), Lacks: lacks, ShownRoot: l.Shown,
		Language: l.Language})
	if err != nil {
		return err
	}
	status, err := c.RunLab(ctx, compose.LabRun{Args: []string{"inside"},
		Env: map[string]string{OrderVariable: string(given)}, Stdin: os.Stdin, Stdout: l.Stdout, Stderr: l.Stderr})
	if err != nil || status == exitstatus.Done {
		return err
	}
	return &exitstatus.Error{Status: status, Err: fmt.Errorf("the run inside the pod ended with the error above")}
}

// accounts asks every nginx for its version and its configuration. The h2lab in the pod can't run a
// program of another container unless it is root; the engine can.
func (c *composition) accounts(ctx context.Context) map[string]native.Account {
	out := map[string]native.Account{}
	for _, server := range c.servers {
		if server.Kind != facts.Nginx {
			continue
		}
		var a native.Account
		version, config := native.NginxAccount(compose.Checkout, server.Config)
		_, said, err := c.Exec(ctx, server.Name, append([]string{"nginx"}, version...)...)
		a.Version = said
		if err == nil {
			a.Config, _, err = c.Exec(ctx, server.Name, append([]string{"nginx"}, config...)...)
		}
		if err != nil {
			a = native.Account{Problem: err.Error()}
		}
		out[server.Name] = a
	}
	return out
}
