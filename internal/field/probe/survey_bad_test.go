package probe

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
)

// hurried has little patience if the test is about silence; otherwise it leaves a slow machine
// enough time.
func (s strange) hurried(t *testing.T) Target {
	t.Helper()
	target := somebody(t, s.target, "/")
	for _, words := range []string{"says nothing", "does not answer within", "unanswered", "does not end"} {
		if strings.Contains(s.want, words) {
			target.Patience = 1200 * time.Millisecond
		}
	}
	return target
}

// headers answers a stream with a status of HPACK's static table, and leaves it open unless it ends.
func (p *peer) headers(id uint32, status byte, ends bool) {
	_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{status}, EndHeaders: true, EndStream: ends})
}

const (
	ok200       = 0x88 // RFC 7541, appendix A
	notFound404 = 0x8d
)

// block is a header block with a status outside HPACK's static table.
func (p *peer) block(id uint32, status string, more ...string) {
	b := append([]byte{0x08, byte(len(status))}, status...)
	for i := 0; i+1 < len(more); i += 2 {
		b = append(b, 0x00, byte(len(more[i])))
		b = append(append(append(b, more[i]...), byte(len(more[i+1]))), more[i+1]...)
	}
	_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: b, EndHeaders: true, EndStream: true})
}

// until repeats something, flushed, until the probe has closed.
func (p *peer) until(each func() error) {
	for each() == nil && p.bw.Flush() == nil {
	}
}

// A strange server, and the error that it must cause.
type strange struct {
	target Target
	want   string
}

// unreachable are servers that fail before HTTP/2.
func unreachable(t *testing.T) map[string]strange {
	t.Helper()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	return map[string]strange{
		"refuses":               {Target{Addr: closed.Addr().String()}, "connection refused"},
		"accepts, says nothing": {Target{Addr: silent.Addr().String()}, "says nothing to a TLS handshake"},
		"plain HTTP":            {Target{Addr: plain.Listener.Addr().String()}, "does not speak TLS on this port"},
		"hangs up in the TLS":   {tcpServer(t, func(c net.Conn) { _, _ = c.Read(make([]byte, 512)) }), "refuses TLS"},
		"an alert":              {tcpServer(t, func(c net.Conn) { _, _ = c.Read(make([]byte, 512)); _, _ = c.Write([]byte{21, 3, 3, 0, 2, 2, 40}) }), "handshake failure"},
		"HTTP/1.1 only":         {serve(t, "http/1.1", func(c *tls.Conn) { _ = c.Handshake() }), "h2lab probe --http1 https://"},
		"another protocol":      {serve(t, "imap", func(c *tls.Conn) { _ = c.Handshake() }), "chose no protocol by ALPN"},
		"garbage frames":        {serve(t, "h2", func(c *tls.Conn) { _, _ = c.Write([]byte(strings.Repeat("SSH-2.0-OpenSSH", 20))) }), "does not speak HTTP/2"},
		"nothing after TLS":     {serve(t, "h2", func(c *tls.Conn) { _, _ = io.Copy(io.Discard, c) }), "says nothing for"},
		"a CA of no file":       {Target{Addr: closed.Addr().String(), CAFile: "nowhere.pem"}, "--cacert"},
	}
}

