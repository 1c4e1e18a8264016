// Package conduct runs the measurements in their order: it probes every limit, then, round by round
// and in an order drawn from the seed, it reads the counters, runs the load, reads the counters
// again, and saves. Its product is a facts.Result without judgements, which the packages below
// internal/judge read.
//
// One trial is
//
//	forget ids ▸ cold counters ▸ client warms up ▸ settle ▸ counters before
//	▸ window ▸ counters after (settled) ▸ save
//
// With a service between its users and the topology the client is its users, and the window begins and
// ends with the service's own view and the backend's times.
//
// The client sends nothing while counters are read (package load), so the differences belong to the
// window alone.
package conduct

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"h2lab/internal/facts"
)

// Site is the running topology, as the conductor uses it.
type Site interface {
	// Pids are a server's processes.
	Pids(server string) []int
	// Alive names a server that has died, with its last log line.
	Alive() error
}

// Instruments measure a trial; tests replace them by fakes.
type Instruments interface {
	// Limit probes how many requests one connection to the front can carry.
	Limit(ctx context.Context, t facts.Topology, p facts.Protocol) (facts.Limit, error)
	// Renewal traces the frames around the request that uses up a connection.
	Renewal(ctx context.Context, t facts.Topology) (facts.Renewal, error)
	// Measure runs one trial; the caller sets Index, Order and Started.
	Measure(ctx context.Context, cell facts.Planned, index int) (facts.Trial, error)
}

// Step is the progress of a run.
type Step struct {
	What  string // "closed loop", "verify", "trial" or "done"
	Cell  string
	Trial int // index within the cell, from 1
	Done  int // trials finished
	Total int
	Left  time.Duration // expected, for the remaining trials
}

// Plan is what to measure.
type Plan struct {
	Result *facts.Result // Run and Environment are set; cells and renewals are added
	Cells  []facts.Planned
	// Unsupported says why a cell can't run here, or is empty.
	Unsupported func(facts.Planned) facts.Text
	Instruments Instruments
	Site        Site
	Save        func(*facts.Result) error // after every trial
	Progress    func(Step)
	// Counted gets every finished trial; it may be nil.
	Counted func(*facts.Cell, facts.Trial)

	first int // index of this plan's first cell in the result
}

// cell is the result's cell for Cells[i].
func (s Plan) cell(i int) *facts.Cell { return &s.Result.Cells[s.first+i] }

// Run measures every cell and appends it to the result, after the cells of earlier plans. When ctx
// ends it returns the context's error with every finished trial saved.
func Run(ctx context.Context, s Plan) error {
	s.first = len(s.Result.Cells)
	for _, p := range s.Cells {
		c := facts.Cell{Topology: p.Topology.Name, Protocol: p.Protocol, Client: p.Client, Users: p.Users,
			Point: p.Point, Program: p.Program, Workload: p.Workload, Unsupported: s.Unsupported(p), Trials: []facts.Trial{}}
		s.Result.Cells = append(s.Result.Cells, c)
		s.Result.Run.Planned = append(s.Result.Run.Planned, c.ID())
	}
	if err := verify(ctx, s); err != nil {
		return err
	}
	if err := renewals(ctx, s); err != nil {
		return err
	}
	if err := s.save(); err != nil {
		return err
	}
	return trials(ctx, s)
}

// trials runs the rounds: every cell once a round, in an order that the seed repeats, so that a
// slow minute of the machine affects all cells alike.
func trials(ctx context.Context, s Plan) error {
	var runnable []int
	for i := range s.Cells {
		if s.cell(i).Unsupported.IsZero() {
			runnable = append(runnable, i)
		}
	}
	total, before := len(runnable)*s.Result.Run.Trials, s.measured()
	done, began := 0, time.Now()
	for round := 1; round <= s.Result.Run.Trials; round++ {
		for _, i := range order(runnable, s.Result.Run.Seed, round, s.first) {
			cell := s.cell(i)
			s.Progress(Step{
				What:  "trial",
				Cell:  cell.ID(),
				Trial: round,
				Done:  done,
				Total: total,
				Left:  left(began, done, total, s.Cells[i].Workload),
			})
			if err := trial(ctx, s, i, round, before+done+1); err != nil {
				return err
			}
			done++
		}
	}
	s.Progress(Step{What: "done", Done: done, Total: total})
	return nil
}

