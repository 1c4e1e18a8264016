// Package runs carries out what repro, fixed, matrix, clients and story measure, and what up and down start and
// stop: it makes the machine ready, starts the servers natively or under Docker, conducts the run and
// writes its results.json. It draws nothing: reports are made from the run's directory afterwards.
package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"h2lab/internal/base/child"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/kinds"
	"h2lab/internal/base/proc"
	"h2lab/internal/base/system"
	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/live"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
)

// Lab is one checkout with the place for its runs, and where its messages go.
type Lab struct {
	Root string // the checkout
	// Results is the directory of runs; Own is whether it is results/ of the checkout, the only one
	// that the pod writes to.
	Results string
	Own     bool
	// Messages is for the user; what comes from other programs in it is escaped. Stdout and Stderr are
	// what programs in the foreground get: this process's own, where they are files.
	Messages       io.Writer
	Stdout, Stderr io.Writer
	Progress       func(conduct.Step)
	// Shown is the checkout's path as the user should read it; empty where the user is in the checkout.
	Shown string
	// Order is what the h2lab on the host ordered; nil outside the pod.
	Order *Order
	// Language is that of the summary that the h2lab in the pod prints.
	Language string
	// System is the operating system, as runtime.GOOS has it; empty is this one.
	System string
}

// system is the operating system that the lab runs on.
func (l *Lab) system() string { return cmp.Or(l.System, runtime.GOOS) }

// message prints a line for the user.
func (l *Lab) message(format string, args ...any) { fmt.Fprintf(l.Messages, format+"\n", args...) }

// in is a text in the user's language.
func (l *Lab) in(t facts.Text) string { return texts.Language(l.Language).In(t) }

// CAFile is the certificate that clients of this checkout's servers trust.
func CAFile(root string) string { return filepath.Join(root, "certs", "out", "ca.crt") }

// stateFile records what `up` started, for `down` and for messages about a port that is taken.
func (l *Lab) stateFile() string { return filepath.Join(l.Root, native.StateFile) }

// Request is what one run measures, and where.
type Request struct {
	Command  string // repro, fixed, matrix, clients, story or sweep
	Knobs    plan.Knobs
	Timeline bool
	Runtime  string // as the user gave it, or Pod
}

// Measure carries out repro, fixed or matrix. It returns the run's directory as soon as there is one,
// also with an error; under Docker the h2lab in the pod draws the report, and the directory is "".
func (l *Lab) Measure(ctx context.Context, q Request) (dir string, err error) {
	q.Knobs.Settle()
	if err := q.Knobs.Validate(); err != nil {
		return "", exitstatus.WrongUsage(err)
	}
	cells, err := plan.Cells(q.Command, q.Knobs)
	if err != nil {
		return "", exitstatus.WrongUsage(err)
	}
	why, err := l.settle(ctx, &q, "")
	if err != nil {
		return "", err
	}
	if err := l.distant(apart(cells) && q.Runtime == Native, q.Knobs.Seed, func() error {
		return l.makeReady(ctx, q.Knobs.Key, toolsOf(cells))
	}); err != nil {
		return "", err
	}
	l.message("h2lab: %s in the %s runtime (%s); %s, seed %d", q.Command, q.Runtime, why,
		sizeOf(cells, q.Knobs.Trials), q.Knobs.Seed)
	if plan.RateLeavesOut(q.Command, q.Knobs) {
		l.message("h2lab: RATE=%s leaves out %s, whose users wait for their answers", q.Knobs.Rate, facts.K6ConnectionPerVU)
	}
	if w := q.Knobs.WithoutRenewal(); w != "" {
		l.message("h2lab: warning: %s", w)
	}
	if q.Runtime == Docker {
		return "", l.inDocker(ctx, q, cells)
	}
	return l.locked(func() (string, error) { return l.native(ctx, q, cells) })
}

