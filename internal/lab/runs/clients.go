package runs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/compose"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/podexec"
)

// OwnPrograms is the checkout's directory of client programs.
const OwnPrograms = "clients"

// clientsRun is one run of `clients`: the rows, how each is started, and which of them can't run here.
type clientsRun struct {
	Request
	ecosystems []clients.Ecosystem
	rows       []plan.Row
	programs   map[facts.Client][]string
	lacks      map[facts.Client]string
}

// Clients carries out `clients` with the programs of a directory. unmounted names the directory where
// the pod doesn't have it.
func (l *Lab) Clients(ctx context.Context, q Request, programs, unmounted string) (dir string, err error) {
	all, err := clients.Read(l.Root, programs)
	if err != nil {
		return "", err
	}
	chosen, err := clients.Only(all, q.Knobs.Only)
	if err != nil {
		return "", exitstatus.WrongUsage(err)
	}
	if chosen, err = l.withRate(chosen, q.Knobs); err != nil {
		return "", exitstatus.WrongUsage(err)
	}
	m := newClientsRun(q, chosen, programs)
	if err := plan.UnusedTopology(m.rows, q.Knobs); err != nil {
		return "", exitstatus.WrongUsage(err)
	}
	why, err := l.settle(ctx, &m.Request, unmounted)
	if err != nil {
		return "", err
	}
	if err := l.distant(m.Runtime == Native && q.Knobs.Line().Any(), q.Knobs.Seed,
		func() error { return m.prepare(ctx, l) }); err != nil {
		return "", err
	}
	l.message("h2lab: clients in the %s runtime (%s); %d ecosystems, %d rows, seed %d", m.Runtime, why, len(chosen),
		len(m.rows), q.Knobs.Seed)
	if m.Runtime == Docker {
		return "", m.inDocker(ctx, l)
	}
	return l.locked(func() (string, error) {
		if err := m.prepare(ctx, l); err != nil {
			return "", err
		}
		return m.measure(ctx, l)
	})
}

// prepare makes tools and client programs. The builds may need some of the tools.
func (m *clientsRun) prepare(ctx context.Context, l *Lab) error {
	need := append(serverTools(m.topologies()), clientTools(m.byK6())...)
	if err := l.makeReady(ctx, m.Knobs.Key, need); err != nil {
		return err
	}
	return m.build(ctx, l)
}

func newClientsRun(q Request, ecosystems []clients.Ecosystem, dir string) *clientsRun {
	m := &clientsRun{Request: q, ecosystems: ecosystems, programs: map[facts.Client][]string{},
		lacks: map[facts.Client]string{}}
	for _, e := range ecosystems {
		for _, c := range e.Clients {
			m.rows = append(m.rows, plan.Row{Client: c.Name, Protocol: c.Protocol, Program: e.Program(c)})
			m.programs[c.Name] = e.Argv(c)
		}
	}
	return m
}

// named reports that the user named what must run: then a missing toolchain is an error, and not an
// unsupported row.
func (m *clientsRun) named() bool { return len(m.Knobs.Only) > 0 }

// topologies returns the topologies of all passes.
func (m *clientsRun) topologies() []facts.Topology {
	cells := append(plan.ClientCells(m.rows, m.Knobs), plan.LowerCells(m.rows, m.Knobs)...)
	for _, limit := range []int{m.Knobs.Limit, plan.LowerLimit} {
		cells = append(cells, plan.GentleCells(m.rows, m.Knobs, limit)...)
	}
	return plan.TopologiesOf(cells)
}

// byK6 are the rows that the lab's k6 runs; the others bring a program of their own.
func (m *clientsRun) byK6() (out []facts.Client) {
	for _, r := range m.rows {
		if isK6(r.Client) {
			out = append(out, r.Client)
		}
	}
	return out
}

// build builds every ecosystem's programs. An ecosystem that lacks its toolchain or doesn't build
// is unsupported, with the reason; if the user asked for it by name, build returns an error.
func (m *clientsRun) build(ctx context.Context, l *Lab) error {
	env := clients.Env(l.Root)
	for _, e := range m.ecosystems {
		reason := e.Lacks(ctx, env)
		if reason == "" {
			if !e.Current() {
				l.message("h2lab: building clients/%s (once)", e.Name)
			}
			err := e.Make(ctx, env)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				reason = err.Error()
			}
		}
		if err := m.unsupported(ctx, l, e, reason, env); err != nil {
			return err
		}
	}
	return nil
}

