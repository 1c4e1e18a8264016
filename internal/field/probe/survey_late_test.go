package probe

import (
	"testing"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/field/cause"
)

// likeHyper announces the end from another task: it has answered the requests of a burst meanwhile.
func likeHyper(limit int) func(*peer) {
	return func(p *peer) {
		announced := false
		for id := p.next(); id != 0; id = p.next() {
			p.answer(id)
			if p.count >= limit && !announced && p.br.Buffered() == 0 {
				_ = p.fr.WriteGoAway(1<<31-1, http2.ErrCodeNo, nil)
				_ = p.conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
				announced = true
			}
		}
		_ = p.fr.WriteGoAway(p.max, http2.ErrCodeNo, nil)
	}
}

func TestALimitThatIsAnnouncedLateIsFound(t *testing.T) {
	for _, n := range []int{150, 777} {
		got, err := Survey(t.Context(), somebody(t, h2server(t, likeHyper(n)), "/"), Ask{MaxStreams: 3000})
		if err != nil {
			t.Fatal(err)
		}
		if c := cause.Of(got); c.Kind != cause.Count || *c.Requests != n {
			t.Errorf("limit %d: %s %v, ends %+v", n, c.Kind, c.Fits, c.Ends)
		}
	}
}

// The probe stops at a server that answers no more. What it left open may have run.
func TestRequestsOfASilentServerMayHaveRun(t *testing.T) {
	target := somebody(t, h2server(t, func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			if p.count < 200 {
				p.answer(id)
			}
		}
	}), "/")
	target.Patience = 1200 * time.Millisecond
	got, err := Survey(t.Context(), target, Ask{MaxStreams: 3000})
	if err == nil {
		t.Fatal("the survey of a server that answers no more has no error")
	}
	last := got.Asked[len(got.Asked)-1]
	if want := last.Requests - 199; last.MayHaveRun != want || want < 1 || last.How != "" {
		t.Errorf("%d may have run, want %d: %+v", last.MayHaveRun, want, last)
	}
}

// Where the probe itself stops, at an answer 429, its own leaving is no fault of the server.
func TestRequestsThatTheProbeLeavesDidNotGetLost(t *testing.T) {
	target := somebody(t, h2server(t, func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			if p.count < 200 {
				p.answer(id)
			} else if p.count == 200 {
				p.block(id, "429")
			}
		}
	}), "/")
	got, err := Survey(t.Context(), target, Ask{MaxStreams: 3000})
	last := got.Asked[len(got.Asked)-1]
	if err == nil || last.MayHaveRun != 0 || last.Requests <= last.Answered {
		t.Errorf("%v; %+v", err, last)
	}
}
