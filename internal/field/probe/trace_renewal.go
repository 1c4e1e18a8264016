package probe

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/facts"
)

const (
	// crossing is how many requests are sent at once across the limit: some up to it and some
	// beyond, as under load.
	crossing = 6
	// goodbye is how long to wait for the end of the connection after the last expected answer.
	// nginx closes at once, Envoy a second later (delayed_close_timeout).
	goodbye = 1500 * time.Millisecond
	// drainTime is how long to wait for the second stage of an announced end: Envoy's drain_timeout
	// is 5 s by default.
	drainTime = 6 * time.Second
)

// trace is the state of a trace of one renewal over HTTP/2.
type trace struct {
	*run
	conn     *conn
	limit    int  // 0 where none was met
	batch    int  // how many requests go at once across the limit
	upTo     int  // how many of them are within the limit
	crossed  bool // what the batch met is known, whether or not a new connection then failed
	early    bool // the connection ended before the limit
	left     int  // of the batch, those not sent yet
	dropped  []uint32
	begun    map[uint32]bool // streams whose answer began
	highest  uint32          // the highest of them
	lastMS   float64         // when the last answer came
	closedMS float64         // when the server closed; 0 if it did not
	second   int             // index of the first frame of the new connection; 0 means none
	resent   bool            // the dropped request was answered there
}

func newTrace(r *run, limit, batch int) *trace {
	c, _ := r.connection.(*conn) // traces over HTTP/1.1 are traceOne's
	return &trace{run: r, conn: c, limit: limit, batch: batch, upTo: (batch + 1) / 2}
}

// cross sends the batch and follows the connection to its end.
func (tr *trace) cross() error {
	tr.left = tr.batch
	tr.push()
	var until time.Time
	var length time.Duration
	for !tr.gone {
		// The deadline changes with the connection's phase.
		if d := tr.phase(); d != length {
			until, length = time.Now().Add(d), d
		}
		before := tr.answered
		ev := tr.wait(until)
		switch ev.what {
		case silence:
			return tr.giveUp()
		case failed:
			tr.sum()
			return tr.broken(ev.err)
		case ended:
			tr.closed(ev.err)
		}
		if tr.answered > before {
			tr.lastMS = tr.conn.tap.ms()
		}
		if tr.reset != nil {
			tr.resets[tr.reset.StreamID] = tr.reset.ErrCode
			delete(tr.open, tr.reset.StreamID)
			tr.reset = nil
		}
		tr.push()
	}
	tr.met()
	return nil
}

// met concludes the crossing.
func (tr *trace) met() {
	tr.sum()
	tr.crossed = true
}

// push sends what the peer allows now of the batch. It may have lowered MAX_CONCURRENT_STREAMS meanwhile, and a
// stream too many is refused, or ends the connection (RFC 9113 §5.1.2).
func (tr *trace) push() {
	for tr.left > 0 && !tr.over() && tr.hasRoom() && len(tr.open) < tr.atOnce() {
		tr.request()
		tr.left--
	}
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

// giveUp ends a trace whose connection is silent. That is an error unless the server has sent
// everything expected.
func (tr *trace) giveUp() error {
	tr.met()
	if tr.waiting() {
		return fmt.Errorf("%s left %d requests unanswered for %v; its log may say why", tr.target.Addr, len(tr.open),
			tr.target.patience())
	}
	return nil
}

// closed records how the peer closed: by TLS's close_notify, TCP's FIN or a reset.
func (tr *trace) closed(err error) {
	tr.gone, tr.goneErr, tr.closedMS = true, err, tr.conn.tap.ms()
	if tr.wasReset() {
		tr.conn.tap.add(facts.Frame{Type: "TCP", Detail: "RST"})
		return
	}
	if !tr.tcp.fin {
		tr.conn.tap.add(facts.Frame{Type: "TLS", Detail: "close_notify"})
		_ = tr.tcp.SetReadDeadline(time.Now().Add(goodbye))
		if _, err := io.Copy(io.Discard, io.LimitReader(tr.tcp, maxFrame)); err != nil {
			return
		}
	}
	if tr.tcp.fin {
		tr.conn.tap.add(facts.Frame{Type: "TCP", Detail: "FIN"})
	}
}

// sendAgain sends a dropped request once more, on a new connection.
func (tr *trace) sendAgain(ctx context.Context) error {
	r, err := start(ctx, tr.target, plan{atMost: 1, busyCounts: true})
	if err != nil {
		return err
	}
	defer r.close()
	if err := r.fence(); err != nil { // the opening frames of this connection are not shown
		return err
	}
	again := newTrace(r, 0, 1)
	tap := tr.conn.tap
	tr.second = len(tap.frames)
	tap.connection++
	r.seen, again.conn.fr = tap.field, again.conn.framer(outgoing{again.conn.bw, tap})
	again.conn.tap = tap
	tap.add(facts.Frame{Sent: true, Type: "TCP", Says: r.line.opened()})
	r.request()
	for r.lastNews = time.Now(); len(r.open) > 0 && !r.gone; {
		if err := r.step(r.lastNews.Add(r.target.patience())); err != nil {
			return err
		}
		if time.Since(r.lastNews) >= r.target.patience() {
			return r.unfinished()
		}
	}
	tr.resent = r.answered == 1
	return nil
}

// At is the target with its dials fixed to an address that answered.
func (t Target) At(address string) Target {
	t.dial = address
	return t
}

// Resolve returns the ip:port that a dial reaches. It connects and sends nothing.
func (t Target) Resolve(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, t.patience())
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", cmp.Or(t.dial, t.Addr))
	if err != nil {
		return "", t.dialError(ctx, err)
	}
	defer func() { _ = c.Close() }()
	return c.RemoteAddr().String(), nil
}

