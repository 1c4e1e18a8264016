package main

import (
	"context"
	"strconv"
	"sync"
	"time"

	"h2lab/clients/kit"
)

// users are a service's users, each with one request at a time and a pause for thought between an
// answer and the next request.
type users struct {
	*service
	each []*user
	// cycle is how long a user takes from one request to the next where the service takes no longer
	// than it was asked to wait (ms in the URL).
	cycle time.Duration
}

func newUsers(f kit.Flags) (kit.Batch, error) {
	s, err := newService(f)
	if err != nil {
		return nil, err
	}
	ms, _ := strconv.Atoi(s.url.Query().Get("ms")) // 0 where the URL has none
	u := &users{service: s, cycle: f.Think + time.Duration(ms)*time.Millisecond}
	for range f.Concurrency {
		u.each = append(u.each, &user{service: s})
	}
	return u, nil
}

// Close implements kit.Account.
func (s *users) Close() {
	for _, u := range s.each {
		if !s.cut {
			u.close()
		}
	}
}

// counted is one tally for all users. Each tally has a histogram of 200 kB, so that one for each of
// thousands of users would take a GB.
type counted struct {
	sync.Mutex
	*kit.Tally
	began time.Time
	err   error
}

func (c *counted) enter(failed *kit.Failure, late bool, waited, patience time.Duration) {
	c.Lock()
	defer c.Unlock()
	var err error
	if late {
		err = c.CountHung(patience, failed.Message)
	} else {
		err = c.Count(failed, waited)
	}
	if c.err == nil {
		c.err = err
	}
	c.Elapsed = max(c.Elapsed, time.Since(c.began))
}

// Window keeps every user busy for a time, starts no request after it, and waits for the answers.
func (s *users) Window(ctx context.Context, phase string, d time.Duration) (*kit.Tally, error) {
	c := &counted{Tally: kit.NewTally(), began: time.Now()}
	var working sync.WaitGroup
	for i, u := range s.each {
		working.Go(func() { s.work(ctx, u, i, phase, d, c) })
	}
	if !s.finish(ctx, &working) {
		return nil, context.Cause(ctx)
	}
	return c.Tally, c.err
}

// first is when a user sends its first request in a window of d: at its place in the cycle. Users who
// all think as long would otherwise send all their requests at once, again and again.
func (s *users) first(index int, d time.Duration) time.Duration {
	if s.flags.Think == 0 {
		return 0
	}
	return min(d/2, s.cycle*time.Duration(index)/time.Duration(len(s.each)))
}

// work is one user's window.
func (s *users) work(ctx context.Context, u *user, index int, phase string, d time.Duration, c *counted) {
	until := c.began.Add(d)
	for n, pause := 1, s.first(index, d); sleep(ctx, pause); n, pause = n+1, s.flags.Think {
		if n > 1 && !time.Now().Before(until) {
			return
		}
		sent := time.Now()
		failed, late := s.call(ctx, u, s.flags.ID(phase, index, n))
		if ctx.Err() != nil {
			return
		}
		c.enter(failed, late, time.Since(sent), s.flags.Patience)
		if !time.Now().Add(s.flags.Think).Before(until) {
			return
		}
		if failed != nil && s.flags.Think == 0 {
			if !sleep(ctx, afterFailure) {
				return
			}
		}
	}
}

// afterFailure keeps a user without a pause for thought from counting thousands of failures a second.
const afterFailure = 10 * time.Millisecond

func (s *users) call(ctx context.Context, u *user, id string) (failed *kit.Failure, late bool) {
	request, err := s.request(id)
	if err != nil {
		return transportFailure(err), false
	}
	if failed := u.connect(ctx); failed != nil {
		return failed, false
	}
	return u.send(request, time.Now().Add(s.flags.Patience))
}
