package probe

import (
	"testing"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
)

// asked sends requests one at a time, follows the connection to its end, and records it.
func asked(t *testing.T, target Target, requests int) facts.AskedConnection {
	t.Helper()
	r, err := start(t.Context(), target, plan{atMost: requests, alone: all, spare: late})
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	if err := r.toTheEnd(); err != nil {
		t.Fatal(err)
	}
	for !r.over() {
		if err := r.step(time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.cross(late); err != nil {
		t.Fatal(err)
	}
	return r.record(facts.ForLimit, r.opened)
}

func TestWhetherAConnectionWasInUseAtItsEnd(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Limits)
	f.Try("the server ends a connection that is unused", func(t *testing.T) {
		for _, goaway := range []bool{true, false} {
			target := h2server(t, func(p *peer) {
				for range 2 {
					p.answer(p.next())
				}
				_ = p.conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
				if id := p.next(); id == 0 && goaway {
					_ = p.fr.WriteGoAway(3, http2.ErrCodeNo, nil)
				}
			})
			if a := asked(t, target, 2); a.UnusedMS == nil || *a.UnusedMS <= 0 || a.PausedMS <= 0 {
				t.Errorf("GOAWAY %v: %+v", goaway, a)
			}
		}
	})
	if a := asked(t, h2server(t, likeNginx(2)), 3); a.UnusedMS != nil {
		t.Errorf("unused for %v ms with a request in flight", *a.UnusedMS)
	}
}

func TestAnAnswerAboveTheLastStreamIDProvesTheIDWrong(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Places)
	f.Try("the server answers one stream above its GOAWAY's id and not the next", func(t *testing.T) {
		target := h2server(t, func(p *peer) {
			first := p.next()
			_ = p.fr.WriteGoAway(first, http2.ErrCodeNo, nil)
			p.answer(first)
			p.answer(p.next())
			p.next()
		})
		if a := asked(t, target, 1); a.MayHaveRun != late-1 {
			t.Errorf("%d of %d requests may have run, want %d", a.MayHaveRun, a.Requests, late-1)
		}
	})
	if a := asked(t, h2server(t, likeNginx(1)), 1); a.MayHaveRun != 0 {
		t.Errorf("%d may have run", a.MayHaveRun)
	}
}

func TestANoteIsMadeOnce(t *testing.T) {
	var s survey
	for range 3 {
		s.note("error", "text", "refused")
	}
	if s.note("error", "text", "reset"); len(s.out.Warnings) != 2 {
		t.Errorf("%+v", s.out.Warnings)
	}
}

// Connections in use meet no idle time-out, so more of them tell nothing more.
func TestNoMoreConnectionsForAnIdleTimeOut(t *testing.T) {
	s := survey{took: time.Millisecond}
	for _, c := range []cause.Cause{{Kind: cause.Idle, Fits: []string{cause.Idle}}, {Kind: cause.Unclear, Fits: []string{cause.Idle}}} {
		if s.tellsMore(c, 2, time.Now()) {
			t.Errorf("%+v asks for more", c)
		}
	}
}
