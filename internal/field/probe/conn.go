package probe

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const (
	frameHeader  = 9       // RFC 9113 §4.1
	maxFrame     = 1 << 14 // the default SETTINGS_MAX_FRAME_SIZE; the probe never announces more (§4.2)
	maxBlock     = 1 << 18 // of a header block over all its CONTINUATION frames
	streamWindow = 1 << 20 // SETTINGS_INITIAL_WINDOW_SIZE that we announce
	connWindow   = 1 << 30 // of the whole connection
	// maxFlying is the maximum number of requests in flight, whatever the peer allows.
	maxFlying = 100
)

// goaway is one GOAWAY and the state of the connection when it arrived.
type goaway struct {
	last     uint32
	code     http2.ErrCode
	debug    string
	sent     int
	answered int
	at       time.Time
}

// conn is one HTTP/2 connection, used by one goroutine. It answers SETTINGS and PING and keeps the
// windows open by itself.
type conn struct {
	traffic
	br     *bufio.Reader
	bw     *bufio.Writer
	fr     *http2.Framer
	enc    *hpack.Encoder
	dec    *hpack.Decoder
	block  blockBuffer
	fields []hpack.HeaderField // of every request
	tap    *recorder           // sees every frame if set

	consumed   int    // of the connection's window
	inBlock    uint32 // the stream whose header block is incomplete
	blockEnds  bool   // that block ends its stream
	blockBytes int

	settings   []http2.Setting // of the peer's first SETTINGS frame
	maxStreams uint32          // the peer's SETTINGS_MAX_CONCURRENT_STREAMS
	streamRoom int64           // the peer's window for a new stream
	connRoom   int64           // the peer's window for all streams

	chatter int // frames since the last answer
}

func (c *conn) protocol() string { return "HTTP/2 as RFC 9113 has it" }
func (c *conn) curl() string     { return "curl -v --http2 https://" + c.target.Addr + "/" }
func (c *conn) atOnce() int      { return int(c.maxStreams) }

// speakH2 makes an HTTP/2 connection of a TLS connection.
func speakH2(ctx context.Context, t Target, l *line) *conn {
	c := &conn{traffic: newTraffic(ctx, t, l),
		maxStreams: maxFlying, streamRoom: 65535, connRoom: 65535, // RFC 9113 §6.9.2
		fields: t.fields(), br: bufio.NewReaderSize(l.wire, 1<<16), bw: bufio.NewWriterSize(l.wire, 1<<15)}
	c.fr = http2.NewFramer(c.bw, c.br)
	c.fr.SetReuseFrames()
	c.fr.SetMaxReadFrameSize(maxFrame)
	c.enc = hpack.NewEncoder(&c.block)
	c.dec = hpack.NewDecoder(4096, c.field)
	c.dec.SetMaxStringLength(maxBlock)
	return c
}

// greet sends the preface and waits for the server's: its first frame must be SETTINGS (RFC 9113
// §3.4).
func (c *conn) greet() error {
	_, _ = c.bw.WriteString(http2.ClientPreface)
	settings := []http2.Setting{{ID: http2.SettingEnablePush, Val: 0},
		{ID: http2.SettingInitialWindowSize, Val: streamWindow}}
	if c.target.literal {
		settings = append(settings, http2.Setting{ID: http2.SettingHeaderTableSize, Val: 0})
		c.enc.SetMaxDynamicTableSizeLimit(0)
	}
	c.note(c.fr.WriteSettings(settings...))
	c.note(c.fr.WriteWindowUpdate(0, connWindow-65535))
	ev := c.wait(time.Now().Add(c.target.patience()))
	switch ev.what {
	case ended:
		return fmt.Errorf("%s closes the connection at once (%w); its log may say why", c.target.Addr, ev.err)
	case silence:
		return fmt.Errorf("%s says nothing for %v after the TLS handshake; try: curl -v --http2 https://%s/",
			c.target.Addr, c.target.patience(), c.target.Addr)
	case failed:
		return c.garbled(ev.err)
	}
	if s, ok := ev.frame.(*http2.SettingsFrame); !ok || s.IsAck() {
		return c.garbled(fmt.Errorf("its first frame is %v, not SETTINGS", ev.frame.Header().Type))
	}
	if c.maxStreams == 0 {
		return fmt.Errorf("%s allows no streams (SETTINGS_MAX_CONCURRENT_STREAMS 0); look at its configuration",
			c.target.Addr)
	}
	return nil
}

func (c *conn) garbled(err error) error { return garbled(c, err) }

// note ignores a write error: a peer that closed the connection has often sent the reason before,
// so the reader must get to it; the reader then meets the end by itself.
func (c *conn) note(error) {}

// wait returns the next event, or silence at the deadline. It flushes only when nothing is left to
// read, so that writes are batched.
func (c *conn) wait(until time.Time) event {
	if ev, ok := c.need(frameHeader, until); !ok {
		return ev
	}
	h, _ := c.br.Peek(frameHeader)
	n := int(h[0])<<16 | int(h[1])<<8 | int(h[2])
	if n > maxFrame {
		return event{what: failed, err: fmt.Errorf("a frame of %d bytes, where at most %d are allowed", n, maxFrame)}
	}
	if ev, ok := c.need(frameHeader+n, until); !ok {
		return ev
	}
	f, err := c.fr.ReadFrame()
	if err == nil {
		err = c.take(f)
	}
	if err != nil {
		return event{what: failed, err: err}
	}
	return event{what: frameCame, frame: f}
}

// need waits until n bytes can be read. It only peeks, so a deadline in the middle of a frame loses
// nothing.
func (c *conn) need(n int, until time.Time) (event, bool) {
	if c.br.Buffered() >= n {
		return event{}, true
	}
	if c.bw.Buffered() > 0 {
		_ = c.wire.SetWriteDeadline(time.Now().Add(patience))
		c.note(c.bw.Flush())
	}
	_ = c.wire.SetReadDeadline(until)
	if _, err := c.br.Peek(n); err != nil {
		if context.Cause(c.ctx) != nil {
			return event{what: failed, err: errors.Join(context.Cause(c.ctx), err)}, false
		}
		return readEvent(err), false
	}
	return event{}, true
}
