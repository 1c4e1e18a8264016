package probe

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/base/notes"
	"h2lab/internal/facts"
)

// TraceAsk configures a trace of a user's server.
type TraceAsk struct {
	// Limit is the request at which a connection ends; 0 traces a plain exchange.
	Limit int
	// Near is the request around which something else than a limit happened, such as resets or an error: the
	// trace goes there as it goes to a limit, and names none. 0 means none; Limit has precedence.
	Near int
	// Streams is how many requests go at once: half of them up to the limit, the others beyond it.
	// 0 means six.
	Streams int
	// Rate and MaxTime apply until the limit is reached; 0 means the default, as in Ask.
	Rate    float64
	MaxTime time.Duration
	// HTTP1 traces HTTP/1.1, where requests go one after the other.
	HTTP1 bool
}

// MostStreams is the maximum of Streams.
const MostStreams = 50

// Check rejects values out of range, before anything is sent.
func (a TraceAsk) Check() error {
	if a.Limit < 0 || a.Limit > CeilingStreams {
		return fmt.Errorf("--limit %d is out of range: 1 to %d", a.Limit, CeilingStreams)
	}
	if a.Streams < 0 || a.Streams > MostStreams {
		return fmt.Errorf("--streams %d is out of range: 1 to %d", a.Streams, MostStreams)
	}
	return a.way(a.Limit).Check()
}

// way is the rate and the time allowed for the first n requests.
func (a TraceAsk) way(n int) Ask {
	return Ask{MaxStreams: n, Rate: a.Rate, MaxTime: a.MaxTime, HTTP1: a.HTTP1}
}

// Trace records the frames of both directions from the dial to the server's close when a connection
// reaches its limit, except those of the requests well before the limit. After an error, the
// FrameTrace has what was recorded before.
func Trace(ctx context.Context, t Target, ask TraceAsk) (facts.FrameTrace, error) {
	out := facts.FrameTrace{SchemaVersion: 1, URL: t.urlOf(), Method: t.method(), Verified: !t.Insecure,
		Began:   time.Now(),
		Renewal: facts.Renewal{Protocol: string(facts.H2), Frames: []facts.Frame{}, Dropped: []uint32{}},
		Heads:   []facts.Head{}, Warnings: []facts.Note{}, Next: []string{}}
	if ask.Streams == 0 {
		ask.Streams = crossing
	}
	if ask.Limit > 0 {
		out.Limit = &ask.Limit
	}
	rec := &recorder{zero: out.Began, frames: make([]facts.Frame, 0, 64),
		full: &fullTrace{ask: ":method " + t.method() + " :path " + t.path(), connection: 1, from: -1}}
	err := errors.Join(ask.Check(), t.check())
	switch {
	case err != nil:
		return out, err
	case ask.HTTP1:
		out.Renewal.Protocol = string(facts.H1)
		err = traceH1(ctx, t, ask, rec, &out)
	default:
		err = traceH2(ctx, t, ask, rec, &out)
	}
	out.Renewal.Frames, out.Heads = rec.frames, append(out.Heads, rec.full.heads...)
	if rec.lost > 0 {
		out.Warnings = append(out.Warnings, facts.NewNote(notes.LostFrames, "frames", rec.lost))
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = fmt.Errorf("the trace of %s was stopped: %w", t.Addr, cause)
	}
	return out, err
}

func traceH2(ctx context.Context, t Target, ask TraceAsk, rec *recorder, out *facts.FrameTrace) error {
	c, err := openTraced(ctx, t, rec, out)
	if err != nil {
		return err
	}
	defer c.close()
	batch := min(ask.Streams, int(c.maxStreams))
	if batch < ask.Streams {
		out.Warnings = append(out.Warnings, facts.NewNote(notes.FewerStreams, "allowed", batch, "asked", ask.Streams))
	}
	tr := newTrace(newRun(c, plan{spare: late}), ask.Limit, batch)
	err = tr.follow(ctx, ask, rec)
	out.Renewal.Dropped = append(out.Renewal.Dropped, tr.dropped...)
	tr.annotate(rec.frames)
	if err == nil || tr.crossed {
		out.Renewal.Summary = tr.summary()
	}
	return err
}

