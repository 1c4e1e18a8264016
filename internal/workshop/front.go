package workshop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"h2lab/internal/base/counters"
	"h2lab/internal/facts"
)

// frontMeter counts connections and requests at nginx-low between two readings.
type frontMeter struct {
	src    counters.Source
	before facts.Observation
	log    string
	offset int64
	limit  int
	seen   func() seen // what the backend counted since meter
}

// counted is what the front and the backend counted between the two readings. atOnce are the connections that
// carried requests at the same time, past the requests that came to the backend without the front, posted the POSTs
// with a body and an id that it executed.
type counted struct{ accepted, used, requests, overH1, inFlight, atOnce, past, posted int64 }

// metered runs a load and returns its outcome and what was counted meanwhile.
func (d *Desk) metered(ctx context.Context, load func() (outcome, error)) (out outcome, c counted, err error) {
	m, err := d.meter(ctx)
	if err != nil {
		return out, c, err
	}
	defer m.src.Close()
	if out, err = load(); err == nil {
		c, err = m.since(ctx)
	}
	return out, c, err
}

// meter starts counting.
func (d *Desk) meter(ctx context.Context) (*frontMeter, error) {
	front := d.topology(lowNginx).Front()
	src, err := counters.Open(d.Root, front)
	if err != nil {
		return nil, &MissingError{err.Error(), "make down, then " + startLab}
	}
	m := &frontMeter{src: src, log: filepath.Join(d.Root, filepath.FromSlash(front.UsedLog)), limit: d.own.limit}
	if info, err := os.Stat(m.log); err == nil {
		m.offset = info.Size()
	}
	if m.before, err = counters.Settle(ctx, src); err != nil {
		src.Close()
		if errors.Is(err, counters.ErrUnsettled) {
			err = fmt.Errorf("another client uses %s; stop it and try again", lowNginx)
		}
		return nil, err
	}
	m.seen = d.watchInFlight(ctx)
	return m, nil
}

// since returns the counts since meter, and stops counting.
func (m *frontMeter) since(ctx context.Context) (counted, error) {
	seen := m.seen()
	after, err := counters.Settle(ctx, m.src)
	if err != nil && !errors.Is(err, counters.ErrUnsettled) {
		return counted{}, err
	}
	for _, o := range []facts.Observation{m.before, after} {
		if o.Accepted == nil || o.Used == nil || o.Requests == nil {
			return counted{},
				fmt.Errorf("the counters of %s are incomplete; next: make down, then %s", lowNginx, startLab)
		}
	}
	c := counted{
		accepted: *after.Accepted - *m.before.Accepted,
		used:     *after.Used - *m.before.Used,
		requests: *after.Requests - *m.before.Requests,
		inFlight: seen.peak,
		past:     seen.past(),
		posted:   seen.posted(),
	}
	log, err := m.firsts()
	// the log of each connection's first request contains $server_protocol
	c.overH1, c.atOnce = int64(bytes.Count(log, []byte(" HTTP/1."))), atOnce(firstRequests(log), seen.ticks, m.limit)
	return c, errors.Join(err, c.whole(m.limit))
}

// goesPast reports whether a program sends a part of its load around the front. A learner may try something else meanwhile.
func (c counted) goesPast() bool { return 10*c.past > c.requests }

// whole is an error if requests were counted and none of their connections: the log of first requests was removed or
// emptied meanwhile. It is one, too, if the connections carried more requests than their limit allows, by more than a
// tenth: then the server was started again with another one. A few requests may be readings of the counters by other programs.
func (c counted) whole(limit int) error {
	if most := int64(limit) * c.used * 11 / 10; c.requests > max(most, leastLoad) && c.used > 0 {
		return fmt.Errorf("%s carried %d requests on %d connections, more than your limit allows; next: make down, then %s", lowNginx,
			c.requests, c.used, startLab)
	}
	if c.used < 0 || c.used == 0 && c.requests >= leastLoad {
		return fmt.Errorf("%s counted %d requests, and %d connections that carried one; next: make down, then %s", lowNginx,
			c.requests, c.used, startLab)
	}
	return nil
}

// firsts returns the log of the connections' first requests since meter.
func (m *frontMeter) firsts() ([]byte, error) {
	f, err := os.Open(m.log)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text := make([]byte, mostLog)
	n, _ := f.ReadAt(text, m.offset) // usually ends with io.EOF
	return text[:n], nil
}

// mostLog limits how much of the log is read: 50 bytes a connection.
const mostLog = 4 << 20

// ideal returns how many connections that many requests need, used one after the other.
func (c counted) ideal(limit int) int64 { return (c.requests + int64(limit) - 1) / int64(limit) }
