package probe

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// notesOf are the texts of the notes on frames of a type, in order.
func notesOf(frames []facts.Frame, typ string) string {
	var out []string
	for _, f := range frames {
		if f.Type == typ && !f.Note.IsZero() {
			out = append(out, texts.English.Note(f.Note))
		}
	}
	return strings.Join(out, "\n")
}

func TestTheTraceOfAnybodysServer(t *testing.T) {
	for name, c := range map[string]struct {
		handle  func(*peer)
		ask     TraceAsk
		dropped int
		summary string
		goaway  string // in the notes of the GOAWAYs
		others  string // in the notes of the streams
	}{
		"one stage": {likeNginx(20), TraceAsk{Limit: 20}, 3, "Request 20 brought GOAWAY(last_stream_id=39, NO_ERROR)",
			"the limit: 20 requests; the peer names stream 39", "never answered; safe to send again"},
		"one stage, many": {likeNginx(20), TraceAsk{Limit: 20, Streams: 30}, 15,
			"the 15 requests behind it (streams 41, 43, 45, …, 69)", "the limit: 20", "never answered"},
		"two stages": {likeEnvoy(20), TraceAsk{Limit: 20}, 0, "a second GOAWAY then named stream 45", "second stage",
			"above the limit, and answered"},
		"like Go": {likeGo(20), TraceAsk{Limit: 20}, 3, "got its answer", "the limit: 20 requests", "never answered"},
		"an id ahead": {likeHAProxy(20), TraceAsk{Limit: 20}, 0, "is above every stream", "the id is above all of them",
			"above the limit, and answered"},
		"without a word":  {rude(20), TraceAsk{Limit: 20}, 3, "without a GOAWAY", "", "no GOAWAY excludes that it ran"},
		"refused streams": {server(to(19, answer), to(20, answer, announce, leave), rest(reset(http2.ErrCodeRefusedStream))), TraceAsk{Limit: 20}, 0, "3 requests were refused", "did not answer all", "reaches the limit"},
		"taken and dropped": {careless(20), TraceAsk{Limit: 20}, 3,
			"streams 41, 43 got no answer and may have run (not above the last-stream-id); the request behind it (stream 45) was never",
			"processes streams up to 43", "not above the last-stream-id: it may have run"},
		"answered in part": {server(to(20, answer), to(21, begin), to(22, begin, last, quit)), TraceAsk{Limit: 20}, 3,
			"streams 41, 43 got a part of the answer, so the server has processed them, in part at least; the request behind it (stream 45)",
			"processes streams up to 43", "its answer began and never ended"},
		"a complaint": {server(to(19, answer), to(20, answer, lastBut(0, calm, "too\nmany"), quit)), TraceAsk{Limit: 20}, 3, "GOAWAY(last_stream_id=39, ENHANCE_YOUR_CALM)",
			"an error, not a request limit", "never answered"},
		"no limit": {likeNginx(1 << 30), TraceAsk{Streams: 4}, 0,
			"answered 4 requests on one connection and did not end it", "", ""},
		"no limit after all": {likeNginx(2), TraceAsk{Streams: 4}, 2, "GOAWAY(last_stream_id=3",
			"the limit: 2 requests", "never answered"},
		"limit too low": {likeNginx(40), TraceAsk{Limit: 20}, 0,
			"did not end the connection, so this connection's limit is not 20", "", ""},
		"limit too high": {likeNginx(20), TraceAsk{Limit: 400}, 79, "ended before its limit of 400",
			"the limit: 20 requests", "never answered"},
		"the first request": {likeNginx(1), TraceAsk{Limit: 1}, 5,
			"Request 1 brought GOAWAY(last_stream_id=1, NO_ERROR)", "the limit: 1 request;", "never answered"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Trace(t.Context(), h2server(t, c.handle), c.ask)
			if err != nil {
				t.Fatal(err)
			}
			r := got.Renewal
			// How many requests were in flight at an unexpected end depends on the scheduler.
			if n := len(r.Dropped); n != c.dropped && (c.ask.Limit != 400 || n == 0) {
				t.Errorf("dropped %v, want %d", r.Dropped, c.dropped)
			}
			streams := notesOf(r.Frames, "HEADERS") + notesOf(r.Frames, "RST_STREAM")
			if !strings.Contains(texts.English.Note(r.Summary), c.summary) || !strings.Contains(notesOf(r.Frames,
				"GOAWAY"), c.goaway) || !strings.Contains(streams, c.others) {
				t.Errorf("summary %q\nnotes of GOAWAY: %s\nof streams: %s",
					r.Summary, notesOf(r.Frames, "GOAWAY"), streams)
			}
			inOrder(t, r.Frames)
		})
	}
}

