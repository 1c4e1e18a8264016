package runs

import (
	"context"
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
		Root: l.Root, CA: CAFile(l.Root), RunID: to.result.Run.ID, K6: s.tools.K6, Programs: programs,
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
func (c *conductor) score(cells []facts.Planned, unsupported func(facts.Planned) string) conduct.Score {
	return conduct.Score{Result: c.to.result, Cells: cells, Unsupported: unsupported, Instruments: c.bench,
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
		out[c] = []string{t.GoClient, "--variant", string(c)}
	}
	return out
}
