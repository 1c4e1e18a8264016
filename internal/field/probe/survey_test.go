package probe

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
)

// somebody turns a test server's target into one that a user typed.
func somebody(t *testing.T, server Target, path string) Target {
	t.Helper()
	got, err := ParseTarget("https://" + server.Addr + path)
	if err != nil {
		t.Fatal(err)
	}
	got.CAFile = server.CAFile
	return got
}

// aged ends a connection at an age, with a request, as nginx does (keepalive_time).
func aged(age time.Duration) func(*peer) {
	return func(p *peer) {
		opened := time.Now()
		for id := p.next(); id != 0; id = p.next() {
			if time.Since(opened) < age {
				p.answer(id)
				continue
			}
			_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, nil)
			p.answer(id)
			_ = p.bw.Flush()
			for p.next() != 0 { // ignores what follows
			}
			return
		}
	}
}

// cut closes TCP at an age, as a balancer does that knows nothing of HTTP/2.
func cut(age time.Duration) func(*peer) {
	return func(p *peer) {
		_ = p.conn.SetReadDeadline(time.Now().Add(age))
		for id := p.next(); id != 0; id = p.next() {
			p.answer(id)
		}
	}
}

// bytes ends a connection after that many bytes of answers and of header blocks.
func bytesOf(most int) func(*peer) {
	return func(p *peer) {
		sum := 0
		for {
			f, err := p.fr.ReadFrame()
			if err != nil {
				return
			}
			switch f := f.(type) {
			case *http2.PingFrame:
				_ = p.fr.WritePing(true, f.Data)
			case *http2.HeadersFrame:
				p.answer(f.StreamID)
				if sum += int(f.Length) + 20; sum > most {
					return
				}
			}
			_ = p.bw.Flush()
		}
	}
}

// fleet is several servers behind one address: each connection meets the next.
func fleet(servers ...func(*peer)) func(*peer) {
	var n atomic.Int64
	return func(p *peer) { servers[int(n.Add(1))%len(servers)](p) }
}

func TestWhatEndsConnectionsIsTold(t *testing.T) {
	fast(t, func(t *testing.T) {
		never := likeNginx(1 << 30)
		var all sync.WaitGroup
		defer all.Wait()
		for name, x := range map[string]struct {
			server func(*peer)
			want   string
			n      int
		}{
			"a count":                     {likeNginx(300), cause.Count, 300},
			"a count of one":              {likeNginx(1), cause.Count, 1},
			"an age":                      {aged(time.Second), cause.Age, 0},
			"an age, below HTTP/2":        {cut(time.Second), cause.Age, 0},
			"bytes":                       {bytesOf(20_000), cause.Neither, 0},
			"two limits":                  {fleet(likeNginx(100), likeNginx(400)), cause.Several, 100},
			"a limit and none":            {fleet(likeNginx(100), never), cause.Several, 100},
			"none and a limit":            {fleet(never, likeNginx(100)), cause.Several, 100},
			"a crash":                     {crash(200), cause.Count, 200},
			"no end":                      {never, cause.None, 0},
			"a limit before an age":       {fleet(likeNginx(100)), cause.Count, 100},
			"an error":                    {server(to(199, answer), to(200, answer, lastBut(0, calm, "calm"), quit)), cause.Failure, 0},
			"a limit on a two-stage way":  {likeEnvoy(300), cause.Count, 300},
			"a limit with a future id":    {likeHAProxy(300), cause.Count, 300},
			"a close without a GOAWAY":    {rude(300), cause.Count, 300},
			"an age that differs by 10 %": {fleet(aged(900*time.Millisecond), aged(1100*time.Millisecond)), cause.Age, 0},
		} {
			target := somebody(t, h2server(t, x.server), "/")
			all.Go(func() { // they wait more than they work
				got, err := Survey(t.Context(), target, Ask{MaxStreams: 3000, Hold: 2 * time.Second})
				c := cause.Of(got)
				// A slow machine blurs an age.
				if err != nil || c.Kind != x.want && !(x.want == cause.Age && c.Kind == cause.Neither) {
					t.Errorf("%s: %v; %s %v, want %s; ends %+v, groups %v", name, err, c.Kind, c.Fits, x.want, c.Ends, c.Groups)
					return
				}
				if c.Kind == cause.Count && *c.Requests != x.n || c.Kind == cause.Several && c.Groups[0].Requests != x.n {
					t.Errorf("%s: %+v, want %d", name, c, x.n)
				}
				if ran := lost(got); (ran > 0) != (name == "a crash" || name == "a close without a GOAWAY" || name == "bytes") &&
					x.want != cause.Age {
					t.Errorf("%s: %d requests may have run", name, ran)
				}
				if name == "a crash" && !c.Unanswered {
					t.Errorf("request 200 was never answered: %+v", c)
				}
			})
		}
	})
}

