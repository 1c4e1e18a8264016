// Package runs carries out what repro, fixed, matrix, clients, story and sweep measure, and what up and down start and
// stop: it makes the machine ready, starts the servers natively or under Docker, conducts the run and
// writes its results.json. It draws nothing: reports are made from the run's directory afterwards.
//
// Each command that measures describes its run (commands.go, matters.go), and carryOut takes every run through the same
// steps: settle the runtime, enter a namespace where there is a distance, build, start the servers, measure stage by
// stage, complete the result, stop.
package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"h2lab/internal/base/child"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/kinds"
	"h2lab/internal/base/proc"
	"h2lab/internal/base/system"
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
	// Language is that of the messages, and of the summary that the h2lab in the pod prints.
	Language string
	// System is the operating system, as runtime.GOOS has it; empty is this one.
	System string
}

// system is the operating system that the lab runs on.
func (l *Lab) system() string { return cmp.Or(l.System, runtime.GOOS) }

// say prints a line for the user, in the user's language.
func (l *Lab) say(t facts.Text) {
	fmt.Fprintf(l.Messages, "h2lab: %s\n", texts.Language(l.Language).In(t))
}

// warn prints a warning: a text, or the words of an error, which are in English.
func (l *Lab) warn(of any) { l.say(facts.T("lab.warning", of)) }

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
	// Programs is the directory of client programs; empty is OwnPrograms. Unmounted names it where the pod doesn't have it.
	Programs, Unmounted string
}

// run is what a command measures, and what that takes.
type run struct {
	Request
	// cells are all that may be measured: servers, tools and the line follow from them.
	cells  []facts.Planned
	stages []stage
	size   facts.Text // says how much it is
	// onlyNative says why containers can't carry it out; empty where they can.
	onlyNative string
	programs   programs                            // they are built before the run
	limits     func() error                        // checks the machine's limits; nil compares them with CONCURRENCY
	tune       func(*conduct.Bench, *facts.Result) // changes the bench; nil leaves it
	// nearby is called instead of ending the run where distances can't be measured here; nil ends it.
	nearby func(error)
}

// stage is a part of a run: its services start before its first trial and stop after its last.
type stage struct {
	cells []facts.Planned
	// passes groups the cells; the result so far may decide which cells a later group has. nil is one
	// group of all cells.
	passes func(*facts.Result) []func() []facts.Planned
	// unsupported says why a cell can't run here, beyond what its topology and its service lack; it may
	// be nil.
	unsupported func(facts.Planned) facts.Text
	// heating is how long each service is loaded before its first trial; 0 is conduct.Heating.
	heating time.Duration
	// instruments measures the stage's trials; nil is the conductor's bench.
	instruments func(*conductor) conduct.Instruments
	// key is that of the servers' certificate; empty is the run's. progress shows another progress than the stage's own.
	key      string
	progress func(func(conduct.Step)) func(conduct.Step)
	// failed decides whether an error ends the run; first is the index of the stage's first cell. nil ends it.
	failed func(c *conductor, first int, err error) error
}

// firstKey is that of the servers' first certificate.
func (r *run) firstKey() string { return cmp.Or(r.stages[0].key, r.Knobs.Key) }

// group is one group of cells that are known before.
func group(cells []facts.Planned) func() []facts.Planned {
	return func() []facts.Planned { return cells }
}

// Measure carries out a command. It returns the run's directory as soon as there is one, also with an error; under
// Docker the h2lab in the pod draws the report, and the directory is "".
func (l *Lab) Measure(ctx context.Context, q Request) (dir string, err error) {
	r, err := l.runOf(q)
	if err != nil {
		return "", err
	}
	why, err := l.settle(ctx, r)
	if err != nil {
		return "", err
	}
	if err := l.distant(ctx, r); err != nil {
		return "", err
	}
	l.say(facts.T("lab.begins", r.Command, r.Runtime, why, r.size, fmt.Sprint(r.Knobs.Seed)))
	if plan.RateLeavesOut(q.Command, q.Knobs) {
		l.say(facts.T("lab.rate-leaves-out-users", q.Knobs.Rate, string(facts.K6ConnectionPerVU)))
	}
	if w := r.Knobs.WithoutRenewal(); w != "" {
		l.warn(w)
	}
	return l.locked(func() (string, error) {
		if r.Runtime == Docker {
			return "", l.inDocker(ctx, r)
		}
		return l.measure(ctx, r)
	})
}

