package runs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/kinds"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/compose"
	"h2lab/internal/lab/load"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/podexec"
)

// OwnPrograms and OwnServices are the checkout's directories of client programs and of services.
const (
	OwnPrograms = "clients"
	OwnServices = "services"
)

// programs are variants of clients/ or services/, and how each is started.
type programs struct {
	ecosystems []clients.Ecosystem
	rows       []plan.Row
	argv       map[facts.Client][]string
	// lacks says why a variant can't run here; build sets it.
	lacks map[facts.Client]string
	// whole is true where nothing can run without one of the toolchains; required says which variants the user named.
	whole    bool
	required func(facts.Client) bool
}

func programsOf(ecosystems []clients.Ecosystem) programs {
	p := programs{ecosystems: ecosystems, argv: map[facts.Client][]string{}, lacks: map[facts.Client]string{}}
	for _, e := range ecosystems {
		for _, c := range e.Clients {
			p.rows = append(p.rows, plan.Row{Client: c.Name, Protocol: c.Protocol, Program: e.Program(c)})
			p.argv[c.Name] = e.Argv(c)
		}
	}
	return p
}

// readServices reads the manifests of services/.
func (l *Lab) readServices() (programs, error) {
	all, err := clients.Read(l.Root, OwnServices)
	return programsOf(all), err
}