// inOrder checks that a trace begins with the handshakes and the settings, and that its frames are
// in order of time.
func inOrder(t *testing.T, frames []facts.Frame) {
	t.Helper()
	begin := outline(frames[:min(len(frames), 7)])
	for i, want := range []string{"> TCP  connected to 127.0.0.1:", "> TLS  handshake done: TLS 1.",
		"> SETTINGS  ENABLE_PUSH=0", "> WINDOW_UPDATE  increment=", "< SETTINGS", "> SETTINGS ACK"} {
		if i >= len(begin) || !strings.HasPrefix(begin[i], want) {
			t.Fatalf("begins with %q, want %q at %d", begin, want, i)
		}
	}
	for i := 1; i < len(frames); i++ {
		if frames[i].TMS < frames[i-1].TMS {
			t.Errorf("frame %d (%s) goes back in time: %v after %v", i, frames[i].Type, frames[i].TMS, frames[i-1].TMS)
		}
	}
}

func TestTheWayToTheLimitIsAGap(t *testing.T) {
	got, err := Trace(t.Context(), h2server(t, likeNginx(500)), TraceAsk{Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(got.Renewal.Frames, func(f facts.Frame) bool { return f.Type == facts.FrameGap })
	if at < 0 || !strings.HasPrefix(got.Renewal.Frames[at].Detail, "497 requests (streams 1 to 993) in ") ||
		len(got.Renewal.Frames) > 40 {
		t.Errorf("%d frames: %q", len(got.Renewal.Frames), outline(got.Renewal.Frames))
	}
}

func TestAServerThatAllowsOneStreamGetsOne(t *testing.T) {
	got, err := Trace(t.Context(),
		h2server(t, likeNginx(5), http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 1}), TraceAsk{Limit: 5})
	if err != nil || len(got.Renewal.Dropped) != 0 || len(got.Warnings) != 1 ||
		!strings.Contains(texts.English.Note(got.Warnings[0]), "allows 1 stream at a time, so 1 goes") {
		t.Errorf("dropped %v, warnings %q, %v", got.Renewal.Dropped, got.Warnings, err)
	}
}

// A POST covered by the GOAWAY may have been processed: it must not be sent twice.
func TestAPOSTIsSentAgainOnlyWhereItWasNotProcessed(t *testing.T) {
	for _, c := range []struct {
		handle func(*peer)
		again  bool
	}{{likeNginx(5), true}, {rude(5), false}, {careless(5), true}, {careless(6), false}} {
		target := h2server(t, c.handle)
		target.Method, target.Body = "POST", []byte("x=1")
		got, err := Trace(t.Context(), target, TraceAsk{Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		again := strings.Contains(strings.Join(outline(got.Renewal.Frames), "\n"), "new connection")
		if again != c.again || len(got.Renewal.Dropped) < 2 {
			t.Errorf("sent again: %v, want %v; %s", again, c.again, got.Renewal.Summary)
		}
	}
}

func TestALargeAnswerIsOneLineAndTheEndIsKept(t *testing.T) {
	target := h2server(t, func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			if p.count == 3 {
				_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, nil)
			}
			_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0x88}, EndHeaders: true})
			for range 3 {
				_ = p.fr.WriteData(id, false, make([]byte, 16000))
			}
			for range 150 { // padding separates these
				_ = p.fr.WriteDataPadded(id, false, make([]byte, 10), make([]byte, 3))
			}
			_ = p.fr.WriteData(id, true, nil)
			if p.count == 3 {
				return
			}
		}
	})
	got, err := Trace(t.Context(), target, TraceAsk{Limit: 3, Streams: 6})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(outline(got.Renewal.Frames), "\n")
	if !strings.Contains(all, "< DATA  in several frames") || !strings.Contains(all, "GOAWAY") ||
		!strings.Contains(all, "new connection") || len(got.Warnings) != 1 {
		t.Errorf("warnings %q, frames:\n%s", got.Warnings, all)
	}
}