// settle resolves the runtime and verifies that results can be written, before anything starts.
// unmounted is what the user asked for and the pod doesn't have.
func (l *Lab) settle(ctx context.Context, q *Request, unmounted string) (why string, err error) {
	if unmounted == "" && !l.Own {
		unmounted = fmt.Sprintf("RESULTS=%s isn't mounted in the pod", l.Results)
	}
	if err := l.outsideThePod(q.Runtime, unmounted); err != nil {
		return "", err
	}
	if err := writable(l.Results); err != nil {
		return "", err
	}
	if unmounted != "" && q.Runtime == Auto {
		q.Runtime = Native
		return "auto, since " + unmounted, nil
	}
	q.Runtime, why, err = l.chooseRuntime(ctx, q.Runtime, q.Knobs)
	return why, err
}

// outsideThePod is the error of a runtime in which something that the user asked for doesn't exist.
func (l *Lab) outsideThePod(runtime, unmounted string) error {
	if err := knownRuntime(runtime); err != nil {
		return err
	}
	noNative, shell, orShell := system.NoNative(l.system()), "make shell", ""
	if unmounted == farUp {
		shell = "make shell WITH=distance"
		orShell = ", or the lab container: " + shell
	}
	switch {
	case runtime == Native && noNative != nil:
		return noNative
	case unmounted != "" && noNative != nil:
		return exitstatus.WrongUsage(fmt.Errorf("%s: leave it out, or use the lab container: %s", unmounted, shell))
	case unmounted != "" && runtime == Docker:
		return exitstatus.WrongUsage(fmt.Errorf("%s: leave it out, or use RUNTIME=native%s", unmounted, orShell))
	}
	return nil
}

// writable makes dir and tests that a file can be written there, before the run spends minutes on
// measuring.
func writable(dir string) error {
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, ".writable-*"); err == nil {
			_, err = f.Write(make([]byte, 4096))
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) { // the message names the directory already
			err = path.Err
		}
		return fmt.Errorf("results can't be written to %s: %w; make room or choose another place with RESULTS=DIR",
			dir, err)
	}
	return nil
}

// header describes the run as it was requested.
func (q Request) header(started time.Time) facts.Run {
	k := q.Knobs
	cpus, _ := k.CPUBudget() // Validate has checked it
	if q.Runtime == pod {
		q.Runtime = Docker
	}
	return facts.Run{
		ID: started.Format("20060102T150405Z") + "-" + q.Command, Command: q.Command, Repeat: q.repeat(),
		Runtime: q.Runtime, Started: started, Seed: k.Seed, Trials: k.Trials, Quick: k.Quick, Limit: k.Limit,
		WarmupS: k.Warmup.Seconds(), DurationS: k.Duration.Seconds(), Concurrency: k.Concurrency,
		CPUs: cpus, Key: k.Key, Observed: q.Timeline, Warnings: []facts.Text{}, Sweep: k.Sweep, Rate: rateOf(k),
	}
}

// repeat returns the command line that measures the same cells again, in the same order.
func (q Request) repeat() string {
	k := q.Knobs
	words := []string{"make", q.Command, fmt.Sprintf("SEED=%d", k.Seed), "RUNTIME=" + q.Runtime}
	usual := plan.UsualFor(q.Command)
	add := func(name string, got, usual any) {
		if got != usual {
			words = append(words, fmt.Sprintf("%s=%v", name, got))
		}
	}
	if k.Quick {
		words = append(words, "QUICK=1")
	} else {
		add("TRIALS", k.Trials, usual.Trials)
		add("DURATION", k.Duration, usual.Duration)
	}
	add("WARMUP", k.Warmup, usual.Warmup)
	add("CONCURRENCY", k.Concurrency, usual.Concurrency)
	add("LIMIT", k.Limit, usual.Limit)
	add("CPUS", k.CPUs, usual.CPUs)
	add("POOLS", k.Pools, usual.Pools)
	add("DELAY", k.Delay, usual.Delay)
	add("BODY", k.Body, usual.Body)
	add("METHOD", k.Method, usual.Method)
	add("TLS", k.TLS, usual.TLS)
	add("KEY", k.Key, usual.Key)
	add("RTT", k.RTT, usual.RTT)
	add("JITTER", k.Jitter, usual.Jitter)
	add("LOSS", k.Loss, usual.Loss)
	add("BANDWIDTH", k.Bandwidth, usual.Bandwidth)
	add("RATE", k.Rate, usual.Rate)
	add("ARRIVALS", k.Arrivals, usual.Arrivals)
	add("TOPOLOGY", strings.Join(k.Topologies, ","), "")
	add("PROTOCOL", strings.Join(k.Protocols, ","), "")
	add("CLIENT", strings.Join(k.Clients, ","), "")
	add("ONLY", strings.Join(k.Only, ","), "")
	add("GATEWAY", k.Gateway, usual.Gateway)
	add("SWEEP", k.Sweep, usual.Sweep)
	if q.Command != plan.Clients && q.Command != plan.Sweep { // they have no timeline
		add("TIMELINE", q.Timeline, true)
	}
	return strings.Join(words, " ")
}

