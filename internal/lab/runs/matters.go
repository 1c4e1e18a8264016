package runs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/facts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/load"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

// places are those of one run of SWEEP=matters. The limits of a place are compared with each other, so they are measured
// within seconds of each other: each place is a stage. A fault ends a trial or a place, and not the run.
type places struct {
	*run
	all    [][]facts.Planned
	near   string // why distances aren't measured here, or empty
	trials *sweepTrials

	began                     time.Time
	done, total               int // trials
	plannedSpent, plannedLeft time.Duration
}

// mattersRun is the run of SWEEP=matters.
func (l *Lab) mattersRun(q Request) (*run, error) {
	if _, err := sweepOf(q.Knobs); err != nil {
		return nil, exitstatus.WrongUsage(err)
	}
	if q.Knobs.Quick {
		q.Knobs.Trials = 1
	}
	if err := q.Knobs.ValidateMatters(); err != nil {
		return nil, exitstatus.WrongUsage(err)
	}
	okhttp, err := l.readOkHTTP()
	if err != nil {
		return nil, err
	}
	all := plan.MattersPlaces(q.Knobs, okhttp.rows)
	if err := plan.UnusedInMatters(slices.Concat(all...), q.Knobs); err != nil {
		return nil, exitstatus.WrongUsage(err)
	}
	return l.placesOf(q, okhttp, all).run, nil
}

// placesOf makes a stage of each place.
func (l *Lab) placesOf(q Request, okhttp programs, all [][]facts.Planned) *places {
	p := &places{all: all, run: &run{Request: q, cells: slices.Concat(all...), programs: okhttp,
		onlyNative: fmt.Sprintf("SWEEP=%s changes the distance between clients and servers, which the pod can't", plan.Matters)}}
	p.programs.required = func(c facts.Client) bool { return slices.Contains(q.Knobs.Clients, string(c)) }
	if !slices.ContainsFunc(p.cells, func(c facts.Planned) bool { return c.Client == plan.OkHTTP }) {
		p.programs.ecosystems = nil
	}
	p.size = facts.T("lab.size-places", sizeOf(p.cells, q.Knobs.Trials), facts.T("lab.places", fmt.Sprint(len(all))),
		minutes(plan.MattersTake(p.able(p.cells), q.Knobs.Trials)))
	p.limits = func() error {
		need := load.Needs{For: "SWEEP=" + plan.Matters, Ports: portsOf(plan.Servers(plan.TopologiesOf(p.cells)))}
		for _, c := range p.cells {
			need.InFlight = max(need.InFlight, c.Workload.Concurrency)
		}
		return l.ampleLimits(need)
	}
	p.nearby = func(why error) {
		p.near = why.Error()
		l.say(facts.T("lab.without-distances", p.near))
	}
	ordered := p.order()
	for i, cells := range ordered {
		p.stages = append(p.stages, p.stage(cells, slices.Concat(ordered[i+1:]...)))
	}
	return p
}

// readOkHTTP reads the one client program of clients/ that the sweep measures.
func (l *Lab) readOkHTTP() (p programs, err error) {
	all, err := clients.Read(l.Root, OwnPrograms)
	if err != nil {
		return p, err
	}
	for _, e := range all {
		e.Clients = slices.DeleteFunc(slices.Clone(e.Clients), func(c clients.Client) bool { return c.Name != plan.OkHTTP })
		if len(e.Clients) > 0 {
			return programsOf([]clients.Ecosystem{e}), nil
		}
	}
	return p, exitstatus.Lacks(fmt.Errorf("no manifest of %s/ has %s, which SWEEP=%s measures; restore it with: "+
		"git checkout %[1]s", OwnPrograms, plan.OkHTTP, plan.Matters))
}

// why returns why a cell isn't measured here, or "".
func (p *places) why(c facts.Planned) facts.Text {
	why := plan.TooFewRenewals(c)
	if why.IsZero() && p.near != "" && c.Workload.Distance.Any() {
		why = facts.T("lab.not-measured", facts.T("verdict.recorded", p.near))
	}
	return why
}

// able are the cells that are measured here, as far as that is known before the run.
func (p *places) able(cells []facts.Planned) []facts.Planned {
	return slices.DeleteFunc(slices.Clone(cells), func(c facts.Planned) bool {
		return !p.why(c).IsZero() || !p.programs.why(c).IsZero()
	})
}

