package probe

import (
	"context"
	"crypto/tls"
	"errors"
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
	"h2lab/internal/base/notes"
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
		"plain HTTP":            {Target{Addr: plain.Listener.Addr().String()}, "speaks plain HTTP on this port"},
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
		"shutting down":          {h2server(t, func(p *peer) { p.next(); _ = p.fr.WriteGoAway(0, http2.ErrCodeNo, nil); p.next() }), "takes no request"},
		"too many":               {h2server(t, func(p *peer) { p.block(p.next(), "429"); p.next() }), "answers 429 (Too Many Requests)"},
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
	if !errors.Is(err, context.Canceled) || got.Budget.Most != nil || got.Budget.Least == 0 || got.Budget.Stopped == "" || len(got.Warnings) != 1 {
		t.Errorf("error %v, budget %+v, warnings %q", err, got.Budget, got.Warnings)
	}
}

func TestABusyServerIsLeftAloneInTheMiddle(t *testing.T) {
	for _, status := range []string{"429", "503"} {
		seen := 0
		done := make(chan struct{})
		target := h2server(t, func(p *peer) {
			for id := p.next(); id != 0; id = p.next() {
				if p.count == 40 {
					p.block(id, status)
				} else {
					p.answer(id)
				}
			}
			if p.count > 1 {
				seen = p.count
				close(done)
			}
		})
		got, err := Survey(t.Context(), somebody(t, target, "/"), Ask{MaxStreams: 5000})
		if err == nil || !strings.Contains(err.Error(), "answers "+status) || !strings.Contains(err.Error(), "so the probe stops") {
			t.Errorf("%s: error %v", status, err)
		}
		<-done
		if got.Budget.Most != nil || got.Budget.Stopped == "" || seen > 40+maxFlying {
			t.Errorf("%s: %d requests were sent, budget %+v", status, seen, got.Budget)
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
	if err != nil || got.Status != 301 || got.Statuses["301"] < 41 || len(got.Warnings) != 1 || !strings.Contains(notes.InEnglish(got.Warnings[0]), "elsewhere.example/: not followed") {
		t.Errorf("%v: %+v", err, got)
	}
}

func TestAnErrorPageCountsForTheLimit(t *testing.T) {
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
}
