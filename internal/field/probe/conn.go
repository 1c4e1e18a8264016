package probe

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"h2lab/internal/base/system"
	"h2lab/internal/base/versions"
	"h2lab/internal/field/output"
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

func (c *conn) protocol() string { return "HTTP/2 (RFC 9113)" }
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

// Request is the user's description of the server to probe and of each request.
type Request struct {
	output.Question
	Timeout time.Duration // maximum wait for a connection, a handshake or an answer
	Verb    string        // the command that asks, which errors name; "" is probe
}

// longestTimeout is the maximum of --timeout.
const longestTimeout = time.Hour

// Target parses a Request. Its errors are usage errors.
func (r Request) Target() (Target, error) {
	t, err := ParseTarget(r.URL)
	if err != nil {
		return t, err
	}
	t.UserAgent, t.again, t.verb = UserAgent(), r.Question, r.Verb
	t.CAFile, t.Insecure, t.ServerName, t.Patience = r.CACert, r.Insecure, r.ServerName, r.Timeout
	for _, h := range r.Header {
		if err := t.AddHeader(h); err != nil {
			return t, err
		}
	}
	if err := t.SetMethod(r.Method, r.Data); err != nil {
		return t, err
	}
	if r.Timeout <= 0 || r.Timeout > longestTimeout {
		return t, fmt.Errorf("--timeout %v is out of range: up to 1h", r.Timeout)
	}
	return t, nil
}

// UserAgent identifies the probe in the server's log.
func UserAgent() string {
	version := "dev"
	if known := versions.Own().Version; known != nil {
		version = *known
	}
	return "h2lab-probe/" + version + " (counts the requests that a connection gets)"
}

// fields are the header block of every request.
func (t Target) fields() []hpack.HeaderField {
	all := []hpack.HeaderField{
		{Name: ":method", Value: t.method()}, {Name: ":scheme", Value: "https"},
		{Name: ":authority", Value: t.authority()}, {Name: ":path", Value: t.path()},
		{Name: "user-agent", Value: t.userAgent()},
	}
	if len(t.Body) > 0 {
		all = append(all, hpack.HeaderField{Name: "content-length", Value: strconv.Itoa(len(t.Body))})
	}
	for _, f := range t.Header {
		name := strings.ToLower(f.Name) // RFC 9113 §8.2.1
		all = append(all, hpack.HeaderField{
			Name:      name,
			Value:     f.Value,
			Sensitive: name == "authorization" || name == "cookie",
		})
	}
	return all
}

// request writes one request. The next wait flushes it.
func (c *conn) request() {
	c.sent++
	id := c.lastSent()
	c.block.b = c.block.b[:0]
	for _, f := range c.fields {
		c.note(c.enc.WriteField(f)) // a blockBuffer can't fail
	}
	body := c.target.Body
	c.note(c.fr.WriteHeaders(http2.HeadersFrameParam{
		StreamID: id, BlockFragment: c.block.b, EndStream: len(body) == 0, EndHeaders: true}))
	if len(body) > 0 {
		c.connRoom -= int64(len(body))
		c.note(c.fr.WriteData(id, true, body))
	}
	c.open[id] = 0
}

// hasRoom reports whether the peer's windows allow another body (RFC 9113 §6.9).
func (c *conn) hasRoom() bool {
	n := int64(len(c.target.Body))
	return n == 0 || n <= c.connRoom && n <= c.streamRoom
}

// flush sends what was written.
func (c *conn) flush() {
	_ = c.wire.SetWriteDeadline(time.Now().Add(c.target.patience()))
	c.note(c.bw.Flush())
}

// blockBuffer receives a header block from the encoder.
type blockBuffer struct{ b []byte }

func (w *blockBuffer) Write(p []byte) (int, error) { w.b = append(w.b, p...); return len(p), nil }