// sizeOf is how much a run measures: "8 cells × 6 trials".
func sizeOf(cells []facts.Planned, trials int) string {
	return text.Counted(len(cells), "cell", "cells") + " × " + text.Counted(trials, "trial", "trials")
}

// samplingInterval is 20 Hz, so that a burst of some 100 ms spans two samples at least.
const samplingInterval = 50 * time.Millisecond

// locked runs a function while this process alone may start servers of the checkout.
func (l *Lab) locked(run func() (string, error)) (dir string, err error) {
	unlock, err := native.Lock(l.Root)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return run()
}

// native starts the servers on this machine, or adopts those of the pod, conducts one run and stops
// the servers. The caller holds the lock; in the pod, the h2lab on the host does.
func (l *Lab) native(ctx context.Context, q Request, cells []facts.Planned) (dir string, err error) {
	s, err := l.startServers(ctx, start{runtime: q.Runtime, knobs: q.Knobs, topologies: plan.TopologiesOf(cells),
		clients: plan.ClientsOf(cells)})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.stop(ctx)) }()
	far, err := openLineFor(q, apart(cells))
	if err != nil {
		return "", err
	}
	defer far.close()
	r, dir, err := l.begin(ctx, q, s)
	if err != nil {
		return dir, err
	}
	return dir, l.conduct(ctx, q, s, recording{r, dir, far}, cells)
}

// toolsOf are the tools that cells need on this machine.
func toolsOf(cells []facts.Planned) []string {
	return append(serverTools(plan.TopologiesOf(cells)), clientTools(plan.ClientsOf(cells))...)
}

// recording is a result, the directory in which it is kept, and where its clients run.
type recording struct {
	result *facts.Result
	dir    string
	far    farEnd
}

func (r recording) save(x *facts.Result) error { return results.Write(r.dir, x) }

// begin makes the run's directory and writes what is known before the first trial. When it fails it
// leaves no directory, because no run has begun.
func (l *Lab) begin(ctx context.Context, q Request, s *servers) (r *facts.Result, dir string, err error) {
	started := time.Now().UTC().Truncate(time.Second)
	r = &facts.Result{SchemaVersion: facts.SchemaVersion, Run: q.header(started)}
	dir = filepath.Join(l.Results, r.Run.ID)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, "", err
	}
	if r.Environment, err = l.environment(ctx, s, dir); err == nil {
		err = keepDiff(l.Root, dir, q.Knobs.Gateway)
	}
	if err != nil {
		return nil, "", errors.Join(err, os.RemoveAll(dir))
	}
	r.Run.Warnings = append(r.Run.Warnings, s.Warnings()...) // those of asking for configurations among them
	return r, dir, nil
}

// conduct runs the trials and completes the result, interrupted or not.
func (l *Lab) conduct(ctx context.Context, q Request, s *servers, to recording, cells []facts.Planned) error {
	c := l.conductor(q, s, to, goPrograms(s.tools))
	score := c.score(cells, s.lacks)
	closed := score
	closed.Instruments = c.bench.Unrecorded()
	if err := l.findRate(ctx, &q.Knobs, closed); err != nil {
		return c.end(err)
	}
	score.Cells = atRate(cells, q.Knobs)
	return c.end(conduct.Run(ctx, score))
}

