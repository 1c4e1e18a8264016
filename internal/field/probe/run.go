package probe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/http2"

	"h2lab/internal/base/system"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/field/cause"
)

const (
	maxAnswer  = 8 << 20   // bytes of one answer
	maxTraffic = 512 << 20 // bytes of all answers on a connection
	// stubborn is how many consecutive resets stop the run.
	stubborn = 3
	// careful is how many requests before and after the expected limit go one at a time.
	careful = 4
	// announcement is the largest stream id. A GOAWAY with this last-stream-id announces the end,
	// and a second one has the real id (RFC 9113 §6.8).
	announcement = 1<<31 - 1
)

// errTime is returned when a connection has not reached its limit within its maximum time.
var errTime = errors.New("the time for it is over")

// span is a range of requests, both ends included, counted from 1.
type span struct{ from, to int }

// spans are several ranges.
type spans []span

func (s spans) has(n int) bool {
	return slices.ContainsFunc(s, func(r span) bool { return r.from <= n && n <= r.to })
}

// all is the span of every request.
var all = spans{{1, math.MaxInt}}

// plan defines how requests are sent on one connection.
type plan struct {
	http1   bool
	atMost  int           // requests
	alone   spans         // these go one at a time; of the others as many at once as the peer allows
	listen  spans         // after these, wait for the end of the connection; for HTTP/1.1, which has no PING
	slow    slowly        // the pace of the first part
	spare   int           // this many of the allowed streams are reserved for later
	rate    float64       // requests per second; 0 means as fast as the peer answers
	maxTime time.Duration // for all of them; 0 means unlimited
	literal bool          // compress no headers
	// busyCounts treats an answer that asks for fewer requests (429, 503) like any other.
	busyCounts bool
}

// run sends requests on one connection until it ends or the plan is complete, and records what
// happened to each. It is the engine for both protocols.
type run struct {
	connection
	*traffic
	plan  plan
	pace  *pace
	until time.Time // the run then fails with errTime; zero means never

	gone      bool  // the peer has closed
	goneErr   error // how
	goneAt    time.Time
	opened    time.Time
	firstSent time.Time
	lastNews  time.Time // the last answer, or the first of the requests sent while none was open
	rate      *float64  // of answers per second, up to the end
	leftAt    time.Time // when the probe closed it
	resets    map[uint32]http2.ErrCode
	inARow    int
	early     struct{ refused, reset int } // resets before the end was announced: REFUSED_STREAM, and other codes
	noPing    bool                         // the peer does not answer PING
	quiet     bool                         // send no PING: gRPC's servers close a connection that gets three without data (gRFC A8)
	due       time.Time                    // when fill may send again; zero if it does not wait for that
	together  int                          // the last request that was sent while another one was in flight
	stuck     bool                         // the peer left requests unanswered for too long
	fenced    int                          // after this many requests the peer has shown that the connection was open
	unused    *time.Duration               // that no request had been in flight when the end came; nil if one was
	paused    time.Duration                // the longest such time that the connection outlived
}

// start opens a connection and prepares it for requests.
func start(ctx context.Context, t Target, p plan) (*run, error) {
	t.literal = p.literal
	l, err := connect(ctx, t, alpnOf(p.http1))
	if err != nil {
		return nil, err
	}
	c := speak(ctx, t, l, p.http1)
	if err := c.greet(); err != nil {
		l.close()
		return nil, err
	}
	return newRun(c, p), nil
}

func newRun(c connection, p plan) *run {
	now := time.Now()
	r := &run{connection: c, opened: c.counts().handshaken, traffic: c.counts(), plan: p, pace: p.newPace(),
		firstSent: now, lastNews: now, resets: map[uint32]http2.ErrCode{}}
	if p.maxTime > 0 {
		r.until = now.Add(p.maxTime)
	}
	return r
}

// over reports whether the connection has ended or the peer has announced its end.
func (r *run) over() bool { return r.gone || !r.announced().IsZero() }

// toTheEnd sends requests until the connection ends or the plan is complete.
func (r *run) toTheEnd() error {
	defer r.timed()
	for !r.over() {
		r.fill()
		if r.sent >= r.plan.atMost && len(r.open) == 0 {
			return r.fence()
		}
		before := r.answered
		if err := r.step(r.deadline()); err != nil {
			return err
		}
		alone := r.plan.alone.has(r.sent) || r.plan.alone.has(r.sent+1)
		if r.answered > before && len(r.open) == 0 && alone && !r.over() {
			if err := r.fence(); err != nil {
				return err
			}
		}
	}
	return nil
}

