package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"golang.org/x/term"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/system"
	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
	"h2lab/internal/lab/runs"
	"h2lab/internal/report/rundir"
)

// resultsFlag is the directory of runs, for all verbs that read or write one.
type resultsFlag struct {
	Results string `env:"RESULTS" placeholder:"DIR" help:"Directory of runs. Default: results/ of the checkout."`
}

// measureCmd is repro, fixed and matrix.
type measureCmd struct {
	plan.Knobs `embed:""`
	Runtime    string `env:"RUNTIME" default:"auto" help:"docker, native, or auto: Docker when its engine answers and the images can be had."`
	resultsFlag
	Timeline bool `env:"TIMELINE" default:"true" negatable:"" help:"Sample the front's counters at 20 Hz."`
}

// Run measures and draws the report.
func (c *measureCmd) Run(a *app) error {
	return a.measure(request(a.verb, c), c.Results, !c.Narrowed())
}

// request is a run of a command with a verb's flags: each flag sets the field of its name and type, and the other knobs have
// the command's usual values.
func request(command string, flags any) runs.Request {
	q := runs.Request{Command: command, Knobs: plan.UsualFor(command)}
	from := reflect.ValueOf(flags).Elem()
	for _, to := range []reflect.Value{reflect.ValueOf(&q).Elem(), reflect.ValueOf(&q.Knobs).Elem()} {
		for f, value := range to.Fields() {
			if given := from.FieldByName(f.Name); given.IsValid() && given.Type() == f.Type {
				value.Set(given)
			}
		}
	}
	return q
}

// measure carries out a run and draws its report. Where the run is long enough to decide, its verdicts are compared with
// what the command claims to show.
func (a *app) measure(q runs.Request, results string, decides bool) (err error) {
	if err := a.placeForResults(results); err != nil {
		return err
	}
	if q.Knobs.Seed, err = a.seed(q.Knobs.Seed); err != nil {
		return err
	}
	p := newProgress(a)
	dir, err := a.lab(results, p).Measure(a.ctx, q)
	p.stop()
	return a.finish(dir, err, decides)
}

// lab is the checkout's lab, with runs in the results directory that the user gave.
func (a *app) lab(results string, p *progress) *runs.Lab {
	l := &runs.Lab{Root: a.root, Results: a.resultsDir(results), Own: a.ownResults(results), Messages: a.stderr,
		Stdout: file(a.stdout), Stderr: file(a.stderr), Progress: p.step, Order: a.host,
		System: a.system, Language: string(a.language)}
	if !a.inRoot() { // the user reads the inner h2lab's output outside the pod
		l.Shown = a.show(a.root)
	}
	return l
}

// seed returns the seed that the user gave, or a random one.
func (a *app) seed(asked uint64) (uint64, error) {
	if asked != 0 {
		return asked, nil
	}
	if zero, ok := a.given["SEED"]; ok {
		return 0, exitstatus.WrongUsage(fmt.Errorf("SEED=%s is out of range: "+
			"give a whole number from 1, or leave it out to have one drawn", zero))
	}
	return uint64(rand.Uint32()) + 1, nil
}

// finish draws the report of a run that ended with err and prints its summary on stdout. Where the run
// is complete and long enough to decide, it compares the verdicts with what the command claims to show.
func (a *app) finish(dir string, err error, decides bool) error {
	return ended(dir, err, func() error { return a.report(dir, decides && err == nil) })
}

// ended draws the report of a run that ended with err, unless there is no run or no space for its report.
func ended(dir string, err error, draw func() error) error {
	var unsaved *conduct.SaveError
	if dir == "" || errors.As(err, &unsaved) {
		return err
	}
	failed := draw()
	if system.DiskFull.Is(failed) {
		failed = fmt.Errorf("the report can't be drawn: %w; the results are complete: make room, then: h2lab report %s",
			failed, text.ShellWord(dir))
	}
	return errors.Join(err, failed)
}

