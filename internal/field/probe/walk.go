package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/net/http2"
)

const (
	maxAnswer  = 8 << 20   // bytes that one answer may weigh
	maxTraffic = 512 << 20 // of all answers on a connection
	// stubborn is how many streams in a row may be reset before the asking stops.
	stubborn = 3
)

// errTime is the end of the time that a connection's way to its limit may take.
var errTime = errors.New("the time for it is over")

// walk is one connection on its way to its limit, at a rate, with what became
// of every stream around the end.
type walk struct {
	*conn
	atMost int
	slow   span // these requests go one at a time
	pace   *pace
	until  time.Time // errTime then; zero is never

	gone      bool  // the peer has closed
	goneErr   error // how
	goneAt    time.Time
	firstSent time.Time
	lastNews  time.Time // an answer, or the first of requests sent while none was open
	rate      *float64  // of answers, up to the end
	resets    map[uint32]http2.ErrCode
	inARow    int
	noPing    bool // the peer does not answer PING
}

func startWalk(ctx context.Context, t Target, a Ask, slow span) (*walk, error) {
	c, err := open2(ctx, t)
	if err != nil {
		return nil, err
	}
	w := newWalk(c, a)
	w.slow = slow
	return w, nil
}

func newWalk(c *conn, a Ask) *walk {
	c.atMostBody = maxAnswer
	now := time.Now()
	return &walk{conn: c, atMost: a.MaxStreams, pace: newPace(a.Rate), until: now.Add(a.MaxTime),
		firstSent: now, lastNews: now, resets: map[uint32]http2.ErrCode{}}
}

// over reports whether the connection has an end in sight.
func (w *walk) over() bool { return w.first != nil || w.gone }

// toTheEnd sends requests until the connection is ended or has got its fill.
func (w *walk) toTheEnd() error {
	defer w.timed()
	for !w.over() {
		w.fill()
		if w.sent == w.atMost && len(w.open) == 0 {
			return w.fence()
		}
		before := w.answered
		if err := w.step(w.deadline()); err != nil {
			return err
		}
		alone := w.slow.has(w.sent) || w.slow.has(w.sent+1)
		if w.answered > before && len(w.open) == 0 && alone && !w.over() {
			if err := w.fence(); err != nil {
				return err
			}
		}
	}
	return nil
}

// timed takes the rate, before the end itself takes its time.
func (w *walk) timed() {
	if took := w.lastNews.Sub(w.firstSent).Seconds(); took > 0 && w.answered > 0 {
		rate := float64(w.answered) / took
		w.rate = &rate
	}
}

// fill puts as many requests on their way as may be.
func (w *walk) fill() {
	for w.sent < w.atMost && len(w.open) < w.abreast() && w.hasRoom() {
		alone := w.slow.has(w.sent + 1)
		if alone && len(w.open) > 0 || !w.pace.next().IsZero() {
			return
		}
		if len(w.open) == 0 {
			w.lastNews = time.Now()
		}
		w.request()
		if w.pace.gone++; alone {
			return
		}
	}
}

// deadline is when the next event is missed: an answer, the time to send
// again, or the end of all patience.
func (w *walk) deadline() time.Time {
	t := w.lastNews.Add(w.target.patience())
	if due := w.pace.next(); !due.IsZero() && due.Before(t) {
		t = due
	}
	if !w.until.IsZero() && w.until.Before(t) {
		t = w.until
	}
	return t
}

// step takes one event, or silence until the deadline, which is an error only
// if it has lasted for all the patience there is.
func (w *walk) step(until time.Time) error {
	before := w.answered
	switch ev := w.wait(until); ev.what {
	case ended:
		w.gone, w.goneErr, w.goneAt = true, ev.err, time.Now()
		return nil
	case failed:
		return w.broken(ev.err)
	case silence, frameCame:
	}
	if w.answered > before {
		w.lastNews, w.inARow = time.Now(), 0
	}
	return errors.Join(w.takeReset(), w.stop())
}