func TestTheHeadsOfAnswersAreKeptWithoutCookies(t *testing.T) {
	target := serve(t, "http/1.1", func(c *tls.Conn) {
		_, _ = io.ReadAtLeast(c, make([]byte, 1<<12), 10)
		_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nServer: fake\r\nSet-Cookie: secret=1\r\nContent-Length: " +
			"0\r\nConnection: close\r\n\r\n"))
	})
	got, err := Trace(t.Context(), target, TraceAsk{Limit: 1, HTTP1: true})
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, f := range got.Heads[0].Fields {
		words = append(words, f.Name+"="+f.Value)
	}
	if s := strings.Join(words, " "); !strings.Contains(s, "Server=fake") || strings.Contains(s, "secret") ||
		!strings.Contains(s, leftOut) {
		t.Errorf("fields %q", s)
	}
}

func TestTheTraceOfHTTP1(t *testing.T) {
	for name, c := range map[string]struct {
		limit   int
		rude    bool
		ask     TraceAsk
		summary string
		dropped int
	}{
		"Connection: close": {10, false, TraceAsk{Limit: 10, HTTP1: true},
			"The answer to request 10 said Connection: close; the next request got its answer on a new connection.", 0},
		"without a word": {10, true, TraceAsk{Limit: 10, HTTP1: true},
			"closed the connection under request 11, which got no answer and may have run; the next request got its answer", 1},
		"no limit": {1 << 30, false, TraceAsk{Streams: 2, HTTP1: true},
			"answered 2 requests on one connection and did not end it", 0},
		"limit too low": {100, false, TraceAsk{Limit: 10, HTTP1: true}, "this connection's limit is not 10", 0},
		"limit too high": {10, false, TraceAsk{Limit: 100, HTTP1: true},
			"The answer to request 10 said Connection: close", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Trace(t.Context(), h1server(t, c.limit, c.rude), c.ask)
			if err != nil || !strings.Contains(texts.English.Note(got.Renewal.Summary),
				c.summary) || len(got.Renewal.Dropped) != c.dropped {
				t.Errorf("dropped %v, summary %q, %v; frames %q", got.Renewal.Dropped, got.Renewal.Summary, err,
					outline(got.Renewal.Frames))
			}
		})
	}
}

func TestASilentServerLeavesWhatWasSeen(t *testing.T) {
	target := h2server(t, func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
		}
	})
	target.Patience = 100 * time.Millisecond
	got, err := Trace(t.Context(), target, TraceAsk{Limit: 1})
	if err == nil || !strings.Contains(err.Error(), "left 6 requests unanswered for 100ms") ||
		len(got.Renewal.Frames) < 10 {
		t.Errorf("%d frames, %v", len(got.Renewal.Frames), err)
	}
	inOrder(t, got.Renewal.Frames)
}

func TestATraceEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	target := h2server(t, func(p *peer) {
		p.next()
		cancel()
		for id := p.next(); id != 0; id = p.next() {
		}
	})
	if _, err := Trace(ctx, target, TraceAsk{Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestATraceOutOfBoundsIsRefusedBeforeItBegins(t *testing.T) {
	for _, ask := range []TraceAsk{{Limit: -1}, {Limit: 1 << 30}, {Streams: -1}, {Streams: MostStreams + 1}, {Rate: -1},
		{MaxTime: -1}} {
		if got, err := Trace(t.Context(), Target{Addr: "127.0.0.1:1"}, ask); err == nil ||
			!strings.Contains(err.Error(), "out of range") || len(got.Renewal.Frames) > 0 {
			t.Errorf("%+v: %v", ask, err)
		}
	}
}

func TestTheSecretsOfATraceAreWritten(t *testing.T) {
	var b bytes.Buffer
	target := h2server(t, likeNginx(2))
	target.KeyLog = &b
	if _, err := Trace(t.Context(), target, TraceAsk{Limit: 2}); err != nil {
		t.Fatal(err)
	}
	// Two connections, each with the four secrets of TLS 1.3 that a packet analyser needs.
	if n := strings.Count(b.String(), "_TRAFFIC_SECRET"); n < 8 {
		t.Errorf("%d secrets:\n%s", n, b.String())
	}
}

// Interim answers (1xx) and trailers are HEADERS frames too, and neither is the answer.
func TestOneFrameOfAnAnswerIsSaidToBeIt(t *testing.T) {
	got, err := Trace(t.Context(), h2server(t, server(to(20, func(p *peer, id uint32) {
		if p.count == 20 {
			last(p, id)
			leave(p, id)
		}
		interim := []byte{0x08, 0x03, '1', '0', '3'} // :status 103, a literal (RFC 7541 §6.2.2)
		_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: interim, EndHeaders: true})
		begin(p, id)
		trailers := []byte{0x00, 0x01, 'x', 0x01, '1'}
		_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: trailers, EndHeaders: true, EndStream: true})
	}))), TraceAsk{Limit: 20})
	if err != nil {
		t.Fatal(err)
	}
	said := notesOf(got.Renewal.Frames, "HEADERS")
	seen := strings.Join(outline(got.Renewal.Frames), "\n")
	if strings.Count(said, "limit is answered") != 1 || strings.Count(said, "this time it is answered") != 1 ||
		strings.Count(seen, "trailers") != 4 {
		t.Errorf("notes: %s\n%s", said, seen)
	}
}

