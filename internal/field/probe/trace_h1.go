package probe

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"

	"h2lab/internal/facts"
)

// traceH1 is Trace over HTTP/1.1: requests go one after the other, and an
// answer with Connection: close is a connection's last (RFC 9112 §9.6).
func traceH1(ctx context.Context, t Target, ask TraceAsk, rec *recorder, out *facts.Timeline) error {
	l, err := connect(ctx, t, "http/1.1")
	if err != nil {
		return err
	}
	defer l.close()
	rec.opened(l, out)
	tr := &traceOne{walkH1: newWalkH1(ctx, t, l), rec: rec, limit: ask.Limit}
	if err := tr.walkTo(ask); err != nil {
		return err
	}
	for n := ask.Streams; n > 0 && tr.closing == ""; n-- {
		if err := tr.exchange(); err != nil {
			return err
		}
	}
	if tr.closing == "" {
		rec.add(facts.Frame{Sent: true, Type: "TCP", Detail: "closed by the client"})
		out.Renewal.Summary = tr.open()
		return nil
	}
	tr.end()
	if tr.unanswered() {
		out.Renewal.Dropped = append(out.Renewal.Dropped, uint32(tr.sent))
	}
	if tr.unanswered() && !repeatable(t.method()) {
		out.Renewal.Summary = tr.summary("")
		return nil
	}
	again, err := tr.again(ctx)
	out.Renewal.Summary = tr.summary(again)
	return err
}

// traceOne is one HTTP/1.1 connection as it happens.
type traceOne struct {
	*walkH1
	rec   *recorder
	limit int
}

func (tr *traceOne) walkTo(ask TraceAsk) error {
	n := ask.Limit - (ask.Streams+1)/2
	if n <= 0 {
		return nil
	}
	a, err := ask.way(n).decided(tr.tls.RemoteAddr())
	if err != nil {
		return err
	}
	began := tr.rec.ms()
	tr.rec.leave()
	err = tr.toTheEnd(a)
	tr.rec.arrive(fmt.Sprintf("%s in %.0f ms, all answered", plural(tr.answered, "request"), tr.rec.ms()-began))
	if errors.Is(err, errTime) {
		return fmt.Errorf("the way to request %d takes longer than %v: %s has answered %d; give it more time (--max-time), or a higher --rate", tr.limit, a.MaxTime, tr.target.Addr, tr.answered)
	}
	return err
}

// exchange sends a request and writes it and its answer down.
func (tr *traceOne) exchange() error {
	n := tr.sent + 1
	q := facts.Frame{Sent: true, Type: facts.FrameRequest, StreamID: uint32(n), Length: len(tr.request), Detail: tr.target.method() + " " + tr.target.path()}
	if n == tr.limit {
		q.Note = fmt.Sprintf("request %d of this connection, the one that reaches the limit", n)
	}
	tr.rec.add(q)
	answered, weighed := tr.answered, tr.bytes
	if err := tr.one(); err != nil {
		return err
	}
	if tr.answered == answered {
		tr.rec.frames[len(tr.rec.frames)-1].Note = "never answered: the connection was closed under it, and nothing says whether it was processed; only a method that may be repeated is safe to send again (RFC 9110 §9.2.2)"
		return nil
	}
	x := facts.Frame{Type: facts.FrameResponse, StreamID: uint32(n), Length: tr.bytes - weighed, Detail: short(tr.answer.Status)}
	if tr.closing == facts.EndedByConnectionClose {
		x.Detail += ", Connection: close"
		x.Note = fmt.Sprintf("the limit: %s; this answer is the connection's last (RFC 9112 §9.6). Nothing was on its way behind it, so nothing is lost", plural(n, "request"))
	}
	tr.rec.add(x)
	w := tr.rec.whole
	w.block = nil
	for name, values := range tr.answer.Header {
		for _, value := range values {
			w.field(name, value)
		}
	}
	if len(w.heads) < maxHeads {
		w.heads = append(w.heads, facts.Head{Connection: w.connection, Stream: uint32(n), Fields: sorted(w.block)})
	}
	return nil
}

// end follows the connection to TCP's end.
func (tr *traceOne) end() {
	last := tr.rec.ms()
	e := tr.ending()
	note := "the server closes its side, " + after(tr.rec.ms()-last)
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

func (tr *traceOne) unanswered() bool { return tr.sent > tr.answered }

// again sends one more request on a new connection.
func (tr *traceOne) again(ctx context.Context) (string, error) {
	l, err := connect(ctx, tr.target, "http/1.1")
	if err != nil {
		return "", err
	}
	defer l.close()
	tr.rec.whole.connection++
	tr.rec.add(facts.Frame{Sent: true, Type: "TCP", Note: "another TCP and TLS handshake", Detail: fmt.Sprintf("new connection, %s, TCP in %.2f ms, TLS in %.2f ms",
		tls.VersionName(l.tls.ConnectionState().Version), ms(l.connecting), ms(l.handshaking))})
	next := &traceOne{walkH1: newWalkH1(ctx, tr.target, l), rec: tr.rec}
	if err := next.exchange(); err != nil {
		return "", err
	}
	if next.unanswered() {
		return "; a request on a new connection got no answer", nil
	}
	return "; the next request got its answer on a new connection", nil
}

func (tr *traceOne) summary(again string) string {
	var b strings.Builder
	switch {
	case tr.closing == facts.EndedByConnectionClose:
		fmt.Fprintf(&b, "The answer to request %d said Connection: close", tr.answered)
	case tr.unanswered():
		fmt.Fprintf(&b, "The server closed the connection under request %d, which was never answered", tr.sent)
	default:
		fmt.Fprintf(&b, "The server closed the connection after %s without a word", plural(tr.answered, "answer"))
	}
	return b.String() + again + "."
}

// open is the summary of a connection that was not ended.
func (tr *traceOne) open() string {
	if tr.limit > 0 {
		return fmt.Sprintf("Request %d was answered and did not end the connection, so this connection's limit is not %d.", tr.sent, tr.limit)
	}
	return fmt.Sprintf("The server answered %s on one connection and did not end it.", plural(tr.answered, "request"))
}
