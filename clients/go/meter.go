package main

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
)

// meter counts connections in three ways that don't agree in a stampede: those
// that were dialled, those whose TLS handshake resumed a session, and those that
// net/http's own trace reports as new.
type meter struct {
	dialled, resumed, reported atomic.Int64
	version                    atomic.Uint32
}

// counts is a meter's state at one moment.
type counts struct {
	dialled, resumed, reported int64
	version                    string
}

func (m *meter) read() counts {
	c := counts{dialled: m.dialled.Load(), resumed: m.resumed.Load(), reported: m.reported.Load()}
	if v := m.version.Load(); v != 0 {
		c.version = strings.TrimPrefix(tls.VersionName(uint16(v)), "TLS ")
	}
	return c
}

// dial counts the connections that were made; a dial that failed is none.
func (m *meter) dial(d *net.Dialer) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := d.DialContext(ctx, network, addr)
		if err == nil {
			m.dialled.Add(1)
		}
		return c, err
	}
}

// handshake is called by crypto/tls for every connection, resumed or not, also
// for those that lose the race and are closed without a request.
func (m *meter) handshake(s tls.ConnectionState) error {
	m.version.Store(uint32(s.Version))
	if s.DidResume {
		m.resumed.Add(1)
	}
	return nil
}

// trace counts what an application could see by httptrace: of the waiters for
// an h2 connection only the first is told that it is new.
func (m *meter) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if !info.Reused {
			m.reported.Add(1)
		}
	}}
}