// unsupported records the rows of an ecosystem that can't run: all for one reason, or single rows
// each with its own.
func (m *clientsRun) unsupported(ctx context.Context, l *Lab, e clients.Ecosystem, reason string, env []string) error {
	if ctx.Err() != nil { // then the reason is the interrupt
		return ctx.Err()
	}
	for _, c := range e.Clients {
		why := reason
		if why == "" {
			why = c.Lacks(ctx, env)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if why == "" {
			continue
		}
		if m.named() {
			return exitstatus.Lacks(fmt.Errorf("clients/%s: %s", e.Name, why))
		}
		if reason == "" {
			l.message("h2lab: %s is unsupported here: %s", c.Name, why)
		}
		m.lacks[c.Name] = firstLine(why)
	}
	if reason != "" {
		l.message("h2lab: clients/%s is unsupported here: %s", e.Name, reason)
	}
	return ctx.Err()
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSuffix(line, "; its last lines:")
}

// measure runs the passes against the servers of one run.
func (m *clientsRun) measure(ctx context.Context, l *Lab) (dir string, err error) {
	s, err := l.startServers(ctx, start{runtime: m.Runtime, knobs: m.Knobs, topologies: m.topologies(),
		clients: m.byK6()})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.stop(ctx)) }()
	far, err := openLineFor(m.Request, m.Knobs.Line().Any())
	if err != nil {
		return "", err
	}
	defer far.close()
	r, dir, err := l.begin(ctx, m.Request, s)
	if err != nil {
		return dir, err
	}
	to := recording{r, dir, far}
	bench := &conduct.Bench{Root: l.Root, CA: CAFile(l.Root), RunID: r.Run.ID, K6: s.tools["k6"], Site: s,
		Programs: m.programs, Env: clients.Env(l.Root), Patience: plan.Patience, Workers: workers, Far: far.place(),
		Beside: far.pids(), Windows: m.windows(r)}
	bench.Seed = r.Run.Seed
	score := conduct.Plan{Result: r, Cells: plan.ClientCells(m.rows, m.Knobs), Unsupported: m.why(s),
		Instruments: bench.Unrecorded(), Site: s, Save: to.save, Progress: l.Progress}
	if err := l.findRate(ctx, &m.Knobs, score); err != nil {
		return dir, to.close(err)
	}
	score.Instruments = bench
	for _, cells := range m.passes(r) {
		score.Cells = cells()
		if err = conduct.Run(ctx, score); err != nil {
			break
		}
	}
	return dir, to.close(err)
}

// workers are a program and its children, in its own container or on this machine.
func workers(pid int) []int { return proc.Tree(podexec.Pid(pid)) }

// why returns the reason why a cell can't run: its client or its topology.
func (m *clientsRun) why(s *servers) func(facts.Planned) facts.Text {
	return func(p facts.Planned) facts.Text {
		if reason := m.lacks[p.Client]; reason != "" {
			return facts.T("verdict.recorded", reason)
		}
		return s.lacks(p)
	}
}

// passes groups the cells of a run; the verdicts on earlier groups decide which cells a later group
// has.
func (m *clientsRun) passes(r *facts.Result) []func() []facts.Planned {
	gentle := func(limit int) func() []facts.Planned {
		return func() []facts.Planned {
			failing := func(row clientverdicts.Row) bool { return row.Verdict.Faulty() && row.Limit == limit }
			return plan.GentleCells(m.where(r, failing), m.Knobs, limit)
		}
	}
	passes := []func() []facts.Planned{
		func() []facts.Planned { return plan.UnlimitedCells(m.rows, m.Knobs) },
		func() []facts.Planned { return plan.LowCells(m.rows, m.Knobs) },
		func() []facts.Planned {
			return plan.LowerCells(m.where(r, func(row clientverdicts.Row) bool { return row.Lower }), m.Knobs)
		},
		gentle(m.Knobs.Limit),
	}
	if m.Knobs.Limit > plan.LowerLimit {
		passes = append(passes, gentle(plan.LowerLimit))
	}
	return passes
}

// where returns the rows that have such a verdict so far.
func (m *clientsRun) where(r *facts.Result, is func(clientverdicts.Row) bool) []plan.Row {
	chosen := map[facts.Client]bool{}
	for _, row := range clientverdicts.Rows(r) {
		chosen[row.Client] = is(row)
	}
	var out []plan.Row
	for _, row := range m.rows {
		if chosen[row.Client] {
			out = append(out, row)
		}
	}
	return out
}

// windows makes each window last until enough renewals were seen for a verdict.
func (m *clientsRun) windows(r *facts.Result) conduct.Windows {
	return conduct.Windows{Renewals: clientverdicts.FewestRenewals, Shortest: m.Knobs.Duration,
		Longest: max(plan.LongestWindow, m.Knobs.Duration),
		Pace:    func(cell facts.Planned) (conduct.Pace, bool) { return conduct.PaceIn(r, cell) }}
}

// inDocker builds an image for each ecosystem, starts servers and clients in one pod, and measures
// with an h2lab inside it.
func (m *clientsRun) inDocker(ctx context.Context, l *Lab) error {
	_, err := l.locked(func() (_ string, err error) {
		project, err := l.composed(ctx, m.Knobs, m.topologies())
		if err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, l.dismantle(ctx)) }()
		services, err := m.images(ctx, l, project.Project)
		if err != nil {
			return "", err
		}
		if err := project.Up(ctx, append(services, project.names()...)...); err != nil {
			return "", err
		}
		return "", l.runInside(ctx, m.Request, project, m.lacks)
	})
	return err
}

// images builds the images that can be built and returns the services to start.
func (m *clientsRun) images(ctx context.Context, l *Lab, project *compose.Project) (services []string, err error) {
	for _, e := range m.ecosystems {
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
		if m.named() {
			return nil, exitstatus.Lacks(fmt.Errorf("clients/%s: %w", e.Name, err))
		}
		l.message("h2lab: clients/%s is unsupported here: %v", e.Name, err)
		for _, c := range e.Clients {
			m.lacks[c.Name] = firstLine(err.Error())
		}
	}
	return services, nil
}

// podExec replaces every program that has a container by `h2lab pod-exec`, through which the container's
// `h2lab pod-exec-serve` runs it.
func (m *clientsRun) podExec(l *Lab) error {
	maps.Copy(m.lacks, l.Order.Lacks)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, e := range m.ecosystems {
		if !compose.HasImage(l.Root, e.Name) {
			continue
		}
		for _, c := range e.Clients {
			argv := e.Argv(c)
			if rel, err := filepath.Rel(l.Root, argv[0]); err == nil && filepath.IsLocal(rel) && argv[0] != c.Run[0] {
				argv[0] = rel // the container's working directory is its own checkout
			}
			m.programs[c.Name] = append([]string{self, "pod-exec", "--socket", podexec.Socket(e.Name), "--"}, argv...)
		}
	}
	return nil
}