// trial measures cell i once and saves it.
func trial(ctx context.Context, s Plan, i, index, place int) error {
	cell := s.cell(i)
	started := time.Now().UTC()
	t, err := s.Instruments.Measure(ctx, s.Cells[i], index)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// The server's death may be the cause of the client's failure, so it is checked first.
	if dead := s.Site.Alive(); dead != nil {
		return fmt.Errorf("%s, trial %d: %w", cell.ID(), index, dead)
	}
	if err != nil {
		return fmt.Errorf("%s, trial %d: %w", cell.ID(), index, err)
	}
	t.Index, t.Order, t.Started = index, place, started
	cell.Trials = append(cell.Trials, t)
	if s.Counted != nil {
		s.Counted(cell, t)
	}
	return s.save()
}

// measured counts the trials of plans before this one.
func (s Plan) measured() (n int) {
	for _, c := range s.Result.Cells[:s.first] {
		n += len(c.Trials)
	}
	return n
}

// SaveError means that results could not be written. The saved results are whole; another attempt
// would fail too.
type SaveError struct{ Err error }

func (e *SaveError) Error() string { return "saving what is measured so far: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *SaveError) Unwrap() error { return e.Err }

func (s Plan) save() error {
	if err := s.Save(s.Result); err != nil {
		return &SaveError{err}
	}
	return nil
}

// order is the sequence of cells in one round of the plan whose first cell is the result's first-th.
func order(cells []int, seed uint64, round, first int) []int {
	r := rand.New(rand.NewPCG(seed, uint64(first)<<32+uint64(round)))
	out := make([]int, len(cells))
	for to, from := range r.Perm(len(cells)) {
		out[to] = cells[from]
	}
	return out
}

// left is the expected time of the remaining trials, from the pace so far, or from the plan before
// the first trial.
func left(began time.Time, done, total int, w facts.Workload) time.Duration {
	each := time.Duration((w.WarmupS + w.DurationS + 1) * float64(time.Second))
	if done > 0 {
		each = time.Since(began) / time.Duration(done)
	}
	return (each * time.Duration(total-done)).Round(time.Second)
}

// drainSlack is how many requests beyond its limit a draining front may serve. The probe sends one
// request at a time near the limit, so GOAWAY follows the request that meets it at once.
const drainSlack = 2

// traceable is the largest limit whose renewal is traced: with a larger one the trace would spend
// seconds on the requests before it and show the same frames.
const traceable = 10000

// verify probes every topology that will be measured and fills in the limits. A limit that differs
// from the topology's name ends the run: its results would be under the wrong name.
func verify(ctx context.Context, s Plan) error {
	type key struct {
		topology string
		protocol facts.Protocol
	}
	seen := map[key]facts.Limit{}
	for _, c := range s.Result.Cells[:s.first] { // an earlier plan has probed the same servers
		if c.Limit.ProbedRequests > 0 {
			seen[key{c.Topology, c.Protocol}] = c.Limit
		}
	}
	for i, p := range s.Cells {
		cell := s.cell(i)
		cell.Limit = facts.Limit{Configured: configured(p.Topology)}
		if !cell.Unsupported.IsZero() {
			continue
		}
		k := key{p.Topology.Name, p.Protocol}
		limit, ok := seen[k]
		if !ok {
			s.Progress(Step{What: "verify", Cell: k.topology + "." + string(k.protocol)})
			var err error
			if limit, err = s.Instruments.Limit(ctx, p.Topology, p.Protocol); err != nil {
				return fmt.Errorf("verifying the limit of %s over %s: %w", k.topology, k.protocol, err)
			}
			limit.Configured = configured(p.Topology)
			if err := agrees(p.Topology, p.Protocol, limit); err != nil {
				return err
			}
			seen[k] = limit
		}
		cell.Limit = limit
	}
	return nil
}

func configured(t facts.Topology) *int {
	if t.Limit == 0 {
		return nil
	}
	return &t.Limit
}

// agrees compares the probed limit with the one in the name.
func agrees(t facts.Topology, p facts.Protocol, got facts.Limit) error {
	config := t.Front().Config
	switch {
	case t.Limit == 0 && got.Effective == nil:
		return nil
	case t.Limit == 0:
		return fmt.Errorf("%s should have no limit, but a connection ended after %d requests over %s: look at %s",
			t.Name, *got.Effective, p, config)
	case got.Effective == nil:
		return fmt.Errorf("%s should allow %d requests a connection, but %d were answered on one over %s: look "+
			"at %s in %s",
			t.Name, t.Limit, got.ProbedRequests, p, t.LimitDirective, config)
	}
	slack := 0
	if t.Drains {
		slack = drainSlack
	}
	if *got.Effective < t.Limit || *got.Effective > t.Limit+slack {
		return fmt.Errorf("%s should allow %d requests a connection, but the probe found %d over %s: look at %s "+
			"in %s",
			t.Name, t.Limit, *got.Effective, p, t.LimitDirective, config)
	}
	return nil
}

// renewals traces one renewal on each limited front that is measured over h2.
func renewals(ctx context.Context, s Plan) error {
	seen := map[string]bool{}
	for _, r := range s.Result.Renewals {
		seen[r.Topology] = true
	}
	for i, p := range s.Cells {
		t := p.Topology
		if p.Protocol != facts.H2 || t.Limit == 0 || t.Limit > traceable || seen[t.Name] ||
			!s.cell(i).Unsupported.IsZero() {
			continue
		}
		seen[t.Name] = true
		r, err := s.Instruments.Renewal(ctx, t)
		if err != nil {
			return fmt.Errorf("tracing a renewal of %s: %w", t.Name, err)
		}
		s.Result.Renewals = append(s.Result.Renewals, r)
	}
	return nil
}

// closedWindowS is how long a cell's closed loop is measured to find a rate: long enough for several
// renewals at the lab's usual 5,000 requests a second and a limit of 1,000.
const closedWindowS = 2

// ClosedLoop measures each cell's load once, briefly and without a record, and returns the goodput of
// each by its id. A rate may then be a share of the least.
func ClosedLoop(ctx context.Context, s Plan) (map[string]float64, error) {
	out := map[string]float64{}
	for i, p := range s.Cells {
		c := facts.Cell{Topology: p.Topology.Name, Protocol: p.Protocol, Client: p.Client, Point: p.Point}
		if !s.Unsupported(p).IsZero() {
			continue
		}
		p.Workload.DurationS = min(p.Workload.DurationS, closedWindowS)
		s.Progress(Step{What: "closed loop", Cell: c.ID(), Done: i, Total: len(s.Cells)})
		t, err := s.Instruments.Measure(ctx, p, 0)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if dead := s.Site.Alive(); dead != nil {
			return nil, fmt.Errorf("%s, closed loop: %w", c.ID(), dead)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, closed loop: %w", c.ID(), err)
		}
		if t.Fault == nil {
			out[c.ID()] = t.GoodputRPS
		}
	}
	return out, nil
}

// Unrecorded is a bench for windows of which no timeline is kept and whose length is the plan's.
func (b *Bench) Unrecorded() *Bench {
	c := *b
	c.Windows, c.Sampling, c.Sampled, c.Opened = Windows{}, 0, nil, nil
	return &c
}