// timed computes the rate before the ending adds time.
func (r *run) timed() {
	if r.rate != nil {
		return
	}
	if took := r.lastNews.Sub(r.firstSent).Seconds(); took > 0 && r.answered > 0 {
		rate := float64(r.answered) / took
		r.rate = &rate
	}
}

// fill sends as many requests as allowed now.
func (r *run) fill() {
	r.due = time.Time{}
	for r.sent < r.plan.atMost && len(r.open) < r.abreast() && r.hasRoom() {
		alone := r.plan.alone.has(r.sent + 1)
		if alone && len(r.open) > 0 {
			return
		}
		if r.due = r.pace.next(); !r.due.IsZero() {
			return
		}
		if len(r.open) == 0 {
			r.outlived(time.Now())
			r.lastNews = time.Now()
		}
		if r.sent == 0 {
			r.firstSent = r.lastNews
		}
		if len(r.open) > 0 {
			r.together = r.sent + 1
		}
		r.request()
		if r.pace.gone++; alone {
			return
		}
	}
}

// abreast is how many requests may be in flight: as many as the peer allows, less those reserved
// for later. Some servers (nghttpx) treat one stream too many as a connection error, and then drop
// accepted streams.
func (r *run) abreast() int { return max(1, r.atOnce()-r.plan.spare) }

// deadline is when the next event is overdue: an answer, the time to send again, or the end of the
// patience.
func (r *run) deadline() time.Time {
	t := r.lastNews.Add(r.target.patience())
	if !r.due.IsZero() && r.due.Before(t) { // not pace.next: it may be due by now, with nothing to wait for
		t = r.due
	}
	if !r.until.IsZero() && r.until.Before(t) {
		t = r.until
	}
	return t
}

// step handles one event, or silence until the deadline. Silence is an error only if it has lasted
// for the whole patience.
func (r *run) step(until time.Time) error {
	before, free := r.answered, r.free()
	ev := r.wait(until)
	if ev.what == ended {
		r.gone, r.goneErr, r.goneAt = true, ev.err, time.Now()
	}
	if free && r.over() && r.unused == nil {
		took := r.announcedOrGone().Sub(r.lastNews)
		r.unused = &took
	}
	switch ev.what {
	case ended:
		return nil
	case failed:
		return r.broken(ev.err)
	case silence, frameCame:
	}
	if r.answered > before {
		r.lastNews, r.inARow = time.Now(), 0
	}
	return errors.Join(r.takeReset(), r.stop())
}

// stop returns the reason to stop sending, if any.
func (r *run) stop() error {
	now := time.Now()
	switch {
	case r.statuses["429"] > 0 && !r.plan.busyCounts:
		return r.busy(http.StatusTooManyRequests)
	case r.statuses["503"] > 0 && !r.plan.busyCounts:
		return r.busy(http.StatusServiceUnavailable)
	case r.bytes > maxTraffic:
		return own("stop.too-much", r.target.Addr, maxTraffic>>20, r.answered)
	case r.over():
		return nil
	case !r.until.IsZero() && now.After(r.until):
		return errTime
	case len(r.open) > 0 && now.Sub(r.lastNews) >= r.target.patience():
		r.stuck = true
		return r.unfinished()
	case len(r.open) == 0 && !r.hasRoom() && now.Sub(r.lastNews) >= r.target.patience():
		return r.noRoom()
	}
	return nil
}

// owed waits for the answers that a GOAWAY promises, up to the patience.
func (r *run) owed() error {
	for r.promised() && !r.gone {
		until := r.lastNews.Add(r.target.patience())
		if !time.Now().Before(until) {
			return nil
		}
		if err := r.step(until); err != nil {
			return err
		}
	}
	return nil
}

// takeReset counts a stream that was reset instead of answered.
func (r *run) takeReset() error {
	if r.reset == nil {
		return nil
	}
	id, code := r.reset.StreamID, r.reset.ErrCode
	delete(r.open, id)
	r.resets[id], r.reset, r.lastNews = code, nil, time.Now()
	if r.over() {
		return nil
	}
	if code == http2.ErrCodeRefusedStream {
		r.early.refused++
	} else {
		r.early.reset++
	}
	if r.inARow++; r.inARow < stubborn {
		return nil
	}
	return told("stop.resets", r.target.Addr, code.String(), r.inARow, r.answered)
}

