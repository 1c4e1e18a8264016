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

// Journal writes the events of one run. It is safe for several goroutines. A
// journal that can't be written falls silent: a view is no reason to lose a
// measurement.
type Journal struct {
	mu    sync.Mutex
	file  *os.File
	trial time.Time // when the current one began
}

// Begin starts the journal of a run in the directory of runs. The one of the
// run before is replaced, not written over, so that nobody reads half of each.
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

// Trial says that one begins.
func (j *Journal) Trial(c *facts.Cell, trial, done, total int) {
	j.mu.Lock()
	j.trial = time.Now()
	j.mu.Unlock()
	j.write(trialBegan(c, trial, done, total))
}

func trialBegan(c *facts.Cell, trial, done, total int) Event {
	e := Event{Kind: TrialBegan, Cell: c.ID(), Topology: c.Topology, Protocol: string(c.Protocol), Client: string(c.Client),
		Trial: trial, Done: done, Total: total}
	if c.Limit.Effective != nil {
		e.Limit = *c.Limit.Effective
	}
	return e
}

// Sample writes what the front's counters say.
func (j *Journal) Sample(o facts.Observation) {
	j.write(Event{Kind: Sampled, TMS: j.since(o.At), Accepted: o.Accepted, Requests: o.Requests, Used: o.Used})
}

// Window says that the warm-up is over.
func (j *Journal) Window() { j.write(Event{Kind: WindowBegan, TMS: j.since(time.Now())}) }

// Ended writes what was counted in a trial.
func (j *Journal) Ended(c *facts.Cell, t facts.Trial) { j.write(trialEnded(c, t)) }

func trialEnded(c *facts.Cell, t facts.Trial) Event {
	e := Event{Kind: TrialEnded, Cell: c.ID(), Trial: t.Index, GoodputRPS: &t.GoodputRPS, Attempts: &t.Attempts, Failed: &t.Failed,
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

// write adds a line in one call, so that a reader sees whole lines or none.
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
