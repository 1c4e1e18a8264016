package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/system"
	"h2lab/internal/base/text"
	"h2lab/internal/judge/runverdicts"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
	"h2lab/internal/lab/runs"
	"h2lab/internal/report/rundir"
	"h2lab/internal/report/runreport"
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

// summarise makes a run the newest one and prints its summary, whose text is escaped already, and whose colours are
// h2lab's own.
func (a *app) summarise(dir, page string, short func(path string, colour bool) string) error {
	path, err := a.newest(dir, page)
	if err == nil {
		fmt.Fprint(text.Raw(a.stdout), short(path, terminal(a.stdout) && colours()))
	}
	return err
}

// newest makes a run the newest one and returns the path of its page, as the user should read it.
func (a *app) newest(dir, page string) (string, error) {
	return a.show(filepath.Join(dir, page)), results.Link(filepath.Dir(dir), filepath.Base(dir))
}

func (a *app) report(dir string, decides bool) error {
	in, err := rundir.Draw(dir)
	if err != nil {
		return err
	}
	if a.language == translations.Chinese {
		in = rundir.InChinese(in)
	}
	err = a.summarise(dir, runreport.Name(a.language), func(path string, colour bool) string {
		in.Path = path
		return runreport.Short(in, colour)
	})
	if err != nil || !decides {
		return err
	}
	if err := runverdicts.Kept(in.Result, in.Verdicts); err != nil {
		return exitstatus.Contradicts(err)
	}
	return nil
}
