package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/numfmt"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/load"
	"h2lab/internal/lab/plan"
)

// stage is a part of a run with services: they start before its first trial and stop after its last.
type stage struct {
	// cells are all that the stage may measure; servers, services and limits follow from them.
	cells []facts.Planned
	// passes groups the cells; the result so far may decide which cells a later group has. nil is one
	// group of all cells.
	passes func(*facts.Result) []func() []facts.Planned
	// unsupported says why a cell can't run here, beyond what its topology and its service lack; it may
	// be nil.
	unsupported func(facts.Planned) string
	// limits checks the machine's limits; nil compares them with the cells' users.
	limits func() error
	// heating is how long each service is loaded before its first trial; 0 is conduct.Heating.
	heating time.Duration
	// instruments measures the stage's trials; nil is the conductor's bench.
	instruments func(*conductor) conduct.Instruments
}

// throughServices measures stages of cells with services, one after the other against the same
// servers, for one result.
func (l *Lab) throughServices(ctx context.Context, q Request, svc *services, stages []stage) (dir string, err error) {
	if err := nativeOnly(&q); err != nil {
		return "", err
	}
	if err := writable(l.Results); err != nil {
		return "", err
	}
	cells := cellsOf(stages)
	if err := l.distant(apart(cells), q.Knobs.Seed, func() error {
		return errors.Join(l.makeReady(ctx, q.Knobs.Key, toolsOf(cells)), svc.build(ctx, l, q.Knobs.Clients))
	}); err != nil {
		return "", err
	}
	l.message("h2lab: %s in the native runtime; %s, %s, seed %d", q.Command, sizeOf(cells, q.Knobs.Trials),
		numfmt.Counted(len(plan.ServicesOf(cells)), "service", "services"), q.Knobs.Seed)
	return l.locked(func() (string, error) { return l.stages(ctx, q, svc, stages) })
}

// nativeOnly settles the runtime of a run with services.
func nativeOnly(q *Request) error {
	if err := knownRuntime(q.Runtime); err != nil {
		return err
	}
	if q.Runtime == Docker {
		return exitstatus.WrongUsage(fmt.Errorf("RUNTIME=docker: %s has no images of its services yet; use RUNTIME=native",
			q.Command))
	}
	q.Runtime = Native
	return nil
}

func cellsOf(stages []stage) (out []facts.Planned) {
	for _, s := range stages {
		out = append(out, s.cells...)
	}
	return out
}

// stages starts the servers, measures the stages and stops the servers. The caller holds the lock.
func (l *Lab) stages(ctx context.Context, q Request, svc *services, stages []stage) (dir string, err error) {
	cells := cellsOf(stages)
	topologies := plan.TopologiesOf(cells)
	s, err := l.startServers(ctx, start{runtime: q.Runtime, knobs: q.Knobs, topologies: topologies,
		clients: append(plan.UsersOf(cells), facts.K6ConnectionPerVU), // k6 also warms the services up
		limits:  func() error { return l.ampleFor(stages, topologies) },
		build:   func(ctx context.Context) error { return svc.build(ctx, l, q.Knobs.Clients) }})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.stop(ctx)) }()
	far, err := openLine(apart(cells), q.Knobs.Seed)
	if err != nil {
		return "", err
	}
	defer far.close()
	// The first services start before there is a directory: a run that can't begin leaves none.
	if err := l.startServices(ctx, s, svc.able(stages[0].cells)); err != nil {
		return "", err
	}
	r, dir, err := l.begin(ctx, q, s)
	if err != nil {
		return dir, err
	}
	c := l.conductor(q, s, recording{r, dir, far}, usersPrograms(s.tools))
	for i, st := range stages {
		if i > 0 {
			err = l.nextServices(ctx, c, svc.able(st.cells))
		}
		if err == nil {
			err = c.stage(ctx, svc, st)
		}
		if err != nil {
			break
		}
	}
	err = c.end(err)
	if err != nil && len(r.Cells) == 0 { // no service could be measured, so no run has begun
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, err
}

// ampleFor checks the limits and the memory that the largest stage needs.
func (l *Lab) ampleFor(stages []stage, topologies []facts.Topology) error {
	servers := plan.Servers(topologies)
	gateways := slices.DeleteFunc(slices.Clone(servers), func(s facts.Server) bool { return s.Kind != facts.Gateway })
	for _, st := range stages {
		services := plan.ServicesOf(st.cells)
		jvms := append(plan.ServicesOf(st.cells), gateways...)
		need := load.Needs{Services: len(jvms), Ports: append(portsOf(servers), portsOf(services)...)}
		for _, c := range st.cells {
			need.InFlight = max(need.InFlight, c.Workload.Concurrency)
		}
		check := st.limits
		if check == nil {
			check = func() error { return l.ampleLimits(need) }
		}
		if err := check(); err != nil {
			return err
		}
		if err := ampleMemory(proc.AvailableMB(), jvms); err != nil {
			return err
		}
	}
	return nil
}

// able are the services of the cells that can run here.
func (s *services) able(cells []facts.Planned) []facts.Server {
	return slices.DeleteFunc(plan.ServicesOf(cells), func(x facts.Server) bool {
		return s.lacks[facts.Client(x.Name)] != ""
	})
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

// stage warms the services up and measures the stage's cells.
func (c *conductor) stage(ctx context.Context, svc *services, st stage) error {
	unsupported := func(p facts.Planned) string {
		for _, why := range []string{c.servers.lacks(p), svc.why(p)} {
			if why != "" {
				return why
			}
		}
		if st.unsupported != nil {
			return st.unsupported(p)
		}
		return ""
	}
	passes := []func() []facts.Planned{func() []facts.Planned { return st.cells }}
	if st.passes != nil {
		passes = st.passes(c.to.result)
	}
	if err := c.heat(ctx, st.cells, cmp.Or(st.heating, conduct.Heating), unsupported); err != nil {
		return err
	}
	for _, cells := range passes {
		score := c.score(cells(), unsupported)
		if st.instruments != nil {
			score.Instruments = st.instruments(c)
		}
		if err := conduct.Run(ctx, score); err != nil {
			return err
		}
	}
	return nil
}

// why is the reason why a cell's service can't run here, or can't do what it describes.
func (s *services) why(p facts.Planned) string {
	if p.Service == nil {
		return ""
	}
	if why := s.lacks[p.Client]; why != "" {
		return why
	}
	if p.Program != nil && p.Topology.Limit > 0 && p.Program.AssumesLimit > p.Topology.Limit {
		return fmt.Sprintf("its code assumes a limit of %d requests a connection or more, and this run has LIMIT=%d",
			p.Program.AssumesLimit, p.Topology.Limit)
	}
	return ""
}

// heat loads every service once, through the first topology that it is measured with.
func (c *conductor) heat(ctx context.Context, cells []facts.Planned, lasting time.Duration,
	unsupported func(facts.Planned) string) error {
	heated := map[facts.Client]bool{}
	for _, p := range cells {
		if p.Service == nil || heated[p.Client] || unsupported(p) != "" {
			continue
		}
		heated[p.Client] = true
		c.lab.message("h2lab: warming %s up", p.Client)
		if err := c.bench.Heat(ctx, p, lasting); err != nil {
			return err
		}
	}
	return nil
}
