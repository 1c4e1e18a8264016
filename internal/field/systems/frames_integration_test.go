//go:build integration

package systems

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

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
