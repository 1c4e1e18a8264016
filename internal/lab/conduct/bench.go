package conduct

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"time"

	"h2lab/internal/base/counters"
	"h2lab/internal/base/kinds"
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
	return probe.Target{Addr: t.Front().Front, ServerName: "localhost", CAFile: b.CA, Path: kinds.Of(t.Front().Kind).Health}
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
	seen, err := probe.Trace(ctx, b.target(t), probe.TraceAsk{Limit: t.Limit})
	seen.Renewal.Topology = t.Name
	return seen.Renewal, err
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
	backend       counters.Source          // the front itself in direct
	timeline      func() counters.Timeline // stops it; nil when it is off
	zero          time.Time                // of the timeline
	meter         counters.CPUMeter
	client        int // its pid
	opened        facts.CPU
	cold          facts.Observation // the front before the client's first connection
	before, after facts.Observation // the front around the window
	backBefore    facts.Observation
	backAfter     facts.Observation
	usage         facts.CPU
	service       serviceSide
	warnings      []facts.Text
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
	if w.cold, err = w.settle(ctx, facts.T("lab.moved-before-client")); err != nil {
		return err
	}
	if w.bench.Sampling > 0 {
		w.timeline = counters.Sample(ctx, w.front, w.bench.Sampling, w.bench.Sampled)
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
	if w.before, err = w.settle(ctx, facts.T("lab.moved-before-window")); err != nil {
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
	w.zero = time.Now()
	if w.bench.Opened != nil {
		w.bench.Opened()
	}
	w.opened = w.meter.Read()
	return nil
}

// end is called when the window's last answer has arrived and the client waits.
func (w *window) end(ctx context.Context) (err error) {
	w.usage = counters.CPUSince(w.opened, w.meter.Read())
	if err = w.endService(ctx); err != nil {
		return err
	}
	if w.after, err = w.settle(ctx, facts.T("lab.moved-after-window")); err != nil {
		return err
	}
	if w.backAfter, err = w.backend.Observe(ctx); err != nil {
		return err
	}
	return w.endHandled(ctx)
}

// settle reads the front until two readings agree. If the counters still change after three
// seconds, it uses the last reading and adds a warning to the trial.
func (w *window) settle(ctx context.Context, moved facts.Text) (facts.Observation, error) {
	o, err := counters.Settle(ctx, w.front)
	if errors.Is(err, counters.ErrUnsettled) {
		w.warnings = append(w.warnings, moved)
		err = nil
	}
	return o, err
}

func (w *window) close() {
	if w.timeline != nil { // a second call after the ledger's, or the only one when the trial failed
		_ = w.timeline()
	}
	if w.backend != nil && w.backend != w.front {
		w.backend.Close()
	}
	if w.front != nil {
		w.front.Close()
	}
}

// serviceSide is what a service and the backend say about the window.
type serviceSide struct {
	view    *facts.ServiceView
	before  counters.Histogram // of the backend
	handled *facts.Latency
}

// usersBase is where the users of a service send their requests.
func usersBase(cell facts.Planned) string {
	base := "http://" + cell.Service.Front
	if cell.Workload.NoCall {
		return base
	}
	return base + "/through/" + cell.Topology.Name
}

// beginService makes the service's view begin, as the last reading before the window opens.
func (w *window) beginService(ctx context.Context) (err error) {
	if w.cell.Service == nil {
		return nil
	}
	if w.service.before, err = counters.Handled(ctx, w.cell.Topology.BackendServer()); err != nil {
		return err
	}
	return counters.ResetView(ctx, *w.cell.Service)
}

// endService reads the service's view, as the first reading after the window.
func (w *window) endService(ctx context.Context) error {
	if w.cell.Service == nil {
		return nil
	}
	view, err := counters.View(ctx, *w.cell.Service)
	if err != nil {
		return err
	}
	view.Errors = load.Classify(view.Errors, w.cell.Protocol)
	w.service.view = &view
	if n := facts.Starved(view.Errors); n > 0 {
		w.warnings = append(w.warnings, facts.T("lab.calls-starved", fmt.Sprint(n), fmt.Sprint(view.Calls),
			w.cell.Service.Name))
	}
	return nil
}

// endHandled reads how long the backend took. It follows the settled counters: the backend records a
// time after it has written the answer.
func (w *window) endHandled(ctx context.Context) error {
	if w.cell.Service == nil {
		return nil
	}
	after, err := counters.Handled(ctx, w.cell.Topology.BackendServer())
	if err != nil {
		return err
	}
	w.service.handled, err = after.Since(w.service.before)
	return err
}

// Heating is how long a service is loaded where its cells need no more: HotSpot compiles a method with C2 after
// some thousands of calls (-XX:Tier4InvocationThreshold, 5000), and 100 users make them in that time.
const Heating = 3 * time.Second

const (
	heatWarmupS = 2.0
	mostHeating = 100 // users
)

// Heat loads a cell's service for a time without recording anything, so that no trial measures interpreted code.
// On a busy machine the first handshakes of JVMs may take longer than proxies wait, so it tries twice.
func (b *Bench) Heat(ctx context.Context, cell facts.Planned, lasting time.Duration) error {
	cell.Users = facts.K6ConnectionPerVU
	w := &cell.Workload
	w.WarmupS, w.DurationS, w.ThinkMS, w.Pools = heatWarmupS, lasting.Seconds()-heatWarmupS, 0, 1
	w.Concurrency = min(w.Concurrency, mostHeating)
	var answer load.Answer
	for _, again := range []string{"-heat", "-heat-again"} {
		var err error
		answer, err = load.Run(ctx, b.job(&window{bench: b, cell: cell, again: again}), load.Hooks{})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if dead := b.Site.Alive(); dead != nil {
			return dead
		}
		if err != nil {
			return fmt.Errorf("loading %s for the first time: %w", cell.Service.Name, err)
		}
		if answer.Succeeded > 0 {
			return nil
		}
	}
	return fmt.Errorf("%s answers no request through %s: %s", cell.Service.Name, cell.Topology.Name,
		b.reason(ctx, *cell.Service, answer))
}

// reason is why a service failed: its own message where it has one, else its users'.
func (b *Bench) reason(ctx context.Context, service facts.Server, answer load.Answer) string {
	if v, err := counters.View(ctx, service); err == nil && len(v.Errors) > 0 {
		return v.Errors[0].Message
	}
	return answer.Errors[0].Message
}

// trial combines the client's answer and the servers' counters.
func (w *window) trial(a load.Answer) (facts.Trial, error) {
	t := facts.Trial{
		WindowS:     w.length.Seconds(),
		ElapsedS:    a.ElapsedS,
		Attempts:    a.Attempts,
		Succeeded:   a.Succeeded,
		Failed:      a.Failed,
		Errors:      a.Errors,
		Hung:        a.Hung,
		Library:     a.Library,
		Runtime:     a.Runtime,
		LatencyMS:   a.Latency,
		Histogram:   a.Histogram,
		Schedule:    a.Schedule,
		ConnectMS:   a.ConnectMS,
		HandshakeMS: a.HandshakeMS,
		TLS:         a.TLS,
		CPU:         w.usage,
		Warnings:    slices.Concat(a.Warnings, w.warnings),
		Connections: w.connections(a), ColdStart: w.coldStart(a), Backend: w.backendDelta(), Service: w.service.view,
	}
	if a.ElapsedS > 0 {
		t.GoodputRPS = float64(a.Succeeded) / a.ElapsedS
	}
	if w.timeline == nil {
		return t, nil
	}
	line := w.timeline()
	series, err := line.Series(w.zero)
	if err != nil {
		return t, fmt.Errorf("sampling the timeline: %w", err)
	}
	if line.Failed > 0 {
		t.Warnings = append(t.Warnings, facts.T("lab.timeline-failed", fmt.Sprint(line.Failed), fmt.Sprint(line.Err)))
	}
	t.Series = path.Join("cells", w.id(), fmt.Sprint(w.index), "series.json")
	return t, w.bench.SaveSeries(t.Series, series)
}

// connections counts the connections of the window. The window's expected connections are those of
// the client's whole life without those of its warm-up.
func (w *window) connections(a load.Answer) facts.Connections {
	c := facts.Connections{
		Dialled:        a.Dialled,
		Accepted:       minus(w.after.Accepted, w.before.Accepted),
		Used:           minus(w.after.Used, w.before.Used),
		ClientReported: a.ClientReported,
	}
	front, limit := w.cell.Topology.Front(), w.cell.Topology.Limit
	c.UsedUp = minus(counters.UsedUp(w.after, front, limit), counters.UsedUp(w.before, front, limit))
	c.Replaced = w.replaced(c.Used)
	expected := w.expected(a, a.WarmupRequests+a.Attempts) - w.expected(a, a.WarmupRequests)
	if !w.cell.Workload.NoCall {
		c.Expected = &expected
	}
	return c
}

func (w *window) coldStart(a load.Answer) facts.ColdStart {
	expected := w.expected(a, a.WarmupRequests)
	return facts.ColdStart{Requests: &a.WarmupRequests, Expected: &expected,
		Accepted: minus(w.before.Accepted, w.cold.Accepted), Used: minus(w.before.Used, w.cold.Used)}
}

// expected is how many connections the client needed for its requests since it started. At a rate it
// needs them for as many requests as are usually in flight, and not for the most that are allowed.
func (w *window) expected(a load.Answer, requests int64) int64 {
	work := w.cell.Workload
	if a.Schedule != nil {
		work.Concurrency = a.Schedule.UsuallyInFlight(work.RatePerS)
	}
	return facts.Expected(w.cell.Protocol, w.cell.Client, work, w.cell.Topology.Limit, requests)
}

func (w *window) backendDelta() facts.BackendDelta {
	raw := func(name string) *int64 {
		before, ok1 := w.backBefore.Raw[name]
		after, ok2 := w.backAfter.Raw[name]
		if !ok1 || !ok2 {
			return nil
		}
		return new(after - before)
	}
	d := facts.BackendDelta{Connections: minus(w.backAfter.Accepted, w.backBefore.Accepted), HandledMS: w.service.handled}
	if w.sendsIDs() { // it counts ids only
		d.Executed, d.Distinct, d.Duplicates = raw("executed"), raw("distinct"), raw("duplicates")
	}
	return d
}

// sendsIDs reports whether the requests carry the ids that the backend counts.
func (w *window) sendsIDs() bool {
	return w.cell.Users != facts.Ab && (w.cell.Program == nil || w.cell.Program.IDs)
}

// replaced is how many connections ended and were replaced. It is unknown for a client without
// connections left: its program closed them all together, as tools do that start anew for each
// window.
func (w *window) replaced(used *int64) *int64 {
	front := w.cell.Topology.Front()
	open := func(o facts.Observation) *int64 { return minus(o.Accepted, counters.Closed(o, front)) }
	left := minus(open(w.after), open(w.cold))
	if w.cell.Service != nil { // it keeps its connections from one trial to the next
		left = open(w.after)
	}
	if left == nil || *left <= 0 {
		return nil
	}
	return least(used, minus(counters.Closed(w.after, front), counters.Closed(w.before, front)))
}

// least is the lower of two numbers where both are known, and not below 0.
func least(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	return new(max(0, min(*a, *b)))
}

// minus is a − b where both are known.
func minus(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	return new(*a - *b)
}