// stop says why the asking ends here, if it does.
func (w *walk) stop() error {
	now := time.Now()
	switch {
	case w.statuses["429"] > 0:
		return w.busy(429)
	case w.statuses["503"] > 0:
		return w.busy(503)
	case w.bytes > maxTraffic:
		return fmt.Errorf("the answers of %s weigh more than %d MiB after %d requests, so the probe stops; ask a lighter path, or --method HEAD", w.target.Addr, maxTraffic>>20, w.answered)
	case w.over():
		return nil
	case !w.until.IsZero() && now.After(w.until):
		return errTime
	case len(w.open) > 0 && now.Sub(w.lastNews) >= w.target.patience():
		return w.unfinished()
	case len(w.open) == 0 && !w.hasRoom() && now.Sub(w.lastNews) >= w.target.patience():
		return fmt.Errorf("%s takes no body of %d bytes (its flow-control windows: %d of a stream, %d of the connection); try a smaller --data", w.target.Addr, len(w.target.Body), w.streamRoom, w.connRoom)
	}
	return nil
}

// abreast is how many streams may be in flight: as many as the server allows,
// less those that are sent late. One stream too many is an error of the
// connection to some servers (nghttpx), which then drop what they had taken.
func (w *walk) abreast() int { return max(1, int(w.maxStreams)-late) }

// busy is the error for a server that asks to be left alone, or that an ordinary client would leave alone.
func (w *walk) busy(status int) error {
	return fmt.Errorf("%s answers %d (%s) by request %d, so the probe stops; ask more slowly (--rate), or another path", w.target.Addr, status, http.StatusText(status), w.sent)
}

// unfinished is the error for answers that are owed for too long.
func (w *walk) unfinished() error {
	for id, got := range w.open {
		if got > 0 {
			return fmt.Errorf("%s does not end its answers: %d bytes came on stream %d, and no end for %v; is it an endless stream? ask another path, or wait longer with --timeout",
				w.target.Addr, got, id, w.target.patience())
		}
	}
	return fmt.Errorf("%s left %d of %d requests unanswered for %v; its log may say why, or wait longer with --timeout", w.target.Addr, len(w.open), w.sent, w.target.patience())
}

// takeReset counts a stream that was reset instead of answered.
func (w *walk) takeReset() error {
	if w.reset == nil {
		return nil
	}
	id, code := w.reset.StreamID, w.reset.ErrCode
	delete(w.open, id)
	w.resets[id], w.reset, w.lastNews = code, nil, time.Now()
	if w.inARow++; w.inARow < stubborn || w.over() {
		return nil
	}
	return fmt.Errorf("%s resets streams (%v, %d in a row) after %d answers; its log may say why", w.target.Addr, code, w.inARow, w.answered)
}

// fence makes sure that nothing is left unsaid about the requests so far: the
// answer to a PING comes after it. Some servers say GOAWAY after the answer.
func (w *walk) fence() error {
	if w.noPing {
		return nil
	}
	w.ping()
	until := time.Now().Add(w.target.patience())
	for w.ponged < w.pinged && !w.over() {
		if err := w.step(until); err != nil {
			return err
		}
		if time.Now().After(until) {
			w.noPing = true // and it has still answered all
			return nil
		}
	}
	return nil
}

// broken is the error for a connection that fails in the middle.
func (w *walk) broken(err error) error {
	var large tooLarge
	if errors.As(err, &large) {
		return fmt.Errorf("%s: %w; ask a lighter path, or --method HEAD", w.target.Addr, err)
	}
	return w.garbled(err)
}

// trip is the request at which the end was announced or met, if it was met
// with nothing else on its way; 0 if not.
func (w *walk) trip() int {
	if w.first != nil && w.slow.has(w.first.sent) {
		return w.first.sent
	}
	return 0
}

// flight are the streams that are open, in order.
func (w *walk) flight() []uint32 {
	ids := make([]uint32, 0, len(w.open))
	for id := range w.open {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// wasReset reports whether the connection ended with TCP's RST.
func (w *walk) wasReset() bool { return isReset(w.goneErr) }

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// statusNumber is that of a header block.
func statusNumber(s string) int { n, _ := strconv.Atoi(s); return n }
