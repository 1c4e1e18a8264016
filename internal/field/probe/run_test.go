package probe

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"h2lab/internal/base/labtest"
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
		how       string
		goaways   int
		above     bool // streams above the last-stream-id
		announced bool
		exact     bool // its budget is
		first     any  // whether GOAWAY comes before the last answer
	}{
		"one stage":         {h2server(t, likeNginx(20)), facts.EndedByGoaway, 1, true, true, true, true},
		"two stages":        {h2server(t, likeEnvoy(20)), facts.EndedByTwoStages, 2, false, true, false, true},
		"an id ahead":       {h2server(t, likeHAProxy(20)), facts.EndedByFutureID, 1, false, true, false, false},
		"a close":           {h2server(t, rude(20)), facts.EndedByClose, 0, false, false, true, "null"},
		"HTTP/1.1":          {h1server(t, 20, false), facts.EndedByConnectionClose, 0, false, true, true, "null"},
		"HTTP/1.1, a close": {h1server(t, 20, true), facts.EndedByClose, 0, false, false, true, "null"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Survey(t.Context(), somebody(t, x.server, "/"), Ask{MaxStreams: 200, HTTP1: strings.HasPrefix(name, "HTTP/1.1")})
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
			if got.Ending.How != x.how || show(got.Ending.GoawayFirst) != x.first || got.Budget.Least != 20 || got.Budget.Exact() != x.exact ||
				len(got.Warnings) > 0 {
				t.Errorf("ending %+v, GOAWAY first %v, budget %+v, %v", got.Ending, show(got.Ending.GoawayFirst), got.Budget, got.Warnings)
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
		limit, err := requestLimit(t.Context(), server, plan{http1: h1, atMost: 333})
		if err != nil || limit.Effective != nil || limit.Closing != closingNone || limit.ProbedRequests != 333 {
			t.Errorf("HTTP/1.1 %v: %+v, %v", h1, limit, err)
		}
	}
}

// A server that covers a stream by its GOAWAY and never answers it must not delay the probe beyond
// its patience, on the first connection and on later ones.
func TestAPromisedAnswerThatNeverComesIsNotAwaitedForEver(t *testing.T) {
	fast(t, func(t *testing.T) {
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
	})
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
		_ = c.NetConn().(*memoryConn).CloseWrite()
	})
	got, err := Survey(t.Context(), somebody(t, server, "/"), Ask{HTTP1: true, MaxStreams: 50, Rate: 40,
		Connections: 1})
	if err != nil || got.Budget.Least != 10 || got.Statuses["408"] != 0 || got.Ending == nil ||
		got.Ending.How != facts.EndedByConnectionClose {
		t.Errorf("%v, budget %+v, statuses %v, ending %+v", err, got.Budget, got.Statuses, got.Ending)
	}
}

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

// wordsOf is what a server writes, as bytes.
func wordsOf(write func(*http2.Framer)) []byte {
	var b bytes.Buffer
	write(http2.NewFramer(&b, nil))
	return b.Bytes()
}

// seeds are the fuzzer's initial inputs: outputs of servers.
func seeds() [][]byte {
	var block bytes.Buffer
	enc := hpack.NewEncoder(&block)
	_ = enc.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	_ = enc.WriteField(hpack.HeaderField{Name: "server", Value: "x"})
	head := func(f *http2.Framer, id uint32, ends bool) {
		_ = f.WriteHeaders(http2.HeadersFrameParam{
			StreamID:      id,
			BlockFragment: block.Bytes()[:1],
			EndHeaders:    true,
			EndStream:     ends,
		})
	}
	return [][]byte{
		nil,
		[]byte("HTTP/1.1 400 Bad Request\r\n\r\n"),
		wordsOf(func(f *http2.Framer) { // nginx at its limit
			_ = f.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 128})
			_ = f.WriteSettingsAck()
			_ = f.WriteGoAway(3, http2.ErrCodeNo, nil)
			head(f, 1, false)
			_ = f.WriteData(1, true, []byte("ok"))
			head(f, 3, true)
		}),
		wordsOf(func(f *http2.Framer) { // Envoy
			_ = f.WriteSettings()
			head(f, 1, true)
			_ = f.WriteGoAway(announcement, http2.ErrCodeNo, nil)
			_ = f.WritePing(true, [8]byte{})
			_ = f.WriteGoAway(1, http2.ErrCodeNo, []byte("bye"))
		}),
		wordsOf(func(f *http2.Framer) { // resets, windows, a header block in several frames, push
			_ = f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
			_ = f.WriteRSTStream(1, http2.ErrCodeRefusedStream)
			_ = f.WriteWindowUpdate(0, 1<<31-1)
			_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, BlockFragment: block.Bytes()[:1]})
			_ = f.WriteContinuation(3, true, block.Bytes()[1:])
			_ = f.WritePushPromise(http2.PushPromiseParam{StreamID: 3, PromiseID: 2, EndHeaders: true})
		}),
		wordsOf(func(f *http2.Framer) { _ = f.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams}) }),
	}
}

// FuzzFrames passes arbitrary server output to a survey's connection. The survey must neither panic
// nor hang, keep no more requests than it was asked for, and send no more than it may.
func FuzzFrames(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, words []byte) {
		fast(t, func(t *testing.T) {
			ours, theirs := net.Pipe()
			go func() { // a server that ignores its input, writes its output and closes
				go func() { _, _ = io.Copy(io.Discard, theirs) }()
				_, _ = theirs.Write(words)
				_ = theirs.Close()
			}()
			below := &watched{Conn: ours}
			target := Target{Addr: "pipe", url: "https://pipe/", Patience: 50 * time.Millisecond}
			c := speakH2(context.Background(), target, &line{wire: below, tcp: below, stop: func() bool { return true }})
			defer c.close()
			began := time.Now()
			if c.greet() == nil {
				w := newRun(c, plan{atMost: 40, spare: late, maxTime: time.Second})
				if err := w.toTheEnd(); err == nil && w.over() {
					_, _ = w.cross(late)
				}
				if w.ending(); w.sent > 40+late || len(w.open) > w.sent || len(w.goaways) > maxGoaways ||
					w.answered > w.sent {
					t.Errorf("%d sent, %d open, %d answered, %d GOAWAYs kept", w.sent, len(w.open), w.answered,
						len(w.goaways))
				}
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("took %v", took)
			}
		})
	})
}