// report draws a run of any kind. Its summary is escaped already, and its colours are h2lab's own.
func (a *app) report(dir string, decides bool) error {
	run, err := rundir.Draw(dir)
	if err != nil {
		return err
	}
	if err := results.Link(filepath.Dir(dir), filepath.Base(dir)); err != nil {
		return err
	}
	page := a.show(filepath.Join(dir, run.Page(a.language)))
	fmt.Fprint(text.Raw(a.stdout), run.Short(page, a.language, terminal(a.stdout) && os.Getenv("NO_COLOR") == "")) // https://no-color.org
	if !decides {
		return nil
	}
	if err := run.Kept(); err != nil {
		return exitstatus.Contradicts(err)
	}
	return nil
}

// clientsCmd measures which clients survive. It has those knobs of the other commands that apply to
// a matrix of programs, with other defaults.
type clientsCmd struct {
	Only        []string      `env:"ONLY" help:"Only these ecosystems or clients, such as okhttp,node (comma-separated)."`
	Clients     string        `env:"CLIENTS" placeholder:"DIR" help:"Directory with clients.txt, for programs of your own."`
	Topologies  []string      `name:"topology" env:"TOPOLOGY" help:"Only these topologies (comma-separated)."`
	Concurrency int           `env:"CONCURRENCY" default:"100" help:"Requests in flight (1 to 128, the streams of one HTTP/2 connection)."`
	Duration    time.Duration `env:"DURATION" default:"1.5s" help:"Shortest window of a trial (100ms to 10m). It lasts until 5 renewals were seen, 15 s at most."`
	Warmup      time.Duration `env:"WARMUP" default:"1s" help:"Warm-up before it, in the same program (100ms to 1m)."`
	Trials      int           `env:"TRIALS" default:"1" help:"Trials of every cell (1 to 100)."`
	Seed        uint64        `env:"SEED" help:"Seed of the order of trials; drawn and printed when not given."`
	Limit       int           `env:"LIMIT" default:"1000" help:"The low limit on requests per connection (1 to 99999). 100 suits slow clients."`
	CPUs        string        `name:"cpus" env:"CPUS" default:"0.5" help:"Processor budget of each server, or none."`
	TLS         string        `name:"tls" env:"TLS" default:"1.3" help:"Highest TLS version that clients offer, 1.2 or 1.3."`
	Key         string        `env:"KEY" default:"rsa" help:"Key of the certificates, rsa or ecdsa."`
	plan.Distance
	plan.OpenLoop
	Runtime string `env:"RUNTIME" default:"auto" help:"docker, native, or auto."`
	resultsFlag
}

// mostStreams is how many streams one connection allows. With more requests in flight every client
// needs a second connection, which could not be told from a stampede.
const mostStreams = 128

// programs returns the directory with clients.txt, and the reason why the pod doesn't have it, or "".
func (c *clientsCmd) programs(a *app) (dir, unmounted string, err error) {
	if c.Clients == "" {
		return runs.OwnPrograms, "", nil
	}
	if rel, ok := below(a.root, c.Clients); ok && rel == runs.OwnPrograms {
		return runs.OwnPrograms, "", nil
	}
	dir, err = filepath.Abs(c.Clients)
	return dir, fmt.Sprintf("CLIENTS=%s has no service in docker-compose.yml", c.Clients), err
}

// Run measures the matrix of client programs and draws its page.
func (c *clientsCmd) Run(a *app) error {
	q := request(plan.Clients, c)
	err := q.Knobs.Validate()
	if c.Concurrency > mostStreams {
		err = fmt.Errorf("CONCURRENCY=%d is more than the %d streams that one connection takes: give at most that",
			c.Concurrency, mostStreams)
	}
	if err != nil {
		return exitstatus.WrongUsage(err)
	}
	dir, unmounted, err := c.programs(a)
	if err != nil {
		return err
	}
	q.Programs, q.Unmounted = dir, unmounted
	return a.measure(q, c.Results, false)
}

