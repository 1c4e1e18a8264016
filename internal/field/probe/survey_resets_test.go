package probe

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/notes"
	"h2lab/internal/field/cause"
)

// resetting answers all requests but each nth, which it resets.
func resetting(n int, code http2.ErrCode) func(*peer) {
	return func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			if p.count%n == 0 {
				_ = p.fr.WriteRSTStream(id, code)
				continue
			}
			p.answer(id)
		}
	}
}

func TestResetsOfAConnectionThatGoesOnAreCounted(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Limits)
	f.Try("each seventh stream is refused", func(t *testing.T) {
		got, err := Survey(t.Context(), h2server(t, resetting(7, http2.ErrCodeRefusedStream)), Ask{MaxStreams: 700})
		if err != nil || got.Asked[1].Refused != got.Asked[1].Requests/7 || got.Asked[1].Reset+got.Asked[1].MayHaveRun != 0 {
			t.Errorf("%+v, %v", got.Asked[1], err)
		}
	})
	f.Try("each seventh stream is reset with another code", func(t *testing.T) {
		got, err := Survey(t.Context(), h2server(t, resetting(7, http2.ErrCodeInternal)), Ask{MaxStreams: 700})
		if n := got.Asked[1].Requests / 7; err != nil || got.Asked[1].Reset != n || got.Asked[1].MayHaveRun != n || got.Asked[1].Refused != 0 {
			t.Errorf("%+v, %v", got.Asked[1], err)
		}
	})
}

// oneAtATime is a TCP relay that hangs up on a second connection while it carries one, and goes on to hang up on as many after
// the end of each, as a balancer does that counts a client's connections late, or whose server restarts.
func oneAtATime(t *testing.T, to Target, late int64) Target {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	labtest.Check(t, err)
	var open, owed atomic.Int64
	behind := to.Addr
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			if open.Load() > 0 || owed.Add(-1) >= 0 {
				_ = c.Close()
				continue
			}
			open.Add(1)
			go func() {
				copyBoth(c, behind)
				owed.Store(late)
				open.Add(-1)
			}()
		}
	}()
	t.Cleanup(func() { _ = ln.Close() })
	to.Addr = ln.Addr().String()
	return to
}

func copyBoth(c net.Conn, to string) {
	behind, err := net.Dial("tcp", to)
	if err != nil {
		_ = c.Close()
		return
	}
	go func() { _, _ = behind.(*net.TCPConn).ReadFrom(c); _ = behind.Close() }()
	_, _ = c.(*net.TCPConn).ReadFrom(behind)
	_, _ = c.Close(), behind.Close()
}

func TestAHangUpAfterAnAnswerIsAskedAgain(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Limits)
	f.Try("a balancer allows a client one connection, and sees the end of it late", func(t *testing.T) {
		target := somebody(t, oneAtATime(t, h2server(t, likeNginx(300)), 2), "/")
		got, err := Survey(t.Context(), target, Ask{MaxStreams: 1000})
		c := cause.Of(got)
		if err != nil || c.Kind != cause.Count || *c.Requests != 300 {
			t.Errorf("%v: %s %v, ends %+v", err, c.Kind, c.Requests, c.Ends)
		}
		var said []string
		for _, n := range got.Warnings {
			said = append(said, notes.InEnglish(n))
		}
		if !strings.Contains(strings.Join(said, "\n"), "refused connections for") {
			t.Errorf("warnings %q", said)
		}
	})
}
