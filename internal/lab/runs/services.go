package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"h2lab/internal/base/child"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/kinds"
	"h2lab/internal/base/proc"
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/load"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// OwnServices is the checkout's directory of services.
const OwnServices = "services"

// services are the variants of services/ and how each is started.
type services struct {
	ecosystems []clients.Ecosystem
	rows       []plan.Row
	argv       map[facts.Client][]string
	// lacks says why a variant can't run here; build sets it.
	lacks map[facts.Client]string
}

// readServices reads the manifests of services/.
func (l *Lab) readServices() (*services, error) {
	all, err := clients.Read(l.Root, OwnServices)
	if err != nil {
		return nil, err
	}
	s := &services{ecosystems: all, argv: map[facts.Client][]string{}, lacks: map[facts.Client]string{}}
	for _, e := range all {
		for _, c := range e.Clients {
			s.rows = append(s.rows, plan.Row{Client: c.Name, Protocol: c.Protocol, Program: e.Program(c)})
			s.argv[c.Name] = e.Argv(c)
		}
	}
	return s, nil
}

// build builds the services where they aren't current. Without the toolchain nothing of a story can
// run; a variant with needs of its own is unsupported without them, unless the user named it.
func (s *services) build(ctx context.Context, l *Lab, named []string) error {
	env := clients.Env(l.Root)
	for _, e := range s.ecosystems {
		if reason := e.Lacks(ctx, env); reason != "" {
			return errors.Join(ctx.Err(), exitstatus.Lacks(fmt.Errorf("%s: %s", e.Folder(), reason)))
		}
		if !e.Current() {
			l.message("h2lab: building %s (once; some minutes)", e.Folder())
		}
		if err := e.Make(ctx, env); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			return exitstatus.Lacks(err)
		}
		for _, c := range e.Clients {
			why := c.Lacks(ctx, env)
			if why != "" && slices.Contains(named, string(c.Name)) {
				return exitstatus.Lacks(fmt.Errorf("%s: %s: %s", e.Folder(), c.Name, why))
			}
			s.lacks[c.Name] = firstLine(why)
		}
	}
	return ctx.Err()
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
	l.message("h2lab: starting %d services", len(wanted))
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

// Story carries out `story`. It returns the run's directory as soon as there is one, also with an
// error.
func (l *Lab) Story(ctx context.Context, q Request) (dir string, err error) {
	q.Knobs.Settle()
	if err := q.Knobs.ValidateStory(); err != nil {
		return "", exitstatus.WrongUsage(err)
	}
	svc, err := l.readServices()
	if err != nil {
		return "", err
	}
	cells, err := plan.StoryCells(svc.rows, q.Knobs)
	if err != nil {
		return "", exitstatus.WrongUsage(err)
	}
	if cells, err = plan.Serviced(cells, svc.argv); err != nil {
		return "", err
	}
	return l.throughServices(ctx, q, svc, []stage{{cells: cells, heating: heating(q.Knobs.Quick)}})
}

// heating is how long each service is loaded before its first trial. With 3 s the processor time of a request still
// fell to a third over the first rounds (1.3 to 0.4 ms), and the rounds differed by more than what they compare.
func heating(quick bool) time.Duration {
	if quick {
		return 8 * time.Second
	}
	return 15 * time.Second
}

// stage is a part of a run with services: they start before its first trial and stop after its last.
type stage struct {
	// cells are all that the stage may measure; servers, services and limits follow from them.
	cells []facts.Planned
	// passes groups the cells; the result so far may decide which cells a later group has. nil is one
	// group of all cells.
	passes func(*facts.Result) []func() []facts.Planned
	// unsupported says why a cell can't run here, beyond what its topology and its service lack; it may
	// be nil.
	unsupported func(facts.Planned) facts.Text
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
		text.Counted(len(plan.ServicesOf(cells)), "service", "services"), q.Knobs.Seed)
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
	gateways := slices.DeleteFunc(slices.Clone(servers), func(s facts.Server) bool { return !kinds.Of(s.Kind).JVM })
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
	unsupported := func(p facts.Planned) facts.Text {
		for _, why := range []facts.Text{c.servers.lacks(p), svc.why(p)} {
			if !why.IsZero() {
				return why
			}
		}
		if st.unsupported != nil {
			return st.unsupported(p)
		}
		return facts.Text{}
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
func (s *services) why(p facts.Planned) (why facts.Text) {
	if p.Service == nil {
		return why
	}
	if lacks := s.lacks[p.Client]; lacks != "" {
		return facts.T("verdict.recorded", lacks)
	}
	if p.Program != nil && p.Topology.Limit > 0 && p.Program.AssumesLimit > p.Topology.Limit {
		why = facts.T("lab.assumes-limit", fmt.Sprint(p.Program.AssumesLimit), fmt.Sprint(p.Topology.Limit))
	}
	return why
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
		c.lab.message("h2lab: warming %s up", p.Client)
		if err := c.bench.Heat(ctx, p, lasting); err != nil {
			return err
		}
	}
	return nil
}