// storyCmd measures a service between its users and a topology. It has those knobs of the other
// commands that apply to one, with other defaults.
type storyCmd struct {
	Concurrency int           `env:"CONCURRENCY" default:"100" help:"Users, each with one request at a time (1 to 1000)."`
	Duration    time.Duration `env:"DURATION" default:"3.5s" help:"Measured window of a trial (100ms to 10m)."`
	Warmup      time.Duration `env:"WARMUP" default:"1s" help:"Warm-up before it, by the same users (100ms to 1m)."`
	Trials      int           `env:"TRIALS" default:"6" help:"Trials of every cell (1 to 100); fewer than 6 give no interval."`
	Seed        uint64        `env:"SEED" help:"Seed of the order of trials; drawn and printed when not given."`
	Limit       int           `env:"LIMIT" default:"1000" help:"keepalive_requests of the low-limit nginx (1 to 99999)."`
	CPUs        string        `name:"cpus" env:"CPUS" default:"0.5" help:"Processor budget of each proxy and of the backend, or none. Services have none."`
	Delay       int           `env:"DELAY" default:"20" help:"Milliseconds the backend waits before it answers (0 to 10000)."`
	Key         string        `env:"KEY" default:"rsa" help:"Key of the certificates, rsa or ecdsa."`
	Quick       bool          `env:"QUICK" help:"One trial of 3 s: a look, no statistics."`
	Gateway     string        `env:"GATEWAY" default:"envoy" help:"API gateway behind the reverse proxy: envoy, or scg for Spring Cloud Gateway."`
	Topologies  []string      `name:"topology" env:"TOPOLOGY" help:"Measure only these topologies (comma-separated)."`
	Clients     []string      `name:"client" env:"CLIENT" help:"Measure only these services (comma-separated)."`
	Runtime     string        `env:"RUNTIME" default:"auto" help:"native or auto, which is native here."`
	resultsFlag
	Timeline bool `env:"TIMELINE" default:"true" negatable:"" help:"Sample the front's counters at 20 Hz."`
}

// Run measures the story.
func (c *storyCmd) Run(a *app) error {
	return a.measure(request(plan.Story, c), c.Results, len(c.Topologies)+len(c.Clients) == 0)
}

// sweepCmd measures services over a range of users, waits or delays, or a limit's effect over many loads.
// The sweeps' tables set the loads, so it has only those knobs of the other commands that leave the tables as they are.
type sweepCmd struct {
	Sweep      string   `env:"SWEEP" default:"callers" help:"callers, burst, low-latency, async, all (these four), or matters: where a limit matters, without services (distances only as root)."`
	Quick      bool     `env:"QUICK" help:"Only the corners of each table, once."`
	Topologies []string `name:"topology" env:"TOPOLOGY" help:"Only these topologies (comma-separated)."`
	Clients    []string `name:"client" env:"CLIENT" help:"Only these services, or with matters only these clients (comma-separated)."`
	Trials     *int     `env:"TRIALS" placeholder:"N" help:"Trials of every cell (1 to 100). Default: 2 with matters, else 1."`
	Seed       uint64   `env:"SEED" help:"Seed of the order of trials; drawn and printed when not given."`
	Limit      int      `env:"LIMIT" default:"1000" help:"The low limit on requests per connection (1 to 99999)."`
	CPUs       string   `name:"cpus" env:"CPUS" default:"0.5" help:"Processor budget of each proxy and of the backend, or none."`
	Key        string   `env:"KEY" default:"rsa" help:"Key of the certificates, rsa or ecdsa."`
	Runtime    string   `env:"RUNTIME" default:"auto" help:"native, or auto, which is native here."`
	resultsFlag
}

// Run measures one sweep or all of them and draws their page.
func (c *sweepCmd) Run(a *app) error {
	q := request(plan.Sweep, c)
	if q.Knobs.Trials = plan.UsualTrials(c.Sweep); c.Trials != nil {
		q.Knobs.Trials = *c.Trials
	}
	return a.measure(q, c.Results, false)
}

type benchCmd struct {
	Trials int `env:"TRIALS" default:"10" help:"Trials of each, interleaved."`
}

// Run measures what sampling costs and how k6's shared pool compares with the Go client.
func (c *benchCmd) Run(a *app) error {
	p := newProgress(a)
	r, err := a.lab("", p).Bench(a.ctx, c.Trials)
	p.stop()
	if err != nil {
		return err
	}
	printBench(a, r)
	return nil
}