// conductor measures cells for one result and keeps its journal.
type conductor struct {
	lab     *Lab
	servers *servers
	to      recording
	bench   *conduct.Bench
	journal *live.Journal
}

func (l *Lab) conductor(q Request, s *servers, to recording, programs map[facts.Client][]string) *conductor {
	c := &conductor{lab: l, servers: s, to: to, journal: live.Begin(filepath.Dir(to.dir), to.result.Run)}
	c.bench = &conduct.Bench{
		Root: l.Root, CA: CAFile(l.Root), RunID: to.result.Run.ID, K6: s.tools["k6"], Programs: programs,
		Env: clients.Env(l.Root), Site: s, Far: to.far.place(), Beside: to.far.pids(),
		Sampled: c.journal.Sample, Opened: c.journal.Window,
		SaveSeries: func(rel string, x facts.Series) error { return results.WriteSeries(to.dir, rel, x) },
	}
	c.bench.Seed = to.result.Run.Seed
	if q.Timeline {
		c.bench.Sampling = samplingInterval
	}
	return c
}

// score is the measurement of some cells.
func (c *conductor) score(cells []facts.Planned, unsupported func(facts.Planned) facts.Text) conduct.Plan {
	return conduct.Plan{Result: c.to.result, Cells: cells, Unsupported: unsupported, Instruments: c.bench,
		Site: c.servers, Save: c.to.save, Progress: c.lab.journalled(c.journal, c.to.result), Counted: c.journal.Ended}
}

// end completes the journal and the result of a run that ended with err.
func (c *conductor) end(err error) error {
	c.journal.End(err != nil)
	return c.to.close(err)
}

// journalled writes a run's progress to its journal as well as to the user.
func (l *Lab) journalled(j *live.Journal, r *facts.Result) func(conduct.Step) {
	return func(s conduct.Step) {
		l.Progress(s)
		if s.What != "trial" {
			return
		}
		for i := range r.Cells {
			if r.Cells[i].ID() == s.Cell {
				j.Trial(&r.Cells[i], s.Trial, s.Done, s.Total)
			}
		}
	}
}

// close writes how a run ended, according to err, unless writing is what failed.
func (r recording) close(err error) error {
	var unsaved *conduct.SaveError
	if errors.As(err, &unsaved) {
		return err
	}
	r.result.Run.Warnings = append(r.result.Run.Warnings, r.far.warnings()...)
	r.result.Environment.LabMaxRSSMB = OwnMemory()
	r.result.Run.Interrupted = err != nil
	r.result.Run.Finished = time.Now().UTC().Truncate(time.Second)
	if failed := r.save(r.result); failed != nil {
		return errors.Join(err, &conduct.SaveError{Err: failed})
	}
	return err
}

// goPrograms returns the client programs that repro, fixed and matrix run besides k6.
func goPrograms(t native.Tools) map[facts.Client][]string {
	out := map[facts.Client][]string{}
	for _, c := range []facts.Client{facts.GoReplayable, facts.GoOnce, facts.GoSingleDial} {
		out[c] = []string{t["go-client"], "--variant", string(c)}
	}
	return out
}

// rateOf is the rate of a run as it begins: a share is found later.
func rateOf(k plan.Knobs) *facts.Rate {
	if k.Rate == "" {
		return nil
	}
	return &facts.Rate{Asked: k.Rate, PerS: k.PerSecond()}
}

