//go:build integration

package systems

import (
	"net"
	"testing"
	"time"
)

// serveRelay runs a TCP balancer in front of the server on the port that to names. It cuts each connection at an
// age, or after so many bytes of answers; rst cuts with a TCP RST.
func serveRelay(t *testing.T, s setting, ln net.Listener) {
	r := relay{to: "127.0.0.1:" + s.set["to"], age: s.time("age"), most: s.number("bytes"), rst: s.set["rst"] != ""}
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
	to   string
	age  time.Duration
	most int64
	rst  bool
}

// carry copies both ways until the connection is cut.
func (r relay) carry(c net.Conn) {
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
	go func() { carryAtMost(behind, c, 0); cut() }()
	carryAtMost(c, behind, r.most)
}

// carryAtMost copies until an end, or until one part more would exceed so many bytes; 0 is no limit.
func carryAtMost(to, from net.Conn, most int64) {
	part, carried := make([]byte, 16<<10), int64(0)
	for {
		n, err := from.Read(part)
		if carried += int64(n); err != nil || most > 0 && carried > most {
			return
		}
		if _, err := to.Write(part[:n]); err != nil {
			return
		}
	}
}