// order is the order of the places: those of the first key, then those of the other, for which the servers
// are started again. The seed draws it. An open loop follows its closed loop.
func (p *places) order() (out [][]facts.Planned) {
	var groups [][][]facts.Planned
	for _, place := range p.all {
		if last := len(groups) - 1; last >= 0 && plan.Rated(place) && place[0].Client == groups[last][0][0].Client {
			groups[last] = append(groups[last], place)
		} else {
			groups = append(groups, [][]facts.Planned{place})
		}
	}
	r := rand.New(rand.NewPCG(p.Knobs.Seed, 0))
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

// resumingPrograms are the Go clients that keep TLS sessions and resume them.
func resumingPrograms(t native.Tools) map[facts.Client][]string {
	return map[facts.Client][]string{facts.GoReplayable: {t["go-client"], "--variant", "go-resume"}}
}

// left is the expected time until a run ends: the planned time of what is left, scaled by how the time so far
// compares with its plan.
func left(spent, plannedSpent, plannedLeft time.Duration) time.Duration {
	if plannedSpent == 0 {
		return plannedLeft.Round(time.Second)
	}
	return time.Duration(float64(plannedLeft) * float64(spent) / float64(plannedSpent)).Round(time.Second)
}

// expect sets what is left: the cells of a place, whose rate is known now, and those of later places.
func (p *places) expect(cells, later []facts.Planned) {
	able := append(p.able(cells), p.able(later)...)
	p.total, p.plannedLeft = p.done+len(able)*p.Knobs.Trials, plan.MattersTake(able, p.Knobs.Trials)
}

// stage measures the cells of one place.
func (p *places) stage(cells, later []facts.Planned) stage {
	why := p.why
	return stage{cells: cells, key: cells[0].Workload.Key, progress: p.overall, failed: p.give,
		unsupported: func(c facts.Planned) facts.Text { return why(c) },
		instruments: p.instruments,
		passes: func(so *facts.Result) []func() []facts.Planned {
			if plan.Rated(cells) {
				var ok bool
				if cells, ok = plan.MattersAtRate(cells, so); !ok {
					why = func(facts.Planned) facts.Text { return facts.T("lab.not-measured", facts.T("lab.no-closed-loop")) }
				}
			}
			p.expect(cells, later)
			return []func() []facts.Planned{group(cells)}
		}}
}

// instruments are the same for all places, since failed trials in a row are counted.
func (p *places) instruments(c *conductor) conduct.Instruments {
	if p.trials == nil {
		p.began = time.Now()
		p.trials = &sweepTrials{Instruments: &placeBench{c.bench, p, resumingPrograms(c.servers.tools)},
			services: placeKeeper{c}, bare: true}
	}
	return p.trials
}

// give records why the cells of a place have no trial, so that the run can continue, unless too much has failed.
func (p *places) give(c *conductor, first int, why error) error {
	if p.trials != nil {
		if p.trials.failed >= mostFailed {
			return why
		}
		p.trials.failed++
	}
	c.lab.say(facts.T("lab.place-failed", why.Error()))
	for i := range c.to.result.Cells[first:] {
		if c := &c.to.result.Cells[first+i]; len(c.Trials) == 0 && c.Unsupported.IsZero() {
			c.Unsupported = facts.T("lab.not-measured", facts.T("verdict.recorded", firstLine(why.Error())))
		}
	}
	return c.to.save(c.to.result)
}

// overall shows the progress of the whole run instead of that of one place.
func (p *places) overall(show func(conduct.Step)) func(conduct.Step) {
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
	places   *places
	resuming map[facts.Client][]string
}

// Measure implements conduct.Instruments.
func (b *placeBench) Measure(ctx context.Context, cell facts.Planned, index int) (facts.Trial, error) {
	p := b.places
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
		bench.Programs = b.resuming
	}
	return &bench
}

// placeKeeper is the keeper of the servers of all places: they are to the sweep what services are to the
// others, and start again where one has died.
type placeKeeper struct{ *conductor }

func (k placeKeeper) idle(context.Context, facts.Planned) error { return nil }
func (k placeKeeper) serversAlive() error                       { return nil }
func (k placeKeeper) servicesAlive() error                      { return k.servers.Site.Alive() }

func (k placeKeeper) restart(ctx context.Context) error {
	dead := k.servers.Site.Alive()
	if dead == nil {
		return nil
	}
	k.lab.say(facts.T("lab.servers-again", dead.Error()))
	return k.lab.serve(ctx, k.run, k.servers, k.serving)
}