// findRate replaces a RATE that is a share by requests a second, from the closed loops of the score's
// cells, and records what it measured.
func (l *Lab) findRate(ctx context.Context, k *plan.Knobs, s conduct.Plan) error {
	if k.Share() == 0 {
		return nil
	}
	l.message("h2lab: RATE=%s: measuring the closed loop of each cell first, %s", k.Rate,
		text.Counted(len(s.Cells), "cell", "cells"))
	found, err := conduct.ClosedLoop(ctx, s)
	if err != nil {
		return err
	}
	cell, least := slowest(found)
	if least <= 0 {
		return exitstatus.Lacks(fmt.Errorf("no closed loop to take %s of: no request of %s succeeded; give a number "+
			"instead, such as RATE=2000", k.Rate, orAnyCell(cell)))
	}
	r := s.Result.Run.Rate
	r.ClosedLoopRPS, r.PerS = found, k.ShareOf(least)
	if err := k.CheckShare(r.PerS); err != nil {
		return err
	}
	l.message("h2lab: RATE=%s is %s requests/s: %s had the least goodput in its closed loop, %s requests/s", k.Rate,
		text.Count(int64(r.PerS)), cell, text.Count(int64(least)))
	k.Rate = strconv.FormatFloat(r.PerS, 'f', -1, 64)
	if w := k.WithoutRenewal(); w != "" {
		l.message("h2lab: warning: %s", w)
	}
	return nil
}

// slowest is the cell with the least goodput.
func slowest(goodput map[string]float64) (cell string, least float64) {
	for id, rps := range goodput {
		if cell == "" || rps < least || rps == least && id < cell {
			cell, least = id, rps
		}
	}
	return cell, least
}

func orAnyCell(id string) string {
	if id == "" {
		return "any cell"
	}
	return id
}

// atRate are cells that were planned as closed loops, at the rate that was found.
func atRate(cells []facts.Planned, k plan.Knobs) []facts.Planned {
	for i := range cells {
		if w := &cells[i].Workload; k.PerSecond() > 0 && w.RatePerS == 0 {
			*w = plan.AtRate(*w, k.PerSecond(), facts.Arrivals(k.Arrivals), k.Concurrency)
		}
	}
	return cells
}

// withRate leaves out the client programs that can't send requests on a schedule, where the knobs ask for
// one. It is an error if a word of ONLY then chooses none.
func (l *Lab) withRate(all []clients.Ecosystem, k plan.Knobs) ([]clients.Ecosystem, error) {
	if k.Rate == "" {
		return all, nil
	}
	takes, without := clients.TakingRate(all)
	for _, word := range k.Only {
		if _, err := clients.Only(takes, []string{word}); err != nil {
			return nil, fmt.Errorf("RATE=%s and ONLY=%s contradict each other: it has no client that can send requests on "+
				"a schedule; those that can have \"rate\": true in clients/*/client.json, such as ONLY=go", k.Rate, word)
		}
	}
	if len(takes) == 0 {
		return nil, fmt.Errorf("RATE=%s: no client of the list can send requests on a schedule (\"rate\": true in its "+
			"client.json); leave RATE out", k.Rate)
	}
	if without > 0 {
		l.message("h2lab: RATE=%s leaves out %s, which can't send requests on a schedule", k.Rate,
			text.Counted(without, "client", "clients"))
	}
	return takes, nil
}

// environment records the machine and the versions of a measurement. It keeps the servers' own
// dumps of their configuration in dir.
func (l *Lab) environment(ctx context.Context, s *servers, dir string) (facts.Environment, error) {
	m := proc.ThisMachine()
	e := facts.Environment{CPU: m.CPU, Cores: m.Cores, MemoryMB: m.MemoryMB, Kernel: m.Kernel, OS: m.OS,
		Versions: map[string]string{"go": runtime.Version()}, Git: l.git(ctx)}
	versions, err := s.tools.Versions(ctx)
	if err != nil {
		return e, err
	}
	maps.Copy(e.Versions, versions)
	e.Servers, err = s.records(ctx, dir)
	for _, r := range e.Servers { // inside the pod only the servers report their versions
		for _, k := range kinds.Known {
			if k.Folder != "" && strings.HasPrefix(r.Name, k.Program) && e.Versions[k.Program] == "" {
				e.Versions[k.Program] = r.Version
			}
		}
	}
	return e, err
}

// gitTime limits one git command; a large checkout on a slow disk takes seconds.
const gitTime = 10 * time.Second