// flight are the open streams, in order.
func (r *run) flight() []uint32 {
	ids := make([]uint32, 0, len(r.open))
	for id := range r.open {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

const (
	// late is how many streams are sent after the GOAWAY was read. RFC 9113 §6.8 forbids that to
	// clients; the survey does it once, to see how the server treats them.
	late = 3
	// lastWait is how long to wait for TCP's end once nothing else is due. Go takes a second
	// (goAwayTimeout), Envoy another (delayed_close_timeout).
	lastWait = 3 * time.Second
)

// cross follows a connection from its first GOAWAY, or its close without one, to the end. It
// returns what happened to the streams in flight and to the late streams.
func (r *run) cross(late int) (*facts.Crossing, error) {
	flying := r.flight()
	var after []uint32
	if r.first != nil && r.first.code == http2.ErrCodeNo && !r.gone {
		for range late {
			if len(r.open) < r.atOnce() && r.hasRoom() {
				r.request()
				after = append(after, r.lastSent())
			}
		}
		r.flush()
	}
	r.lastNews, r.until = time.Now(), time.Time{}
	for !r.gone {
		wait := r.remaining()
		until := r.lastNews.Add(wait)
		if !time.Now().Before(until) {
			break
		}
		seen := len(r.goaways)
		if err := r.step(until); err != nil {
			return nil, err
		}
		if len(r.goaways) > seen {
			r.lastNews = time.Now()
		}
	}
	return r.fates(flying, after), nil
}

// remaining is how long silence may last now.
func (r *run) remaining() time.Duration {
	switch {
	case !r.lastAnswer.IsZero():
		return lastWait
	case r.first == nil:
		return 0
	case r.last.last == announcement:
		return max(drainTime, r.target.patience())
	case r.promised():
		return r.target.patience()
	}
	return lastWait
}

// fates sorts streams by whether the newest GOAWAY covers them, and by their result.
func (r *run) fates(flying, after []uint32) *facts.Crossing {
	x := &facts.Crossing{}
	for _, id := range flying {
		if r.last != nil && id <= r.last.last {
			r.fate(&x.Covered, id)
		} else {
			r.fate(&x.InFlight, id)
		}
	}
	for _, id := range after {
		r.fate(&x.After, id)
	}
	return x
}

func (r *run) fate(f *facts.Fates, id uint32) {
	f.Sent++
	code, wasReset := r.resets[id]
	_, isOpen := r.open[id]
	switch {
	case wasReset && code == http2.ErrCodeRefusedStream:
		f.Refused++
	case wasReset:
		f.Reset++
	case isOpen:
		f.Dropped++
	default:
		f.Answered++
	}
}

// ending is how the connection was ended; nil if it was not.
func (r *run) ending() *facts.Ending {
	if !r.over() {
		return nil
	}
	e := &facts.Ending{How: r.how(), Goaways: r.goawayFrames()}
	if r.gone {
		e.Closed, e.TLSClosed = r.closing()
		if since := r.announced(); !since.IsZero() {
			took := ms(r.goneAt.Sub(since))
			e.CloseMS = &took
		}
	}
	if r.trip() > 0 {
		// Its answer was still due when the GOAWAY came: one answer fewer than requests.
		before := r.first.answered < r.first.sent
		e.GoawayFirst = &before
	}
	return e
}

// closing says how the peer closed: by TLS's close_notify, TCP's FIN or a reset.
func (r *run) closing() (closed string, tlsClosed bool) {
	if r.wasReset() {
		return "rst", false
	}
	if tlsClosed = !r.tcp.fin; tlsClosed {
		r.tcp.awaitFIN()
	}
	if r.tcp.fin {
		return "fin", tlsClosed
	}
	return "", tlsClosed
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// record describes the connection, with times since zero.
func (r *run) record(purpose string, zero time.Time) facts.AskedConnection {
	since := func(t time.Time) *float64 {
		if t.IsZero() {
			return nil
		}
		at := ms(t.Sub(zero))
		return &at
	}
	left := r.leftAt
	switch {
	case r.gone:
		left = time.Time{}
	case left.IsZero():
		left = time.Now()
	}
	r.outlived(left)
	a := facts.AskedConnection{For: purpose, OpenedMS: ms(r.opened.Sub(zero)), AnnouncedMS: since(r.announced()),
		EndedMS: since(r.goneAt), LeftMS: since(left),
		Requests: r.sent, Answered: r.answered, Together: r.together, Goaways: r.goawayFrames(),
		Refused: r.early.refused, Reset: r.early.reset, MayHaveRun: r.early.reset,
		UnusedMS: r.unusedMS(), PausedMS: ms(r.paused)}
	if r.sent > 0 {
		a.FirstRequestMS = since(r.firstSent)
	}
	if r.over() || r.stuck {
		a.MayHaveRun = r.mayHaveRun()
	}
	if r.over() {
		a.How = r.how()
		a.ClosedUnder = r.gone && r.first == nil && len(r.open) == 1 && r.fenced == r.sent-1
	}
	if r.last != nil {
		above := max(0, r.sent-int((uint64(r.last.last)+1)/2))
		a.Above = &above
	}
	return a
}

// mayHaveRun counts the requests without an answer of which nothing shows that the server did not
// run them: RFC 9113 §8.7 has two such proofs, a stream id above a GOAWAY's last-stream-id and
// REFUSED_STREAM. A last-stream-id below that of an answered stream proves nothing.
func (r *run) mayHaveRun() int {
	n := 0
	proven := func(id uint32) bool { return r.last != nil && id > r.last.last && r.newest <= r.last.last }
	for id := range r.open {
		if !proven(id) {
			n++
		}
	}
	for id, code := range r.resets {
		if code != http2.ErrCodeRefusedStream && !proven(id) {
			n++
		}
	}
	return n
}

// goawayFrames are the first few GOAWAYs.
func (r *run) goawayFrames() []facts.GoawayFrame {
	out := []facts.GoawayFrame{}
	for _, g := range r.goaways {
		out = append(out, facts.GoawayFrame{LastStreamID: g.last, Code: g.code.String(), Debug: short(g.debug),
			Sent: g.sent, Answered: g.answered, TMS: ms(g.at.Sub(r.firstSent))})
	}
	return out
}

// fence waits until the peer has sent everything about the requests so far: the answer to a PING
// comes after it. Some servers send GOAWAY after the answer.
func (r *run) fence() error {
	if r.plan.http1 {
		return r.hear()
	}
	if r.quiet || r.noPing || !r.ping() {
		return nil
	}
	until := time.Now().Add(r.target.patience())
	for r.ponged < r.pinged && !r.over() {
		if err := r.step(until); err != nil {
			return err
		}
		if time.Now().After(until) {
			r.noPing = true // and the peer has answered all requests
			return nil
		}
	}
	if !r.over() {
		r.fenced = r.sent
	}
	return nil
}

// hear waits a moment for the end of an HTTP/1.1 connection, which may follow an answer without
// being announced in it.
func (r *run) hear() error {
	const atLeast = 10 * time.Millisecond
	if !r.plan.listen.has(r.sent) {
		return nil
	}
	if err := r.step(time.Now().Add(atLeast + 3*r.connecting)); err != nil {
		return err
	}
	if !r.over() {
		r.fenced = r.sent
	}
	return nil
}

// close closes the connection from the probe's side.
func (r *run) close() {
	r.leftAt = time.Now()
	r.line.close()
}

// trip is the request at which the end was announced or reached with no other request in flight; 0
// if there were others.
func (r *run) trip() int {
	if r.first != nil && r.plan.alone.has(r.first.sent) {
		return r.first.sent
	}
	return 0
}

// around are the requests to send one at a time on another connection, around the end. Over
// HTTP/1.1 no request may wait behind those either.
func (r *run) around() span {
	s := r.near()
	if r.plan.http1 {
		s.to = math.MaxInt
	}
	return s
}

// near are the requests around the end. If it came right after requests that were in flight together, the server
// may have met its limit among them and said so later (Rust's hyper, Armeria): then all of these belong to it.
func (r *run) near() span {
	s := span{r.endAnswered() - careful, r.endSent() + careful}
	if r.together > 0 && r.first != nil && s.to-s.from <= 2*careful+1 && r.endSent() < r.together+cause.Settled {
		s.from = r.together - r.abreast() - careful
	}
	return s
}

func (r *run) endSent() int {
	if r.first != nil {
		return r.first.sent
	}
	return r.sent
}

func (r *run) endAnswered() int {
	if r.first != nil {
		return r.first.answered
	}
	return r.answered
}

// wasReset reports whether the connection ended with TCP's RST.
func (r *run) wasReset() bool { return system.Reset.Is(r.goneErr) }

// how is how the connection was ended, as a value of facts.Ending.How.
func (r *run) how() string {
	switch {
	case !r.lastAnswer.IsZero():
		return facts.EndedByConnectionClose
	case r.first == nil && r.wasReset():
		return facts.EndedByReset
	case r.first == nil:
		return facts.EndedByClose
	case r.first.code != http2.ErrCodeNo:
		return facts.EndedByError
	case r.first.last == announcement:
		return facts.EndedByTwoStages
	case r.first.last > streamOf(r.first.sent):
		return facts.EndedByFutureID
	}
	return facts.EndedByGoaway
}

// statusNumber is the numeric status of a header block.
func statusNumber(s string) int { n, _ := strconv.Atoi(s); return n }

// Told is an error whose words are a text.
type Told struct {
	facts.Note
	// Own reports that the probe ended the connection for a bound of its own, so that no frame of the server's shows why.
	Own bool
	err error
}

func (e Told) Error() string { return texts.English.Note(e.Note) }
func (e Told) Unwrap() error { return e.err }

func told(key string, args ...any) Told { return Told{Note: facts.NewNote(key, args...)} }
func own(key string, args ...any) Told  { return Told{Note: facts.NewNote(key, args...), Own: true} }

// noteOf is an error as a note.
func noteOf(err error) facts.Note {
	var t Told
	if errors.As(err, &t) && t.Error() == err.Error() {
		return t.Note
	}
	return facts.Note(facts.Verbatim(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.TrimRight(err.Error(), "."))))
}

// busy is the error for a server that asks for fewer requests (429, 503): an ordinary client would
// leave it alone.
func (r *run) busy(status int) error {
	return own("stop.asks-less", r.target.Addr, status, http.StatusText(status), r.sent)
}

// unfinished is the error for overdue answers.
func (r *run) unfinished() error {
	patience := r.target.patience().String()
	for id, got := range r.open {
		if got > 0 {
			return told("stop.endless", r.target.Addr, got, int(id), patience, r.target.orWait())
		}
	}
	if r.plan.http1 && len(r.open) == 1 {
		return told("stop.one-unanswered", r.target.Addr, r.sent, patience, r.target.orWait())
	}
	return told("stop.unanswered", r.target.Addr, len(r.open), r.sent, patience, r.target.orWait())
}

// orWait is advice that only a user of the command can follow.
func (t Target) orWait() facts.Text {
	if t.url == "" {
		return facts.Text{}
	}
	return facts.T("stop.or-wait")
}

// noRoom is the error for windows that stay closed.
func (r *run) noRoom() error {
	stream, all := int64(0), int64(0)
	if c, ok := r.connection.(*conn); ok {
		stream, all = c.streamRoom, c.connRoom
	}
	return own("stop.no-room", r.target.Addr, len(r.target.Body), int(stream), int(all))
}

// broken is the error for a connection that fails before its end.
func (r *run) broken(err error) error {
	var large tooLarge
	if errors.As(err, &large) {
		return own("stop.too-large", r.target.Addr, err.Error())
	}
	return garbled(r.connection, err)
}

// unanswered is the error for a connection without any answer. If the first request brings a GOAWAY
// (keepalive_requests 1), the answer still follows, so unanswered waits for it.
func (r *run) unanswered() error {
	if r.first != nil && r.first.code == http2.ErrCodeNo {
		if err := r.owed(); err != nil {
			return err
		}
	}
	g := r.first
	switch {
	case r.answered > 0:
		return nil
	case len(r.resets) > 0:
		return told("stop.first-reset", r.target.Addr, r.resets[1].String())
	case g == nil && len(r.statuses) > 0:
		return fmt.Errorf("%s breaks its first answer (status %s) off after the headers and closes the "+
			"connection; its log may say why", r.target.Addr, short(r.status))
	case g == nil:
		return fmt.Errorf("%s closes the connection without an answer; its log may say why", r.target.Addr)
	case g.code != http2.ErrCodeNo:
		return fmt.Errorf("%s ends the connection at the first request with GOAWAY %v %q; its log may say why",
			r.target.Addr, g.code, short(g.debug))
	case g.last > 0:
		return fmt.Errorf("%s named stream %d as its last, and answered 0 requests; its log may say why",
			r.target.Addr, g.last)
	}
	return fmt.Errorf("%s takes no request on a new connection (GOAWAY, last stream %d); is it shutting down?",
		r.target.Addr, g.last)
}
