package watch

import (
	"context"
	"fmt"
	"time"

	"h2lab/internal/field/cure"
)

// Options configure a watch.
type Options struct {
	Every time.Duration
	// For is the duration of the watch; 0 means until the context ends.
	For time.Duration
	// Patience is how long to retry an unreachable server.
	Patience time.Duration
	Rule     Rule
	// Again is the command that asks the same question, for the next step.
	Again string
}

// Event is one output of a watch. Kind determines which fields it has.
type Event struct {
	SchemaVersion int       `json:"schema_version"`
	Kind          string    `json:"kind"`
	At            time.Time `json:"at"`

	// For start.
	URL    string `json:"url,omitempty"`
	Source string `json:"source,omitempty"`
	// For interval.
	Interval *Interval `json:"interval,omitempty"`
	// For alarm and cleared.
	Evidence *Evidence `json:"evidence,omitempty"`
	// For restart, gone, back and cleared: what happened.
	Text string `json:"text,omitempty"`
	// For summary.
	Summary *Summary `json:"summary,omitempty"`
}

// The kinds of events.
const (
	Started  = "start"
	Measured = "interval"
	Alarmed  = "alarm"
	Cleared  = "cleared"
	Restart  = "restart"
	Gone     = "gone"
	Back     = "back"
	Over     = "summary"
)

// Interval is what happened between two readings.
type Interval struct {
	Seconds       float64  `json:"seconds"`
	Requests      int64    `json:"requests"`
	New           int64    `json:"new"`
	RequestsPerS  float64  `json:"requests_per_s"`
	NewPerS       float64  `json:"new_per_s"`
	PerNew        *float64 `json:"requests_per_new"`
	Active        *int64   `json:"active"`
	AtLimit       *int64   `json:"requests_at_limit"`
	AtAge         *int64   `json:"ended_at_age"`
	Idle          *int64   `json:"ended_idle"`
	AlarmIsRaised bool     `json:"alarm"`
}

// Summary covers the whole watch.
type Summary struct {
	Seconds  float64   `json:"seconds"`
	Requests int64     `json:"requests"`
	New      int64     `json:"new"`
	PerNew   *float64  `json:"requests_per_new"`
	Alarms   int       `json:"alarms"`
	Raised   bool      `json:"alarm"`
	Worst    *Evidence `json:"worst"`
	Restarts int       `json:"restarts"`
	GoneFor  float64   `json:"gone_s"`
	// AtLimit, AtAge and Idle are the sums of the intervals; null where the server doesn't count them.
	AtLimit *int64 `json:"requests_at_limit"`
	AtAge   *int64 `json:"ended_at_age"`
	Idle    *int64 `json:"ended_idle"`
	// Cause is what ends the connections; "" without an alarm, unless the counters show a request limit.
	Cause   string        `json:"cause"`
	Changes []cure.Change `json:"changes"`
	Next    string        `json:"next"`

	// perhaps reports whether there were an alarm if the server's limit, which isn't given, were nginx's default.
	perhaps bool
}

// watching is the state of the loop.
type watching struct {
	o      Options
	source *Source
	say    func(Event) error
	alarm  alarm

	last    counts
	lastAt  time.Time
	known   bool // whether last is a reading
	goneAt  time.Time
	summary Summary
}

// Run watches until the context ends, For is over, or the server is unreachable for longer than
// Patience. It always emits the summary.
func Run(ctx context.Context, s *Source, o Options, say func(Event) error) (*Summary, error) {
	w := &watching{o: o, source: s, say: say, alarm: alarm{rule: o.Rule.Complete()}}
	first, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	w.last, w.lastAt, w.known = first, began, true
	if err := w.event(Event{Kind: Started, At: began, URL: s.url, Source: s.kind}); err != nil {
		return nil, err
	}
	failed := w.loop(ctx, began)
	w.summary.Seconds = time.Since(began).Seconds()
	w.summary.PerNew, w.summary.Raised = ratio(w.summary.Requests, w.summary.New), w.alarm.raised
	if !w.goneAt.IsZero() {
		w.summary.GoneFor += time.Since(w.goneAt).Seconds()
	}
	w.conclude()
	if err := w.event(Event{Kind: Over, At: time.Now(), Summary: &w.summary}); err != nil {
		return nil, err
	}
	return &w.summary, failed
}

