package probe

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/base/texts"
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
	rec := &recorder{zero: out.Began, frames: make([]facts.Frame, 0, 64), ask: ":method " + t.method() + " :path " + t.path(),
		connection: 1, from: -1}
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
	out.Renewal.Frames, out.Heads = rec.frames, append(out.Heads, rec.heads...)
	if rec.lost > 0 {
		out.Warnings = append(out.Warnings, facts.NewNote("note.lost-frames", rec.lost))
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
		out.Warnings = append(out.Warnings, facts.NewNote("note.fewer-streams", batch, ask.Streams))
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
	c.tap, c.seen, c.fr = rec, rec.field, c.framer(outgoing{c.bw, rec})
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
	r.add(facts.Frame{Sent: true, Type: "TCP", Says: facts.T("trace.connected", out.Address)})
	r.frames[0].TMS = ms(max(0, time.Since(r.zero)-l.handshaking))
	alpn := state.NegotiatedProtocol
	if alpn == "" {
		alpn = "none"
	}
	r.add(facts.Frame{Sent: true, Type: "TLS", Says: facts.T("trace.handshake-done", out.TLS, out.Cipher, alpn)})
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
		rec.add(facts.Frame{Sent: true, Type: "TCP", Says: facts.T("trace.closed-by-client")})
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
	case rec.from < 0:
	case err == nil && !tr.early:
		rec.arrive(facts.T("trace.walked", n, int(streamOf(n)), fmt.Sprintf("%.0f", rec.ms()-began)))
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

const (
	// rolled is how many frames before the limit are kept, so that an early end is shown with the
	// frames before it.
	rolled    = 60
	maxHeads  = 64           // answers whose fields are kept
	maxFields = 60           // of one answer
	leftOut   = "(left out)" // replaces a secret value
)

// telling frames are few and important: they are kept even when the trace is full.
func telling(f facts.Frame) bool {
	switch f.Type {
	case "GOAWAY", "RST_STREAM", "TCP", "TLS", facts.FrameGap:
		return true
	case "HEADERS":
		return f.Sent
	}
	return false
}

// takes reports whether a frame needs no line of its own: consecutive parts of a body become one
// line, and old frames before the limit are dropped.
func (r *recorder) takes(f facts.Frame) bool {
	if r.from >= 0 && len(r.frames)-r.from >= rolled {
		kept := copy(r.frames[r.from:], r.frames[len(r.frames)-rolled/2:])
		r.dropped += len(r.frames) - r.from - kept
		r.frames = r.frames[:r.from+kept]
	}
	if f.Type != "DATA" || f.Flags != "" || len(r.frames) == 0 {
		return false
	}
	last := &r.frames[len(r.frames)-1]
	if last.Type != "DATA" || last.Flags != "" || last.StreamID != f.StreamID || last.Sent != f.Sent {
		return false
	}
	last.Length += f.Length
	last.Says = facts.T("trace.several-frames")
	last.Detail = texts.English.In(last.Says)
	return true
}

// before is the index for a frame from the peer: the answer to it may already be recorded, and
// belongs after it.
func (r *recorder) before(f facts.Frame) int {
	at := len(r.frames)
	for at > 0 {
		x := r.frames[at-1]
		answers := x.Flags == "ACK" && x.Type == f.Type || x.Type == "WINDOW_UPDATE" && f.Type == "DATA"
		if !x.Sent || f.Sent || f.Flags == "ACK" || !answers {
			break
		}
		at--
	}
	return at
}

// leave starts the part of the trace that may be dropped, arrive ends it and replaces its remaining
// frames with a gap of that description.
func (r *recorder) leave() { r.from, r.dropped = len(r.frames), 0 }

func (r *recorder) arrive(what facts.Text) {
	from := r.from
	r.from = -1
	r.frames = append(r.frames[:from], gap(r.ms(), what))
}

func gap(at float64, what facts.Text) facts.Frame {
	return facts.Frame{Type: facts.FrameGap, TMS: at, Says: what, Detail: texts.English.In(what)}
}

// cutShort ends that part if the connection ended within it: its last frames stay.
func (r *recorder) cutShort() {
	from := r.from
	r.from = -1
	if r.dropped == 0 {
		return
	}
	r.frames = slices.Insert(r.frames, from, gap(r.frames[from].TMS, facts.T("trace.frames-skipped", r.dropped)))
}

// field is called for every header field that is read.
func (r *recorder) field(name, value string) {
	if len(r.block) >= maxFields || strings.HasPrefix(name, ":") {
		return
	}
	if strings.EqualFold(name, "set-cookie") {
		value = leftOut
	}
	r.block = append(r.block, facts.HField{Name: short(name), Value: short(value)})
}

// head keeps the fields of a complete header block. An interim answer (1xx) doesn't count.
func (r *recorder) head(h http2.FrameHeader, status string) {
	if h.Type != http2.FrameHeaders && h.Type != http2.FrameContinuation || !h.Flags.Has(http2.FlagHeadersEndHeaders) {
		return
	}
	fields := r.block
	r.block = nil
	if r.from < 0 && len(r.heads) < maxHeads && !strings.HasPrefix(status, "1") {
		r.heads = append(r.heads, facts.Head{Connection: r.connection, Stream: h.StreamID, Fields: fields})
	}
}

// outgoing records every outgoing frame; a framer writes each in one piece.
type outgoing struct {
	to io.Writer
	r  *recorder
}

func (o outgoing) Write(p []byte) (int, error) {
	if f, err := http2.NewFramer(nil, bytes.NewReader(p)).ReadFrame(); err == nil {
		x := described(f)
		if x.Sent = true; x.Type == "HEADERS" {
			x.Detail = o.r.ask
		}
		o.r.add(x)
	}
	return o.to.Write(p)
}

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
			out.Renewal.Summary = summaryOf(facts.NewNote("note.h1-broken-off", tr.sent))
			return err
		} else if err != nil {
			return err
		}
	}
	if !tr.over() {
		rec.add(facts.Frame{Sent: true, Type: "TCP", Says: facts.T("trace.closed-by-client")})
		out.Renewal.Summary = summaryOf(tr.notEnded())
		return nil
	}
	tr.end()
	if tr.cutOff() {
		out.Renewal.Dropped = append(out.Renewal.Dropped, uint32(tr.sent))
	}
	if tr.cutOff() && !repeatable(t.method()) {
		out.Renewal.Summary = summaryOf(tr.endingNote())
		return nil
	}
	again, err := tr.again(ctx)
	out.Renewal.Summary = summaryOf(append([]facts.Note{tr.endingNote()}, again...)...)
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
	tr.rec.arrive(facts.T("trace.walked-h1", tr.answered, fmt.Sprintf("%.0f", tr.rec.ms()-began)))
	return tr.tooSlow(err, tr.limit)
}

