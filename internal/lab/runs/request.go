package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/numfmt"
	"h2lab/internal/base/platform"
	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
)

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
	noNative, shell, orShell := platform.NoNative(l.system()), "make shell", ""
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
		CPUs: cpus, Key: k.Key, Observed: q.Timeline, Warnings: []string{}, Sweep: k.Sweep, Rate: rateOf(k),
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
	return numfmt.Counted(len(cells), "cell", "cells") + " × " + numfmt.Counted(trials, "trial", "trials")
}
