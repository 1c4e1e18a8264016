package counters

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"h2lab/internal/facts"
)

const (
	// readTimeout bounds one reading: counters on loopback answer within a millisecond, and within
	// a few hundred when the CPU is overloaded.
	readTimeout = 3 * time.Second
	// maxBody bounds the size of an answer.
	maxBody = 1 << 20
)

// own counts how the sources of one server changed its counters. A reading holds the lock, so that
// no connection or read of another source is half counted.
type own struct {
	sync.Mutex
	dials atomic.Int64 // a dial may last longer than the reading that caused it
	reads int64
}

// fetcher reads one address over its own connection. A shared http.Client could reuse or close a
// connection that the source doesn't count.
type fetcher struct {
	name   string // of the server
	url    string
	own    *own
	client *http.Client
	body   bytes.Buffer // reused by every reading
}

func newFetcher(s facts.Server, path string, o *own) *fetcher {
	f := &fetcher{name: s.Name, url: "http://" + s.Counters + path, own: o}
	var d net.Dialer
	f.client = &http.Client{Timeout: readTimeout, Transport: &http.Transport{
		MaxConnsPerHost: 1, MaxIdleConnsPerHost: 1, DisableCompression: true,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := d.DialContext(ctx, network, addr)
			if err == nil {
				o.dials.Add(1)
			}
			return c, err
		}}}
	return f
}

// get reads the address into the body buffer. The caller holds own's lock until it has subtracted
// dials and reads.
func (f *fetcher) get(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url, nil)
	if err != nil {
		return err
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return fmt.Errorf("counters of %s: %w; try: curl %s", f.name, err, f.url)
	}
	defer func() { _ = resp.Body.Close() }()
	f.own.reads++
	f.body.Reset()
	if _, err := f.body.ReadFrom(io.LimitReader(resp.Body, maxBody)); err != nil {
		return fmt.Errorf("counters of %s: %w; try: curl %s", f.name, err, f.url)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("counters of %s answer %s; try: curl -i %s", f.name, resp.Status, f.url)
	}
	return nil
}

// unreadable is the error for an answer of unexpected content.
func (f *fetcher) unreadable(err error) error {
	return fmt.Errorf("counters of %s: %w; try: curl '%s'", f.name, err, f.url)
}

// Close closes the idle connection.
func (f *fetcher) Close() { f.client.CloseIdleConnections() }