// openTraced opens a connection with the recorder attached from its first frame on.
func openTraced(ctx context.Context, t Target, rec *recorder, out *facts.FrameTrace) (*conn, error) {
	l, err := connect(ctx, t, "h2")
	if err != nil {
		return nil, err
	}
	rec.opened(l, out)
	c := speakH2(ctx, t, l)
	c.tap, c.seen, c.fr = rec, rec.full.field, c.framer(outgoing{c.bw, rec})
	if err := c.greet(); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// framer writes to w and reads from the connection.
func (c *conn) framer(w io.Writer) *http2.Framer {
	fr := http2.NewFramer(w, c.br)
	fr.SetReuseFrames()
	fr.SetMaxReadFrameSize(maxFrame)
	return fr
}

// opened records how the first connection was opened.
func (r *recorder) opened(l *line, out *facts.FrameTrace) {
	state := l.tls.ConnectionState()
	out.Address, out.TLS, out.Cipher = l.tls.RemoteAddr().String(), tls.VersionName(state.Version),
		tls.CipherSuiteName(state.CipherSuite)
	r.add(facts.Frame{Sent: true, Type: "TCP", Detail: "connected to " + out.Address})
	r.frames[0].TMS = ms(max(0, time.Since(r.zero)-l.handshaking))
	alpn := state.NegotiatedProtocol
	if alpn == "" {
		alpn = "none"
	}
	r.add(facts.Frame{
		Sent:   true,
		Type:   "TLS",
		Detail: fmt.Sprintf("handshake done: %s %s, ALPN %s", out.TLS, out.Cipher, alpn),
	})
}

// follow brings the connection to its limit, across it, and to its end.
func (tr *trace) follow(ctx context.Context, ask TraceAsk, rec *recorder) error {
	goal := cmp.Or(tr.limit, ask.Near)
	near := goal - tr.upTo
	if goal == 0 {
		near = tr.batch
	}
	if near > 0 {
		if err := tr.walkTo(near, ask, rec); err != nil {
			return err
		}
	}
	if goal == 0 && !tr.early {
		rec.add(facts.Frame{Sent: true, Type: "TCP", Detail: "closed by the client"})
		return nil
	}
	if tr.early {
		tr.batch = 0
	}
	if err := tr.cross(); err != nil {
		return err
	}
	if len(tr.dropped) == 0 || !tr.mayRepeat() {
		return nil
	}
	return tr.sendAgain(ctx)
}

// walkTo sends the first n requests, at the survey's rate.
func (tr *trace) walkTo(n int, ask TraceAsk, rec *recorder) error {
	began := rec.ms()
	if cmp.Or(tr.limit, ask.Near) > 0 {
		rec.leave()
	}
	err := tr.goTo(n, ask)
	tr.early = tr.over()
	tr.lastMS = ms(tr.lastNews.Sub(rec.zero))
	switch {
	case rec.full.from < 0:
	case err == nil && !tr.early:
		rec.arrive(fmt.Sprintf("%s (streams 1 to %d) in %.0f ms, all answered", plural(n, "request"), streamOf(n),
			rec.ms()-began))
	default:
		rec.cutShort()
	}
	if tr.gone {
		tr.closed(tr.goneErr)
	}
	return tr.tooSlow(err, cmp.Or(tr.limit, ask.Near))
}

// goTo sends requests up to the nth, within what the user allows.
func (r *run) goTo(n int, ask TraceAsk) error {
	a, err := ask.way(n).decided(r.tls.RemoteAddr())
	if err != nil {
		return err
	}
	r.plan.atMost, r.plan.maxTime, r.pace, r.until = n, a.MaxTime, newPace(a.Rate), time.Now().Add(a.MaxTime)
	err = r.toTheEnd()
	r.until = time.Time{}
	return err
}

// tooSlow turns errTime into a message for the user.
func (r *run) tooSlow(err error, limit int) error {
	if !errors.Is(err, errTime) {
		return err
	}
	return fmt.Errorf("the way to request %d takes longer than %v: %s has answered %d; give it more time "+
		"(--max-time), or a higher --rate",
		limit, r.plan.maxTime, r.target.Addr, r.answered)
}

// mayRepeat reports whether an unanswered request may be sent again: always if its stream is above
// the last-stream-id, otherwise only if its method is idempotent (RFC 9110 §9.2.2).
func (tr *trace) mayRepeat() bool {
	return tr.aboveLast(tr.repeated()) || repeatable(tr.target.method())
}

// repeatable reports whether a method is idempotent (RFC 9110 §9.2.2).
func repeatable(method string) bool {
	return slices.Contains([]string{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"}, method)
}

// repeated is the stream whose request is sent again: one that was certainly not processed, if
// there is one.
func (tr *trace) repeated() uint32 {
	if i := slices.IndexFunc(tr.dropped, tr.aboveLast); i >= 0 {
		return tr.dropped[i]
	}
	return tr.dropped[0]
}

func plural(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}
