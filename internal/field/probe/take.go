package probe

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

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
		return fmt.Errorf("%d frames without an answer among them: a flood of %v", maxChatter, f.Header().Type)
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

// tooLarge is the error for an answer larger than the probe reads.
type tooLarge struct{ error }

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