// fate is what became of a request, as far as the frames prove it. The notes on frames and the summary
// both ask for it, so that they can't contradict each other.
type fate int

const (
	fateAnswered fate = iota
	fateRefused       // RST_STREAM with REFUSED_STREAM: not processed (RFC 9113 §8.7)
	fateAbove         // no answer, above a GOAWAY's id that holds: not processed (RFC 9113 §6.8)
	fatePartly        // its answer began and did not end
	fateCovered       // no answer, and not above the last-stream-id: it may have run
	fateUnknown       // no answer, and nothing excludes that it ran
)

// fate tells what became of the request on a stream.
func (tr *trace) fate(id uint32) fate {
	code, wasReset := tr.resets[id]
	switch {
	case !wasReset && !slices.Contains(tr.dropped, id):
		return fateAnswered
	case wasReset && code == http2.ErrCodeRefusedStream:
		return fateRefused
	case tr.begun[id]:
		return fatePartly
	case tr.aboveLast(id):
		return fateAbove
	case tr.last != nil && id <= tr.last.last:
		return fateCovered
	}
	return fateUnknown
}

// aboveLast reports whether a GOAWAY says that a stream was not processed.
func (tr *trace) aboveLast(id uint32) bool {
	return tr.last != nil && id > tr.last.last && !tr.disproved(tr.last)
}

// disproved reports a GOAWAY whose server has answered streams above its id, before it or after it. RFC 9113
// §6.8 lets the id only name the highest stream that the server acts on, so it proves nothing then.
func (tr *trace) disproved(g *goaway) bool { return g.contradicts() || tr.highest > g.last }

// sum lists the streams that were never answered, and those whose answers began.
func (tr *trace) sum() {
	tr.dropped, tr.begun, tr.highest = slices.Sorted(maps.Keys(tr.open)), map[uint32]bool{}, 0
	if tr.dropped == nil {
		tr.dropped = []uint32{}
	}
	for _, f := range tr.conn.tap.frames {
		if !f.Sent && f.Type == "HEADERS" {
			tr.begun[f.StreamID] = true
			tr.highest = max(tr.highest, f.StreamID)
		}
	}
}

// with are the streams of a fate, in order.
func (tr *trace) with(wanted fate) []uint32 {
	ids := slices.Concat(tr.dropped, slices.Collect(maps.Keys(tr.resets)))
	slices.Sort(ids)
	return slices.DeleteFunc(ids, func(id uint32) bool { return tr.fate(id) != wanted })
}

// bringsAnswer reports whether a HEADERS frame brings the answer itself: neither an interim answer (1xx, RFC 9110
// §15.2) nor trailers.
func bringsAnswer(f *facts.Frame) bool {
	status, isStatus := strings.CutPrefix(f.Detail, ":status ")
	n, err := strconv.Atoi(status)
	return f.Says.Key == inContinuation.Key || isStatus && (err != nil || n >= 200)
}
