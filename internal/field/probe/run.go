package probe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"golang.org/x/net/http2"
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
		return Stopped{fmt.Errorf("the answers of %s exceed %d MiB after %d requests, so the probe stops; choose a path with "+
			"smaller answers, or --method HEAD",
			r.target.Addr, maxTraffic>>20, r.answered)}
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
	return fmt.Errorf("%s resets streams (%v, %d in a row) after %d answers; its log may say why",
		r.target.Addr, code, r.inARow, r.answered)
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
