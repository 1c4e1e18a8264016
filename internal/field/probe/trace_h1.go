package probe

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"

	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
)

// traceH1 is Trace over HTTP/1.1: requests go one after the other, and an answer with Connection:
// close is the last of its connection (RFC 9112 §9.6).
func traceH1(ctx context.Context, t Target, ask TraceAsk, rec *recorder, out *facts.FrameTrace) error {
	l, err := connect(ctx, t, "http/1.1")
	if err != nil {
		return err
	}
	defer l.close()
	rec.opened(l, out)
	tr := newTraceOne(ctx, t, l, rec)
	tr.limit = ask.Limit
	if err := tr.walkTo(ask); err != nil {
		return err
	}
	var off brokenOff
	for n := ask.Streams; n > 0 && !tr.over(); n-- {
		if err := tr.exchange(); errors.As(err, &off) {
			out.Renewal.Dropped = append(out.Renewal.Dropped, uint32(tr.sent))
			out.Renewal.Summary = facts.JoinNotes(facts.NewNote(notes.H1BrokenOff, "request", tr.sent))
			return err
		} else if err != nil {
			return err
		}
	}
	if !tr.over() {
		rec.add(facts.Frame{Sent: true, Type: "TCP", Detail: "closed by the client"})
		out.Renewal.Summary = facts.JoinNotes(tr.notEnded())
		return nil
	}
	tr.end()
	if tr.cutOff() {
		out.Renewal.Dropped = append(out.Renewal.Dropped, uint32(tr.sent))
	}
	if tr.cutOff() && !repeatable(t.method()) {
		out.Renewal.Summary = facts.JoinNotes(tr.endingNote())
		return nil
	}
	again, err := tr.again(ctx)
	out.Renewal.Summary = facts.JoinNotes(append([]facts.Note{tr.endingNote()}, again...)...)
	return err
}

// traceOne is the state of a trace over one HTTP/1.1 connection.
type traceOne struct {
	*run
	h1    *h1
	rec   *recorder
	limit int
}

func newTraceOne(ctx context.Context, t Target, l *line, rec *recorder) *traceOne {
	c := speakH1(ctx, t, l)
	return &traceOne{run: newRun(c, plan{http1: true, alone: all}), h1: c, rec: rec}
}

func (tr *traceOne) walkTo(ask TraceAsk) error {
	n := cmp.Or(ask.Limit, ask.Near) - (ask.Streams+1)/2
	if n <= 0 {
		return nil
	}
	began := tr.rec.ms()
	tr.rec.leave()
	err := tr.goTo(n, ask)
	tr.rec.arrive(fmt.Sprintf("%s in %.0f ms, all answered", plural(tr.answered, "request"), tr.rec.ms()-began))
	return tr.tooSlow(err, tr.limit)
}

// exchange sends a request and records it and its answer.
func (tr *traceOne) exchange() error {
	n := tr.sent + 1
	q := facts.Frame{Sent: true, Type: facts.FrameRequest, StreamID: uint32(n), Length: len(tr.h1.one),
		Detail: tr.target.method() + " " + tr.target.path()}
	if n == tr.limit {
		q.Note = facts.NewNote(notes.RequestAtLimit, "request", n)
	}
	tr.rec.add(q)
	weighed := tr.bytes
	w := tr.rec.full
	tr.seen = w.field
	tr.plan.atMost = n
	err := tr.toTheEnd()
	tr.seen = nil
	var off brokenOff
	switch {
	case errors.As(err, &off):
		tr.rec.frames[len(tr.rec.frames)-1].Note = facts.NewNote(notes.DroppedPartly)
		return err
	case err != nil:
		return err
	case tr.cutOff():
		tr.rec.frames[len(tr.rec.frames)-1].Note = facts.NewNote(notes.H1Unanswered)
		return nil
	}
	x := facts.Frame{Type: facts.FrameResponse, StreamID: uint32(n), Length: tr.bytes - weighed,
		Detail: short(tr.h1.answer.Status)}
	if !tr.lastAnswer.IsZero() {
		x.Detail += ", Connection: close"
		x.Note = facts.NewNote(notes.H1Limit, "requests", n)
	}
	tr.rec.add(x)
	if len(w.heads) < maxHeads {
		w.heads = append(w.heads, facts.Head{Connection: w.connection, Stream: uint32(n), Fields: w.block})
	}
	w.block = nil
	return nil
}

// end follows the connection to TCP's end.
func (tr *traceOne) end() {
	last := tr.rec.ms()
	if _, err := tr.cross(0); err != nil {
		return // what was recorded so far is complete
	}
	e := tr.ending()
	note := after(tr.rec.ms()-last, notes.CloseAtOnce, notes.Close)
	switch e.Closed {
	case "rst":
		tr.rec.add(facts.Frame{Type: "TCP", Detail: "RST", Note: note})
	case "fin":
		if e.TLSClosed {
			tr.rec.add(facts.Frame{Type: "TLS", Detail: "close_notify", Note: note})
			return
		}
		tr.rec.add(facts.Frame{Type: "TCP", Detail: "FIN", Note: note})
	default:
		tr.rec.add(facts.Frame{Sent: true, Type: "TCP", Detail: "closed by the client"})
	}
}

// cutOff reports whether the newest request has no answer.
func (tr *traceOne) cutOff() bool { return tr.sent > tr.answered }

// again sends one more request on a new connection.
func (tr *traceOne) again(ctx context.Context) ([]facts.Note, error) {
	l, err := connect(ctx, tr.target, "http/1.1")
	if err != nil {
		return nil, err
	}
	defer l.close()
	tr.rec.full.connection++
	tr.rec.add(facts.Frame{Sent: true, Type: "TCP", Note: facts.NewNote(notes.Handshake),
		Detail: fmt.Sprintf("new connection, %s, TCP in %.2f ms, TLS in %.2f ms",
			tls.VersionName(l.tls.ConnectionState().Version), ms(l.connecting), ms(l.handshaking))})
	next := newTraceOne(ctx, tr.target, l, tr.rec)
	if err := next.exchange(); err != nil {
		return nil, err
	}
	if next.cutOff() {
		return []facts.Note{facts.NewNote(notes.H1NextUnanswered)}, nil
	}
	return []facts.Note{facts.NewNote(notes.H1NextAnswered)}, nil
}

// endingNote describes the ending.
func (tr *traceOne) endingNote() facts.Note {
	switch {
	case !tr.lastAnswer.IsZero():
		return facts.NewNote(notes.H1LastAnswer, "request", tr.answered)
	case tr.cutOff():
		return facts.NewNote(notes.H1ClosedUnder, "request", tr.sent)
	}
	return facts.NewNote(notes.H1Closed, "answers", tr.answered)
}

// notEnded describes a connection that was not ended.
func (tr *traceOne) notEnded() facts.Note {
	if tr.limit > 0 {
		return facts.NewNote(notes.LimitElsewhere, "request", tr.sent, "limit", tr.limit)
	}
	return facts.NewNote(notes.NotEnded, "requests", tr.answered)
}
