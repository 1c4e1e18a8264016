package probe

import (
	"time"

	"golang.org/x/net/http2"

	"h2lab/internal/facts"
)

const (
	// late is how many streams are sent after the GOAWAY was read. RFC 9113 §6.8
	// forbids it to clients; it is done once, to see what the server does with them.
	late = 3
	// lastWait is how long TCP's end is waited for once nothing else is due. Go
	// takes a second (goAwayTimeout), Envoy another (delayed_close_timeout).
	lastWait = 3 * time.Second
)

// cross follows a connection from its first GOAWAY, or its silent close, to
// the end, and tells what became of the streams that were on their way, and of
// so many that it sends late.
func (w *walk) cross(late int) (*facts.Crossing, error) {
	flying := w.flight()
	var after []uint32
	if w.first != nil && w.first.code == http2.ErrCodeNo && !w.gone {
		for range late {
			if len(w.open) < int(w.maxStreams) && w.hasRoom() {
				w.request()
				after = append(after, w.lastSent())
			}
		}
		w.flush()
	}
	w.lastNews, w.until = time.Now(), time.Time{}
	for !w.gone {
		wait := w.remaining()
		until := w.lastNews.Add(wait)
		if !time.Now().Before(until) {
			break
		}
		seen := len(w.goaways)
		if err := w.step(until); err != nil {
			return nil, err
		}
		if len(w.goaways) > seen {
			w.lastNews = time.Now()
		}
	}
	return w.fates(flying, after), nil
}

// remaining is how long silence may last now.
func (w *walk) remaining() time.Duration {
	switch {
	case w.first == nil:
		return 0
	case w.last.last == announcement:
		return max(drainTime, w.target.patience())
	case w.promised():
		return w.target.patience()
	}
	return lastWait
}

// fates sorts streams by whether the newest GOAWAY covers them, and by what became of them.
func (w *walk) fates(flying, after []uint32) *facts.Crossing {
	x := &facts.Crossing{}
	for _, id := range flying {
		if w.last != nil && id <= w.last.last {
			w.fate(&x.Covered, id)
		} else {
			w.fate(&x.InFlight, id)
		}
	}
	for _, id := range after {
		w.fate(&x.After, id)
	}
	return x
}

func (w *walk) fate(f *facts.Fates, id uint32) {
	f.Sent++
	code, wasReset := w.resets[id]
	_, isOpen := w.open[id]
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

// ending writes down how the connection was ended; nil if it was not.
func (w *walk) ending() *facts.Ending {
	if !w.over() {
		return nil
	}
	e := &facts.Ending{How: w.how(), Goaways: []facts.GoawayFrame{}}
	for _, g := range w.goaways {
		e.Goaways = append(e.Goaways, facts.GoawayFrame{LastStreamID: g.last, Code: g.code.String(), Debug: short(g.debug),
			Sent: g.sent, Answered: g.answered, TMS: ms(g.at.Sub(w.firstSent))})
	}
	if w.gone {
		e.Closed, e.TLSClosed = w.closing()
		if w.first != nil {
			took := ms(w.goneAt.Sub(w.first.at))
			e.CloseMS = &took
		}
	}
	if w.trip() > 0 {
		// Its answer was still owed when the GOAWAY came: one answer fewer than requests.
		before := w.first.answered < w.first.sent
		e.GoawayFirst = &before
	}
	return e
}

func (w *walk) how() string {
	switch {
	case w.first == nil && w.wasReset():
		return facts.EndedByReset
	case w.first == nil:
		return facts.EndedByClose
	case w.first.code != http2.ErrCodeNo:
		return facts.EndedByError
	case w.first.last == announcement:
		return facts.EndedByTwoStages
	case w.first.last > streamOf(w.first.sent):
		return facts.EndedByFutureID
	}
	return facts.EndedByGoaway
}

// closing says how the peer closed: TLS's close_notify and TCP's FIN are two
// things, and a reset is a third.
func (w *walk) closing() (closed string, tlsClosed bool) {
	if w.wasReset() {
		return "rst", false
	}
	if tlsClosed = !w.tcp.fin; tlsClosed {
		w.tcp.awaitFIN()
	}
	if w.tcp.fin {
		return "fin", tlsClosed
	}
	return "", tlsClosed
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