// misspoken are servers that fail early in HTTP/2.
func misspoken(t *testing.T) map[string]strange {
	pair := labtest.WriteCert(t, t.TempDir())
	return map[string]strange{
		"wants a client certificate": {tcpServer(t, func(c net.Conn) {
			conf := &tls.Config{Certificates: []tls.Certificate{pair.Pair}, NextProtos: []string{"h2"}, ClientAuth: tls.RequireAnyClientCert}
			_ = tls.Server(c, conf).Handshake()
			_, _ = io.Copy(io.Discard, c)
		}).trusting(pair.File), "wants a client certificate"},
		"closes at once":  {serve(t, "h2", func(c *tls.Conn) { _ = c.Handshake() }), "closes the connection at once"},
		"no answer, ever": {h2server(t, func(p *peer) { p.next(); p.next() }), "left 1 of 1 requests unanswered"},
		"resets all":      {h2server(t, func(p *peer) { _ = p.fr.WriteRSTStream(p.next(), http2.ErrCodeRefusedStream); p.next() }), "resets the first stream (REFUSED_STREAM)"},
		"an error": {h2server(t, func(p *peer) {
			_ = p.fr.WriteGoAway(p.next(), http2.ErrCodeEnhanceYourCalm, []byte("calm\x1b[2J"))
			p.next()
		}), `ENHANCE_YOUR_CALM "calm.[2J"`},
		"shutting down": {h2server(t, func(p *peer) { p.next(); _ = p.fr.WriteGoAway(0, http2.ErrCodeNo, nil); p.next() }), "takes no request"},
		"too many":      {h2server(t, func(p *peer) { p.block(p.next(), "429"); p.next() }), "answers 429 (Too Many Requests)"},
		"a first frame that is not SETTINGS": {serve(t, "h2", func(c *tls.Conn) {
			_ = http2.NewFramer(c, c).WritePing(false, [8]byte{})
			_, _ = c.Read(make([]byte, 1))
		}), "not SETTINGS"},
		"broken header compression": {h2server(t, func(p *peer) {
			_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: p.next(), BlockFragment: []byte{0xff, 0xff, 0xff, 0x01}, EndHeaders: true})
			p.next()
		}), "headers of stream 1"},
		"no streams allowed": {h2server(t, func(p *peer) { p.next() }, http2.Setting{ID: http2.SettingMaxConcurrentStreams}), "allows no streams"},
		"a named stream that is not answered": {h2server(t, func(p *peer) { _ = p.fr.WriteGoAway(p.next(), http2.ErrCodeNo, nil) }),
			"named stream 1 as its last, and answered 0 requests"},
		"ends after the headers": {h2server(t, func(p *peer) { p.headers(p.next(), ok200, false) }), "off after the headers"},
	}
}

// floods are servers that send too much, or never stop.
func floods(t *testing.T) map[string]strange {
	return map[string]strange{
		"drips without end": {h2server(t, func(p *peer) {
			id := p.next()
			p.headers(id, ok200, false)
			p.until(func() error { <-time.After(20 * time.Millisecond); return p.fr.WriteData(id, false, []byte(".")) })
		}), "does not end its answers"},
		"floods with DATA": {h2server(t, func(p *peer) {
			id := p.next()
			p.headers(id, ok200, false)
			p.until(func() error { return p.fr.WriteData(id, false, make([]byte, maxFrame)) })
		}), "larger than"},
		"floods with empty DATA": {h2server(t, func(p *peer) {
			id := p.next()
			p.headers(id, ok200, false)
			p.until(func() error { return p.fr.WriteData(id, false, nil) })
		}), "a flood of DATA"},
		"floods with SETTINGS": {h2server(t, func(p *peer) { p.next(); p.until(func() error { return p.fr.WriteSettings() }) }), "a flood of SETTINGS"},
		"floods with PING":     {h2server(t, func(p *peer) { p.next(); p.until(func() error { return p.fr.WritePing(false, [8]byte{}) }) }), "a flood of PING"},
		"endless CONTINUATION": {h2server(t, func(p *peer) {
			id := p.next()
			_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{ok200}})
			p.until(func() error { return p.fr.WriteContinuation(id, false, nil) })
		}), "a flood of CONTINUATION"},
		"endless headers": {h2server(t, func(p *peer) {
			id := p.next()
			_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{ok200}})
			field := append([]byte{0x00, 1, 'x', 0x7f, 0xe1, 0x1e}, make([]byte, 4000)...)
			p.until(func() error { return p.fr.WriteContinuation(id, false, field) })
		}), "header block of more than"},
	}
}

func TestEachBadServerOfSomebodyHasItsOwnClearSentence(t *testing.T) {
	all := unreachable(t)
	if addr := fullQueue(t); addr != "" {
		all["a full queue"] = strange{Target{Addr: addr}, "does not answer within"}
	}
	maps.Copy(all, misspoken(t))
	maps.Copy(all, floods(t))
	for name, x := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			got, err := Survey(t.Context(), x.hurried(t), Ask{MaxStreams: 50})
			if err == nil || !strings.Contains(err.Error(), x.want) || !strings.Contains(err.Error()+x.target.CAFile, x.target.Addr) && name != "a CA of no file" {
				t.Fatalf("error %v, want %q", err, x.want)
			}
			if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "make certs") || len(err.Error()) > 300 {
				t.Errorf("not one clear sentence for a stranger: %v", err)
			}
			if got.Requests > 1 || time.Since(began) > 30*time.Second {
				t.Errorf("took %d requests and %v", got.Requests, time.Since(began))
			}
		})
	}
}

