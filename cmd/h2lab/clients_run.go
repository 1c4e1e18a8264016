package main

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
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/podexec"
	"h2lab/internal/lab/results"
)

// clientsRun is one run of `clients`: the rows, how each is started, and which of them can't run here.
type clientsRun struct {
	*measureFlags
	ecosystems []clients.Ecosystem
	dir        string // the programs' directory
	named      bool   // the user named them
	rows       []plan.Row
	programs   map[facts.Client][]string
	lacks      map[facts.Client]string
}

func newClientsRun(flags *measureFlags, ecosystems []clients.Ecosystem, dir string, named bool) *clientsRun {
	m := &clientsRun{measureFlags: flags, ecosystems: ecosystems, dir: dir, named: named,
		programs: map[facts.Client][]string{}, lacks: map[facts.Client]string{}}
	for _, e := range ecosystems {
		for _, c := range e.Clients {
			m.rows = append(m.rows, plan.Row{Client: c.Name, Protocol: c.Protocol, Program: e.Program(c)})
			m.programs[c.Name] = e.Argv(c)
		}
	}
	return m
}

// cells returns the cells of the first pass.
func (m *clientsRun) cells() []facts.Planned { return plan.ClientCells(m.rows, m.Knobs) }

// topologies returns the topologies of all passes.
func (m *clientsRun) topologies() []facts.Topology {
	cells := append(m.cells(), plan.LowerCells(m.rows, m.Knobs)...)
	for _, limit := range []int{m.Limit, plan.LowerLimit} {
		cells = append(cells, plan.GentleCells(m.rows, m.Knobs, limit)...)
	}
	return plan.TopologiesOf(cells)
}

// here builds the programs, starts the servers, measures in passes and draws the page.
func (m *clientsRun) here(a *app, runtime string) (err error) {
	if runtime == runtimePod { // the h2lab on the host holds the lock, and has built the images
		if err := m.reach(a); err != nil {
			return err
		}
	} else {
		unlock, lockErr := native.Lock(a.root)
		if lockErr != nil {
			return lockErr
		}
		defer func() { err = errors.Join(err, unlock()) }()
		// The builds may need some of these tools.
		need := append(serverTools(m.topologies()), clientTools(m.byK6())...)
		if err := makeReady(a, m.Key, need); err != nil {
			return err
		}
		if err := m.build(a); err != nil {
			return err
		}
	}
	dir, err := m.measureHere(a, runtime)
	var unsaved *conduct.SaveError
	if dir == "" || errors.As(err, &unsaved) {
		return err
	}
	return errors.Join(err, finishClients(a, m.resultsDir(a), dir))
}

// build builds every ecosystem's programs. An ecosystem that lacks its toolchain or doesn't build
// is unsupported, with the reason; if the user asked for it by name, build returns an error.
func (m *clientsRun) build(a *app) error {
	env := clients.Env(a.root)
	for _, e := range m.ecosystems {
		reason := e.Lacks(a.ctx, env)
		if reason == "" {
			if !e.Current() {
				a.say("h2lab: building clients/%s (once)", e.Name)
			}
			err := e.Make(a.ctx, env)
			if a.ctx.Err() != nil {
				return a.ctx.Err()
			}
			if err != nil {
				reason = err.Error()
			}
		}
		if err := m.unsupported(a, e, reason, env); err != nil {
			return err
		}
	}
	return nil
}

// unsupported records the rows of an ecosystem that can't run: all for one reason, or single rows
// each with its own.
func (m *clientsRun) unsupported(a *app, e clients.Ecosystem, reason string, env []string) error {
	for _, c := range e.Clients {
		why := reason
		if why == "" {
			why = c.Lacks(a.ctx, env)
		}
		if why == "" {
			continue
		}
		if m.named {
			return exitstatus.Lacks(fmt.Errorf("clients/%s: %s", e.Name, why))
		}
		if reason == "" {
			a.say("h2lab: %s is unsupported here: %s", c.Name, why)
		}
		m.lacks[c.Name] = firstLine(why)
	}
	if reason != "" {
		a.say("h2lab: clients/%s is unsupported here: %s", e.Name, reason)
	}
	return a.ctx.Err()
}

// byK6 are the rows that the lab's k6 runs; the others bring a program of their own.
func (m *clientsRun) byK6() (out []facts.Client) {
	for _, r := range m.rows {
		if r.Client == facts.K6SharedPool || r.Client == facts.K6ConnectionPerVU {
			out = append(out, r.Client)
		}
	}
	return out
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSuffix(line, "; its last lines:")
}

// measureHere runs the passes against the servers of one run.
func (m *clientsRun) measureHere(a *app, runtime string) (dir string, err error) {
	s, err := openSite(a, runtime, m.Knobs, m.topologies(), m.byK6(), attached)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.close(a)) }()
	r, dir, err := m.begin(a, s, runtime, plan.Clients)
	if err != nil {
		return dir, err
	}
	r.Run.Observed = false
	bench := &conduct.Bench{Root: a.root, CA: caFile(a.root), RunID: r.Run.ID, K6: s.tools.K6, Site: s,
		Programs: m.programs, Env: clients.Env(a.root), Patience: plan.Patience, Workers: workers,
		Windows: m.windows(r)}
	p := newProgress(a)
	defer p.stop()
	pass := func(ctx context.Context, cells []facts.Planned) error {
		return conduct.Run(ctx,
			conduct.Score{Result: r, Cells: cells, Unsupported: m.why(s), Instruments: bench, Site: s,
				Save: func(r *facts.Result) error { return results.Write(dir, r) }, Progress: p.step})
	}
	for _, cells := range m.passes(r) {
		if err = pass(a.ctx, cells()); err != nil {
			break
		}
	}
	return dir, closeRun(r, dir, err)
}

// workers starts a program and its children, in its own container or on this machine.
func workers(pid int) []int { return proc.Tree(podexec.Pid(pid)) }

// why returns the reason why a cell can't run: its client or its topology.
func (m *clientsRun) why(s *site) func(facts.Planned) string {
	return func(p facts.Planned) string {
		if reason := m.lacks[p.Client]; reason != "" {
			return reason
		}
		return s.lacks(p)
	}
}
