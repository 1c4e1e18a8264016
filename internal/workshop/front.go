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

// frontMeter counts at nginx-100 between two moments.
type frontMeter struct {
	src    counters.Source
	before facts.Observation
	log    string
	offset int64
}

// counted is what happened at the front meanwhile.
type counted struct{ accepted, used, requests, overH1 int64 }

// meter begins to count.
func (d *Desk) meter(ctx context.Context) (*frontMeter, error) {
	front := topology(lowNginx).Front()
	src, err := counters.Open(d.Root, front)
	if err != nil {
		return nil, &MissingError{err.Error(), "make down, then " + startLab}
	}
	m := &frontMeter{src: src, log: filepath.Join(d.Root, filepath.FromSlash(front.UsedLog))}
	if info, err := os.Stat(m.log); err == nil {
		m.offset = info.Size()
	}
	if m.before, err = counters.Settle(ctx, src); err != nil && !errors.Is(err, counters.ErrUnsettled) {
		src.Close()
		return nil, err
	}
	if err != nil {
		src.Close()
		return nil, fmt.Errorf("somebody else keeps %s busy; stop that and try again", lowNginx)
	}
	return m, nil
}

// since is what was counted, and ends the counting.
func (m *frontMeter) since(ctx context.Context) (counted, error) {
	defer m.src.Close()
	after, err := counters.Settle(ctx, m.src)
	if err != nil && !errors.Is(err, counters.ErrUnsettled) {
		return counted{}, err
	}
	for _, o := range []facts.Observation{m.before, after} {
		if o.Accepted == nil || o.Used == nil || o.Requests == nil {
			return counted{}, fmt.Errorf("the counters of %s are incomplete; next: make down, then %s", lowNginx, startLab)
		}
	}
	c := counted{accepted: *after.Accepted - *m.before.Accepted, used: *after.Used - *m.before.Used, requests: *after.Requests - *m.before.Requests}
	c.overH1, err = m.h1()
	return c, err
}

// h1 is how many of the used connections spoke HTTP/1.x: the log of first
// requests says $server_protocol.
func (m *frontMeter) h1() (int64, error) {
	f, err := os.Open(m.log)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	text := make([]byte, mostLog)
	n, _ := f.ReadAt(text, m.offset) // io.EOF is how it usually ends
	return int64(bytes.Count(text[:n], []byte(" HTTP/1."))), nil
}

// mostLog bounds what is read of the log: 50 bytes a connection.
const mostLog = 4 << 20

// ideal is how many connections that many requests need on one at a time.
func (c counted) ideal() int64 { return (c.requests + Limit - 1) / Limit }
