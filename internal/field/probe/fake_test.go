package probe

import (
	"bufio"
	"crypto/tls"
	"io"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/base/labtest"
)

// serve runs a TLS server that passes each connection to handle, and returns the target to probe. A
// connection closes when handle returns, the server when the test ends.
func serve(t *testing.T, alpn string, handle func(*tls.Conn)) Target {
	t.Helper()
	cert := labtest.WriteCert(t, t.TempDir())
	ln := tls.NewListener(listen(), &tls.Config{Certificates: []tls.Certificate{cert.Pair}, NextProtos: []string{alpn}})
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer func() { _ = c.Close() }()
				_ = c.SetDeadline(time.Now().Add(20 * time.Second))
				handle(c.(*tls.Conn))
			})
		}
	})
	t.Cleanup(func() { _ = ln.Close(); all.Wait() })
	return Target{Addr: ln.Addr().String(), CAFile: cert.File}
}

// peer is the server's end of an HTTP/2 connection in a test.
type peer struct {
	conn  *tls.Conn
	br    *bufio.Reader
	bw    *bufio.Writer
	fr    *http2.Framer
	count int // requests seen
	max   uint32
	over  bool // the server hangs up
}

// h2server passes each connection to handle after the preface and SETTINGS.
func h2server(t *testing.T, handle func(*peer), settings ...http2.Setting) Target {
	return serve(t, "h2", func(c *tls.Conn) { speakTo(c, handle, settings...) })
}

// speakTo passes a connection to handle after the preface and SETTINGS.
func speakTo(c *tls.Conn, handle func(*peer), settings ...http2.Setting) {
	p := &peer{conn: c, br: bufio.NewReader(c), bw: bufio.NewWriter(c)}
	p.fr = http2.NewFramer(p.bw, p.br)
	if _, err := io.ReadFull(p.br, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	_ = p.fr.WriteSettings(settings...)
	handle(p)
	_ = p.bw.Flush()
}

// next waits for a request and returns its stream, or 0 at the end of the connection. It answers
// SETTINGS and PING, and flushes before it blocks.
func (p *peer) next() uint32 {
	for {
		if p.br.Buffered() == 0 {
			_ = p.bw.Flush()
		}
		f, err := p.fr.ReadFrame()
		if err != nil {
			return 0
		}
		switch f := f.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				_ = p.fr.WriteSettingsAck()
			}
		case *http2.PingFrame:
			_ = p.fr.WritePing(true, f.Data)
		case *http2.HeadersFrame:
			p.count++
			p.max = f.StreamID
			return f.StreamID
		}
	}
}

// answer sends a 200 with a body of three bytes.
func (p *peer) answer(id uint32) {
	_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0x88}, EndHeaders: true})
	_ = p.fr.WriteData(id, true, []byte("ok\n"))
}

// likeNginx sends the last-stream-id before the last answer, ignores later streams, closes its
// side, and reads on until the client closes (ngx_http_v2.c).
func likeNginx(limit int) func(*peer) {
	return func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			if p.count < limit {
				p.answer(id)
			}
			if p.count == limit {
				_ = p.fr.WriteGoAway(id, http2.ErrCodeNo, nil)
				p.answer(id)
				_ = p.bw.Flush()
				_ = p.conn.CloseWrite()
				_ = p.conn.NetConn().(*memoryConn).CloseWrite()
			}
		}
	}
}

// likeEnvoy announces that it will stop, answers for a while, then sends the last-stream-id and
// closes.
func likeEnvoy(limit int) func(*peer) {
	return func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			if p.count == limit {
				_ = p.fr.WriteGoAway(1<<31-1, http2.ErrCodeNo, nil)
				_ = p.conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
			}
			p.answer(id)
		}
		_ = p.fr.WriteGoAway(p.max, http2.ErrCodeNo, nil)
	}
}

// act is what a server does with a request.
type act func(p *peer, id uint32)

// rule is what a server does with its requests up to the nth.
type rule struct {
	upTo int
	acts []act
}

func to(n int, acts ...act) rule { return rule{n, acts} }

func rest(acts ...act) rule { return rule{math.MaxInt, acts} }

// server treats each request by the first rule that it is in, and ignores those in none.
func server(rules ...rule) func(*peer) {
	return func(p *peer) {
		for id := p.next(); id != 0; id = p.next() {
			if i := slices.IndexFunc(rules, func(r rule) bool { return p.count <= r.upTo }); i >= 0 {
				for _, do := range rules[i].acts {
					do(p, id)
				}
			}
			if p.over {
				return
			}
		}
	}
}

func answer(p *peer, id uint32) { p.answer(id) }

// begin sends the headers of an answer and no end.
func begin(p *peer, id uint32) { p.headers(id, ok200, false) }

// leave closes shortly after what was written, quit at once.
func leave(p *peer, _ uint32) { _ = p.conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond)) }
func quit(p *peer, _ uint32)  { p.over = true }

func reset(code http2.ErrCode) act {
	return func(p *peer, id uint32) { _ = p.fr.WriteRSTStream(id, code) }
}

// last names the request as the last one, lastBut a stream before or after it, and named a stream.
func last(p *peer, id uint32) { lastBut(0, http2.ErrCodeNo, "")(p, id) }

func lastBut(streams int, code http2.ErrCode, debug string) act {
	return func(p *peer, id uint32) { named(uint32(int(id)+streams), code, debug)(p, id) }
}

func named(stream uint32, code http2.ErrCode, debug string) act {
	return func(p *peer, _ uint32) { _ = p.fr.WriteGoAway(stream, code, []byte(debug)) }
}

const none, calm = http2.ErrCodeNo, http2.ErrCodeEnhanceYourCalm

var announce = named(announcement, none, "")

// likeHAProxy answers first and then sends a last-stream-id that lies ahead.
func likeHAProxy(limit int) func(*peer) {
	return server(to(limit-1, answer), to(limit, answer, lastBut(200, none, ""), leave), rest(answer))
}

// rude closes after the last answer without a GOAWAY.
func rude(limit int) func(*peer) { return server(to(limit-1, answer), to(limit, answer, quit)) }

// crash takes a request, and destroys the connection instead of answering it.
func crash(at int) func(*peer) {
	return server(to(at-1, answer), to(at, func(p *peer, _ uint32) {
		_ = p.bw.Flush()
		p.conn.NetConn().(*memoryConn).reset()
	}, quit))
}

// careless covers streams by its GOAWAY that it never answers, and closes.
func careless(limit int) func(*peer) {
	return server(to(limit, answer), to(limit+1), to(limit+2, last, quit))
}

// likeGo answers, then sends the newest stream's id, ignores later streams, and closes shortly
// after the last answer (h2_bundle.go, goAwayTimeout).
func likeGo(limit int) func(*peer) {
	return server(to(limit-1, answer), to(limit, answer, last, leave))
}

// calming resets what comes after 20 requests and keeps the connection.
var calming = server(to(20, answer), rest(reset(calm)))

// resettingAbove resets the streams above its GOAWAY's id, and breaks the answer to the last one below it off.
var resettingAbove = server(to(19, answer), to(20, last, begin, reset(http2.ErrCodeInternal), leave), rest(reset(http2.ErrCodeInternal)))
