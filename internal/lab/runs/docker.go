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
	"h2lab/internal/base/kinds"
	"h2lab/internal/facts"
	"h2lab/internal/lab/compose"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// inDocker builds the images of client programs, starts servers and clients in one pod, measures with an h2lab inside
// it, and removes the containers. The inner h2lab writes to the terminal; both use the same results/ directory. The
// caller holds the lock.
func (l *Lab) inDocker(ctx context.Context, r *run) (err error) {
	project, err := l.composed(ctx, r.Knobs, plan.TopologiesOf(r.cells))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.dismantle(ctx)) }()
	services, err := l.images(ctx, r.programs, project.Project)
	if err != nil {
		return err
	}
	if err := project.Up(ctx, append(services, project.names()...)...); err != nil {
		return err
	}
	return l.runInside(ctx, r.Request, project, r.programs.lacks)
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
		if reason := compose.ImageRuns(ctx, l.Root, server); !reason.IsZero() {
			l.say(facts.T("lab.unsupported", server.Name, reason))
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

// accounts asks every server whose program prints it for its version and its configuration. The h2lab in the pod can't run a
// program of another container unless it is root; the engine can.
func (c *composition) accounts(ctx context.Context) map[string]native.Account {
	out := map[string]native.Account{}
	for _, server := range c.servers {
		k := kinds.Of(server.Kind)
		if k.Account.Args == nil {
			continue
		}
		var a native.Account
		printed, said, err := c.Exec(ctx, server.Name, append([]string{k.Program}, k.AskVersion...)...)
		a.Version = said + printed
		if err == nil {
			a.Config, _, err = c.Exec(ctx, server.Name, append([]string{k.Program}, k.Account.Args(compose.Checkout, server.Config)...)...)
		}
		if err != nil {
			a = native.Account{Problem: err.Error()}
		}
		out[server.Name] = a
	}
	return out
}

// OrderVariable is the environment variable that passes an order into the pod.
const OrderVariable = "H2LAB_ORDER"

// Order is what the h2lab on the host passes to the one in the pod, as one value: what to measure,
// and what only the host can find out.
type Order struct {
	Command  string
	Knobs    plan.Knobs
	Timeline bool
	// Budgets are the CPU limits of each service as the engine set them, because the pod can't read
	// their cgroups; null is unlimited.
	Budgets map[string]*float64
	// Accounts are what the nginx servers say of themselves, which the host asks through the engine.
	Accounts map[string]native.Account
	Git      facts.Git // there is no git in the image
	// Lacks are the client programs without a container, with the reason: only the host builds images.
	Lacks map[facts.Client]string
	// ShownRoot is the checkout's path as the host prints it; empty where the user is in the checkout.
	ShownRoot string
	// Language is that of the summary, as HTML's lang attribute.
	Language string
}

// ParseOrder reads an order as the host encoded it.
func ParseOrder(given string) (*Order, error) {
	if given == "" {
		return nil, exitstatus.WrongUsage(
			errors.New("inside is for the h2lab in the pod; on the host use: make repro RUNTIME=docker"))
	}
	o := &Order{}
	if err := json.Unmarshal([]byte(given), o); err != nil {
		return nil, fmt.Errorf("%s: %w; the image is older than this checkout: make repro RUNTIME=docker builds it again",
			OrderVariable, err)
	}
	return o, nil
}

// Inside carries out the order in the pod, whose servers are running. The host has validated it.
func (l *Lab) Inside(ctx context.Context) (dir string, err error) {
	o := l.Order
	r, err := l.runOf(Request{Command: o.Command, Knobs: o.Knobs, Timeline: o.Timeline, Runtime: pod})
	if err == nil {
		err = l.podExec(r.programs)
	}
	if err != nil {
		return "", err
	}
	return l.measure(ctx, r)
}

// budgets returns the budgets in the order. It leaves out a service without one, which is unlimited.
func (o *Order) budgets() map[string]float64 {
	out := map[string]float64{}
	for name, cpus := range o.Budgets {
		if cpus != nil {
			out[name] = *cpus
		}
	}
	return out
}
