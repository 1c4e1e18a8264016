package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
)

// measureFlags are what repro, fixed and matrix have in common.
type measureFlags struct {
	plan.Knobs `embed:""`
	Runtime    string `env:"RUNTIME" default:"auto" help:"docker, native, or auto: Docker when its engine answers and the images can be had."`
	Results    string `env:"RESULTS" placeholder:"DIR" help:"Directory of runs; usually results/ of the checkout."`
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

// Help shows what a user can paste.
func (c *reproCmd) Help() string {
	return "Examples:\n  h2lab repro --quick\n  h2lab repro --limit 100 --trials 6 --runtime native"
}

// measure validates the request before anything starts, then measures in the chosen runtime.
func (c *measureFlags) measure(a *app, command string) error {
	c.Settle()
	if err := c.Validate(); err != nil {
		return exitstatus.WrongUsage(err)
	}
	cells, err := plan.Cells(command, c.Knobs)
	if err != nil {
		return exitstatus.WrongUsage(err)
	}
	if c.Seed, err = a.seed(c.Seed); err != nil {
		return err
	}
	runtime, why, err := c.settle(a, "")
	if err != nil {
		return err
	}
	a.say("h2lab: %s in the %s runtime (%s); %d cells × %d trials, seed %d", command, runtime, why, len(cells),
		c.Trials, c.Seed)
	if runtime == runtimeDocker {
		return c.inDocker(a, command, cells)
	}
	return c.here(a, runtime, command, cells)
}

func (c *measureFlags) resultsDir(a *app) string { return a.resultsDir(c.Results) }

// settle checks the results directory and chooses the runtime, before anything starts. unmounted is
// what the user asked for and the pod doesn't have.
func (c *measureFlags) settle(a *app, unmounted string) (runtime, why string, err error) {
	if err := knownRuntime(c.Runtime); err != nil {
		return "", "", err
	}
	if err := a.placeForResults(c.Results); err != nil {
		return "", "", err
	}
	if unmounted == "" && !a.ownResults(c.Results) {
		unmounted = fmt.Sprintf("RESULTS=%s isn't mounted in the pod", c.Results)
	}
	if unmounted != "" && c.Runtime == runtimeDocker {
		return "", "", exitstatus.WrongUsage(fmt.Errorf("%s: leave it out, or use RUNTIME=native", unmounted))
	}
	if err := writable(c.resultsDir(a)); err != nil {
		return "", "", err
	}
	if unmounted != "" && c.Runtime == runtimeAuto {
		return runtimeNative, "auto, since " + unmounted, nil
	}
	return chooseRuntime(a, c.Runtime)
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
func (c *measureFlags) header(command, runtime string, started time.Time) facts.Run {
	cpus, _ := c.CPUBudget() // Validate has checked it
	if runtime == runtimePod {
		runtime = runtimeDocker
	}
	return facts.Run{
		ID: started.Format("20060102T150405Z") + "-" + command, Command: command, Repeat: c.repeat(command, runtime),
		Runtime: runtime, Started: started, Seed: c.Seed, Trials: c.Trials, Quick: c.Quick, Limit: c.Limit,
		WarmupS: c.Warmup.Seconds(), DurationS: c.Duration.Seconds(), Concurrency: c.Concurrency,
		CPUs: cpus, Key: c.Key, Observed: c.Timeline, Warnings: []string{},
	}
}

// repeat returns the command line that measures the same cells again, in the same order.
func (c *measureFlags) repeat(command, runtime string) string {
	words := []string{"make", command, fmt.Sprintf("SEED=%d", c.Seed), "RUNTIME=" + runtime}
	usual := plan.UsualFor(command)
	add := func(name string, got, usual any) {
		if got != usual {
			words = append(words, fmt.Sprintf("%s=%v", name, got))
		}
	}
	if c.Quick {
		words = append(words, "QUICK=1")
	} else {
		add("TRIALS", c.Trials, usual.Trials)
		add("DURATION", c.Duration, usual.Duration)
	}
	add("WARMUP", c.Warmup, usual.Warmup)
	add("CONCURRENCY", c.Concurrency, usual.Concurrency)
	add("LIMIT", c.Limit, usual.Limit)
	add("CPUS", c.CPUs, usual.CPUs)
	add("POOLS", c.Pools, usual.Pools)
	add("DELAY", c.Delay, usual.Delay)
	add("BODY", c.Body, usual.Body)
	add("METHOD", c.Method, usual.Method)
	add("TLS", c.TLS, usual.TLS)
	add("KEY", c.Key, usual.Key)
	add("TOPOLOGY", strings.Join(c.Topologies, ","), "")
	add("PROTOCOL", strings.Join(c.Protocols, ","), "")
	add("CLIENT", strings.Join(c.Clients, ","), "")
	add("ONLY", strings.Join(c.Only, ","), "")
	if command != plan.Clients { // a client matrix has no timeline
		add("TIMELINE", c.Timeline, true)
	}
	return strings.Join(words, " ")
}
