package main

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// mostGroups bounds the kinds of failure that are kept apart.
const mostGroups = 50

// digits are what differs between messages of one kind: ports, stream ids.
var digits = regexp.MustCompile(`\d+`)

// group is one kind of failure, with its first message.
type group struct {
	Message string `json:"message"`
	Count   int64  `json:"count"`
	Kind    string `json:"kind"`
}

// tally is what one worker, or a whole window, counted.
type tally struct {
	attempts, succeeded, hung int64
	elapsed                   time.Duration
	latency                   *hdrhistogram.Histogram // µs, successes only
	groups                    map[string]*group
}

func newTally() *tally {
	return &tally{latency: hdrhistogram.New(1, 2*requestTimeout.Microseconds(), 3), groups: map[string]*group{}}
}

// count takes one finished request.
func (t *tally) count(f *failure, waited time.Duration) error {
	t.attempts++
	if f == nil {
		t.succeeded++
		return t.latency.RecordValue(min(waited.Microseconds(), t.latency.HighestTrackableValue()))
	}
	if f.hung {
		t.hung++
	}
	t.add(f.kind+" "+digits.ReplaceAllString(f.message, "#"), group{Message: f.message, Count: 1, Kind: f.kind})
	return nil
}

func (t *tally) add(key string, g group) {
	if _, known := t.groups[key]; !known && len(t.groups) >= mostGroups {
		key, g.Kind = "further", "transport"
		g.Message = fmt.Sprintf("further messages, beyond the %d kinds that are kept", mostGroups)
	}
	if known, ok := t.groups[key]; ok {
		known.Count += g.Count
		return
	}
	t.groups[key] = &g
}

func (t *tally) merge(from *tally) {
	t.attempts += from.attempts
	t.succeeded += from.succeeded
	t.hung += from.hung
	t.latency.Merge(from.latency)
	for key, g := range from.groups {
		t.add(key, *g)
	}
}

// anySucceeded refuses to measure where nothing works.
func (t *tally) anySucceeded() error {
	if t.succeeded > 0 {
		return nil
	}
	for _, g := range t.groups {
		return fmt.Errorf("no request of the warm-up succeeded (%d attempts): %s", t.attempts, g.Message)
	}
	return fmt.Errorf("no request of the warm-up succeeded, of %d attempts", t.attempts)
}

// window keeps every pool's share of requests in flight for a time, issues no
// more after it, and waits for the answers that are still due.
func (c *client) window(ctx context.Context, phase string, d time.Duration) (*tally, error) {
	ctx, stop := context.WithCancelCause(c.traced(ctx))
	defer stop(nil)
	var workers sync.WaitGroup
	var tallies []*tally
	began := time.Now()
	for _, p := range c.pools {
		p.sent.Store(0)
		for range p.share {
			t := newTally()
			tallies = append(tallies, t)
			workers.Go(func() {
				if err := p.work(ctx, phase, began.Add(d), t); err != nil {
					stop(err)
				}
			})
		}
	}
	workers.Wait()
	elapsed := time.Since(began)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	all := newTally()
	for _, t := range tallies {
		all.merge(t)
	}
	all.elapsed = elapsed
	return all, nil
}

// work is one of the requests in flight, again and again.
func (p *pool) work(ctx context.Context, phase string, until time.Time, t *tally) error {
	var answer bytes.Buffer
	for sent := time.Now(); sent.Before(until) && ctx.Err() == nil; {
		f, err := p.request(ctx, phase, &answer)
		if err != nil {
			return err
		}
		now := time.Now()
		if err := t.count(f, now.Sub(sent)); err != nil {
			return err
		}
		sent = now
	}
	return nil
}
