package probe

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// Servers of these tests listen in memory, so that the clock may be testing/synctest's. Their addresses have ports
// that no kernel gives to a listener of its own accord.
var (
	listeners sync.Map // of addresses: *memoryListener
	lastPort  atomic.Int64
)

func init() {
	real := dialContext
	dialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		l, there := listeners.Load(addr)
		if !there {
			return real(ctx, network, addr)
		}
		return l.(*memoryListener).dial()
	}
}

// fast runs a test with a clock that advances when everybody waits.
func fast(t *testing.T, test func(*testing.T)) { t.Helper(); synctest.Test(t, test) }

type memoryListener struct {
	addr  net.Addr
	queue chan *memoryConn
	mu    sync.Mutex
	over  bool
}

func listen() *memoryListener {
	return listenAt(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2000 + int(lastPort.Add(1))})
}

func listenAt(addr net.Addr) *memoryListener {
	l := &memoryListener{addr: addr, queue: make(chan *memoryConn, 100)}
	listeners.Store(addr.String(), l)
	return l
}

func (l *memoryListener) Addr() net.Addr { return l.addr }

// Close resets the connections that nobody has accepted, as a kernel does.
func (l *memoryListener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.over = true
		close(l.queue)
	}
	for c := range l.queue {
		c.reset()
	}
	return nil
}

func (l *memoryListener) Accept() (net.Conn, error) {
	if c, there := <-l.queue; there {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l *memoryListener) dial() (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: l.addr, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	a, b := newStream(), newStream()
	l.queue <- &memoryConn{in: a, out: b, at: l.addr}
	return &memoryConn{in: b, out: a, at: l.addr}, nil
}

// memoryConn is one end of a connection.
type memoryConn struct {
	in, out *stream
	at      net.Addr
}

func (c *memoryConn) Read(p []byte) (int, error)         { return c.in.read(p) }
func (c *memoryConn) Write(p []byte) (int, error)        { return c.out.write(p) }
func (c *memoryConn) CloseWrite() error                  { c.out.end(io.EOF); return nil }
func (c *memoryConn) Close() error                       { c.out.end(io.EOF); c.in.shut(); return nil }
func (c *memoryConn) LocalAddr() net.Addr                { return c.at }
func (c *memoryConn) RemoteAddr() net.Addr               { return c.at }
func (c *memoryConn) SetReadDeadline(t time.Time) error  { c.in.until(t, &c.in.readBy); return nil }
func (c *memoryConn) SetWriteDeadline(t time.Time) error { c.out.until(t, &c.out.writeBy); return nil }

func (c *memoryConn) SetDeadline(t time.Time) error {
	_ = c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}

// reset ends the connection as a RST does.
func (c *memoryConn) reset() {
	c.out.end(fmt.Errorf("read tcp: %w", os.NewSyscallError("read", syscall.ECONNRESET)))
	c.in.shut()
}

// stream is one direction of a connection, with the buffers of both kernels.
type stream struct {
	mu              sync.Mutex
	news            *sync.Cond
	data            []byte
	over            error // what a read gets behind the data
	refused         bool  // the reader has closed
	readBy, writeBy time.Time
}

const buffers = 4 << 20

func newStream() *stream {
	s := &stream{}
	s.news = sync.NewCond(&s.mu)
	return s
}

func past(t time.Time) bool { return !t.IsZero() && !time.Now().Before(t) }

func (s *stream) read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.refused:
			return 0, net.ErrClosed
		case past(s.readBy):
			return 0, os.ErrDeadlineExceeded
		case len(s.data) > 0 || len(p) == 0:
			n := copy(p, s.data)
			s.data = s.data[n:]
			s.news.Broadcast()
			return n, nil
		case s.over != nil:
			return 0, s.over
		}
		s.news.Wait()
	}
}

func (s *stream) write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.refused:
			return 0, os.NewSyscallError("write", syscall.EPIPE)
		case s.over != nil:
			return 0, net.ErrClosed
		case past(s.writeBy):
			return 0, os.ErrDeadlineExceeded
		case len(s.data) < buffers:
			s.data = append(s.data, p...)
			s.news.Broadcast()
			return len(p), nil
		}
		s.news.Wait()
	}
}

func (s *stream) end(with error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over == nil {
		s.over = with
	}
	s.news.Broadcast()
}

func (s *stream) shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused = true
	s.news.Broadcast()
}

func (s *stream) until(t time.Time, deadline *time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*deadline = t
	s.news.Broadcast()
	if left := time.Until(t); !t.IsZero() && left > 0 {
		time.AfterFunc(left, func() { s.mu.Lock(); defer s.mu.Unlock(); s.news.Broadcast() })
	}
}
