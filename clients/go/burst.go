package main

import (
	"context"
	"sync"
	"time"

	"h2lab/clients/kit"
)

const (
	// dialsAtOnce bounds the dials in progress, below the shortest backlog that a service may have
	// (Tomcat's acceptCount is 100 by default).
	dialsAtOnce = 64
	// warmUsers send one request each in the warm-up, on connections of their own, so that every
	// connection of the burst carries the burst's request only.
	warmUsers = 20
)

// burst is the users of a service who all send one request at the same moment, each on a connection of
// its own that was opened before.
type burst struct {
	*service
	shots []*shot
}

// shot is one user's request.
type shot struct {
	user
	request []byte
	failed  *kit.Failure
	late    bool // it had no answer in time
	ended   time.Time
}

func newBurst(f kit.Flags) (kit.Batch, error) {
	s, err := newService(f)
	return &burst{service: s}, err
}

// Close implements kit.Account.
func (b *burst) Close() { b.reset(b.shots) }

func (b *burst) reset(shots []*shot) {
	for _, s := range shots {
		if !b.cut {
			s.close()
		}
	}
}

// Window opens the connections in the warm-up, and releases the requests in the measured window.
func (b *burst) Window(ctx context.Context, phase string, d time.Duration) (*kit.Tally, error) {
	if phase == "warm" {
		return b.open(ctx, d)
	}
	return b.fire(ctx, b.shots, d)
}

// open sends the warm-up's requests, and dials every user's connection, evenly over a time.
func (b *burst) open(ctx context.Context, over time.Duration) (*kit.Tally, error) {
	began := time.Now()
	warm, err := b.load(ctx, "warm", min(warmUsers, b.flags.Concurrency), 0)
	defer func() { b.reset(warm) }()
	if err != nil {
		return nil, err
	}
	tally, err := b.fire(ctx, warm, dialTimeout)
	if err != nil {
		return nil, err
	}
	if b.shots, err = b.load(ctx, "run", b.flags.Concurrency, over); err != nil {
		return nil, err
	}
	tally.Elapsed = time.Since(began)
	return tally, nil
}

// load prepares n requests and dials their connections at a steady rate. A dial that fails is the
// failure of that user's request.
func (b *burst) load(ctx context.Context, phase string, n int, over time.Duration) ([]*shot, error) {
	shots := make([]*shot, n)
	slots := make(chan struct{}, dialsAtOnce)
	began := time.Now()
	var dialling sync.WaitGroup
	defer dialling.Wait()
	for i := range shots {
		request, err := b.request(b.flags.ID(phase, i, 1))
		if err != nil {
			return shots[:i], err
		}
		s := &shot{user: user{service: b.service}, request: request}
		shots[i] = s
		if !sleep(ctx, time.Until(began.Add(over*time.Duration(i)/time.Duration(n)))) {
			return shots[:i], context.Cause(ctx)
		}
		slots <- struct{}{}
		dialling.Go(func() {
			defer func() { <-slots }()
			s.failed = s.connect(ctx)
		})
	}
	dialling.Wait()
	return shots, nil
}

// fire sends all requests at the same moment, waits for their answers, and counts them.
func (b *burst) fire(ctx context.Context, shots []*shot, bound time.Duration) (*kit.Tally, error) {
	var ready, answered sync.WaitGroup
	release := make(chan struct{})
	var began time.Time
	for _, s := range shots {
		ready.Add(1)
		answered.Go(func() {
			ready.Done()
			<-release
			if s.failed == nil {
				s.failed, s.late = s.send(s.request, began.Add(bound))
			}
			s.ended = time.Now()
		})
	}
	ready.Wait()
	began = time.Now()
	close(release)
	if !b.finish(ctx, &answered) {
		return nil, context.Cause(ctx)
	}
	tally := kit.NewTally()
	for _, s := range shots { // a request's time is from the release to the end of its answer
		waited := max(0, s.ended.Sub(began))
		tally.Elapsed = max(tally.Elapsed, waited)
		if s.late {
			tally.CountHung(bound, s.failed.Message)
		} else {
			tally.Count(s.failed, waited)
		}
	}
	return tally, nil
}
