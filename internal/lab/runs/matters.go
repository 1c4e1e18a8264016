package runs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/delay"
	"h2lab/internal/lab/load"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// mattersRun is one run of SWEEP=matters.
type mattersRun struct {
	Request
	okhttp *clientsRun
	places [][]facts.Planned
	near   string // why distances aren't measured here, or empty
}

// sweepMatters carries out SWEEP=matters.
func (l *Lab) sweepMatters(ctx context.Context, q Request) (dir string, err error) {
	if err := q.Knobs.ValidateMatters(); err != nil {
		return "", exitstatus.WrongUsage(err)
	}
	m := &mattersRun{Request: q}
	if m.okhttp, err = l.readOkHTTP(q); err != nil {
		return "", err
	}
	m.places = plan.MattersPlaces(q.Knobs, m.okhttp.rows)
	cells := slices.Concat(m.places...)
	if err := plan.UnusedInMatters(cells, q.Knobs); err != nil {
		return "", exitstatus.WrongUsage(err)
	}
	if q.Runtime == Docker {
		return "", exitstatus.WrongUsage(fmt.Errorf("RUNTIME=docker: SWEEP=%s changes the distance between clients and "+
			"servers, which the pod can't; use RUNTIME=native", plan.Matters))
	}
	if err := nativeOnly(&m.Request); err != nil {
		return "", err
	}
	if err := m.ample(l); err != nil {
		return "", err
	}
	if err := writable(l.Results); err != nil {
		return "", err
	}
	if err := m.enter(ctx, l); err != nil {
		return "", err
	}
	l.message("h2lab: SWEEP=%s: %s at %s, seed %d; about %s", plan.Matters, sizeOf(cells, q.Knobs.Trials),
		text.Counted(len(m.places), "place", "places"), q.Knobs.Seed,
		minutes(plan.MattersTake(m.able(cells), q.Knobs.Trials)))
	return l.locked(func() (string, error) {
		if err := m.prepare(ctx, l); err != nil {
			return "", err
		}
		return m.measure(ctx, l)
	})
}

// readOkHTTP reads the one client program of clients/ that the sweep measures.
func (l *Lab) readOkHTTP(q Request) (*clientsRun, error) {
	all, err := clients.Read(l.Root, OwnPrograms)
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		e.Clients = slices.DeleteFunc(slices.Clone(e.Clients), func(c clients.Client) bool { return c.Name != plan.OkHTTP })
		if len(e.Clients) > 0 {
			return newClientsRun(q, []clients.Ecosystem{e}, OwnPrograms), nil
		}
	}
	return nil, exitstatus.Lacks(fmt.Errorf("no manifest of %s/ has %s, which SWEEP=%s measures; restore it with: "+
		"git checkout %[1]s", OwnPrograms, plan.OkHTTP, plan.Matters))
}

// enter continues the run in a network namespace of its own, as distant does. Where that isn't permitted
// the run goes on without its distances.
func (m *mattersRun) enter(ctx context.Context, l *Lab) error {
	if !apart(slices.Concat(m.places...)) || delay.Entered() {
		return nil
	}
	if _, err := l.locked(func() (string, error) { return "", m.prepare(ctx, l) }); err != nil {
		return err
	}
	m.withoutDistances(l, delay.Enter(fmt.Sprintf("SEED=%d", m.Knobs.Seed)))
	return nil
}

func (m *mattersRun) withoutDistances(l *Lab, why error) {
	m.near = why.Error()
	l.message("h2lab: warning: only places without a distance are measured: %v", why)
}

// prepare makes tools, certificates and OkHTTP's program. A machine without a JDK measures the rest.
func (m *mattersRun) prepare(ctx context.Context, l *Lab) error {
	cells := slices.Concat(m.places...)
	need := append(serverTools(plan.TopologiesOf(cells)), "go-client")
	if err := l.makeReady(ctx, plan.Usual().Key, need); err != nil {
		return err
	}
	if !slices.ContainsFunc(cells, func(c facts.Planned) bool { return c.Client == plan.OkHTTP }) {
		return nil
	}
	if err := m.okhttp.build(ctx, l); err != nil {
		return err
	}
	why := m.okhttp.lacks[plan.OkHTTP]
	if why != "" && slices.Contains(m.Knobs.Clients, string(plan.OkHTTP)) {
		return exitstatus.Lacks(fmt.Errorf("%s: %s", plan.OkHTTP, why))
	}
	return nil
}

// why returns why a cell isn't measured here, or "".
func (m *mattersRun) why(c facts.Planned) facts.Text {
	switch why := plan.TooFewRenewals(c); {
	case !why.IsZero():
		return why
	case m.near != "" && c.Workload.Distance.Any():
		return facts.T("lab.not-measured", facts.T("verdict.recorded", m.near))
	case m.okhttp.lacks[c.Client] != "":
		return facts.T("verdict.recorded", m.okhttp.lacks[c.Client])
	}
	return facts.Text{}
}

