// Package watch reads the counters of a user's own server repeatedly and reports wasted
// connections: more accepted connections than their requests need.
//
// source.go fetches a page over its own connection, detect.go recognises the page by its content
// (nginx's stub_status, Envoy's admin interface, or a Prometheus endpoint of either), alarm.go
// judges the differences without network or clock, and run.go is the loop.
//
// internal/base/counters reads the same counters of the lab's own servers, whose names, paths and
// stat_prefix are fixed; here they are the user's.
package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
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
	Text texts.Sentence `json:"text,omitzero"`
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
	Cause   string         `json:"cause"`
	Changes []cure.Change  `json:"changes"`
	Next    texts.Sentence `json:"next"`

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

func sentence(key string, args ...any) texts.Sentence { return texts.Sentence(facts.T(key, args...)) }

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
		return w.event(Event{Kind: Gone, At: now, Text: sentence("watch.unreachable", err.Error(), w.o.Patience.String())})
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
		back := sentence("watch.back-after", fmt.Sprintf("%.0f", away.Seconds()))
		if err := w.event(Event{Kind: Back, At: now, Text: back}); err != nil {
			return err
		}
	}
	before, beforeAt, known := w.last, w.lastAt, w.known
	w.last, w.lastAt, w.known = c, now, true
	if c.wentBack(before) {
		w.summary.Restarts++
		w.alarm.forget()
		return w.event(Event{Kind: Restart, At: now, Text: sentence("watch.restarted")})
	}
	if !known {
		return nil
	}
	d := difference{
		at:       now,
		took:     now.Sub(beforeAt),
		new:      max(0, c.n[accepted]-before.n[accepted]),
		requests: max(0, c.n[requests]-before.n[requests]),
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
		Active:        now.get(active),
		AlarmIsRaised: w.alarm.raised,
	}
	if i.Seconds > 0 {
		i.RequestsPerS, i.NewPerS = float64(d.requests)/i.Seconds, float64(d.new)/i.Seconds
	}
	for _, c := range []struct {
		what     string
		grew, in **int64
	}{{atLimit, &i.AtLimit, &w.summary.AtLimit}, {atAge, &i.AtAge, &w.summary.AtAge}, {idle, &i.Idle, &w.summary.Idle}} {
		if from, to := before.get(c.what), now.get(c.what); from != nil && to != nil {
			grew, sum := max(0, *to-*from), int64(0)
			if *c.in != nil {
				sum = **c.in
			}
			sum += grew
			*c.grew, *c.in = &grew, &sum
		}
	}
	return i
}

// RunURL opens a source and watches it. It returns an error if an alarm was raised within
// Options.For.
func RunURL(ctx context.Context, url string, t Trust, o Options, print func(Event) error) error {
	source, err := Open(ctx, url, t)
	if err != nil {
		var path *os.PathError
		err = fmt.Errorf("watch: %w", err)
		if errors.As(err, &path) {
			return exitstatus.Lacks(err)
		}
		return exitstatus.WrongUsage(err)
	}
	defer source.Close()
	summary, err := Run(ctx, source, o, print)
	switch {
	case err != nil:
		return fmt.Errorf("watch: %w", err)
	case summary.Raised && o.For > 0 && ctx.Err() == nil:
		return exitstatus.Contradicts(fmt.Errorf("watch: connections are wasted: %s", summary.Worst))
	}
	return nil
}

// JSONLines returns a function that writes one JSON object per line.
func JSONLines(w io.Writer) func(Event) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return func(event Event) error { return e.Encode(event) }
}

// Check rejects values out of range, before the rule's defaults are filled in.
func (o Options) Check() error {
	for _, d := range []struct {
		name        string
		value       time.Duration
		least, most time.Duration
	}{
		{"every", o.Every, 100 * time.Millisecond, time.Hour},
		{"for", o.For, 0, 366 * 24 * time.Hour},
		{"window", o.Rule.Window, o.Every, 24 * time.Hour},
		{"patience", o.Patience, 0, 24 * time.Hour},
	} {
		if d.value < d.least || d.value > d.most {
			return fmt.Errorf("watch: --%s %v is out of range: give %v to %v", d.name, d.value, d.least, d.most)
		}
	}
	r := o.Rule
	switch {
	case r.Limit < 0:
		return fmt.Errorf("watch: --limit %d is out of range: give the server's keepalive_requests, 1 or more", r.Limit)
	case r.MinRatio < 0:
		return fmt.Errorf("watch: --min-ratio %v is out of range: give a number above 0", r.MinRatio)
	case r.MinNew < 1:
		return fmt.Errorf("watch: --min-new %d is out of range: give 1 or more", r.MinNew)
	}
	return nil
}
