package conduct

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"h2lab/internal/base/counters"
	"h2lab/internal/facts"
	"h2lab/internal/field/probe"
	"h2lab/internal/lab/load"
)

// Bench implements Instruments with real measurements.
type Bench struct {
	Root  string // the project's root, for relative paths
	CA    string // the CA that every client trusts
	Dir   string // the run's directory
	RunID string
	// Seed draws the arrivals of a Poisson process: those of a trial are the same in every cell.
	Seed uint64
	K6   string
	// Programs has the command of each client program, before the shared flags.
	Programs map[facts.Client][]string
	// Env is the programs' whole environment, Patience the time limit of one request; 0 is their
	// default.
	Env      []string
	Patience time.Duration
	// Far prepares the line of one trial and returns what starts its client at the far end; nil starts
	// clients beside h2lab.
	Far func(facts.Distance) func(*exec.Cmd) error
	// Beside are the processes that count as h2lab itself, such as the line's.
	Beside []int
	// Workers are the processes that work for a program: its children, or the process in another
	// container that a relay stands for; nil is the program itself.
	Workers func(pid int) []int
	Site    Site
	// Windows chooses the length of a client program's window; its zero value keeps the planned
	// length.
	Windows Windows
	// Sampling is the interval at which the timeline reads the front's counters; 0 is never.
	Sampling time.Duration
	// Sampled gets every reading of the timeline, Opened is called when a window opens; both may be
	// nil. They must not block.
	Sampled func(facts.Observation)
	Opened  func()
	// SaveSeries saves a trial's timeline and returns its name relative to Dir.
	SaveSeries func(rel string, s facts.Series) error
}

// coldStart extends the warm-up of a program that did not start at first: its requests get their
// time limit (plan.Patience) once more.
const coldStart = 4 * time.Second

// limitBeyond is how many requests past the configured limit the probe sends before it reports no
// limit.
const limitBeyond = 100

// unlimitedProbe is how many requests on one connection count as "no limit", well above the default
// of nginx and of every other server.
const unlimitedProbe = 3000

func (b *Bench) target(t facts.Topology) probe.Target {
	path := "/lab/health"
	if t.Front().Kind == facts.Backend {
		path = "/healthz"
	}
	return probe.Target{Addr: t.Front().Front, ServerName: "localhost", CAFile: b.CA, Path: path}
}

// Limit implements Instruments.
func (b *Bench) Limit(ctx context.Context, t facts.Topology, p facts.Protocol) (facts.Limit, error) {
	atMost := unlimitedProbe
	if t.Limit > 0 {
		atMost = t.Limit + limitBeyond
	}
	if p == facts.H1 {
		return probe.RequestLimitH1(ctx, b.target(t), atMost)
	}
	return probe.RequestLimit(ctx, b.target(t), atMost, t.Limit)
}

// Renewal implements Instruments.
func (b *Bench) Renewal(ctx context.Context, t facts.Topology) (facts.Renewal, error) {
	r, err := probe.TraceRenewal(ctx, b.target(t), t.Limit)
	r.Topology = t.Name
	return r, err
}

// Measure implements Instruments. It measures a client program once more, in a longer window, where
// the first window had too few renewals.
func (b *Bench) Measure(ctx context.Context, cell facts.Planned, index int) (facts.Trial, error) {
	if cell.Program == nil || b.Windows.Renewals == 0 {
		return b.measure(ctx, &window{bench: b, cell: cell, index: index})
	}
	length := b.Windows.first(cell)
	t, err := b.measure(ctx, &window{bench: b, cell: lasting(cell, length), index: index, length: length})
	if err == nil && t.Fault != nil && t.Fault.Kind == facts.FaultNotStarted {
		cell.Workload.WarmupS += coldStart.Seconds()
		t, err = b.measure(ctx,
			&window{bench: b, cell: lasting(cell, length), index: index, length: length, again: "-again"})
	}
	if err != nil || t.Fault != nil {
		return t, err
	}
	longer, useful := b.Windows.longer(cell, t)
	if !useful {
		return t, nil
	}
	return b.measure(ctx,
		&window{bench: b, cell: lasting(cell, longer), index: index, length: longer, again: "-longer"})
}

// measure runs the client once.
func (b *Bench) measure(ctx context.Context, w *window) (facts.Trial, error) {
	cell := w.cell
	defer w.close()
	if err := w.open(ctx); err != nil {
		return facts.Trial{}, err
	}
	answer, err := load.Run(ctx, b.job(w), load.Hooks{Started: w.started, Warm: w.begin, Done: w.end})
	var program *load.ProgramError
	if cell.Program != nil && ctx.Err() == nil && errors.As(err, &program) {
		// the failure is the result
		return facts.Trial{Errors: []facts.Error{}, Warnings: w.warnings, Fault: &program.Fault}, nil
	}
	if err != nil {
		return facts.Trial{}, err
	}
	if w.after.At.IsZero() {
		return facts.Trial{}, errors.New("the client ended without closing its window")
	}
	return w.trial(answer)
}

