package main

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"h2lab/internal/facts"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/live"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
)

// samplingInterval is 20 Hz, so that a burst of some 100 ms spans two samples at least.
const samplingInterval = 50 * time.Millisecond

// here measures on this machine, or inside the pod, where the servers already run. It holds the
// lock from the start of the first server to the end of the last one.
func (c *measureFlags) here(a *app, runtime, command string, cells []facts.Planned) (err error) {
	if runtime != runtimePod { // in the pod, the h2lab on the host holds the lock
		unlock, lockErr := native.Lock(a.root)
		if lockErr != nil {
			return lockErr
		}
		defer func() { err = errors.Join(err, unlock()) }()
	}
	dir, err := c.session(a, runtime, command, cells)
	var unsaved *conduct.SaveError
	if dir == "" || errors.As(err, &unsaved) {
		return err // there is no run, or no space for its report
	}
	return errors.Join(err, finish(a, c.resultsDir(a), dir, err == nil && !c.Narrowed()))
}

// session starts the servers, conducts one run and stops the servers. It returns the run's
// directory as soon as there is one, also with an error.
func (c *measureFlags) session(a *app, runtime, command string, cells []facts.Planned) (dir string, err error) {
	s, err := openSite(a, runtime, c.Knobs, plan.TopologiesOf(cells), plan.ClientsOf(cells), attached)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.close(a)) }()
	r, dir, err := c.begin(a, s, runtime, command)
	if err != nil {
		return dir, err
	}
	return dir, c.conduct(a, s, r, dir, cells)
}

// begin makes the run's directory and writes what is known before the first trial. When it fails it
// leaves no directory, because no run has begun.
func (c *measureFlags) begin(a *app, s *site, runtime, command string) (r *facts.Result, dir string, err error) {
	started := time.Now().UTC().Truncate(time.Second)
	r = &facts.Result{SchemaVersion: facts.SchemaVersion, Run: c.header(command, runtime, started)}
	dir = filepath.Join(c.resultsDir(a), r.Run.ID)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, "", err
	}
	if r.Environment, err = s.environment(a, dir); err == nil {
		err = keepDiff(a.root, dir)
	}
	if err != nil {
		return nil, "", errors.Join(err, os.RemoveAll(dir))
	}
	r.Run.Warnings = append(r.Run.Warnings, s.Warnings()...) // those of asking for configurations among them
	return r, dir, nil
}

// conduct runs the trials and completes the result, interrupted or not.
func (c *measureFlags) conduct(a *app, s *site, r *facts.Result, dir string, cells []facts.Planned) error {
	bench := &conduct.Bench{
		Root: a.root, CA: caFile(a.root), RunID: r.Run.ID, K6: s.tools.K6, Programs: goPrograms(s.tools),
		Env: clients.Env(a.root), Site: s,
		SaveSeries: func(rel string, x facts.Series) error { return results.WriteSeries(dir, rel, x) },
	}
	if c.Timeline {
		bench.Sampling = samplingInterval
	}
	p := newProgress(a)
	defer p.stop()
	j := live.Begin(filepath.Dir(dir), r.Run)
	bench.Sampled, bench.Opened = j.Sample, j.Window
	err := conduct.Run(a.ctx, conduct.Score{
		Result: r, Cells: cells, Unsupported: s.lacks, Instruments: bench, Site: s,
		Save:     func(r *facts.Result) error { return results.Write(dir, r) },
		Progress: journalled(p, j, r), Counted: j.Ended,
	})
	j.End(err != nil)
	return closeRun(r, dir, err)
}

// closeRun writes how a run ended, according to err, unless writing is what failed.
func closeRun(r *facts.Result, dir string, err error) error {
	var unsaved *conduct.SaveError
	if errors.As(err, &unsaved) {
		return err
	}
	r.Environment.LabMaxRSSMB = ownMemory()
	r.Run.Interrupted = err != nil
	r.Run.Finished = time.Now().UTC().Truncate(time.Second)
	return errors.Join(err, results.Write(dir, r))
}

// goPrograms returns the client programs that repro, fixed and matrix run besides k6.
func goPrograms(t native.Tools) map[facts.Client][]string {
	out := map[facts.Client][]string{}
	for _, c := range []facts.Client{facts.GoReplayable, facts.GoOnce, facts.GoSingleDial} {
		out[c] = []string{t.GoClient, "--variant", string(c)}
	}
	return out
}

func caFile(root string) string { return filepath.Join(root, "certs", "out", "ca.crt") }