// able are the cells that are measured here, as far as that is known before the run.
func (m *mattersRun) able(cells []facts.Planned) []facts.Planned {
	return slices.DeleteFunc(slices.Clone(cells), func(c facts.Planned) bool { return !m.why(c).IsZero() })
}

// order is the order of the places: those of the first key, then those of the other, for which the servers
// are started again. The seed draws it. An open loop follows its closed loop.
func (m *mattersRun) order() (out [][]facts.Planned) {
	var groups [][][]facts.Planned
	for _, p := range m.places {
		if last := len(groups) - 1; last >= 0 && plan.Rated(p) && p[0].Client == groups[last][0][0].Client {
			groups[last] = append(groups[last], p)
		} else {
			groups = append(groups, [][]facts.Planned{p})
		}
	}
	r := rand.New(rand.NewPCG(m.Knobs.Seed, 0))
	r.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	first := groups[0][0][0].Workload.Key
	for _, begins := range []bool{true, false} {
		for _, g := range groups {
			if (g[0][0].Workload.Key == first) == begins {
				out = append(out, g...)
			}
		}
	}
	return out
}

// measure starts the servers, measures the places and stops the servers. The caller holds the lock.
func (m *mattersRun) measure(ctx context.Context, l *Lab) (dir string, err error) {
	places := m.order()
	s := &servers{}
	serve := func(key string) error { return m.serve(ctx, l, s, key) }
	key := places[0][0].Workload.Key
	if err := serve(key); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.stop(ctx)) }()
	far, err := openLine(m.near == "" && apart(slices.Concat(places...)), m.Knobs.Seed)
	if err != nil {
		m.withoutDistances(l, err)
		far = farEnd{}
	}
	defer far.close()
	r, dir, err := l.begin(ctx, m.Request, s)
	if err != nil {
		return dir, err
	}
	programs := goPrograms(s.tools)
	programs[plan.OkHTTP] = m.okhttp.programs[plan.OkHTTP]
	c := l.conductor(m.Request, s, recording{r, dir, far}, programs)
	p := &placesRun{mattersRun: m, conductor: c, serve: serve, key: key, resuming: resumingPrograms(s.tools)}
	return dir, c.end(p.run(ctx, places))
}

// ample checks the machine's limits for the most requests in flight.
func (m *mattersRun) ample(l *Lab) error {
	cells := slices.Concat(m.places...)
	need := load.Needs{For: "SWEEP=" + plan.Matters, Ports: portsOf(plan.Servers(plan.TopologiesOf(cells)))}
	for _, c := range cells {
		need.InFlight = max(need.InFlight, c.Workload.Concurrency)
	}
	return l.ampleLimits(need)
}

// resumingPrograms are the Go clients that keep TLS sessions and resume them.
func resumingPrograms(t native.Tools) map[facts.Client][]string {
	return map[facts.Client][]string{facts.GoReplayable: {t["go-client"], "--variant", "go-resume"}}
}

// serve stops the servers, if any, and starts them with a certificate of that key.
func (m *mattersRun) serve(ctx context.Context, l *Lab, s *servers, key string) error {
	if s.Site != nil {
		if err := s.stop(ctx); err != nil {
			return err
		}
	}
	k := m.Knobs
	k.Key = key
	fresh, err := l.startServers(ctx, start{runtime: m.Runtime, knobs: k,
		topologies: plan.TopologiesOf(slices.Concat(m.places...)),
		clients:    []facts.Client{facts.GoReplayable}, limits: func() error { return m.ample(l) }})
	if err == nil {
		*s = *fresh
	}
	return err
}

// left is the expected time until a run ends: the planned time of what is left, scaled by how the time so far
// compares with its plan.
func left(spent, plannedSpent, plannedLeft time.Duration) time.Duration {
	if plannedSpent == 0 {
		return plannedLeft.Round(time.Second)
	}
	return time.Duration(float64(plannedLeft) * float64(spent) / float64(plannedSpent)).Round(time.Second)
}

// placesRun measures the places of SWEEP=matters, one after the other: the limits of a place are compared
// with each other, so they are measured within seconds of each other. A fault ends a trial or a place, and
// not the run.
type placesRun struct {
	*mattersRun
	*conductor
	serve    func(key string) error // starts the servers again
	key      string                 // that the servers have
	resuming map[facts.Client][]string
	trials   *sweepTrials

	began                     time.Time
	done, total               int // trials
	plannedSpent, plannedLeft time.Duration
}

func (p *placesRun) run(ctx context.Context, places [][]facts.Planned) error {
	p.began = time.Now()
	p.trials = &sweepTrials{Instruments: &placeBench{p.bench, p}, services: placeKeeper{p}, bare: true}
	for i, cells := range places {
		if err := p.place(ctx, cells, slices.Concat(places[i+1:]...)); err != nil {
			return err
		}
	}
	return nil
}