func (w *watching) event(e Event) error {
	e.SchemaVersion = 2
	return w.say(e)
}

func (w *watching) loop(ctx context.Context, began time.Time) error {
	tick := time.NewTicker(w.o.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		c, err := w.source.read(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if now := time.Now(); err != nil {
			err = w.gone(now, err)
		} else {
			err = w.take(now, c)
		}
		if err != nil {
			return err
		}
		if w.o.For > 0 && time.Since(began) >= w.o.For {
			return nil
		}
	}
}

// gone emits one event when the server becomes unreachable, and fails when that lasts too long.
func (w *watching) gone(now time.Time, err error) error {
	if w.goneAt.IsZero() {
		w.goneAt = now
		return w.event(Event{Kind: Gone, At: now, Text: fmt.Sprintf("%v; trying again for %v", err, w.o.Patience)})
	}
	if now.Sub(w.goneAt) >= w.o.Patience {
		return fmt.Errorf("gone for %v: %w", w.o.Patience, err)
	}
	return nil
}

// take compares a reading with the one before.
func (w *watching) take(now time.Time, c counts) error {
	if !w.goneAt.IsZero() {
		away := now.Sub(w.goneAt)
		w.summary.GoneFor += away.Seconds()
		w.goneAt, w.known = time.Time{}, w.known && !c.wentBack(w.last)
		w.alarm.forget()
		if err := w.event(Event{
			Kind: Back,
			At:   now,
			Text: fmt.Sprintf("back after %.0f s", away.Seconds()),
		}); err != nil {
			return err
		}
	}
	before, beforeAt, known := w.last, w.lastAt, w.known
	w.last, w.lastAt, w.known = c, now, true
	if c.wentBack(before) {
		w.summary.Restarts++
		w.alarm.forget()
		return w.event(Event{
			Kind: Restart,
			At:   now,
			Text: "the counters went back: the server was started again; counting from here",
		})
	}
	if !known {
		return nil
	}
	d := difference{
		at:       now,
		took:     now.Sub(beforeAt),
		new:      max(0, c.accepted-before.accepted),
		requests: max(0, c.requests-before.requests),
	}
	w.summary.New += d.new
	w.summary.Requests += d.requests
	changed, evidence := w.alarm.add(d)
	if w.worse(evidence) {
		w.summary.Worst = &evidence
	}
	if err := w.event(Event{Kind: Measured, At: now, Interval: w.interval(d, before, c)}); err != nil || !changed {
		return err
	}
	e := Event{Kind: Cleared, At: now, Evidence: &evidence}
	if w.alarm.raised {
		e.Kind = Alarmed
		w.summary.Alarms++
	}
	return w.event(e)
}

// worse keeps the window with the fewest requests per new connection, among those that could raise
// an alarm.
func (w *watching) worse(e Evidence) bool {
	if e.New < w.alarm.rule.MinNew || e.Seconds < w.alarm.rule.Window.Seconds()/2 {
		return false
	}
	return w.summary.Worst == nil || *e.PerNew < *w.summary.Worst.PerNew
}

func (w *watching) interval(d difference, before, now counts) *Interval {
	i := &Interval{
		Seconds:       d.took.Seconds(),
		Requests:      d.requests,
		New:           d.new,
		PerNew:        ratio(d.requests, d.new),
		Active:        now.active,
		AlarmIsRaised: w.alarm.raised,
	}
	if i.Seconds > 0 {
		i.RequestsPerS, i.NewPerS = float64(d.requests)/i.Seconds, float64(d.new)/i.Seconds
	}
	i.AtLimit = grown(before.atLimit, now.atLimit, &w.summary.AtLimit)
	i.AtAge = grown(before.atAge, now.atAge, &w.summary.AtAge)
	i.Idle = grown(before.idle, now.idle, &w.summary.Idle)
	return i
}

// grown is by how much a counter grew, which is added to a sum; nil where it isn't counted.
func grown(before, now *int64, sum **int64) *int64 {
	if before == nil || now == nil {
		return nil
	}
	n := max(0, *now-*before)
	if *sum == nil {
		*sum = new(int64)
	}
	**sum += n
	return &n
}