// ping writes a PING. The peer's answer comes after everything it sent before.
func (c *conn) ping() bool {
	c.pinged++
	c.note(c.fr.WritePing(false, [8]byte{
		'h',
		'2',
		'l',
		'a',
		'b',
		byte(c.pinged >> 16),
		byte(c.pinged >> 8),
		byte(c.pinged),
	}))
	return true
}

const (
	maxBody   = 1 << 14 // of a request: one DATA frame (SETTINGS_MAX_FRAME_SIZE is never less, RFC 9113 §6.5.2)
	maxHeader = 8 << 10 // of all the user's fields, so that a block fits into one HEADERS frame
)

// check rejects a request that doesn't fit into one HEADERS and one DATA frame.
func (t Target) check() error {
	size := 0
	for _, f := range t.Header {
		size += len(f.Name) + len(f.Value) + 32
	}
	switch {
	case len(t.Body) > maxBody:
		return errors.New("the body is larger than " + strconv.Itoa(maxBody) +
			" bytes; a smaller one finds the same limit")
	case size > maxHeader:
		return errors.New("the headers are larger than " + strconv.Itoa(maxHeader) +
			" bytes; fewer find the same limit")
	}
	return nil
}

// Limits on what a peer can make the probe keep or wait for.
const (
	maxChatter  = 10_000 // frames without an answer; nginx's flood check allows ten per request
	maxGoaways  = 8
	maxSettings = 16
	maxStatuses = 16
)

// take handles a frame and counts the answers.
func (c *conn) take(f http2.Frame) error {
	var err error
	if c.chatter++; c.chatter > maxChatter {
		return flood{fmt.Errorf("%d frames without an answer among them: a flood of %v", maxChatter, f.Header().Type)}
	}
	switch f := f.(type) {
	case *http2.SettingsFrame:
		err = c.takeSettings(f)
	case *http2.WindowUpdateFrame:
		err = c.takeRoom(f)
	case *http2.PingFrame:
		if f.IsAck() {
			c.ponged++
		} else {
			c.note(c.fr.WritePing(true, f.Data))
		}
	case *http2.HeadersFrame:
		c.inBlock, c.blockEnds, c.blockBytes, c.status = f.StreamID, f.StreamEnded(), 0, ""
		err = c.takeBlock(f.HeaderBlockFragment(), f.HeadersEnded())
	case *http2.ContinuationFrame:
		err = c.takeBlock(f.HeaderBlockFragment(), f.HeadersEnded())
	case *http2.DataFrame:
		err = c.takeData(f)
	case *http2.RSTStreamFrame:
		// A reset after the answer (nginx and Go send NO_ERROR) has no effect.
		if _, isOpen := c.open[f.StreamID]; isOpen {
			c.reset = f
		}
	case *http2.GoAwayFrame:
		g := goaway{
			last:     f.LastStreamID,
			code:     f.ErrCode,
			debug:    string(f.DebugData()),
			sent:     c.sent,
			answered: c.answered,
			at:       time.Now(),
		}
		if c.first == nil {
			c.first = &g
		}
		if c.last = &g; len(c.goaways) < maxGoaways {
			c.goaways = append(c.goaways, g)
		}
	case *http2.PushPromiseFrame:
		err = errors.New("a PUSH_PROMISE, though push is off")
	}
	if c.tap != nil {
		c.tap.received(f, c.status, err)
	}
	return err
}

func (c *conn) takeSettings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	if c.settings == nil {
		c.settings = make([]http2.Setting, 0, 8)
		for i := range min(f.NumSettings(), maxSettings) {
			c.settings = append(c.settings, f.Setting(i))
		}
	}
	err := f.ForeachSetting(func(s http2.Setting) error {
		switch s.ID {
		case http2.SettingInitialWindowSize:
			c.streamRoom = int64(s.Val)
		case http2.SettingMaxConcurrentStreams:
			c.maxStreams = min(s.Val, maxFlying)
		case http2.SettingHeaderTableSize:
			if !c.target.literal {
				c.enc.SetMaxDynamicTableSizeLimit(min(s.Val, 4096))
			}
		}
		return s.Valid()
	})
	c.note(c.fr.WriteSettingsAck())
	return err
}

