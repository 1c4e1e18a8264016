package probe

import (
	"errors"
	"fmt"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// take does what a frame asks for and keeps the count of what was answered.
func (c *conn) take(f http2.Frame) error {
	var err error
	switch f := f.(type) {
	case *http2.SettingsFrame:
		err = c.takeSettings(f)
	case *http2.PingFrame:
		if f.IsAck() {
			c.ponged++
		} else {
			c.note(c.fr.WritePing(true, f.Data))
		}
	case *http2.HeadersFrame:
		c.inBlock, c.blockEnds, c.blockBytes = f.StreamID, f.StreamEnded(), 0
		err = c.takeBlock(f.HeaderBlockFragment(), f.HeadersEnded())
	case *http2.ContinuationFrame:
		err = c.takeBlock(f.HeaderBlockFragment(), f.HeadersEnded())
	case *http2.DataFrame:
		c.takeData(f)
	case *http2.RSTStreamFrame:
		// A reset after the answer (nginx and Go send NO_ERROR) is no news.
		if _, isOpen := c.open[f.StreamID]; isOpen {
			c.reset = f
		}
	case *http2.GoAwayFrame:
		g := &goaway{last: f.LastStreamID, code: f.ErrCode, debug: string(f.DebugData()), sent: c.sent, answered: c.answered}
		if c.first == nil {
			c.first = g
		}
		c.last = g
	case *http2.PushPromiseFrame:
		err = errors.New("a PUSH_PROMISE, though push is off")
	}
	if c.tap != nil {
		c.tap.received(f, c.status)
	}
	return err
}

func (c *conn) takeSettings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	err := f.ForeachSetting(func(s http2.Setting) error {
		switch s.ID {
		case http2.SettingMaxConcurrentStreams:
			c.maxStreams = min(s.Val, maxFlying)
		case http2.SettingHeaderTableSize:
			c.enc.SetMaxDynamicTableSizeLimit(min(s.Val, 4096))
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
}

// takeBlock decodes every block, wanted or not: the next one may refer to it.
func (c *conn) takeBlock(fragment []byte, ends bool) error {
	c.blockBytes += len(fragment)
	if c.blockBytes > maxBlock {
		return fmt.Errorf("a header block of more than %d bytes", maxBlock)
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
	if c.blockEnds {
		c.answer(c.inBlock)
	}
	return nil
}

// answer marks a stream as answered in full.
func (c *conn) answer(id uint32) {
	if _, isOpen := c.open[id]; isOpen {
		delete(c.open, id)
		c.answered++
	}
}

// takeData counts a body and gives the windows back when half is used.
func (c *conn) takeData(f *http2.DataFrame) {
	n := int(f.Length)
	if c.consumed += n; c.consumed > connWindow/2 {
		c.note(c.fr.WriteWindowUpdate(0, uint32(c.consumed)))
		c.consumed = 0
	}
	got, isOpen := c.open[f.StreamID]
	switch {
	case !isOpen:
	case f.StreamEnded():
		c.answer(f.StreamID)
	case got+n > streamWindow/2:
		c.note(c.fr.WriteWindowUpdate(f.StreamID, uint32(got+n)))
		c.open[f.StreamID] = 0
	default:
		c.open[f.StreamID] = got + n
	}
}

// ping writes a PING. The peer's answer comes after all that it had to say before.
func (c *conn) ping() {
	c.pinged++
	c.note(c.fr.WritePing(false, [8]byte{'h', '2', 'l', 'a', 'b', byte(c.pinged >> 16), byte(c.pinged >> 8), byte(c.pinged)}))
}
