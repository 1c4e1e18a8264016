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

// Score is what to measure.
type Score struct {
	Result *facts.Result // Run and Environment are set; cells and renewals are added
	Cells  []facts.Planned
	// Unsupported says why a cell can't run here, or is empty.
	Unsupported func(facts.Planned) string
	Instruments Instruments
	Site        Site
	Save        func(*facts.Result) error // after every trial
	Progress    func(Step)
	// Counted gets every finished trial; it may be nil.
	Counted func(*facts.Cell, facts.Trial)

	first int // index of this score's first cell in the result
}

// cell is the result's cell for Cells[i].
func (s Score) cell(i int) *facts.Cell { return &s.Result.Cells[s.first+i] }

// Run measures every cell and appends it to the result, after the cells of earlier scores. When ctx
// ends it returns the context's error with every finished trial saved.
func Run(ctx context.Context, s Score) error {
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
func trials(ctx context.Context, s Score) error {
	var runnable []int
	for i := range s.Cells {
		if s.cell(i).Unsupported == "" {
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
func trial(ctx context.Context, s Score, i, index, place int) error {
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

// measured counts the trials of scores before this one.
func (s Score) measured() (n int) {
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

func (s Score) save() error {
	if err := s.Save(s.Result); err != nil {
		return &SaveError{err}
	}
	return nil
}

// order is the sequence of cells in one round of the score whose first cell is the result's first-th.
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