func lost(e facts.Endpoint) (n int) {
	for _, a := range e.Asked {
		n += a.MayHaveRun
	}
	return n
}

// A survey once waited for the whole patience with nothing in flight: a pace that was not due when
// fill asked was due when the deadline was computed.
func TestAPaceThatComesDueIsNotMissed(t *testing.T) {
	r := newRun(&conn{traffic: traffic{line: &line{}, target: Target{Patience: time.Hour}, open: map[uint32]int{}},
		maxStreams: 100}, plan{atMost: 10, rate: 1e6})
	r.pace.burst, r.pace.began = 0, time.Now().Add(time.Millisecond)
	r.fill()
	for !r.pace.next().IsZero() { // until it is due
	}
	if r.sent > 0 || time.Until(r.deadline()) > time.Minute {
		t.Errorf("%d sent, and the next event is awaited for %v", r.sent, time.Until(r.deadline()))
	}
}

// gRPC's servers close a connection that gets PINGs without data between them (gRFC A8).
func TestALightlyUsedConnectionGetsNoPings(t *testing.T) {
	var pings atomic.Int64
	server := h2server(t, func(p *peer) {
		for {
			if p.br.Buffered() == 0 {
				_ = p.bw.Flush()
			}
			f, err := p.fr.ReadFrame()
			if err != nil {
				return
			}
			switch f := f.(type) {
			case *http2.PingFrame:
				pings.Add(1)
				_ = p.fr.WritePing(true, f.Data)
			case *http2.HeadersFrame:
				p.answer(f.StreamID)
			}
		}
	})
	r, err := start(t.Context(), somebody(t, server, "/"), plan{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	if err := r.lightly(time.Now().Add(300*time.Millisecond), 20*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if r.answered < 3 || pings.Load() != 1 {
		t.Errorf("%d requests, %d pings", r.answered, pings.Load())
	}
}

// --max-streams holds for every connection, the lightly used ones too.
func TestNoConnectionGetsMoreThanItsMost(t *testing.T) {
	fast(t, func(t *testing.T) {
		for _, most := range []int{1, 2, 3, 5, 12, 30} {
			for name, server := range map[string]func(*peer){"no end": likeNginx(1 << 30), "an end": likeNginx(10)} {
				got, err := Survey(t.Context(), somebody(t, h2server(t, server), "/"),
					Ask{MaxStreams: most, Hold: 200 * time.Millisecond, MaxTime: 2 * time.Second})
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range got.Asked {
					if a.Requests > most+late { // those sent after the GOAWAY
						t.Errorf("%s, %d at most: %+v", name, most, a)
					}
				}
			}
		}
	})
}

func TestConnectionsThatAreCalledUnusedAreNotCounted(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Limits)
	f.Try("the server ends connections in use as unused", func(t *testing.T) {
		fast(t, func(t *testing.T) {
			target := h2server(t, server(to(299, answer), to(300, named(announcement, none, "max_idle"), lastBut(0, none, "max_idle"), quit)))
			got, err := Survey(t.Context(), target, Ask{MaxStreams: 1000})
			brought := len(got.Budget.Counts)
			if c := cause.Of(got); err != nil || c.Kind != cause.Unclear || len(c.Fits) > 0 || brought != 2 {
				t.Errorf("%v: %s %v, %d brought to an end: %+v", err, c.Kind, c.Fits, brought, c.Ends)
			}
		})
	})
}

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
	fast(t, func(t *testing.T) {
		for _, n := range []int{150, 777} {
			got, err := Survey(t.Context(), somebody(t, h2server(t, likeHyper(n)), "/"), Ask{MaxStreams: 3000})
			if err != nil {
				t.Fatal(err)
			}
			if c := cause.Of(got); c.Kind != cause.Count || *c.Requests != n {
				t.Errorf("limit %d: %s %v, ends %+v", n, c.Kind, c.Fits, c.Ends)
			}
		}
	})
}

// The probe stops at a server that answers no more. What it left open may have run.
func TestRequestsOfASilentServerMayHaveRun(t *testing.T) {
	fast(t, func(t *testing.T) {
		target := somebody(t, h2server(t, server(to(199, answer))), "/")
		target.Patience = 1200 * time.Millisecond
		got, err := Survey(t.Context(), target, Ask{MaxStreams: 3000})
		if err == nil {
			t.Fatal("the survey of a server that answers no more has no error")
		}
		last := got.Asked[len(got.Asked)-1]
		if want := last.Requests - 199; last.MayHaveRun != want || want < 1 || last.How != "" {
			t.Errorf("%d may have run, want %d: %+v", last.MayHaveRun, want, last)
		}
	})
}

// resetting answers all requests but each seventh, which it resets.
func resetting(code http2.ErrCode) func(*peer) {
	return server(rest(func(p *peer, id uint32) {
		if p.count%7 == 0 {
			reset(code)(p, id)
			return
		}
		p.answer(id)
	}))
}

func TestResetsOfAConnectionThatGoesOnAreCounted(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Limits)
	f.Try("each seventh stream is refused", func(t *testing.T) {
		got, err := Survey(t.Context(), h2server(t, resetting(http2.ErrCodeRefusedStream)), Ask{MaxStreams: 700})
		if err != nil || got.Asked[1].Refused != got.Asked[1].Requests/7 || got.Asked[1].Reset+got.Asked[1].MayHaveRun != 0 {
			t.Errorf("%+v, %v", got.Asked[1], err)
		}
	})
	f.Try("each seventh stream is reset with another code", func(t *testing.T) {
		got, err := Survey(t.Context(), h2server(t, resetting(http2.ErrCodeInternal)), Ask{MaxStreams: 700})
		if n := got.Asked[1].Requests / 7; err != nil || got.Asked[1].Reset != n || got.Asked[1].MayHaveRun != n || got.Asked[1].Refused != 0 {
			t.Errorf("%+v, %v", got.Asked[1], err)
		}
	})
}

