package runs

import (
	"context"
	"errors"
	"slices"
	"time"

	"h2lab/internal/facts"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/plan"
)

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
			why = func(facts.Planned) string { return "not measured: no closed loop of this place has a goodput" }
		}
	}
	p.expect(cells, later)
	unsupported := func(c facts.Planned) string {
		if reason := p.servers.lacks(c); reason != "" {
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
		if c := &p.to.result.Cells[first+i]; len(c.Trials) == 0 && c.Unsupported == "" {
			c.Unsupported = "not measured: " + firstLine(why.Error())
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