// A server may lower SETTINGS_MAX_CONCURRENT_STREAMS at any time, and a stream too many is an error of the client.
func TestNoMoreStreamsAreSentThanTheServerAllowsBeforeTheLimit(t *testing.T) {
	got, err := Trace(t.Context(), h2server(t, func(p *peer) {
		var held []uint32
		for id := p.next(); id != 0; id = p.next() {
			if p.count == 10 {
				_ = p.fr.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 2})
			}
			switch {
			case p.count <= 17:
				p.answer(id)
			case len(held) == 2:
				_ = p.fr.WriteRSTStream(id, http2.ErrCodeRefusedStream)
			default:
				held = append(held, id)
			}
			if len(held) == 2 && p.br.Buffered() == 0 {
				for _, h := range held {
					if h == 39 {
						_ = p.fr.WriteGoAway(h, http2.ErrCodeNo, nil)
						leave(p, h)
					}
					if h <= 39 {
						p.answer(h)
					}
				}
				held = nil
			}
		}
	}), TraceAsk{Limit: 20})
	summary := texts.English.Note(got.Renewal.Summary)
	if err != nil || strings.Contains(summary, "refused") || !strings.Contains(summary, "the request behind it (stream 41)") {
		t.Errorf("%s, %v", summary, err)
	}
}

// What happened at the limit is told, whether or not the dropped request then gets its answer.
func TestANewConnectionThatFailsLeavesTheSummary(t *testing.T) {
	taken := make(chan bool, 1)
	got, err := Trace(t.Context(), serve(t, "h2", func(c *tls.Conn) {
		select {
		case taken <- true:
		default:
			return
		}
		speakTo(c, likeNginx(20))
	}), TraceAsk{Limit: 20})
	if summary := texts.English.Note(got.Renewal.Summary); err == nil ||
		!strings.Contains(summary, "the 3 requests behind it (streams 41, 43, 45) were never answered") {
		t.Errorf("%q, %v", summary, err)
	}
}

// Where no limit is known, a trace goes to the request that met something else, and names no limit.
func TestATraceGoesWhereSomethingElseHappened(t *testing.T) {
	got, err := Trace(t.Context(), h2server(t, calming), TraceAsk{Near: 21})
	if err != nil {
		t.Fatal(err)
	}
	seen := strings.Join(outline(got.Renewal.Frames), "\n")
	if summary := texts.English.Note(got.Renewal.Summary); got.Limit != nil || !strings.Contains(seen, "18 requests (streams 1 to 35)") ||
		strings.Count(seen, "RST_STREAM  ENHANCE_YOUR_CALM") != 4 || !strings.Contains(summary, "answered 20 requests on one connection and did not end it; 4 requests") {
		t.Errorf("%v %q\n%s", got.Limit, summary, seen)
	}
}