// exchange sends a request and records it and its answer.
func (tr *traceOne) exchange() error {
	n := tr.sent + 1
	q := facts.Frame{Sent: true, Type: facts.FrameRequest, StreamID: uint32(n), Length: len(tr.h1.one),
		Detail: tr.target.method() + " " + tr.target.path()}
	if n == tr.limit {
		q.Note = facts.NewNote("note.request-at-limit", n)
	}
	tr.rec.add(q)
	weighed := tr.bytes
	w := tr.rec
	tr.seen = w.field
	tr.plan.atMost = n
	err := tr.toTheEnd()
	tr.seen = nil
	var off brokenOff
	switch {
	case errors.As(err, &off):
		tr.rec.frames[len(tr.rec.frames)-1].Note = facts.NewNote("note.dropped-partly")
		return err
	case err != nil:
		return err
	case tr.cutOff():
		tr.rec.frames[len(tr.rec.frames)-1].Note = facts.NewNote("note.h1-unanswered")
		return nil
	}
	x := facts.Frame{Type: facts.FrameResponse, StreamID: uint32(n), Length: tr.bytes - weighed,
		Detail: short(tr.h1.answer.Status)}
	if !tr.lastAnswer.IsZero() {
		x.Detail += ", Connection: close"
		x.Note = facts.NewNote("note.h1-limit", n)
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
	note := after(tr.rec.ms()-last, "note.close-at-once", "note.close")
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
		tr.rec.add(facts.Frame{Sent: true, Type: "TCP", Says: facts.T("trace.closed-by-client")})
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
	tr.rec.connection++
	tr.rec.add(facts.Frame{Sent: true, Type: "TCP", Note: facts.NewNote("note.handshake"), Says: l.opened()})
	next := newTraceOne(ctx, tr.target, l, tr.rec)
	if err := next.exchange(); err != nil {
		return nil, err
	}
	if next.cutOff() {
		return []facts.Note{facts.NewNote("note.h1-next-unanswered")}, nil
	}
	return []facts.Note{facts.NewNote("note.h1-next-answered")}, nil
}

// endingNote describes the ending.
func (tr *traceOne) endingNote() facts.Note {
	switch {
	case !tr.lastAnswer.IsZero():
		return facts.NewNote("note.h1-last-answer", tr.answered)
	case tr.cutOff():
		return facts.NewNote("note.h1-closed-under", tr.sent)
	}
	return facts.NewNote("note.h1-closed", tr.answered)
}

// notEnded describes a connection that was not ended.
func (tr *traceOne) notEnded() facts.Note {
	if tr.limit > 0 {
		return facts.NewNote("note.limit-elsewhere", tr.sent, tr.limit)
	}
	return facts.NewNote("note.not-ended", tr.answered)
}
