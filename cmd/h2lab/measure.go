package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/system"
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
	"h2lab/internal/lab/runs"
	"h2lab/internal/report/rundir"
	"h2lab/internal/report/translations"
)

// measureFlags are what repro, fixed and matrix have in common.
type measureFlags struct {
	plan.Knobs `embed:""`
	Runtime    string `env:"RUNTIME" default:"auto" help:"docker, native, or auto: Docker when its engine answers and the images can be had."`
	Results    string `env:"RESULTS" placeholder:"DIR" help:"Directory of runs. Default: results/ of the checkout."`
	Timeline   bool   `env:"TIMELINE" default:"true" negatable:"" help:"Sample the front's counters at 20 Hz."`
}

type reproCmd struct {
	measureFlags `embed:""`
}
type fixedCmd struct {
	measureFlags `embed:""`
}
type matrixCmd struct {
	measureFlags `embed:""`
}

func (c *reproCmd) Run(a *app) error  { return c.measure(a, plan.Repro) }
func (c *fixedCmd) Run(a *app) error  { return c.measure(a, plan.Fixed) }
func (c *matrixCmd) Run(a *app) error { return c.measure(a, plan.Matrix) }

// Help returns examples that a user can paste.
func (c *reproCmd) Help() string {
	return examples("h2lab repro --quick", "h2lab repro --limit 100 --trials 6 --runtime native")
}

// measure carries out a run and draws its report.
func (c *measureFlags) measure(a *app, command string) (err error) {
	if err := a.placeForResults(c.Results); err != nil {
		return err
	}
	if c.Seed, err = a.seed(c.Seed); err != nil {
		return err
	}
	p := newProgress(a)
	dir, err := a.lab(c.Results, p).Measure(a.ctx,
		runs.Request{Command: command, Knobs: c.Knobs, Timeline: c.Timeline, Runtime: c.Runtime})
	p.stop()
	return a.finish(dir, err, !c.Narrowed())
}

