package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
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
}

func (c *counted) enter(failed *kit.Failure, late bool, waited, patience time.Duration) {
	c.Lock()
	defer c.Unlock()
	if late {
		c.CountHung(patience, failed.Message)
	} else {
		c.Count(failed, waited)
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
	return c.Tally, nil
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

const (
	// mostAnswer bounds the part of an answer that is kept, mostReason what a failure quotes of it: a
	// service answers 502 with the exception's class and message.
	mostAnswer = 1 << 20
	mostReason = 300
	// headerBuffer is the size of a user's read buffer. bufio's default of 4 kB would be 40 MB for
	// 10,000 users.
	headerBuffer = 1 << 10
)

// service is what its users call, over plain HTTP/1.1.
type service struct {
	flags kit.Flags
	url   *url.URL
	body  []byte
	meter *kit.Meter
	dial  func(context.Context, string, string) (net.Conn, error)
	cut   bool // a window was interrupted
}

func newService(f kit.Flags) (*service, error) {
	u, err := url.Parse(f.URL)
	if err != nil {
		return nil, err
	}
	s := &service{flags: f, url: u, body: f.Body(), meter: &kit.Meter{}}
	s.dial = s.meter.Dial(&net.Dialer{Timeout: dialTimeout})
	return s, nil
}

// Library is what sends the requests. net/http's client would share its connections among users.
func (s *service) Library() string { return "net and http.ReadResponse" }

// Counts counts the users' connections to the service.
func (s *service) Counts() kit.Counts { return s.meter.Counts() }

// request is a request with this id, as it goes on the wire.
func (s *service) request(id string) ([]byte, error) {
	req, err := http.NewRequest(s.flags.Method, s.flags.URL, bytes.NewReader(s.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set(kit.IDHeader, id)
	var text bytes.Buffer
	err = req.Write(&text)
	return text.Bytes(), err
}

// user sends one request at a time on a connection of its own.
type user struct {
	*service
	conn net.Conn // nil without one
	in   *bufio.Reader
}

// connect dials the user's connection where it has none.
func (u *user) connect(ctx context.Context) *kit.Failure {
	if u.conn != nil {
		return nil
	}
	conn, err := u.dial(ctx, "tcp", u.url.Host)
	if err != nil {
		return transportFailure(err)
	}
	u.conn, u.in = conn, bufio.NewReaderSize(conn, headerBuffer)
	return nil
}

// send sends a request and reads the whole answer. late is true where there was none in time.
func (u *user) send(request []byte, until time.Time) (failed *kit.Failure, late bool) {
	keep, failed, err := u.exchange(request, until)
	if err != nil {
		failed, late = transportFailure(err), errors.Is(err, os.ErrDeadlineExceeded)
	}
	if !keep {
		u.close()
	}
	return failed, late
}

// exchange returns whether the connection can carry another request.
func (u *user) exchange(request []byte, until time.Time) (keep bool, failed *kit.Failure, err error) {
	if err := u.conn.SetDeadline(until); err != nil {
		return false, nil, err
	}
	if _, err := u.conn.Write(request); err != nil {
		return false, nil, err
	}
	resp, err := http.ReadResponse(u.in, nil)
	if err != nil {
		return false, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer))
	if err != nil {
		return false, nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return !resp.Close, &kit.Failure{Kind: kit.Status, Message: "HTTP status " + resp.Status + reason(answer)}, nil
	}
	return !resp.Close, u.flags.Compare(u.body, answer), nil
}

func transportFailure(err error) *kit.Failure {
	return &kit.Failure{Kind: kit.Transport, Message: err.Error()}
}

// reason is the first line of a failed request's answer, after ": ".
func reason(answer []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(answer)), "\n")
	if line == "" {
		return ""
	}
	return ": " + strings.ToValidUTF8(line[:min(len(line), mostReason)], "?")
}

// close resets the connection: closed in order, it would keep its port in TIME_WAIT for a minute, and
// three bursts of 10,000 would use up the machine's 28,232 ports (ip_local_port_range's default).
func (u *user) close() {
	if u.conn == nil {
		return
	}
	if tcp, ok := u.conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = u.conn.Close()
	u.conn = nil
}

// finish waits until work has ended, or ctx, and reports whether work has. After an interrupt the users'
// connections are left to the kernel: calls on them are in progress, and the program ends.
func (s *service) finish(ctx context.Context, work *sync.WaitGroup) bool {
	all := make(chan struct{})
	go func() { work.Wait(); close(all) }()
	select {
	case <-all:
	case <-ctx.Done():
		s.cut = true
	}
	return !s.cut
}

// sleep returns false when ctx has ended.
func sleep(ctx context.Context, d time.Duration) bool {
	if d > 0 {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}
