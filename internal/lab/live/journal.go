package live

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"h2lab/internal/facts"
)

// File is the journal's name in the directory of runs.
const File = "live.ndjson"

// Journal writes the events of one run. Several goroutines may use it. After a write error it
// writes nothing more: a broken view must not end a measurement.
type Journal struct {
	mu    sync.Mutex
	file  *os.File
	trial time.Time // start of the current one
}

// Begin starts the journal of a run in the directory of runs. It replaces the previous run's file
// instead of overwriting it, so that no reader sees parts of both.
func Begin(dir string, run facts.Run) *Journal {
	j := &Journal{}
	f, err := os.CreateTemp(dir, ".live-*")
	if err != nil {
		return j
	}
	if os.Chmod(f.Name(), 0o644) != nil || os.Rename(f.Name(), filepath.Join(dir, File)) != nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
		return j
	}
	j.file = f
	j.write(Event{Kind: RunBegan, ID: run.ID, Command: run.Command, Concurrency: run.Concurrency})
	return j
}

// Trial writes that a trial begins.
func (j *Journal) Trial(c *facts.Cell, trial, done, total int) {
	j.mu.Lock()
	j.trial = time.Now()
	j.mu.Unlock()
	j.write(trialBegan(c, trial, done, total))
}

func trialBegan(c *facts.Cell, trial, done, total int) Event {
	e := Event{Kind: TrialBegan, Cell: c.ID(), Topology: c.Topology, Protocol: string(c.Protocol),
		Client: string(c.Client),
		Trial:  trial, Done: done, Total: total}
	if c.Limit.Effective != nil {
		e.Limit = *c.Limit.Effective
	}
	return e
}

// Front writes that a server is watched. Its readings count from the first front's moment.
func (j *Journal) Front(f Front) {
	j.mu.Lock()
	if j.trial.IsZero() {
		j.trial = time.Now()
	}
	j.mu.Unlock()
	j.write(Event{Kind: TrialBegan, Cell: f.Name, Topology: f.Name, Limit: f.Limit})
}

// Reading writes the counters of a watched server.
func (j *Journal) Reading(server string, o facts.Observation) {
	j.write(Event{Kind: Sampled, Cell: server, TMS: j.since(o.At), Accepted: o.Accepted, Requests: o.Requests,
		Used: o.Used})
}

// Sample writes a reading of the front's counters.
func (j *Journal) Sample(o facts.Observation) {
	j.write(Event{Kind: Sampled, TMS: j.since(o.At), Accepted: o.Accepted, Requests: o.Requests, Used: o.Used})
}

// Window writes that the warm-up is over.
func (j *Journal) Window() { j.write(Event{Kind: WindowBegan, TMS: j.since(time.Now())}) }

// Ended writes the counts of a finished trial.
func (j *Journal) Ended(c *facts.Cell, t facts.Trial) { j.write(trialEnded(c, t)) }

func trialEnded(c *facts.Cell, t facts.Trial) Event {
	e := Event{Kind: TrialEnded, Cell: c.ID(), Trial: t.Index, GoodputRPS: &t.GoodputRPS, Attempts: &t.Attempts,
		Failed:   &t.Failed,
		Accepted: t.Connections.Accepted, Used: t.Connections.Used, Expected: t.Connections.Expected}
	for _, failure := range t.Errors {
		if e.Classes == nil {
			e.Classes = map[string]int64{}
		}
		e.Classes[failure.Class] += failure.Count
	}
	return e
}

// End closes the journal.
func (j *Journal) End(interrupted bool) {
	j.write(Event{Kind: RunEnded, Interrupted: interrupted})
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file != nil {
		_ = j.file.Close()
		j.file = nil
	}
}

func (j *Journal) since(at time.Time) float64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return float64(at.Sub(j.trial).Microseconds()) / 1000
}

// write adds a line in one call, so that a reader sees only complete lines.
func (j *Journal) write(e Event) {
	line, err := json.Marshal(e)
	if err != nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		_ = j.file.Close()
		j.file = nil
	}
}