// oneAtATime is a TCP relay that hangs up on a second connection while it carries one, and goes on to hang up on as many after
// the end of each, as a balancer does that counts a client's connections late, or whose server restarts.
func oneAtATime(t *testing.T, to Target, late int64) Target {
	ln := listen()
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
	behind, err := dialContext(context.Background(), "tcp", to)
	if err != nil {
		_ = c.Close()
		return
	}
	go func() { _, _ = io.Copy(behind, c); _ = behind.Close() }()
	_, _ = io.Copy(c, behind)
	_, _ = c.Close(), behind.Close()
}

func TestAHangUpAfterAnAnswerIsAskedAgain(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Limits)
	f.Try("a balancer allows a client one connection, and sees the end of it late", func(t *testing.T) {
		fast(t, func(t *testing.T) {
			target := somebody(t, oneAtATime(t, h2server(t, likeNginx(300)), 2), "/")
			got, err := Survey(t.Context(), target, Ask{MaxStreams: 1000})
			c := cause.Of(got)
			if err != nil || c.Kind != cause.Count || *c.Requests != 300 {
				t.Errorf("%v: %s %v, ends %+v", err, c.Kind, c.Requests, c.Ends)
			}
			var said []string
			for _, n := range got.Warnings {
				said = append(said, texts.English.Note(n))
			}
			if !strings.Contains(strings.Join(said, "\n"), "refused connections for") {
				t.Errorf("warnings %q", said)
			}
		})
	})
}

// restarting stops listening after so many requests of all connections, closes them, and listens again a while later.
func restarting(t *testing.T, requests int64) Target {
	t.Helper()
	cert := labtest.WriteCert(t, t.TempDir())
	ln := listen()
	var all atomic.Int64
	stopped := make(chan struct{})
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if all.Add(1) == requests {
			close(stopped)
		}
	})
	newServer := func() *http.Server {
		return &http.Server{Handler: handler, TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert.Pair}}}
	}
	first, second := newServer(), newServer()
	go func() { _ = first.ServeTLS(ln, "", "") }()
	over := make(chan struct{})
	go func() {
		defer close(over)
		select {
		case <-stopped:
		case <-t.Context().Done():
			return
		}
		_ = first.Close()
		time.Sleep(500 * time.Millisecond)
		_ = second.ServeTLS(listenAt(ln.Addr()), "", "")
	}()
	t.Cleanup(func() { _, _ = first.Close(), second.Close(); <-over })
	return Target{Addr: ln.Addr().String(), CAFile: cert.File}
}

func TestAServerThatRestartsIsAskedAgain(t *testing.T) {
	fast(t, func(t *testing.T) {
		target := somebody(t, restarting(t, 300), "/")
		got, err := Survey(t.Context(), target, Ask{MaxStreams: 2000})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, n := range got.Warnings {
			said = append(said, texts.English.Note(n))
		}
		if c := cause.Of(got); c.Kind == cause.Count || c.Kind == cause.Unclear || len(got.Asked) < 5 {
			t.Errorf("%s %v of %d connections, ends %+v", c.Kind, c.Fits, len(got.Asked), c.Ends)
		}
		if !strings.Contains(strings.Join(said, "\n"), "refused connections for") {
			t.Errorf("warnings %q", said)
		}
	})
}
