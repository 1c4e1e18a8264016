package live

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"h2lab/internal/base/await"
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

// The kinds of event, in their order within a run.
const (
	RunBegan    = "run"
	TrialBegan  = "trial"
	Sampled     = "sample"
	WindowBegan = "window"
	TrialEnded  = "counted"
	RunEnded    = "end"
)

var kinds = []string{RunBegan, TrialBegan, Sampled, WindowBegan, TrialEnded, RunEnded}

// Event is one line of the journal, without the fields that its kind doesn't have.
type Event struct {
	Kind string `json:"kind"`

	// of a run
	ID          string `json:"id,omitempty"`
	Command     string `json:"command,omitempty"`
	Concurrency int    `json:"concurrency,omitempty"`
	Replay      bool   `json:"replay,omitempty"`

	// of a trial
	Cell     string `json:"cell,omitempty"`
	Topology string `json:"topology,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	Client   string `json:"client,omitempty"`
	Limit    int    `json:"limit,omitempty"` // requests a connection; 0 is none
	Trial    int    `json:"trial,omitempty"`
	Done     int    `json:"done,omitempty"`
	Total    int    `json:"total,omitempty"`

	// of a sample: the front's counters since it started; TMS is the time since the trial began
	TMS      float64 `json:"t_ms"`
	Accepted *int64  `json:"accepted,omitempty"`
	Requests *int64  `json:"requests,omitempty"`
	Used     *int64  `json:"used,omitempty"`

	// of a trial that ended
	GoodputRPS *float64         `json:"goodput_rps,omitempty"`
	Attempts   *int64           `json:"attempts,omitempty"`
	Failed     *int64           `json:"failed,omitempty"`
	Expected   *int64           `json:"expected,omitempty"`
	Classes    map[string]int64 `json:"classes,omitempty"`

	Interrupted bool `json:"interrupted,omitempty"`
}

// between is the pause between two replayed trials.
const between = time.Second

// Replay is the feed of a recorded run: the trials of its first rounds, in the order of
// measurement, at speed times their pace.
func Replay(r *facts.Result, series func(rel string) (facts.Series, error), rounds int, speed float64) Feed {
	return func(ctx context.Context, send func([]byte) error) error {
		p := &player{ctx: ctx, send: send, speed: speed}
		p.play(Event{
			Kind:        RunBegan,
			ID:          r.Run.ID,
			Command:     r.Run.Command,
			Concurrency: r.Run.Concurrency,
			Replay:      true,
		})
		all := played(r, rounds)
		for i, x := range all {
			p.play(trialBegan(x.cell, x.trial.Index, i, len(all)))
			s, err := series(x.trial.Series)
			if err != nil {
				return err
			}
			p.samples(s)
			p.play(trialEnded(x.cell, x.trial))
			p.wait(between)
		}
		p.play(Event{Kind: RunEnded, Interrupted: r.Run.Interrupted})
		if p.err != nil {
			return p.err
		}
		<-ctx.Done() // otherwise the page would connect again and replay everything
		return ctx.Err()
	}
}

// one is a replayed trial.
type one struct {
	cell  *facts.Cell
	trial facts.Trial
}

// played are the trials with a timeline.
func played(r *facts.Result, rounds int) (out []one) {
	for i := range r.Cells {
		c := &r.Cells[i]
		for _, t := range c.Trials {
			if t.Series != "" && t.Index <= rounds {
				out = append(out, one{c, t})
			}
		}
	}
	slices.SortFunc(out, func(a, b one) int { return cmp.Compare(a.trial.Order, b.trial.Order) })
	return out
}

// player waits between events. After its first error it does nothing.
type player struct {
	ctx   context.Context
	send  func([]byte) error
	speed float64
	err   error
}

func (p *player) play(e Event) {
	if p.err != nil {
		return
	}
	line, err := json.Marshal(e)
	if err == nil {
		err = p.send(line)
	}
	p.err = err
}

func (p *player) wait(d time.Duration) {
	if p.err == nil {
		p.err = await.Pause(p.ctx, time.Duration(float64(d)/p.speed))
	}
}

// samples replays a timeline, whose time 0 is the opening of the window.
func (p *player) samples(s facts.Series) {
	if len(s.TMS) == 0 {
		return
	}
	open := false
	for i, t := range s.TMS {
		if i > 0 {
			p.wait(time.Duration((t - s.TMS[i-1]) * float64(time.Millisecond)))
		}
		if !open && t >= 0 {
			open = true
			p.play(Event{Kind: WindowBegan, TMS: t - s.TMS[0]})
		}
		p.play(Event{
			Kind:     Sampled,
			TMS:      t - s.TMS[0],
			Accepted: reading(s.Accepted, i),
			Requests: reading(s.Requests, i),
		})
	}
}

// reading is one value of a column, which is empty where the front can't count it.
func reading(column []int64, i int) *int64 {
	if i >= len(column) {
		return nil
	}
	return &column[i]
}
