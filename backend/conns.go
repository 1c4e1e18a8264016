package main

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// maxConnections limits the memory for connections. A stampede holds as many at once as there are
// requests in flight, which is far fewer. Beyond the limit, new connections wait in the kernel's
// accept queue and are not refused.
const maxConnections = 8192

// trackedConn is a TCP connection with the ledger's state of it. It is below the TLS connection,
// where every hook of net/http can find it without a map.
type trackedConn struct {
	net.Conn
	state   atomic.Int32 // the last http.ConnState
	carried atomic.Bool  // it carried a request
	release func()
}

// Close frees the connection's place, once.
func (c *trackedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}

// trackingListener hands out at most cap(places) trackedConns at a time.
type trackingListener struct {
	net.Listener
	places chan struct{}
	done   chan struct{}
	once   sync.Once
}

func trackConns(inner net.Listener, most int) *trackingListener {
	return &trackingListener{Listener: inner, places: make(chan struct{}, most), done: make(chan struct{})}
}

// Accept waits for a free place, then for a connection.
func (l *trackingListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	t := &trackedConn{Conn: c, release: sync.OnceFunc(func() { <-l.places })}
	t.state.Store(int32(http.StateNew))
	return t, nil
}

// Close also ends a waiting Accept.
func (l *trackingListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

// tracked returns the trackedConn below a connection of the front.
func tracked(c net.Conn) *trackedConn { return c.(*tls.Conn).NetConn().(*trackedConn) }

type connKey struct{}

// keepConn is the front's ConnContext hook: requests of both protocols derive their contexts from
// the one it returns.
func keepConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, tracked(c))
}

func connOf(ctx context.Context) *trackedConn { return ctx.Value(connKey{}).(*trackedConn) }
