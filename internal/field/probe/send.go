package probe

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

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
	if c.tap != nil {
		c.tap.headersSent(id, len(c.block.b), c.target.path())
	}
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
