package probe

import (
	"bufio"
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
)

// limits are the connections of a survey that reached their limit.
func limits(e facts.Endpoint) (all []facts.AskedConnection) {
	for _, a := range e.Asked {
		if a.For == facts.ForLimit {
			all = append(all, a)
		}
	}
	return all
}

func TestEachConnectionIsRecordedFromItsOpeningToItsEnd(t *testing.T) {
	for name, x := range map[string]struct {
		server    Target
		ask       Ask
		how       string
		goaways   int
		above     bool // streams above the last-stream-id
		announced bool
	}{
		"one stage":  {h2server(t, likeNginx(20)), Ask{MaxStreams: 200}, facts.EndedByGoaway, 1, true, true},
		"two stages": {h2server(t, likeEnvoy(20)), Ask{MaxStreams: 200}, facts.EndedByTwoStages, 2, false, true},
		"an id ahead": {h2server(t, likeHAProxy(20)), Ask{MaxStreams: 200}, facts.EndedByFutureID, 1, false,
			true},
		"a close": {h2server(t, rude(20)), Ask{MaxStreams: 200}, facts.EndedByClose, 0, false, false},
		"HTTP/1.1": {h1server(t, 20, false), Ask{MaxStreams: 200, HTTP1: true}, facts.EndedByConnectionClose,
			0, false, true},
		"HTTP/1.1, a close": {h1server(t, 20, true), Ask{MaxStreams: 200, HTTP1: true}, facts.EndedByClose, 0, false,
			false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Survey(t.Context(), somebody(t, x.server, "/"), x.ask)
			if err != nil {
				t.Fatal(err)
			}
			seen := limits(got)
			if len(seen) < 2 || got.Asked[0].For != facts.ForLook ||
				got.Asked[0].Requests != 1 || got.Asked[0].EndedMS != nil {
				t.Fatalf("connections %+v", got.Asked)
			}
			a := seen[0]
			if a.How != x.how && !(name == "an id ahead" && a.How == facts.EndedByGoaway) ||
				len(a.Goaways) != x.goaways || a.Requests < 20 || a.Answered < 20 {
				t.Errorf("%+v, want %s with %d GOAWAYs", a, x.how, x.goaways)
			}
			if (a.AnnouncedMS != nil) != x.announced || a.EndedMS == nil || a.FirstRequestMS == nil {
				t.Fatalf("times %+v", a)
			}
			if (a.Above != nil) != (x.goaways > 0) || x.goaways > 0 && (*a.Above > 0) != x.above {
				t.Errorf("above the last id: %v, want some: %v", show(a.Above), x.above)
			}
			if got.Asked[0].OpenedMS > a.OpenedMS || a.OpenedMS > *a.FirstRequestMS || *a.FirstRequestMS > *a.EndedMS ||
				a.AnnouncedMS != nil && *a.AnnouncedMS > *a.EndedMS {
				t.Errorf("its times are out of order: %+v", a)
			}
			if seen[1].OpenedMS < *a.EndedMS {
				t.Error("two connections to their limit at a time")
			}
			if c := cause.Of(got); c.Kind != cause.Count || *c.Requests != 20 {
				t.Errorf("%s %v, ends %+v", c.Kind, c.Fits, c.Ends)
			}
		})
	}
}

func TestAConnectionWithoutALimitIsRecordedAsOpen(t *testing.T) {
	for _, h1 := range []bool{false, true} {
		server := h2server(t, likeNginx(1<<30))
		if h1 {
			server = h1server(t, 1<<30, false)
		}
		got, err := Survey(t.Context(), somebody(t, server, "/"), Ask{MaxStreams: 30, HTTP1: h1})
		if err != nil {
			t.Fatal(err)
		}
		if all := limits(got); len(all) < 2 || all[0].How != "" || all[0].AnnouncedMS != nil ||
			all[0].EndedMS != nil || all[0].LeftMS == nil || all[0].Above != nil || all[0].Answered != 30 {
			t.Errorf("HTTP/1.1 %v: %+v", h1, all)
		}
	}
}

// A server that covers a stream by its GOAWAY and never answers it must not delay the probe beyond
// its patience, on the first connection and on later ones.
func TestAPromisedAnswerThatNeverComesIsNotAwaitedForEver(t *testing.T) {
	server := h2server(t, func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			if p.count == 9 {
				_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, nil)
				_ = p.bw.Flush()
				for p.next() != 0 { // and sends nothing more, with the connection open
				}
				return
			}
			p.answer(id)
		}
	})
	target := somebody(t, server, "/")
	target.Patience = 300 * time.Millisecond
	got, err := Survey(t.Context(), target, Ask{MaxStreams: 50})
	if err != nil || len(limits(got)) < 2 || got.Budget.Least != 8 || limits(got)[1].MayHaveRun != 1 {
		t.Errorf("%v, budget %+v, connections %+v", err, got.Budget, limits(got))
	}
	lab := server
	lab.Patience = target.Patience
	if _, err := RequestLimit(t.Context(), lab, 50, 9); err == nil || !strings.Contains(err.Error(),
		"named stream 17 as its last, that is 9 requests, and answered 8") {
		t.Errorf("the limit's error is %v", err)
	}
}

// HAProxy and nginx send 408 on a connection without a request: that is no answer to a request.
func TestAnAnswerToNobodyIsNotCounted(t *testing.T) {
	server := serve(t, "http/1.1", func(c *tls.Conn) {
		br := bufio.NewReader(c)
		for range 10 {
			if _, err := http.ReadRequest(br); err != nil {
				return
			}
			_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
		}
		_, _ = c.Write([]byte("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
		_ = c.CloseWrite()
		_ = c.NetConn().(*net.TCPConn).CloseWrite()
	})
	got, err := Survey(t.Context(), somebody(t, server, "/"), Ask{HTTP1: true, MaxStreams: 50, Rate: 40,
		Connections: 1})
	if err != nil || got.Budget.Least != 10 || got.Statuses["408"] != 0 || got.Ending == nil ||
		got.Ending.How != facts.EndedByConnectionClose {
		t.Errorf("%v, budget %+v, statuses %v, ending %+v", err, got.Budget, got.Statuses, got.Ending)
	}
}

// 429 and 503 end a survey of a user's server; for the lab's own servers they are answers like any
// other.
func TestOnlyTheLabsProbeCountsBusyAnswers(t *testing.T) {
	handle := func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			if p.count == 7 {
				_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, nil)
			}
			p.block(id, "503")
			if p.count == 7 {
				return
			}
		}
	}
	server := h2server(t, handle)
	if got, err := RequestLimit(t.Context(), server, 50, 7); err != nil || got.Effective == nil || *got.Effective != 7 {
		t.Errorf("the lab's: %+v, %v", got, err)
	}
	if _, err := Survey(t.Context(), somebody(t, server, "/"), Ask{}); err == nil || !strings.Contains(err.Error(),
		"answers 503") {
		t.Errorf("somebody's: %v", err)
	}
}