// field is called by the decoder for every header field.
func (c *conn) field(f hpack.HeaderField) {
	if f.Name == ":status" {
		c.status = f.Value
	}
	if c.seen != nil {
		c.seen(f.Name, f.Value)
	}
}

// takeBlock decodes every block, because later blocks may refer to it.
func (c *conn) takeBlock(fragment []byte, ends bool) error {
	c.blockBytes += len(fragment)
	if c.blockBytes > maxBlock {
		return flood{fmt.Errorf("a header block of more than %d bytes", maxBlock)}
	}
	if _, err := c.dec.Write(fragment); err != nil {
		return fmt.Errorf("headers of stream %d: %w", c.inBlock, err)
	}
	if !ends {
		return nil
	}
	if err := c.dec.Close(); err != nil {
		return fmt.Errorf("headers of stream %d: %w", c.inBlock, err)
	}
	if _, isOpen := c.open[c.inBlock]; isOpen && c.status != "" { // trailers have none
		c.countStatus(c.status)
	}
	if c.blockEnds {
		c.answer(c.inBlock)
	}
	return nil
}

// answer marks a stream as completely answered.
func (c *conn) answer(id uint32) {
	if _, isOpen := c.open[id]; isOpen {
		delete(c.open, id)
		c.answered, c.newest = c.answered+1, max(c.newest, id)
		c.chatter = 0
	}
}

// takeData counts a body and reopens the windows when half of them is used.
func (c *conn) takeData(f *http2.DataFrame) error {
	n := int(f.Length)
	c.bytes += n
	if c.consumed += n; c.consumed > connWindow/2 {
		c.note(c.fr.WriteWindowUpdate(0, uint32(c.consumed)))
		c.consumed = 0
	}
	got, isOpen := c.open[f.StreamID]
	if !isOpen {
		return nil
	}
	if got += n; got > c.atMostBody {
		return tooLarge{fmt.Errorf("the answer on stream %d is larger than %d bytes", f.StreamID, c.atMostBody)}
	}
	if n > 0 {
		c.chatter = 0 // a body is no flood; its size is limited above
	}
	switch {
	case f.StreamEnded():
		c.answer(f.StreamID)
		return nil
	case got/(streamWindow/2) > (got-n)/(streamWindow/2):
		c.note(c.fr.WriteWindowUpdate(f.StreamID, streamWindow/2))
	}
	c.open[f.StreamID] = got
	return nil
}

// tooLarge is the error for an answer larger than the probe reads, flood for more than it reads besides answers.
type (
	tooLarge struct{ error }
	flood    struct{ error }
)

// takeRoom adds to the windows that limit what the probe may send.
func (c *conn) takeRoom(f *http2.WindowUpdateFrame) error {
	if f.StreamID != 0 {
		return nil // a body is one frame, so a stream's window is used once
	}
	if c.connRoom += int64(f.Increment); c.connRoom > 1<<31-1 {
		return errors.New("a flow-control window beyond 2^31 - 1") // RFC 9113 §6.9.1
	}
	return nil
}

// happening is the kind of an event.
type happening int

const (
	frameCame happening = iota
	ended               // the peer closed or reset the connection
	silence             // nothing arrived before the deadline
	failed              // the peer's data is not HTTP/2, or the context ended
)

// event is one event of a connection. Its frame is valid until the next wait.
type event struct {
	what  happening
	frame http2.Frame
	err   error // of ended (how) and failed (why)
}

// hungUp reports whether the peer closed or reset a connection.
func hungUp(err error) bool { return err != nil && readEvent(err).what == ended }

// readEvent turns a reader's error into an event.
func readEvent(err error) event {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return event{what: silence}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		system.Reset.Is(err):
		return event{what: ended, err: err}
	}
	return event{what: failed, err: err}
}