func (t Target) trusting(file string) Target { t.CAFile = file; return t }

// tcpServer passes each plain connection to handle, and closes it after.
func tcpServer(t *testing.T, handle func(net.Conn)) Target {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			handle(c)
			_ = c.Close()
		}
	}()
	return Target{Addr: ln.Addr().String()}
}

func TestASurveyThatIsInterruptedTellsWhatItLearnt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	target := h2server(t, func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			if p.count == 500 {
				cancel()
				return
			}
			p.answer(id)
		}
	})
	got, err := Survey(ctx, somebody(t, target, "/"), Ask{MaxStreams: 1000})
	if !errors.Is(err, context.Canceled) || got.Budget.Most != nil || got.Budget.Least == 0 || got.Budget.Stopped.IsZero() || len(got.Warnings) != 1 {
		t.Errorf("error %v, budget %+v, warnings %q", err, got.Budget, got.Warnings)
	}
}

// 429 and 503 end a survey of a user's server, and what it leaves open is no fault of the server; for the lab's own servers
// they are answers like any other.
func TestABusyServerIsLeftAloneInTheMiddle(t *testing.T) {
	for _, status := range []string{"429", "503"} {
		server := h2server(t, func(p *peer) {
			for id := p.next(); id != 0; id = p.next() {
				switch {
				case p.count == 40:
					p.block(id, status)
				case p.count <= 200: // the survey has gone
					p.answer(id)
				}
			}
		})
		got, err := Survey(t.Context(), somebody(t, server, "/"), Ask{MaxStreams: 5000})
		if last := got.Asked[len(got.Asked)-1]; err == nil || !strings.Contains(err.Error(), "answers "+status) || got.Budget.Most != nil ||
			got.Budget.Stopped.Key != "stop.asks-less" || last.MayHaveRun != 0 || last.Requests > 40+maxFlying {
			t.Errorf("%s: error %v, budget %+v, %+v", status, err, got.Budget, last)
		}
		if got, err := RequestLimit(t.Context(), server, 50, 0); err != nil || got.ProbedRequests != 50 || got.Closing != closingNone {
			t.Errorf("%s, the lab's: %+v, %v", status, got, err)
		}
	}
}

func TestARedirectIsToldAndNotFollowed(t *testing.T) {
	target := h2server(t, func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			p.block(id, "301", "location", "https://elsewhere.example/")
		}
	})
	got, err := Survey(t.Context(), somebody(t, target, "/"), Ask{MaxStreams: 20})
	if err != nil || got.Status != 301 || got.Statuses["301"] < 41 || len(got.Warnings) != 1 || !strings.Contains(texts.English.Note(got.Warnings[0]), "elsewhere.example/: not followed") {
		t.Errorf("%v: %+v", err, got)
	}
}

func TestAnErrorPageCountsForTheLimit(t *testing.T) {
	fast(t, func(t *testing.T) {
		target := h2server(t, func(p *peer) {
			for id := p.next(); id != 0; id = p.next() {
				if p.count == 30 {
					_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, nil)
					p.headers(id, notFound404, true)
					_ = p.bw.Flush()
					return
				}
				p.headers(id, notFound404, true)
			}
		})
		got, err := Survey(t.Context(), somebody(t, target, "/"), Ask{})
		if err != nil || got.Status != 404 || got.Budget.Least != 30 || !got.Budget.Exact() {
			t.Errorf("%v: %+v", err, got)
		}
	})
}

func TestACertificateThatIsNotTakenSaysWhyAndWhatToDo(t *testing.T) {
	trusted := somebody(t, h2server(t, likeNginx(3)), "/")
	unknown, another := trusted, trusted
	unknown.CAFile, another.ServerName = labtest.WriteCert(t, t.TempDir()).File, "other.example"
	for want, target := range map[string]Target{"unknown authority": unknown, "valid for localhost": another} {
		_, err := Survey(t.Context(), target, Ask{MaxStreams: 10})
		if said := fmt.Sprint(err); !strings.Contains(said, want) || !strings.Contains(said, "--cacert FILE, its name with --servername") {
			t.Errorf("%s: %v", want, err)
		}
	}
	another.Insecure = true
	if got, err := Survey(t.Context(), another, Ask{MaxStreams: 10}); err != nil || got.TLS.Verified {
		t.Errorf("--insecure gives %v, verified %v", err, got.TLS.Verified)
	}
}

