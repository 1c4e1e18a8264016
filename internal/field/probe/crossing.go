package probe

import (
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/facts"
)

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