// settle resolves the runtime and verifies that results can be written, before anything starts.
func (l *Lab) settle(ctx context.Context, r *run) (why facts.Text, err error) {
	unmounted := r.Unmounted
	if unmounted == "" && !l.Own {
		unmounted = fmt.Sprintf("RESULTS=%s isn't mounted in the pod", l.Results)
	}
	if r.onlyNative != "" {
		if r.Runtime == Docker {
			return why, exitstatus.WrongUsage(fmt.Errorf("RUNTIME=docker: %s; use RUNTIME=native", r.onlyNative))
		}
		unmounted = r.onlyNative
	}
	if err := l.outsideThePod(r.Runtime, unmounted); err != nil {
		return why, err
	}
	if err := room(l.Results, "results", "RESULTS"); err != nil {
		return why, err
	}
	if unmounted != "" && r.Runtime == Auto {
		r.Runtime = Native
		return facts.T("lab.auto-since", unmounted), nil
	}
	r.Runtime, why, err = l.chooseRuntime(ctx, r.Runtime, r.Knobs)
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

// room makes dir and tests that files can be written there, before the run spends minutes on measuring. what names them,
// setting chooses another place.
func room(dir, what, setting string) error {
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, ".h2lab-*"); err == nil {
			_, err = f.Write(make([]byte, 64<<10))
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) { // the message names the directory already
			err = path.Err
		}
		return fmt.Errorf("%s can't be written to %s: %w; make room or choose another place with %s=DIR", what, dir, err, setting)
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
	k, usual := q.Knobs, plan.UsualFor(q.Command)
	words := []string{"make", q.Command, fmt.Sprintf("SEED=%d", k.Seed), "RUNTIME=" + q.Runtime}
	if k.Quick {
		words = append(words, "QUICK=1")
		k.Quick, k.Trials, k.Duration = usual.Quick, usual.Trials, usual.Duration
	}
	k.Seed = usual.Seed
	words = append(words, changed(reflect.ValueOf(k), reflect.ValueOf(usual))...)
	for name, is := range map[string][2]string{"ONLY": {strings.Join(k.Only, ","), ""}, "GATEWAY": {k.Gateway, usual.Gateway},
		"SWEEP": {k.Sweep, usual.Sweep}} {
		if is[0] != is[1] { // no command has two of them
			words = append(words, name+"="+is[0])
		}
	}
	if !q.Timeline && q.Command != plan.Clients && q.Command != plan.Sweep { // they have no timeline
		words = append(words, "TIMELINE=false")
	}
	return strings.Join(words, " ")
}

// changed are the knobs, by their variables' names, that differ from others.
func changed(knobs, usual reflect.Value) (words []string) {
	for field, value := range knobs.Fields() {
		other := usual.FieldByIndex(field.Index)
		name := field.Tag.Get("env")
		switch list, isList := value.Interface().([]string); {
		case field.Anonymous:
			words = append(words, changed(value, other)...)
		case name == "":
		case isList && len(list) > 0:
			words = append(words, name+"="+strings.Join(list, ","))
		case !isList && value.Interface() != other.Interface():
			words = append(words, fmt.Sprintf("%s=%v", name, value.Interface()))
		}
	}
	return words
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

// measure starts the servers on this machine, or adopts those of the pod, measures the stages and stops the servers. The
// caller holds the lock; in the pod, the h2lab on the host does.
func (l *Lab) measure(ctx context.Context, r *run) (dir string, err error) {
	s := &servers{}
	if err := l.serve(ctx, r, s, r.firstKey()); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.stop(ctx)) }()
	far, err := openLine(r)
	if err != nil {
		return "", err
	}
	defer far.close()
	// The first services start before there is a directory: a run that can't begin leaves none.
	if err := l.startServices(ctx, s, r.programs.able(r.stages[0].cells)); err != nil {
		return "", err
	}
	result, dir, err := l.begin(ctx, r.Request, s)
	if err != nil {
		return dir, err
	}
	c := l.conductor(r, s, recording{result, dir, far})
	err = c.end(c.measure(ctx))
	if err != nil && len(plan.ServicesOf(r.cells)) > 0 && len(result.Cells) == 0 { // no service could be measured, so no run has begun
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, err
}