func TestAnHTTP1AnswerThatBreaksOffIsShown(t *testing.T) {
	got, err := Trace(t.Context(), serve(t, "http/1.1", func(c *tls.Conn) {
		for n := 1; ; n++ {
			if _, err := io.ReadAtLeast(c, make([]byte, 4096), 10); err != nil {
				return
			}
			if n == 5 {
				_, _ = fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
				return
			}
			_, _ = fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	}), TraceAsk{Limit: 5, HTTP1: true})
	note := notesOf(got.Renewal.Frames, facts.FrameRequest)
	if summary := texts.English.Note(got.Renewal.Summary); err == nil || !strings.Contains(summary, "in the middle of its answer to request 5") ||
		!strings.Contains(note, "its answer began and never ended") || len(got.Renewal.Dropped) != 1 {
		t.Errorf("%q, %q, %v, %v", summary, note, got.Renewal.Dropped, err)
	}
}

// There is no last answer to measure from where none came.
func TestAnEndWithoutAnAnswerIsNotMeasuredFromOne(t *testing.T) {
	got, err := Trace(t.Context(), h2server(t, func(p *peer) {
		p.next()
		_ = p.fr.WriteGoAway(0, http2.ErrCodeProtocol, nil)
	}), TraceAsk{Near: 1})
	said := texts.English.Note(got.Renewal.Summary) + notesOf(got.Renewal.Frames, "TLS") + notesOf(got.Renewal.Frames, "TCP")
	if strings.Contains(said, "last answer") || !strings.Contains(said, "the server closed the connection without an answer") {
		t.Errorf("%v, %s", err, said)
	}
}

// A block that can't be decoded is neither an answer nor trailers.
func TestAnUnreadableBlockIsShownAsSuch(t *testing.T) {
	got, err := Trace(t.Context(), h2server(t, server(rest(func(p *peer, id uint32) {
		_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0xff, 0xff, 0xff, 0x7f}, EndHeaders: true})
	}))), TraceAsk{Near: 1})
	if seen := strings.Join(outline(got.Renewal.Frames), "\n"); err == nil || !strings.Contains(seen, "HEADERS END_HEADERS can't be decoded") {
		t.Errorf("%v\n%s", err, seen)
	}
}

// FuzzTrace passes arbitrary server output to a trace: it must neither panic nor hang, keep no more
// frames than allowed, and keep them in order of time.
func FuzzTrace(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s, 1)
		f.Add(s, 40)
	}
	f.Fuzz(func(t *testing.T, words []byte, limit int) {
		fast(t, func(t *testing.T) {
			ours, theirs := net.Pipe()
			go func() {
				go func() { _, _ = io.Copy(io.Discard, theirs) }()
				_, _ = theirs.Write(words)
				_ = theirs.Close()
			}()
			below := &watched{Conn: ours}
			target := Target{Addr: "pipe", url: "https://pipe/", Method: "POST", Patience: 50 * time.Millisecond}
			c := speakH2(context.Background(), target, &line{wire: below, tcp: below, stop: func() bool { return true }})
			defer c.close()
			rec := &recorder{zero: time.Now(), connection: 1, from: -1}
			c.tap, c.seen, c.fr = rec, rec.field, c.framer(outgoing{c.bw, rec})
			if c.greet() != nil {
				return
			}
			near := max(1, limit%50) - 3
			tr := newTrace(newRun(c, plan{atMost: near, spare: late, maxTime: time.Second}), max(1, limit%50), 6)
			rec.leave()
			if near > 0 && tr.toTheEnd() != nil {
				rec.cutShort()
				return
			}
			if tr.early = tr.over(); tr.early {
				rec.cutShort()
				tr.batch = 0
			} else {
				rec.arrive(facts.Text{})
			}
			if tr.gone {
				tr.closed(tr.goneErr)
			}
			_ = tr.cross()
			tr.annotate(rec.frames)
			if text := texts.English.Note(tr.summary()); !strings.HasSuffix(text, ".") || strings.Contains(text, "%!") {
				t.Errorf("the summary is %q", text)
			}
			keepsOrder(t, rec)
		})
	})
}

func keepsOrder(t *testing.T, rec *recorder) {
	t.Helper()
	if len(rec.heads) > maxHeads {
		t.Errorf("%d heads", len(rec.heads))
	}
	bulk := 0
	for i, x := range rec.frames {
		if !telling(x) {
			bulk++
		}
		if i > 0 && x.TMS < rec.frames[i-1].TMS && x.Type != facts.FrameGap {
			t.Errorf("frame %d (%s) goes back in time", i, x.Type)
		}
	}
	if bulk > maxRecorded {
		t.Errorf("%d frames kept", bulk)
	}
}