// expect sets what is left: the cells of a place, whose rate is known now, and those of later places.
func (p *placesRun) expect(cells, later []facts.Planned) {
	able := append(p.able(cells), p.able(later)...)
	p.total, p.plannedLeft = p.done+len(able)*p.Knobs.Trials, plan.MattersTake(able, p.Knobs.Trials)
}

// place measures the cells of one place.
func (p *placesRun) place(ctx context.Context, cells, later []facts.Planned) error {
	why, first := p.why, len(p.to.result.Cells)
	if plan.Rated(cells) {
		var ok bool
		if cells, ok = plan.MattersAtRate(cells, p.to.result); !ok {
			why = func(facts.Planned) facts.Text { return facts.T("lab.not-measured", facts.T("lab.no-closed-loop")) }
		}
	}
	p.expect(cells, later)
	unsupported := func(c facts.Planned) facts.Text {
		if reason := p.servers.lacks(c); !reason.IsZero() {
			return reason
		}
		return why(c)
	}
	var err error
	if key := cells[0].Workload.Key; key != p.key {
		p.lab.message("h2lab: starting the servers again with a certificate of the key %s", key)
		if err = p.serve(key); err == nil {
			p.key = key
		}
	}
	if err == nil {
		score := p.score(cells, unsupported)
		score.Instruments, score.Progress = p.trials, p.overall(score.Progress)
		err = conduct.Run(ctx, score)
	}
	var unsaved *conduct.SaveError
	if err == nil || ctx.Err() != nil || errors.As(err, &unsaved) || p.trials.failed >= mostFailed {
		return err
	}
	p.trials.failed++
	return p.give(first, err)
}

// give records why the cells of a place have no trial, so that the run can continue.
func (p *placesRun) give(first int, why error) error {
	p.lab.message("h2lab: warning: a place is not measured: %v", why)
	for i := range p.to.result.Cells[first:] {
		if c := &p.to.result.Cells[first+i]; len(c.Trials) == 0 && c.Unsupported.IsZero() {
			c.Unsupported = facts.T("lab.not-measured", facts.T("verdict.recorded", firstLine(why.Error())))
		}
	}
	return p.to.save(p.to.result)
}

// overall shows the progress of the whole run instead of that of one place.
func (p *placesRun) overall(show func(conduct.Step)) func(conduct.Step) {
	return func(s conduct.Step) {
		if s.What == "done" && p.done < p.total {
			return
		}
		s.Done, s.Total, s.Left = p.done, p.total, left(time.Since(p.began), p.plannedSpent, p.plannedLeft)
		show(s)
	}
}

// placeBench measures the trials of all places.
type placeBench struct {
	*conduct.Bench
	run *placesRun
}

// Measure implements conduct.Instruments.
func (b *placeBench) Measure(ctx context.Context, cell facts.Planned, index int) (facts.Trial, error) {
	p := b.run
	defer func() {
		took := plan.MattersTake([]facts.Planned{cell}, 1)
		p.done, p.plannedSpent, p.plannedLeft = p.done+1, p.plannedSpent+took, p.plannedLeft-took
	}()
	t, err := b.benchFor(cell).Measure(ctx, cell, index)
	if err == nil && t.Fault != nil && t.Fault.Kind == facts.FaultNotStarted { // a JVM that starts cold on a busy machine
		t, err = b.benchFor(cell).Measure(ctx, cell, index)
	}
	if err == nil && t.Fault == nil && cell.Workload.RatePerS > 0 && t.Schedule == nil {
		err = errors.New("the client's answer has no schedule, so its load was no open loop")
	}
	return t, err
}

// benchFor is the bench of a cell. Without a distance a client is on loopback, as in the other commands.
func (b *placeBench) benchFor(cell facts.Planned) *conduct.Bench {
	bench := *b.Bench
	if !cell.Workload.Distance.Any() {
		bench.Far = nil
	}
	if cell.Workload.Resume {
		bench.Programs = b.run.resuming
	}
	return &bench
}

// placeKeeper is the keeper of the servers of all places: they are to the sweep what services are to the
// others, and start again where one has died.
type placeKeeper struct{ *placesRun }

func (k placeKeeper) idle(context.Context, facts.Planned) error { return nil }
func (k placeKeeper) serversAlive() error                       { return nil }
func (k placeKeeper) servicesAlive() error                      { return k.servers.Site.Alive() }

func (k placeKeeper) restart(context.Context) error {
	dead := k.servers.Site.Alive()
	if dead == nil {
		return nil
	}
	k.lab.message("h2lab: warning: %v; starting the servers again", dead)
	return k.serve(k.key)
}
