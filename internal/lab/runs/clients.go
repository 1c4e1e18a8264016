package runs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/proc"
	"h2lab/internal/facts"
	"h2lab/internal/lab/clients"
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
	bench := &conduct.Bench{Root: l.Root, CA: CAFile(l.Root), RunID: r.Run.ID, K6: s.tools.K6, Site: s,
		Programs: m.programs, Env: clients.Env(l.Root), Patience: plan.Patience, Workers: workers, Far: far.place(),
		Beside: far.pids(), Windows: m.windows(r)}
	bench.Seed = r.Run.Seed
	score := conduct.Score{Result: r, Cells: plan.ClientCells(m.rows, m.Knobs), Unsupported: m.why(s),
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
func (m *clientsRun) why(s *servers) func(facts.Planned) string {
	return func(p facts.Planned) string {
		if reason := m.lacks[p.Client]; reason != "" {
			return reason
		}
		return s.lacks(p)
	}
}
