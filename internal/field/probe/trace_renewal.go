package probe

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/facts"
)

const (
	// crossing is how many requests are sent at once across the limit: some up
	// to it and some beyond, as a busy client has them.
	crossing = 6
	// upTo is how many of them the limit still allows.
	upTo = 3
	// goodbye is how long the end of the connection is waited for once all that
	// will be answered is. nginx closes at once, Envoy a second later
	// (delayed_close_timeout).
	goodbye = 1500 * time.Millisecond
	// drainTime is how long the second stage of an announced end is waited for:
	// Envoy's drain_timeout is 5 s unless set.
	drainTime = 6 * time.Second
)

// TraceRenewal asks: what is seen on the wire when a connection's requests are
// used up? It brings a connection to a few requests before the limit, sends
// six at once across it, and writes down every frame from there on. If
// requests were dropped, the first of them is sent again on a new connection.
// The caller names the topology.
func TraceRenewal(ctx context.Context, t Target, limit int) (facts.Renewal, error) {
	if limit < 1 {
		return facts.Renewal{}, fmt.Errorf("trace a renewal of %s at request %d: it needs a limit of one at least", t.Addr, limit)
	}
	c, err := open2(ctx, t)
	if err != nil {
		return facts.Renewal{}, err
	}
	defer c.close()
	tr := &trace{climber: &climber{conn: c, atMost: max(0, limit-upTo)}, limit: limit, batch: crossing, upTo: upTo}
	if err := tr.approach(); err != nil {
		return facts.Renewal{}, err
	}
	c.tap = &recorder{zero: time.Now(), frames: make([]facts.Frame, 0, 32)}
	if err := tr.cross(); err != nil {
		return facts.Renewal{}, err
	}
	if len(tr.dropped) > 0 {
		if err := tr.sendAgain(ctx); err != nil {
			return facts.Renewal{}, err
		}
	}
	r := facts.Renewal{Protocol: string(facts.H2), Frames: c.tap.frames, Dropped: tr.dropped}
	tr.annotate(r.Frames)
	r.Summary = tr.summary()
	return r, nil
}

// trace is one renewal as it happens.
type trace struct {
	*climber
	limit    int  // 0 where none was met
	batch    int  // how many requests go at once across the limit
	upTo     int  // how many of them the limit still allows
	early    bool // the connection ended on the way to the limit
	resets   map[uint32]http2.ErrCode
	dropped  []uint32
	lastMS   float64 // when the last answer came
	closedMS float64 // when the server closed; 0 if it did not
	second   int     // index of the first frame of the new connection; 0 is none
	resent   bool    // the dropped request got an answer there
	wasReset bool    // the server closed with TCP's RST
}

// approach spends the requests before the last few.
func (tr *trace) approach() error {
	tr.slow = span{tr.atMost + 1, tr.atMost + 1} // full speed up to there
	for tr.answered < tr.atMost {
		tr.fill()
		if err := tr.progress(); err != nil {
			return err
		}
		if tr.first != nil || tr.gone {
			return fmt.Errorf("%s ends its connection after %d requests, before the limit of %d that was to be traced; ask for its limit first", tr.target.Addr, tr.sent, tr.limit)
		}
	}
	return tr.fence()
}

// cross sends the batch and follows the connection to its end.
func (tr *trace) cross() error {
	for range tr.batch {
		if tr.hasRoom() {
			tr.request()
		}
	}
	var until time.Time
	var length time.Duration
	for !tr.gone {
		// The deadline moves when the connection enters another phase.
		if d := tr.phase(); d != length {
			until, length = time.Now().Add(d), d
		}
		before := tr.answered
		ev := tr.wait(until)
		switch ev.what {
		case silence:
			return tr.giveUp()
		case failed:
			return tr.garbled(ev.err)
		case ended:
			tr.closed(ev.err)
		}
		if tr.answered > before {
			tr.lastMS = tr.tap.ms()
		}
		tr.takeReset()
	}
	tr.sum()
	return nil
}

// takeReset counts a stream that was reset instead of answered.
func (tr *trace) takeReset() {
	if tr.reset == nil {
		return
	}
	if tr.resets == nil {
		tr.resets = map[uint32]http2.ErrCode{}
	}
	tr.resets[tr.reset.StreamID] = tr.reset.ErrCode
	delete(tr.open, tr.reset.StreamID)
	tr.reset = nil
}

// phase is how long silence may last now.
func (tr *trace) phase() time.Duration {
	switch {
	case tr.waiting():
		return tr.target.patience()
	case tr.first == nil:
		return secondStage
	case tr.last.last == announcement:
		return drainTime
	}
	return goodbye
}

// waiting reports whether answers are due.
func (tr *trace) waiting() bool {
	return len(tr.open) > 0 && (tr.first == nil || tr.promised())
}

// giveUp ends a trace whose connection fell silent, which is an error unless
// the server has said all that it had to say.
func (tr *trace) giveUp() error {
	switch {
	case tr.waiting():
		return fmt.Errorf("%s left %d requests unanswered for %v; its log may say why", tr.target.Addr, len(tr.open), tr.target.patience())
	case tr.first == nil && tr.tap.whole == nil:
		return fmt.Errorf("%s answered request %d without ending the connection, so its limit is not %d; ask for its limit first", tr.target.Addr, tr.sent, tr.limit)
	}
	tr.sum()
	return nil
}

// sum lists the streams that were never answered.
func (tr *trace) sum() {
	tr.dropped = []uint32{}
	for id := range tr.open {
		tr.dropped = append(tr.dropped, id)
	}
	slices.Sort(tr.dropped)
}

// closed writes down how the peer closed: TLS's close_notify and TCP's FIN are
// two things, and a reset is a third.
func (tr *trace) closed(err error) {
	tr.gone, tr.closedMS = true, tr.tap.ms()
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		tr.wasReset = true
		tr.tap.add(facts.Frame{Type: "TCP", Detail: "RST"})
		return
	}
	if !tr.tcp.fin {
		tr.tap.add(facts.Frame{Type: "TLS", Detail: "close_notify"})
		_ = tr.tcp.SetReadDeadline(time.Now().Add(goodbye))
		if _, err := io.Copy(io.Discard, io.LimitReader(tr.tcp, maxFrame)); err != nil {
			return
		}
	}
	if tr.tcp.fin {
		tr.tap.add(facts.Frame{Type: "TCP", Detail: "FIN"})
	}
}

// sendAgain sends a dropped request once more, on a new connection.
func (tr *trace) sendAgain(ctx context.Context) error {
	c, err := open2(ctx, tr.target)
	if err != nil {
		return err
	}
	defer c.close()
	again := &climber{conn: c, atMost: 1}
	if err := again.fence(); err != nil { // the frames of its opening are no part of the story
		return err
	}
	tr.second = len(tr.tap.frames)
	opened := "new connection, " + tls.VersionName(c.tls.ConnectionState().Version)
	c.tap = tr.tap
	if tr.tap.whole != nil {
		opened += fmt.Sprintf(", TCP in %.2f ms, TLS in %.2f ms", ms(c.connecting), ms(c.handshaking))
		tr.tap.whole.connection++
		c.seen, c.fr = tr.tap.whole.field, c.framer(outgoing{c.bw, tr.tap})
	}
	tr.tap.add(facts.Frame{Sent: true, Type: "TCP", Detail: opened})
	again.request()
	for until := time.Now().Add(patience); len(c.open) > 0 && !again.gone; {
		if err := again.step(until); err != nil {
			return err
		}
	}
	tr.resent = c.answered == 1
	return nil
}
