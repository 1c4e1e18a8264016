package kit

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http/httptrace"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"h2lab/internal/facts"
)

// mostGroups limits the kinds of failure that are counted separately.
const mostGroups = 50

// digits matches what differs between messages of one kind: ports, stream ids, addresses of objects.
var digits = regexp.MustCompile(`0x[0-9a-fA-F]+|\d+`)

// group is one kind of failure, with its first message.
type group struct {
	Message string `json:"message"`
	Count   int64  `json:"count"`
	Kind    string `json:"kind"`
}

// Tally is the counts of one worker, or of a whole window.
type Tally struct {
	Elapsed                   time.Duration // from the window's beginning to its last answer
	attempts, succeeded, hung int64
	latency                   *hdrhistogram.Histogram // µs, successes only
	groups                    map[string]*group
	pace                      *pace // nil in a closed loop
}

// NewTally makes an empty tally.
func NewTally() *Tally {
	return &Tally{latency: newHistogram(), groups: map[string]*group{}}
}

// Count counts one finished call; f is nil for a success.
func (t *Tally) Count(f *Failure, waited time.Duration) {
	t.attempts++
	if f == nil {
		t.succeeded++
		record(t.latency, waited)
		return
	}
	if f.hung {
		t.hung++
	}
	t.add(f.Kind+" "+digits.ReplaceAllString(f.Message, "#"), group{Message: f.Message, Count: 1, Kind: f.Kind})
}

// CountHung counts a call that got no answer within patience; said is the library's message, if any.
func (t *Tally) CountHung(patience time.Duration, said string) {
	t.Count(hungFailure(patience, said), patience)
}

// Attempts returns how many calls were counted.
func (t *Tally) Attempts() int64 { return t.attempts }

func hungFailure(patience time.Duration, said string) *Failure {
	f := &Failure{
		Kind:    Transport,
		Message: fmt.Sprintf("no answer within %s (the call never settled)", patience),
		hung:    true,
	}
	if said != "" {
		f.Message += ": " + said
	}
	return f
}

func (t *Tally) add(key string, g group) {
	if _, known := t.groups[key]; !known && len(t.groups) >= mostGroups-1 {
		key, g.Kind = "further", Transport
		g.Message = fmt.Sprintf("further messages, beyond the %d kinds that are kept", mostGroups-1)
	}
	if known, ok := t.groups[key]; ok {
		known.Count += g.Count
		return
	}
	t.groups[key] = &g
}

func (t *Tally) merge(from *Tally) {
	t.attempts += from.attempts
	t.succeeded += from.succeeded
	t.hung += from.hung
	t.latency.Merge(from.latency)
	if from.pace != nil {
		if t.pace == nil {
			t.pace = newPace()
		}
		t.pace.merge(from.pace)
	}
	for key, g := range from.groups {
		t.add(key, *g)
	}
}

// anySucceeded rejects a window without a success.
func (t *Tally) anySucceeded() error {
	if t.succeeded > 0 || t.pace != nil && t.attempts == 0 { // a low rate may leave a warm-up empty
		return nil
	}
	for _, g := range t.groups {
		return fmt.Errorf("no request of the warm-up succeeded (%d attempts): %s", t.attempts, g.Message)
	}
	return fmt.Errorf("no request of the warm-up succeeded, of %d attempts", t.attempts)
}

// Times is how long connects and TLS handshakes took; nil where there was none.
type Times struct {
	ConnectMS   *facts.Latency `json:"connect_ms,omitempty"`
	HandshakeMS *facts.Latency `json:"handshake_ms,omitempty"`
}

// timings collects how long something took. Its zero value is ready.
type timings struct {
	sync.Mutex
	all *hdrhistogram.Histogram // µs; nil without any
}

func (t *timings) enter(d time.Duration) {
	t.Lock()
	defer t.Unlock()
	if t.all == nil {
		t.all = newHistogram()
	}
	record(t.all, d)
}

// take returns the times and forgets them.
func (t *timings) take() *facts.Latency {
	t.Lock()
	defer t.Unlock()
	if t.all == nil {
		return nil
	}
	p := percentiles(t.all)
	t.all = nil
	return &p
}

// started has the times at which one request's handshakes began. Usually there is one at most. When an h2
// connection is used up, net/http may send the request again and dial while the request's first dial still lasts.
// httptrace doesn't say which of them ended, so end takes the earliest.
type started struct {
	sync.Mutex
	at []time.Time
}

func (s *started) begin() {
	s.Lock()
	defer s.Unlock()
	s.at = append(s.at, time.Now())
}

func (s *started) end() (took time.Duration, ok bool) {
	s.Lock()
	defer s.Unlock()
	if len(s.at) == 0 {
		return 0, false
	}
	took, s.at = time.Since(s.at[0]), s.at[1:]
	return took, true
}

// Counts is a subject's count of its connections; an unknown value is nil or "".
type Counts struct {
	Dialled    *int64 // connections that were opened
	Reported   *int64 // those that the library's own trace calls new
	Resumed    *int64 // those whose TLS handshake resumed a session
	TLSVersion string // "1.2", "1.3" or ""
}

// Meter counts connections in three ways that differ in a stampede: those that were dialled, those
// whose TLS handshake resumed a session, and those that net/http's own trace reports as new.
type Meter struct {
	dialled, resumed, reported atomic.Int64
	version                    atomic.Uint32
	connects, handshakes       timings
}

// Counts returns the meter's counts; Reported is nil unless Trace is in use (see Traced).
func (m *Meter) Counts() Counts {
	dialled, resumed := m.dialled.Load(), m.resumed.Load()
	c := Counts{Dialled: &dialled, Resumed: &resumed}
	if v := m.version.Load(); v != 0 {
		c.TLSVersion = strings.TrimPrefix(tls.VersionName(uint16(v)), "TLS ")
	}
	return c
}

// Traced returns Counts with those of Trace.
func (m *Meter) Traced() Counts {
	c, reported := m.Counts(), m.reported.Load()
	c.Reported = &reported
	return c
}

// Times returns how long the connects and handshakes took since it was called before.
func (m *Meter) Times() Times { return Times{m.connects.take(), m.handshakes.take()} }

// Dial counts and times successful dials only.
func (m *Meter) Dial(d *net.Dialer) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		began := time.Now()
		c, err := d.DialContext(ctx, network, addr)
		if err == nil {
			m.dialled.Add(1)
			m.connects.enter(time.Since(began))
		}
		return c, err
	}
}

// Handshake is a tls.Config's VerifyConnection: crypto/tls calls it for every connection, resumed
// or not, including those that lose the race and are closed without a request.
func (m *Meter) Handshake(s tls.ConnectionState) error {
	m.version.Store(uint32(s.Version))
	if s.DidResume {
		m.resumed.Add(1)
	}
	return nil
}

// Trace observes one request. It counts what an application sees through httptrace: of the requests
// that wait for an h2 connection, only the first gets it reported as new. It times the handshakes of
// the connections that were dialled for the request, used or not.
func (m *Meter) Trace() *httptrace.ClientTrace {
	var shakes started
	return &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if !info.Reused {
				m.reported.Add(1)
			}
		},
		TLSHandshakeStart: shakes.begin,
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			if took, ok := shakes.end(); ok && err == nil {
				m.Handshook(took)
			}
		},
	}
}

// Handshook records the time of a handshake, for a library that doesn't call Trace's functions.
func (m *Meter) Handshook(took time.Duration) { m.handshakes.enter(took) }