// serve stops the servers, if any run, and starts them with a certificate of that key.
func (l *Lab) serve(ctx context.Context, r *run, s *servers, key string) error {
	if s.Site != nil {
		if err := s.stop(ctx); err != nil {
			return err
		}
	}
	k := r.Knobs
	k.Key = key
	fresh, err := l.startServers(ctx, start{runtime: r.Runtime, knobs: k, topologies: plan.TopologiesOf(r.cells),
		tools: clientTools(r.cells), limits: r.limits, build: func(ctx context.Context) error { return l.build(ctx, r.programs) }})
	if err == nil {
		*s = *fresh
	}
	return err
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

// conductor measures the stages of a run for one result and keeps its journal.
type conductor struct {
	*run
	lab     *Lab
	servers *servers
	to      recording
	bench   *conduct.Bench
	journal *live.Journal
	serving string // the key of the servers' certificate
}

func (l *Lab) conductor(r *run, s *servers, to recording) *conductor {
	c := &conductor{run: r, lab: l, servers: s, to: to, journal: live.Begin(filepath.Dir(to.dir), to.result.Run),
		serving: r.firstKey()}
	c.bench = &conduct.Bench{
		Root: l.Root, CA: CAFile(l.Root), RunID: to.result.Run.ID, K6: s.tools["k6"], Programs: ownPrograms(s.tools),
		Env: clients.Env(l.Root), Site: s, Far: to.far.place(), Beside: to.far.pids(),
		Sampled: c.journal.Sample, Opened: c.journal.Window,
		SaveSeries: func(rel string, x facts.Series) error { return results.WriteSeries(to.dir, rel, x) },
	}
	c.bench.Seed = to.result.Run.Seed
	if r.Timeline {
		c.bench.Sampling = samplingInterval
	}
	maps.Copy(c.bench.Programs, r.programs.argv)
	if r.tune != nil {
		r.tune(c.bench, to.result)
	}
	return c
}

// measure measures the stages one after the other against the same servers.
func (c *conductor) measure(ctx context.Context) error {
	closed := c.score(c.stages[0], c.stages[0].cells)
	closed.Instruments = c.bench.Unrecorded()
	if err := c.lab.findRate(ctx, &c.Knobs, closed); err != nil {
		return err
	}
	for i, st := range c.stages {
		first, err := len(c.to.result.Cells), error(nil)
		if i > 0 {
			err = c.lab.nextServices(ctx, c, c.programs.able(st.cells))
		}
		if err == nil {
			err = c.stage(ctx, st)
		}
		var unsaved *conduct.SaveError
		if err != nil && st.failed != nil && ctx.Err() == nil && !errors.As(err, &unsaved) {
			err = st.failed(c, first, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stage warms the services up and measures the stage's cells.
func (c *conductor) stage(ctx context.Context, st stage) error {
	if key := cmp.Or(st.key, c.serving); key != c.serving {
		c.lab.say(facts.T("lab.other-key", key))
		if err := c.lab.serve(ctx, c.run, c.servers, key); err != nil {
			return err
		}
		c.serving = key
	}
	if err := c.heat(ctx, st.cells, cmp.Or(st.heating, conduct.Heating), c.unsupported(st)); err != nil {
		return err
	}
	passes := []func() []facts.Planned{group(st.cells)}
	if st.passes != nil {
		passes = st.passes(c.to.result)
	}
	for _, cells := range passes {
		if err := conduct.Run(ctx, c.score(st, cells())); err != nil {
			return err
		}
	}
	return nil
}

// unsupported says why a cell of a stage can't run here.
func (c *conductor) unsupported(st stage) func(facts.Planned) facts.Text {
	return func(p facts.Planned) (why facts.Text) {
		if why = c.servers.lacks(p); why.IsZero() {
			why = c.programs.why(p)
		}
		if why.IsZero() && st.unsupported != nil {
			why = st.unsupported(p)
		}
		return why
	}
}

// score is the measurement of some cells of a stage.
func (c *conductor) score(st stage, cells []facts.Planned) conduct.Plan {
	s := conduct.Plan{Result: c.to.result, Cells: cells, Unsupported: c.unsupported(st), Instruments: c.bench,
		Site: c.servers, Save: c.to.save, Progress: c.lab.journalled(c.journal, c.to.result), Counted: c.journal.Ended}
	if st.instruments != nil {
		s.Instruments = st.instruments(c)
	}
	if st.progress != nil {
		s.Progress = st.progress(s.Progress)
	}
	return s
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
