//go:build integration

package systems

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
)

// serveGo runs a server in this process until the test ends.
func serveGo(t *testing.T, p process, pair tls.Certificate, addr string, words map[string]string) {
	t.Helper()
	if p.Port != "" {
		addr = "127.0.0.1:" + words[p.Port]
	}
	set := map[string]string{}
	for name, value := range p.Set {
		set[name] = filled(value, words, false)
	}
	p.Set = set
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	switch p.Go {
	case "http":
		serveHTTP(t, setting{t, p.Set}, pair, ln)
	case "grpc":
		serveGRPC(t, setting{t, p.Set}, pair, ln)
	case "relay":
		serveRelay(t, setting{t, p.Set}, ln)
	case "frames":
		serveFrames(t, setting{t, p.Set}, pair, ln)
	default:
		t.Fatalf("no server of this process is called %q", p.Go)
	}
}

// setting reads a system's options.
type setting struct {
	t   *testing.T
	set map[string]string
}

func (s setting) number(name string) int64 {
	s.t.Helper()
	if s.set[name] == "" {
		return 0
	}
	n, err := strconv.ParseInt(s.set[name], 10, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s setting) time(name string) time.Duration {
	s.t.Helper()
	if s.set[name] == "" {
		return 0
	}
	d, err := time.ParseDuration(s.set[name])
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

func serveGRPC(t *testing.T, s setting, pair tls.Certificate, ln net.Listener) {
	server := grpc.NewServer(grpc.Creds(credentials.NewServerTLSFromCert(&pair)),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionAge: s.time("age"),
			MaxConnectionIdle: s.time("idle"), MaxConnectionAgeGrace: s.time("grace")}))
	served := make(chan struct{})
	go func() { _ = server.Serve(ln); close(served) }()
	t.Cleanup(func() { server.Stop(); <-served })
}

// counted is a connection with what it carried.
type counted struct {
	net.Conn
	opened   time.Time
	allowed  int64 // requests until it closes; 0 is no limit
	requests atomic.Int64
	written  atomic.Int64
	most     int64 // bytes after which it closes; 0 is no limit
}

type connKey struct{}

func (c *counted) Write(b []byte) (int, error) {
	if n := c.written.Add(int64(len(b))); c.most > 0 && n > c.most {
		_ = c.Close()
		return 0, errors.New("the limit of bytes is reached")
	}
	return c.Conn.Write(b)
}

// reset closes the connection with a TCP RST.
func (c *counted) reset() {
	_ = c.Conn.(*net.TCPConn).SetLinger(0)
	_ = c.Conn.Close()
}

// counting makes every connection a counted one.
type counting struct {
	net.Listener
	most, close, jitter int64
}

func (l counting) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	out := &counted{Conn: c, opened: time.Now(), most: l.most, allowed: l.close}
	if l.jitter > 0 {
		out.allowed += rand.Int64N(2*l.jitter+1) - l.jitter
	}
	return out, nil
}

// serveHTTP runs net/http. Its handler ends connections as the options say: close at a number of requests
// (give or take jitter), chance at one of as many, each at every one of as many on all
// connections, age, reset at a number of requests or at an age; bytes closes beneath TLS. busy is the number of
// requests from which on all of them are answered with status. xnet speaks HTTP/2 by golang.org/x/net.
func serveHTTP(t *testing.T, s setting, pair tls.Certificate, ln net.Listener) {
	config := &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2", "http/1.1"}}
	if s.set["http1"] != "" {
		config.NextProtos = []string{"http/1.1"}
	}
	server := &http.Server{
		IdleTimeout: s.time("idle"),
		TLSConfig:   config,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c.(*tls.Conn).NetConn())
		},
		Handler: newEnder(s),
	}
	if s.set["http1"] != "" {
		server.Protocols = new(http.Protocols)
		server.Protocols.SetHTTP1(true)
	}
	if s.set["xnet"] != "" {
		//lint:ignore SA1019 programs that are in use call it, and its SETTINGS differ from net/http's
		if err := http2.ConfigureServer(server, nil); err != nil {
			t.Fatal(err)
		}
	}
	served := make(chan struct{})
	counts := counting{ln, s.number("bytes"), s.number("close"), s.number("jitter")}
	go func() { _ = server.ServeTLS(counts, "", ""); close(served) }()
	t.Cleanup(func() { _ = server.Close(); <-served })
}

// ender answers requests and ends connections.
type ender struct {
	chance, reset, busy int64
	each                int64 // closes at one request of as many, of all connections
	status              int
	server, body        string
	age, delay          time.Duration
	resetAge            time.Duration
	all                 atomic.Int64
}

func newEnder(s setting) *ender {
	return &ender{each: s.number("each"), chance: s.number("chance"), reset: s.number("reset"), busy: s.number("busy"),
		status: int(s.number("status")), server: s.set["server"],
		body: "ok\n" + strings.Repeat(" ", int(s.number("body"))), age: s.time("age"), delay: s.time("delay"), resetAge: s.time("resetAge")}
}

