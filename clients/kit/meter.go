package kit

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"
)

// Counts is a subject's count of its connections; an unknown value is nil or "".
type Counts struct {
	Dialled    *int64 // connections that were opened
	Reported   *int64 // those that the library's own trace calls new
	Resumed    *int64 // those whose TLS handshake resumed a session
	TLSVersion string // "1.2", "1.3" or ""
}

// Meter counts connections in three ways that differ in a stampede: those that were dialled, those
// whose TLS handshake resumed a session, and those that net/http's own trace reports as new.
type Meter struct {
	dialled, resumed, reported atomic.Int64
	version                    atomic.Uint32
	times                      timings
}

// Counts returns the meter's counts; Reported is nil unless Trace is in use (see Traced).
func (m *Meter) Counts() Counts {
	dialled, resumed := m.dialled.Load(), m.resumed.Load()
	c := Counts{Dialled: &dialled, Resumed: &resumed}
	if v := m.version.Load(); v != 0 {
		c.TLSVersion = strings.TrimPrefix(tls.VersionName(uint16(v)), "TLS ")
	}
	return c
}

// Traced returns Counts with those of Trace.
func (m *Meter) Traced() Counts {
	c, reported := m.Counts(), m.reported.Load()
	c.Reported = &reported
	return c
}

// Times returns how long the connects and handshakes took since it was called before.
func (m *Meter) Times() Times { return m.times.take() }

// Dial counts and times successful dials only.
func (m *Meter) Dial(d *net.Dialer) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		began := time.Now()
		c, err := d.DialContext(ctx, network, addr)
		if err == nil {
			m.dialled.Add(1)
			m.times.connected(time.Since(began))
		}
		return c, err
	}
}

// Handshake is a tls.Config's VerifyConnection: crypto/tls calls it for every connection, resumed
// or not, including those that lose the race and are closed without a request.
func (m *Meter) Handshake(s tls.ConnectionState) error {
	m.version.Store(uint32(s.Version))
	if s.DidResume {
		m.resumed.Add(1)
	}
	return nil
}

// Trace observes one request. It counts what an application sees through httptrace: of the requests
// that wait for an h2 connection, only the first gets it reported as new. It times the handshakes of
// the connections that were dialled for the request, used or not.
func (m *Meter) Trace() *httptrace.ClientTrace {
	var shakes started
	return &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if !info.Reused {
				m.reported.Add(1)
			}
		},
		TLSHandshakeStart: shakes.begin,
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			if took, ok := shakes.end(); ok && err == nil {
				m.Handshook(took)
			}
		},
	}
}

// Handshook records the time of a handshake, for a library that doesn't call Trace's functions.
func (m *Meter) Handshook(took time.Duration) { m.times.handshook(took) }