func TestSessionsResumeInBothVersionsOfTLS(t *testing.T) {
	got, err := Survey(t.Context(), somebody(t, h2server(t, likeNginx(3)), "/"), Ask{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.TLS.Versions) != 2 || got.TLS.Version != "TLS 1.3" || got.TLS.Key != "ECDSA P-256" ||
		got.TLS.ALPN != "h2" || !got.TLS.Verified {
		t.Fatalf("%+v", got.TLS)
	}
	for _, v := range got.TLS.Versions {
		if v.Resumes == nil || !*v.Resumes || v.ResumedMS == nil || v.HandshakeMS == nil {
			t.Errorf("%+v", v)
		}
	}
}

// The server must receive what the user gave, unchanged and within the peer's windows: the third
// body must wait until two are read.
func TestBodiesAndHeadersArriveWithinTheWindows(t *testing.T) {
	body := strings.Repeat("b", maxBody)
	worst := 0
	target := h2server(t, func(p *peer) {
		room := 65535
		for {
			if p.br.Buffered() == 0 {
				_ = p.bw.Flush()
			}
			f, err := p.fr.ReadFrame()
			if err != nil {
				return
			}
			if ping, isPing := f.(*http2.PingFrame); isPing {
				_ = p.fr.WritePing(true, ping.Data)
			}
			d, isData := f.(*http2.DataFrame)
			if !isData {
				continue
			}
			room -= len(d.Data())
			worst = min(worst, room)
			if string(d.Data()) != body || !d.StreamEnded() {
				t.Errorf("a body of %d bytes on stream %d", len(d.Data()), d.StreamID)
			}
			room += len(d.Data())
			_ = p.fr.WriteWindowUpdate(0, uint32(len(d.Data())))
			p.answer(d.StreamID)
		}
	})
	x := somebody(t, target, "/")
	if err := x.SetMethod("POST", body); err != nil {
		t.Fatal(err)
	}
	if got, err := Survey(t.Context(), x, Ask{MaxStreams: 60, Connections: 1}); err != nil ||
		got.Statuses["200"] != 61 || worst < 0 {
		t.Errorf("%v, statuses %v, least room %d", err, got.Statuses, worst)
	}
}

func TestTheRateIsKept(t *testing.T) {
	p := newPace(100)
	for range paceBurst {
		if !p.next().IsZero() {
			t.Fatal("a request of the first few has to wait")
		}
		p.gone++
	}
	for n := range 50 {
		p.gone = paceBurst + n
		p.began = time.Now().Add(time.Hour) // nothing is due yet
		if due := p.next().Sub(p.began); due != time.Duration(n+1)*10*time.Millisecond {
			t.Fatalf("request %d is due after %v", p.gone, due)
		}
		p.began = time.Now().Add(-time.Hour)
		if !p.next().IsZero() {
			t.Fatal("a request that is due has to wait")
		}
	}
}

func TestAskingIsPoliteToOthersAndBounded(t *testing.T) {
	far, near := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}, &net.TCPAddr{IP: net.IPv6loopback}
	if a, err := (Ask{}).decided(far); err != nil || a.Rate != politeRate || a.MaxStreams != politeStreams ||
		a.Connections != 2 {
		t.Errorf("far: %+v, %v", a, err)
	}
	if a, err := (Ask{}).decided(near); err != nil || a.Rate != 0 || a.MaxStreams != loopbackStreams {
		t.Errorf("near: %+v, %v", a, err)
	}
	if _, err := (Ask{Rate: CeilingRate + 1}).decided(far); err == nil {
		t.Error("a flood was taken")
	}
	for _, a := range []Ask{
		{MaxStreams: -1},
		{MaxStreams: CeilingStreams + 1},
		{Rate: -1},
		{Connections: 11},
		{MaxTime: 2 * time.Hour},
		{Idle: 25 * time.Hour},
		{Age: -1},
	} {
		if a.Check() == nil {
			t.Errorf("%+v was taken", a)
		}
	}
}