// git returns the state of the checkout; fields that are unknown stay empty.
func (l *Lab) git(ctx context.Context) facts.Git {
	if l.Order != nil {
		return l.Order.Git
	}
	out := func(args ...string) string {
		r, err := child.Run(ctx, child.Spec{Argv: append([]string{"git", "-C", l.Root}, args...)},
			child.Limits{Within: gitTime})
		if err != nil {
			return ""
		}
		return strings.TrimSpace(r.Stdout)
	}
	return facts.Git{Commit: out("rev-parse", "HEAD"), Dirty: out("status", "--porcelain") != ""}
}

// OwnMemory is the largest resident size of this process so far.
func OwnMemory() *float64 {
	mb, err := proc.MaxRSSMB(os.Getpid())
	if err != nil {
		return nil
	}
	return &mb
}

// keepDiff stores the difference between the run's two nginx configurations with it: that with the low limit
// and that with the high one, before the same upstream. A run without a gateway has the backend there.
func keepDiff(root, dir, gateway string) error {
	before := ""
	if gateway != "" {
		before = "-" + gateway
	}
	low, high := "nginx/keepalive-1000"+before+".conf", "nginx/keepalive-100000"+before+".conf"
	a, err := os.ReadFile(filepath.Join(root, low))
	if err != nil {
		return err
	}
	b, err := os.ReadFile(filepath.Join(root, high))
	if err != nil {
		return err
	}
	return results.WriteFile(dir, results.DiffFile, diff.Diff(low, a, high, b))
}

// withoutTimeline marks the cells that are measured without sampling a timeline.
const withoutTimeline = " without timeline"

// Bench measures three cells on nginx-100000 over h2, in interleaved rounds: k6's shared pool, the Go
// client, and the Go client while no timeline is sampled.
func (l *Lab) Bench(ctx context.Context, trials int) (r *facts.Result, err error) {
	k := plan.Usual()
	k.Trials, k.Topologies, k.Protocols = trials, []string{"nginx-100000"}, []string{"h2"}
	if err := k.Validate(); err != nil {
		return nil, exitstatus.WrongUsage(err)
	}
	k.Clients = []string{string(facts.K6SharedPool), string(facts.GoReplayable)}
	cells, err := plan.Cells(plan.Fixed, k)
	if err != nil {
		return nil, err
	}
	without := cells[1] // the Go client: it uses the least processor time, so the cost of sampling shows best
	without.Topology.Name += withoutTimeline
	unlock, err := native.Lock(l.Root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return l.benchCells(ctx, k, append(cells, without))
}

func (l *Lab) benchCells(ctx context.Context, k plan.Knobs, cells []facts.Planned) (r *facts.Result, err error) {
	s, err := l.startServers(ctx, start{runtime: Native, knobs: k, topologies: plan.TopologiesOf(cells[:1]),
		clients: plan.ClientsOf(cells)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop(ctx)) }()
	bench := &conduct.Bench{Root: l.Root, CA: CAFile(l.Root), RunID: "bench", K6: s.tools["k6"],
		Programs: goPrograms(s.tools), Env: clients.Env(l.Root),
		Site: s, Sampling: samplingInterval, SaveSeries: func(string, facts.Series) error { return nil }}
	r = &facts.Result{Run: facts.Run{Command: "bench", Seed: rand.Uint64(), Trials: k.Trials}}
	return r, conduct.Run(ctx,
		conduct.Plan{Result: r, Cells: cells, Unsupported: s.lacks, Instruments: &partlySampled{bench}, Site: s,
			Save: func(*facts.Result) error { return nil }, Progress: l.Progress})
}

// partlySampled is a Bench that doesn't sample the cells marked with withoutTimeline.
type partlySampled struct{ *conduct.Bench }

// Measure implements conduct.Instruments.
func (b *partlySampled) Measure(ctx context.Context, cell facts.Planned, index int) (facts.Trial, error) {
	name, marked := strings.CutSuffix(cell.Topology.Name, withoutTimeline)
	if !marked {
		return b.Bench.Measure(ctx, cell, index)
	}
	cell.Topology.Name = name
	bench := *b.Bench
	bench.Sampling = 0
	return bench.Measure(ctx, cell, index)
}