// build builds programs where they aren't current. What lacks its toolchain or doesn't build is unsupported, with the
// reason, unless the run can't do without it.
func (l *Lab) build(ctx context.Context, p programs) error {
	env := clients.Env(l.Root)
	for _, e := range p.ecosystems {
		reason := e.Lacks(ctx, env)
		if reason == "" {
			if !e.Current() {
				l.say(facts.T("lab.building", e.Folder()))
			}
			if err := e.Make(ctx, env); err != nil {
				reason = err.Error()
			}
		}
		if err := l.unsupported(ctx, p, e, reason, env); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// unsupported records the variants of an ecosystem that can't run: all for one reason, or single ones
// each with its own.
func (l *Lab) unsupported(ctx context.Context, p programs, e clients.Ecosystem, reason string, env []string) error {
	for _, c := range e.Clients {
		why, of := reason, e.Folder()
		if why == "" {
			why, of = c.Lacks(ctx, env), fmt.Sprintf("%s: %s", e.Folder(), c.Name)
		}
		switch {
		case ctx.Err() != nil: // then the reason is the interrupt
			return ctx.Err()
		case why == "":
			continue
		case reason != "" && p.whole || p.required(c.Name):
			return exitstatus.Lacks(fmt.Errorf("%s: %s", of, why))
		case reason == "":
			l.say(facts.T("lab.unsupported", string(c.Name), why))
		}
		p.lacks[c.Name] = firstLine(why)
	}
	if reason != "" && ctx.Err() == nil {
		l.say(facts.T("lab.unsupported", e.Folder(), reason))
	}
	return ctx.Err()
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSuffix(line, "; its last lines:")
}

// why is the reason why a cell's program can't run here, or can't do what it describes.
func (p programs) why(c facts.Planned) (why facts.Text) {
	if lacks := p.lacks[c.Client]; lacks != "" {
		return facts.T("verdict.recorded", lacks)
	}
	if c.Service != nil && c.Program != nil && c.Topology.Limit > 0 && c.Program.AssumesLimit > c.Topology.Limit {
		why = facts.T("lab.assumes-limit", fmt.Sprint(c.Program.AssumesLimit), fmt.Sprint(c.Topology.Limit))
	}
	return why
}

// able are the services of the cells that can run here.
func (p programs) able(cells []facts.Planned) []facts.Server {
	return slices.DeleteFunc(plan.ServicesOf(cells), func(x facts.Server) bool {
		return p.lacks[facts.Client(x.Name)] != ""
	})
}

// images builds the images that can be built and returns the services to start.
func (l *Lab) images(ctx context.Context, p programs, project *compose.Project) (services []string, err error) {
	for _, e := range p.ecosystems {
		if !compose.HasImage(l.Root, e.Name) {
			continue // it runs beside the h2lab that measures
		}
		err := project.BuildClient(ctx, e.Name)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			services = append(services, compose.ClientService(e.Name))
			continue
		}
		if err := l.unsupported(ctx, p, e, err.Error(), nil); err != nil {
			return nil, err
		}
	}
	return services, nil
}

// podExec replaces every program that has a container by `h2lab pod-exec`, through which the container's
// `h2lab pod-exec-serve` runs it.
func (l *Lab) podExec(p programs) error {
	maps.Copy(p.lacks, l.Order.Lacks)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, e := range p.ecosystems {
		if !compose.HasImage(l.Root, e.Name) {
			continue
		}
		for _, c := range e.Clients {
			argv := e.Argv(c)
			if rel, err := filepath.Rel(l.Root, argv[0]); err == nil && filepath.IsLocal(rel) && argv[0] != c.Run[0] {
				argv[0] = rel // the container's working directory is its own checkout
			}
			p.argv[c.Name] = append([]string{self, "pod-exec", "--socket", podexec.Socket(e.Name), "--"}, argv...)
		}
	}
	return nil
}

// What a JVM needs: the heap of services/spring/run.sh, and metaspace, compiled code and stacks.
const (
	heapMB       = 256
	serverHeapMB = 512 // of server-*, which a burst fills
	besidesHeap  = 150
)

// ampleMemory checks that the JVMs of these services fit into the memory that is free; nil is unknown.
func ampleMemory(free *int64, jvms []facts.Server) error {
	need := int64(0)
	for _, s := range jvms {
		need += heapMB + besidesHeap
		if strings.HasPrefix(s.Name, "server-") {
			need += serverHeapMB - heapMB
		}
	}
	if free == nil || *free >= need {
		return nil
	}
	return exitstatus.Lacks(fmt.Errorf("this machine has %d MB of free memory, and %d JVMs require %d MB (a heap of %d MB "+
		"each, %d MB for server-*, and about %d MB besides it); end other programs, or measure fewer services: CLIENT=NAME",
		*free, len(jvms), need, heapMB, serverHeapMB, besidesHeap))
}

// startingServices bounds the start of the services: all JVMs start side by side, and each takes 5 s on
// an idle core.
const startingServices = 3 * time.Minute

// startServices starts services beside the servers that run, and waits for them.
func (l *Lab) startServices(ctx context.Context, s *servers, wanted []facts.Server) (err error) {
	if len(wanted) == 0 {
		return nil
	}
	if err := ampleMemory(proc.AvailableMB(), wanted); err != nil {
		return err
	}
	l.say(facts.T("lab.starting-services", facts.T("lab.services", fmt.Sprint(len(wanted)))))
	s.services, err = native.Up(ctx, native.Options{Root: l.Root, LogDir: filepath.Join(l.Root, "var", "log"),
		ReadyWithin: startingServices}, wanted)
	return err
}

// stopServices stops the services and leaves the servers running, also after an interrupt.
func (s *servers) stopServices(ctx context.Context) error {
	if s.services == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(child.Cleanup(context.WithoutCancel(ctx)), stopping)
	defer cancel()
	err := s.services.Down(ctx)
	s.services = nil
	return err
}

// Pids implements conduct.Site for servers and services.
func (s *servers) Pids(name string) []int {
	if s.services != nil {
		if pids := s.services.Pids(name); pids != nil {
			return pids
		}
	}
	return s.Site.Pids(name)
}

// Alive implements conduct.Site for servers and services.
func (s *servers) Alive() error {
	if s.services == nil {
		return s.Site.Alive()
	}
	return errors.Join(s.services.Alive(), s.Site.Alive())
}

// records are those of the servers and the services.
func (s *servers) records(ctx context.Context, dir string) ([]facts.ServerRecord, error) {
	out, err := s.Records(ctx, dir)
	if err != nil || s.services == nil {
		return out, err
	}
	more, err := s.services.Records(ctx, dir)
	return append(out, more...), err
}

// ampleFor checks the limits and the memory that the largest stage with services needs.
func (l *Lab) ampleFor(r *run) error {
	servers := plan.Servers(plan.TopologiesOf(r.cells))
	gateways := slices.DeleteFunc(slices.Clone(servers), func(s facts.Server) bool { return !kinds.Of(s.Kind).JVM })
	for _, st := range r.stages {
		services := plan.ServicesOf(st.cells)
		jvms := slices.Concat(services, gateways)
		need := load.Needs{Services: len(jvms), Ports: append(portsOf(servers), portsOf(services)...)}
		for _, c := range st.cells {
			switch n := c.Workload.Concurrency; {
			case r.Command == plan.Story:
				need.InFlight = max(need.InFlight, n)
			case isK6(c.Users): // each of its users has one to the gate, too
				need.Connections = max(need.Connections, 2*n)
			default:
				need.Connections = max(need.Connections, n)
			}
		}
		if r.Command == plan.Sweep {
			need.For = "SWEEP=" + r.Knobs.Sweep
		}
		if err := errors.Join(l.ampleLimits(need), ampleMemory(proc.AvailableMB(), jvms)); err != nil {
			return err
		}
	}
	return nil
}

// nextServices replaces the running services by those of the next stage.
func (l *Lab) nextServices(ctx context.Context, c *conductor, wanted []facts.Server) error {
	if err := c.servers.stopServices(ctx); err != nil {
		return err
	}
	if err := l.startServices(ctx, c.servers, wanted); err != nil || c.servers.services == nil {
		return err
	}
	records, err := c.servers.services.Records(ctx, c.to.dir)
	env := &c.to.result.Environment
	for _, r := range records {
		if !slices.ContainsFunc(env.Servers, func(x facts.ServerRecord) bool { return x.Name == r.Name }) {
			env.Servers = append(env.Servers, r)
		}
	}
	return err
}

// heat loads every service once, through the first topology that it is measured with.
func (c *conductor) heat(ctx context.Context, cells []facts.Planned, lasting time.Duration,
	unsupported func(facts.Planned) facts.Text) error {
	heated := map[facts.Client]bool{}
	for _, p := range cells {
		if p.Service == nil || heated[p.Client] || !unsupported(p).IsZero() {
			continue
		}
		heated[p.Client] = true
		c.lab.say(facts.T("lab.warming", string(p.Client)))
		if err := c.bench.Heat(ctx, p, lasting); err != nil {
			return err
		}
	}
	return nil
}