// lab is the checkout's lab, with runs in the results directory that the user gave.
func (a *app) lab(results string, p *progress) *runs.Lab {
	l := &runs.Lab{Root: a.root, Results: a.resultsDir(results), Own: a.ownResults(results), Messages: a.language.Messages(a.stderr),
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
	if system.DiskFull(failed) {
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
	path, err := a.newest(dir, run.Page(a.language))
	if err != nil {
		return err
	}
	fmt.Fprint(text.Raw(a.stdout), run.Short(path, a.language, terminal(a.stdout) && colours()))
	if !decides {
		return nil
	}
	if err := run.Kept(); err != nil {
		return exitstatus.Contradicts(err)
	}
	return nil
}

// newest makes a run the newest one and returns the path of its page, as the user should read it.
func (a *app) newest(dir, page string) (string, error) {
	return a.show(filepath.Join(dir, page)), results.Link(filepath.Dir(dir), filepath.Base(dir))
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
	Results string `env:"RESULTS" placeholder:"DIR" help:"Directory of runs. Default: results/ of the checkout."`
}

// Help returns examples that a user can paste.
func (c *clientsCmd) Help() string {
	return examples("h2lab clients --only okhttp,node", "h2lab clients --only go --limit 100")
}

// mostStreams is how many streams one connection allows. With more requests in flight every client
// needs a second connection, which could not be told from a stampede.
const mostStreams = 128

// knobs returns the flags as the knobs of a run.
func (c *clientsCmd) knobs() (plan.Knobs, error) {
	k := plan.UsualFor(plan.Clients)
	k.Topologies, k.Concurrency, k.Duration, k.Warmup, k.Trials = c.Topologies, c.Concurrency, c.Duration, c.Warmup,
		c.Trials
	k.Seed, k.Limit, k.CPUs, k.TLS, k.Key, k.Only = c.Seed, c.Limit, c.CPUs, c.TLS, c.Key, c.Only
	k.Distance, k.OpenLoop = c.Distance, c.OpenLoop
	if k.Concurrency > mostStreams {
		return k, fmt.Errorf("CONCURRENCY=%d is more than the %d streams that one connection takes: give at most that",
			k.Concurrency, mostStreams)
	}
	return k, k.Validate()
}

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
	k, err := c.knobs()
	if err != nil {
		return exitstatus.WrongUsage(err)
	}
	dir, unmounted, err := c.programs(a)
	if err != nil {
		return err
	}
	if k.Seed, err = a.seed(k.Seed); err != nil {
		return err
	}
	if err := a.placeForResults(c.Results); err != nil {
		return err
	}
	p := newProgress(a)
	run, err := a.lab(c.Results, p).Clients(a.ctx, runs.Request{Command: plan.Clients, Knobs: k, Runtime: c.Runtime},
		dir, unmounted)
	p.stop()
	return a.finish(run, err, false)
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
	Results     string        `env:"RESULTS" placeholder:"DIR" help:"Directory of runs. Default: results/ of the checkout."`
	Timeline    bool          `env:"TIMELINE" default:"true" negatable:"" help:"Sample the front's counters at 20 Hz."`
}

// Help returns examples that a user can paste.
func (c *storyCmd) Help() string {
	return examples("h2lab story --quick", "h2lab story --gateway scg --client resttemplate-okhttp3")
}

// knobs returns the flags as the knobs of a run.
func (c *storyCmd) knobs() plan.Knobs {
	k := plan.UsualFor(plan.Story)
	k.Concurrency, k.Duration, k.Warmup, k.Trials = c.Concurrency, c.Duration, c.Warmup, c.Trials
	k.Seed, k.Limit, k.CPUs, k.Delay, k.Key, k.Quick = c.Seed, c.Limit, c.CPUs, c.Delay, c.Key, c.Quick
	k.Gateway, k.Topologies, k.Clients = c.Gateway, c.Topologies, c.Clients
	return k
}

// Run measures the story.
func (c *storyCmd) Run(a *app) (err error) {
	if err := a.placeForResults(c.Results); err != nil {
		return err
	}
	k := c.knobs()
	if k.Seed, err = a.seed(k.Seed); err != nil {
		return err
	}
	p := newProgress(a)
	dir, err := a.lab(c.Results, p).Story(a.ctx,
		runs.Request{Command: plan.Story, Knobs: k, Timeline: c.Timeline, Runtime: c.Runtime})
	p.stop()
	return a.finish(dir, err, len(c.Topologies) == 0 && len(c.Clients) == 0)
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
	Results    string   `env:"RESULTS" placeholder:"DIR" help:"Directory of runs. Default: results/ of the checkout."`
}

// Help returns examples that a user can paste.
func (c *sweepCmd) Help() string {
	return examples("h2lab sweep --sweep matters --quick",
		"h2lab sweep --sweep callers --client webclient-h1 --topology nginx-1000")
}

// knobs returns the flags as the knobs of a run.
func (c *sweepCmd) knobs() plan.Knobs {
	k := plan.UsualFor(plan.Sweep)
	k.Sweep, k.Quick, k.Topologies, k.Clients = c.Sweep, c.Quick, c.Topologies, c.Clients
	if k.Trials = plan.UsualTrials(c.Sweep); c.Trials != nil {
		k.Trials = *c.Trials
	}
	k.Seed, k.Limit, k.CPUs, k.Key = c.Seed, c.Limit, c.CPUs, c.Key
	return k
}

// Run measures one sweep or all of them and draws their page.
func (c *sweepCmd) Run(a *app) (err error) {
	k := c.knobs()
	if _, err := plan.SweepsOf(k.Sweep); err != nil {
		return exitstatus.WrongUsage(err)
	}
	if k.Seed, err = a.seed(k.Seed); err != nil {
		return err
	}
	if err := a.placeForResults(c.Results); err != nil {
		return err
	}
	p := newProgress(a)
	dir, err := a.lab(c.Results, p).Sweep(a.ctx,
		runs.Request{Command: plan.Sweep, Knobs: k, Runtime: c.Runtime})
	p.stop()
	return a.finish(dir, err, false)
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
	a.language = translations.Language(a.host.Language)
	p := newProgress(a)
	l := a.lab("results", p)
	dir, err := l.Inside(a.ctx)
	p.stop()
	if a.host.Command == plan.Clients {
		return a.finish(dir, err, false)
	}
	return a.finish(dir, err, !a.host.Knobs.Narrowed())
}

// progress shows how far a run is: one line that is redrawn on a terminal, plain lines elsewhere.
type progress struct {
	app *app
	// drawn is whether stderr is a terminal; the bar is made when the number of trials is known.
	drawn bool
	bar   *progressbar.ProgressBar
}

func newProgress(a *app) *progress {
	return &progress{app: a, drawn: terminal(a.stderr)}
}

// newBar makes a bar without a spinner, so that h2lab draws nothing during a trial, while the
// machine is being measured.
func newBar(w io.Writer, total int) *progressbar.ProgressBar {
	return progressbar.NewOptions(total, progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(20),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false), progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(), progressbar.OptionEnableColorCodes(colours()))
}

// terminal reports whether w is a terminal that can redraw a line.
func terminal(w io.Writer) bool {
	f, ok := file(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// colours reports whether to use colour (https://no-color.org).
func colours() bool { return os.Getenv("NO_COLOR") == "" }

func (p *progress) step(s conduct.Step) {
	switch s.What {
	case "verify":
		p.line(p.app.say("command.verify-probing-limit-wire", s.Cell))
	case "closed loop":
		p.line(p.app.say("command.rate-closed-loop", s.Cell))
	case "trial":
		p.trial(s)
	case "done":
		p.stop()
	}
}

func (p *progress) trial(s conduct.Step) {
	if !p.drawn {
		p.app.message("%s", p.app.say("command.trial-left", s.Done+1, s.Total, s.Cell, s.Trial, s.Left))
		return
	}
	if p.bar == nil {
		p.bar = newBar(text.Raw(p.app.stderr), s.Total)
	}
	p.bar.Describe(p.app.say("command.trial-left-2", s.Cell, s.Trial, s.Left.Round(time.Second)))
	_ = p.bar.Set(s.Done) // a bar that can't be drawn is no reason to stop measuring
}

func (p *progress) line(words string) {
	p.stop()
	p.app.message("%s", words)
}

// stop removes the bar from the terminal.
func (p *progress) stop() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