func (b *Bench) job(w *window) load.Job {
	cell := w.cell
	job := load.Job{
		Client: cell.Client, Topology: cell.Topology.Name, Protocol: cell.Protocol,
		Base: "https://" + cell.Topology.Front().Front, CA: b.CA, Workload: cell.Workload, Limit: cell.Topology.Limit,
		Seed:      b.Seed + uint64(w.index),
		Nonce:     fmt.Sprintf("%s-%s-%d%s", b.RunID, w.id(), w.index, w.again),
		K6:        b.K6,
		K6Scripts: filepath.Join(b.Root, "k6"),
		Env:       b.Env,
		Patience:  b.Patience,
	}
	if b.Far != nil {
		job.Start = b.Far(cell.Workload.Distance)
	}
	if cell.Service != nil {
		job.Client, job.Protocol, job.Base = cell.Users, facts.H1, usersBase(cell)
	}
	job.Argv = b.Programs[job.Client]
	return job
}

// window is the measured part of one trial and the readings before and after it.
type window struct {
	bench         *Bench
	cell          facts.Planned
	index         int
	length        time.Duration // chosen for this trial; 0 uses the plan's
	again         string        // distinguishes the ids of a second attempt from those of the first
	front         counters.Source
	backend       counters.Source  // the front itself in direct
	sampler       counters.Sampler // not started when the timeline is off
	meter         counters.CPUMeter
	client        int // its pid
	opened        counters.CPUReading
	cold          facts.Observation // the front before the client's first connection
	before, after facts.Observation // the front around the window
	backBefore    facts.Observation
	backAfter     facts.Observation
	usage         facts.CPU
	service       serviceSide
	warnings      []string
}

// id is the name of the window's cell.
func (w *window) id() string {
	c := facts.Cell{Topology: w.cell.Topology.Name, Protocol: w.cell.Protocol, Client: w.cell.Client, Point: w.cell.Point}
	return c.ID()
}

// open connects the observers and reads the counters before the client starts.
func (w *window) open(ctx context.Context) (err error) {
	t := w.cell.Topology
	if w.front, err = counters.Open(w.bench.Root, t.Front()); err != nil {
		return err
	}
	w.backend = w.front
	if t.Front().Kind != facts.Backend {
		if w.backend, err = counters.Open(w.bench.Root, t.BackendServer()); err != nil {
			return err
		}
	}
	if err := counters.ForgetIDs(ctx, t.BackendServer()); err != nil {
		return err
	}
	if w.cold, err = w.settle(ctx, "before the client"); err != nil {
		return err
	}
	if w.bench.Sampling > 0 {
		w.sampler.Each = w.bench.Sampled
		w.sampler.Start(ctx, w.front, w.bench.Sampling)
	}
	return nil
}

// started gets the client's pid and prepares the CPU meter.
func (w *window) started(pid int) {
	var proxies []int
	for _, s := range w.cell.Topology.Proxies() {
		proxies = append(proxies, w.bench.Site.Pids(s.Name)...)
	}
	w.client = pid
	w.meter = counters.CPUMeter{
		Proxy:   proxies,
		Backend: w.bench.Site.Pids(w.cell.Topology.BackendServer().Name),
		Client:  []int{pid},
		Beside:  w.bench.Beside,
	}
	if w.cell.Service != nil {
		w.meter.Service = w.bench.Site.Pids(w.cell.Service.Name)
	}
}

// begin is called when the warm-up's last answer has arrived and the client waits.
func (w *window) begin(ctx context.Context) (err error) {
	if w.before, err = w.settle(ctx, "before the window"); err != nil {
		return err
	}
	if w.backBefore, err = w.backend.Observe(ctx); err != nil {
		return err
	}
	if w.bench.Workers != nil { // known once the program has printed its first line
		w.meter.Client = w.bench.Workers(w.client)
	}
	if err = w.beginService(ctx); err != nil {
		return err
	}
	w.sampler.Mark()
	if w.bench.Opened != nil {
		w.bench.Opened()
	}
	w.opened = w.meter.Read()
	return nil
}

// end is called when the window's last answer has arrived and the client waits.
func (w *window) end(ctx context.Context) (err error) {
	w.usage = w.meter.Read().Since(w.opened)
	if err = w.endService(ctx); err != nil {
		return err
	}
	if w.after, err = w.settle(ctx, "after the window"); err != nil {
		return err
	}
	if w.backAfter, err = w.backend.Observe(ctx); err != nil {
		return err
	}
	return w.endHandled(ctx)
}

// settle reads the front until two readings agree. If the counters still change after three
// seconds, it uses the last reading and adds a warning to the trial.
func (w *window) settle(ctx context.Context, when string) (facts.Observation, error) {
	o, err := counters.Settle(ctx, w.front)
	if errors.Is(err, counters.ErrUnsettled) {
		w.warnings = append(w.warnings, "counters still moved "+when)
		err = nil
	}
	return o, err
}

func (w *window) close() {
	_, _ = w.sampler.Stop() // a second call after the ledger's, or the only one when the trial failed
	if w.backend != nil && w.backend != w.front {
		w.backend.Close()
	}
	if w.front != nil {
		w.front.Close()
	}
}