func printBench(a *app, r *facts.Result) {
	goodput := func(i int) (out []float64) {
		for _, t := range r.Cells[i].Trials {
			out = append(out, t.GoodputRPS)
		}
		return out
	}
	k6, goClient, goBlind := goodput(0), goodput(1), goodput(2)
	fmt.Fprintf(a.stdout, "k6-shared-pool / go-replayable goodput on nginx-100000, h2: %s\n", ratio(k6, goClient))
	fmt.Fprintf(a.stdout, "go-replayable with / without the 20 Hz timeline: %s\n", ratio(goClient, goBlind))
	fmt.Fprintf(a.stdout, "nginx's processor time a request, with / without: %s\n",
		ratio(proxyCost(r.Cells[1]), proxyCost(r.Cells[2])))
	fmt.Fprintf(a.stdout, "h2lab's own processor time, share of one core: %s with, %s without the timeline\n",
		ownShare(r.Cells[1]), ownShare(r.Cells[2]))
	if mb := runs.OwnMemory(); mb != nil {
		fmt.Fprintf(a.stdout, "h2lab's largest resident size: %.0f MB\n", *mb)
	}
}

// proxyCost returns the proxy's processor time for each request, by trial. It limits goodput under
// a CPU budget and, unlike goodput, doesn't vary with other load on the host.
func proxyCost(c facts.Cell) (out []float64) {
	for _, t := range c.Trials {
		if t.CPU.Proxy != nil && t.Attempts > 0 {
			out = append(out, *t.CPU.Proxy/float64(t.Attempts))
		}
	}
	return out
}

// ratio formats a comparison.
func ratio(a, b []float64) string {
	c := statistics.Compare(a, b)
	if c.Ratio == nil {
		return "–"
	}
	if c.Lo == nil || c.Hi == nil {
		return fmt.Sprintf("%.3f (too few trials for an interval)", *c.Ratio)
	}
	return fmt.Sprintf("%.3f [%.3f, %.3f] %s", *c.Ratio, *c.Lo, *c.Hi, c.Mark())
}

func ownShare(c facts.Cell) string {
	var spent, elapsed float64
	for _, t := range c.Trials {
		if t.CPU.Lab != nil {
			spent += *t.CPU.Lab
			elapsed += t.ElapsedS
		}
	}
	if elapsed == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f %%", 100*spent/elapsed)
}

// insideCmd measures in the pod, whose servers are running.
type insideCmd struct{}

// Run carries out the order, which the host has validated, and draws the report.
func (c *insideCmd) Run(a *app) (err error) {
	if a.host, err = runs.ParseOrder(os.Getenv(runs.OrderVariable)); err != nil {
		return err
	}
	a.language = texts.Language(a.host.Language)
	p := newProgress(a)
	dir, err := a.lab("results", p).Inside(a.ctx)
	p.stop()
	return a.finish(dir, err, a.host.Command != plan.Clients && !a.host.Knobs.Narrowed())
}

// progress shows how far a run is: one line that is redrawn on a terminal, plain lines elsewhere. Nothing is drawn during a
// trial, while the machine is being measured.
type progress struct {
	app    *app
	redraw bool // stderr is a terminal
}

func newProgress(a *app) *progress { return &progress{app: a, redraw: terminal(a.stderr)} }

// terminal reports whether w is a terminal that can redraw a line.
func terminal(w io.Writer) bool {
	f, ok := file(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

func (p *progress) step(s conduct.Step) {
	line := ""
	switch s.What {
	case "verify":
		line = p.app.say("command.verify-probing-limit-wire", s.Cell)
	case "closed loop":
		line = p.app.say("command.rate-closed-loop", s.Cell)
	case "trial":
		line = p.app.say("command.trial-left", s.Done+1, s.Total, s.Cell, s.Trial, s.Left)
	}
	p.stop()
	switch {
	case line == "":
	case p.redraw && s.What == "trial":
		fmt.Fprint(text.Raw(p.app.stderr), line)
	default:
		p.app.message("%s", line)
	}
}

// stop removes the line from the terminal.
func (p *progress) stop() {
	if p.redraw {
		fmt.Fprint(text.Raw(p.app.stderr), "\r\x1b[K")
	}
}