func TestWhatWillBeSentIsSaidBeforeTheFirstRequest(t *testing.T) {
	var got Intent
	said := make(chan struct{})
	target := h2server(t, func(p *peer) {
		id := p.next()
		select {
		case <-said:
		default:
			t.Error("a request came before it was announced")
		}
		p.answer(id)
		likeNginx(5)(p)
	})
	_, err := Survey(t.Context(), somebody(t, target, "/p"), Ask{
		MaxStreams:  9,
		Connections: 1,
		Announce:    func(i Intent) { got = i; close(said) },
	})
	if err != nil || got.MaxStreams != 9 || got.Method != "GET" || got.Address != target.Addr ||
		got.URL != "https://"+target.Addr+"/p" || !got.Safe() {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestLifetimesAreWatchedAtTheSameTime(t *testing.T) {
	target := h2server(t, func(p *peer) {
		id := p.next()
		p.answer(id)
		_ = p.bw.Flush()
		_ = p.conn.SetReadDeadline(time.Now().Add(600 * time.Millisecond)) // idle
		for id = p.next(); id != 0; id = p.next() {
			p.answer(id)
		}
		_ = p.fr.WriteGoAway(p.max, http2.ErrCodeNo, nil)
	})
	got, err := Survey(t.Context(), somebody(t, target, "/"),
		Ask{MaxStreams: 3, Idle: 20 * time.Second, Age: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if got.Idle == nil || got.Idle.Seconds == nil || got.Idle.Ending.How != facts.EndedByGoaway {
		t.Errorf("idle %+v", got.Idle)
	}
	if got.Age == nil || got.Age.Seconds != nil || got.Age.WatchedS != 0.02 {
		t.Errorf("age %+v", got.Age)
	}
}

func TestASurveyOverHTTP1(t *testing.T) {
	fast(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 7, 100} {
			for _, rude := range []bool{false, true} {
				got, err := Survey(t.Context(), somebody(t, h1server(t, n, rude), "/"), Ask{HTTP1: true, MaxStreams: 300})
				if err != nil || got.Budget.Least != n || !got.Budget.Exact() || got.Ending == nil ||
					got.Ending.Closed != "fin" || got.Protocol != facts.H1 {
					t.Fatalf("limit %d, rude %v: %v, %+v, %+v", n, rude, err, got.Budget, got.Ending)
				}
			}
		}
		got, err := Survey(t.Context(), somebody(t, h1server(t, 1<<30, false), "/"), Ask{HTTP1: true, MaxStreams: 120})
		if err != nil || got.Budget.Most != nil || got.Budget.Least != 120 || got.Ending != nil {
			t.Errorf("without a limit: %v, %+v", err, got.Budget)
		}
	})
}

func TestABadServerOfHTTP1HasItsOwnClearSentence(t *testing.T) {
	answer := func(text string) Target {
		return serve(t, "http/1.1", func(c *tls.Conn) {
			br := bufio.NewReader(c)
			for {
				if _, err := http.ReadRequest(br); err != nil {
					return
				}
				if _, err := c.Write([]byte(text)); err != nil || strings.HasSuffix(text, "!") {
					return
				}
			}
		})
	}
	for name, x := range map[string]strange{
		"garbage": {answer("SSH-2.0-OpenSSH_9.2\r\n"), "does not speak HTTP/1.1"},
		"closes at once": {
			serve(t, "http/1.1", func(c *tls.Conn) { _ = c.Handshake() }),
			"closes the connection without an answer",
		},
		"never answers": {
			serve(t, "http/1.1", func(c *tls.Conn) { _, _ = io.Copy(io.Discard, c) }),
			"left request 1 unanswered",
		},
		"never ends an answer": {answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), "left request 1 unanswered"},
		"ends in the middle":   {answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n!"), "off in the middle"},
		"an endless header": {serve(t, "http/1.1", func(c *tls.Conn) {
			_, err := c.Write([]byte("HTTP/1.1 200 OK\r\n"))
			for err == nil {
				_, err = c.Write([]byte("X-Long: " + strings.Repeat("x", 8000) + "\r\n"))
			}
		}), "an answer is larger than"},
		"interim for ever": {answer(strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 30)), "interim answers"},
		"a huge body": {
			answer("HTTP/1.1 200 OK\r\nContent-Length: 20000000\r\n\r\n" + strings.Repeat("x", 20000000)),
			"larger than",
		},
		"too busy": {answer("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"), "answers 503"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Survey(t.Context(), x.hurried(t), Ask{HTTP1: true, MaxStreams: 20})
			if err == nil || !strings.Contains(err.Error(), x.want) || !strings.Contains(err.Error(), x.target.Addr) {
				t.Errorf("error %v, want %q", err, x.want)
			}
		})
	}
}