func (e *ender) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := r.Context().Value(connKey{}).(*counted)
	n := c.requests.Add(1)
	if e.server != "" {
		w.Header().Set("Server", e.server)
	}
	time.Sleep(e.delay)
	switch all := e.all.Add(1); {
	case e.busy > 0 && all >= e.busy:
		w.WriteHeader(e.status)
	case e.reset > 0 && n >= e.reset, e.resetAge > 0 && time.Since(c.opened) > e.resetAge:
		c.reset()
	case c.allowed > 0 && n >= c.allowed, e.chance > 0 && rand.Int64N(e.chance) == 0,
		e.age > 0 && time.Since(c.opened) > e.age, e.each > 0 && all%e.each == 0:
		w.Header().Set("Connection", "close")
	}
	_, _ = io.WriteString(w, e.body)
}

// serveFrames runs a server that answers every request with status 200 and ends its connections at request close, as
// no program of the list does. how is fin: it closes after the answer, without a GOAWAY; many: one GOAWAY after
// another, each with a lower id, then the same; late: it answers what it has read by then and announces the end; above: it
// answers every second stream above its GOAWAY's id. refuse: it refuses each request that close divides, and ends no
// connection. tick: whenever another 5 s have passed it ends all connections that are older than 2 s.
func serveFrames(t *testing.T, s setting, pair tls.Certificate, ln net.Listener) {
	f := framer{limit: int(s.number("close")), how: s.set["how"], began: time.Now()}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2"}}
	accept(t, ln, func(c net.Conn) { f.serve(tls.Server(c, config)) })
}

// framer is one connection.
type framer struct {
	limit int
	how   string
	began time.Time

	conn     net.Conn
	in       *bufio.Reader
	out      *http2.Framer
	requests int
	over     bool
}

func (f framer) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	f.conn, f.in = c, bufio.NewReader(c)
	f.out = http2.NewFramer(c, f.in)
	if _, err := io.ReadFull(f.in, make([]byte, len(http2.ClientPreface))); err != nil || f.out.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 16}) != nil {
		return
	}
	if f.how == "tick" {
		_ = c.SetReadDeadline(f.tick())
	}
	for {
		frame, err := f.out.ReadFrame()
		if errors.Is(err, os.ErrDeadlineExceeded) && f.how == "tick" {
			_ = f.out.WriteGoAway(uint32(2*f.requests-1), http2.ErrCodeNo, nil)
		}
		if err != nil || !f.take(frame) {
			return
		}
	}
}

// tick is when a connection that opens now ends.
func (f *framer) tick() time.Time {
	const every, least = 5 * time.Second, 2 * time.Second
	return f.began.Add((time.Since(f.began) + least + every).Truncate(every))
}

// take handles a frame and reports whether the connection stays.
func (f *framer) take(frame http2.Frame) bool {
	switch x := frame.(type) {
	case *http2.SettingsFrame:
		if !x.IsAck() {
			return f.out.WriteSettingsAck() == nil
		}
	case *http2.PingFrame:
		return f.out.WritePing(true, x.Data) == nil
	case *http2.HeadersFrame:
		f.requests++
		return f.request(x.StreamID)
	}
	return true
}

// request answers a request, and at the limit ends the connection.
func (f *framer) request(id uint32) bool {
	const newest, status200 = 1<<31 - 1, 0x88 // of HPACK's static table (RFC 7541, appendix A)
	if f.how == "refuse" && f.requests%f.limit == 0 {
		return f.out.WriteRSTStream(id, http2.ErrCodeRefusedStream) == nil
	}
	met := f.requests == f.limit && f.how != "refuse"
	if f.how == "above" && f.requests > f.limit {
		return f.above(id)
	}
	if met && f.how == "many" {
		for last := id + 40; last >= id; last -= 4 {
			_ = f.out.WriteGoAway(last, http2.ErrCodeNo, nil)
		}
	}
	_ = f.out.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{status200}, EndStream: true,
		EndHeaders: true})
	if met && f.how == "above" {
		_ = f.conn.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
		return f.out.WriteGoAway(id, http2.ErrCodeNo, nil) == nil
	}
	if f.how != "late" {
		return !met
	}
	if f.requests >= f.limit && f.in.Buffered() == 0 && !f.over {
		f.over = true
		_ = f.out.WriteGoAway(newest, http2.ErrCodeNo, nil)
		_ = f.conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	}
	return true
}

// above answers every second stream above the GOAWAY's id.
func (f *framer) above(id uint32) bool {
	const status200 = 0x88
	if f.requests%2 == 0 {
		return true
	}
	return f.out.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{status200}, EndStream: true,
		EndHeaders: true}) == nil
}
