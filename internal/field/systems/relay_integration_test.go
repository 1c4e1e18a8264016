//go:build integration

package systems

import (
	"net"
	"sync/atomic"
	"testing"
	"time"
)

// serveRelay runs a TCP balancer in front of the server on the port that to names. It cuts each connection at an
// age, after so many bytes of answers, or when nothing came for the time idle; rst cuts with a TCP RST. It hangs up at once on
// a connection beyond those that it allows at a time.
func serveRelay(t *testing.T, s setting, ln net.Listener) {
	r := relay{to: "127.0.0.1:" + s.set["to"], age: s.time("age"), idle: s.time("idle"), most: s.number("bytes"),
		allowed: s.number("allowed"), rst: s.set["rst"] != "", open: new(atomic.Int64)}
	accept(t, ln, r.carry)
}

// accept serves each connection until the test ends.
func accept(t *testing.T, ln net.Listener, serve func(net.Conn)) {
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	t.Cleanup(func() { _ = ln.Close(); <-accepting })
}

type relay struct {
	to        string
	age, idle time.Duration
	most      int64
	allowed   int64 // connections at a time; 0 is no limit
	rst       bool
	open      *atomic.Int64
}

// carry copies both ways until the connection is cut.
func (r relay) carry(c net.Conn) {
	defer r.open.Add(-1)
	if r.open.Add(1) > r.allowed && r.allowed > 0 {
		_ = c.Close()
		return
	}
	behind, err := net.Dial("tcp", r.to)
	if err != nil {
		_ = c.Close()
		return
	}
	cut := func() {
		if r.rst {
			_ = c.(*net.TCPConn).SetLinger(0)
		}
		_, _ = c.Close(), behind.Close()
	}
	defer cut()
	if r.age > 0 {
		defer time.AfterFunc(r.age, cut).Stop()
	}
	came := func() {}
	if r.idle > 0 {
		unused := time.AfterFunc(r.idle, cut)
		defer unused.Stop()
		came = func() { unused.Reset(r.idle) }
	}
	go func() { carryAtMost(behind, c, 0, came); cut() }()
	carryAtMost(c, behind, r.most, came)
}

// carryAtMost copies until an end, or until one part more would exceed so many bytes; 0 is no limit. It calls came for each part.
func carryAtMost(to, from net.Conn, most int64, came func()) {
	part, carried := make([]byte, 16<<10), int64(0)
	for {
		n, err := from.Read(part)
		if carried += int64(n); err != nil || most > 0 && carried > most {
			return
		}
		came()
		if _, err := to.Write(part[:n]); err != nil {
			return
		}
	}
}
