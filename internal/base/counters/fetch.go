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
	// readTimeout bounds one reading: counters on loopback answer in a
	// millisecond, on a starved CPU in a few hundred.
	readTimeout = 3 * time.Second
	// maxBody is the most that a reading may weigh.
	maxBody = 1 << 20
)

// own is what the sources of one server did to its counters. Readings hold
// the lock, so that no other's connection or read is half counted.
type own struct {
	sync.Mutex
	dials atomic.Int64 // a dial may outlive the reading that asked for it
	reads int64
}

// fetcher reads one address over one connection of its own. An http.Client
// that is shared could reuse or drop a connection that isn't ours to count.
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

// get reads the address into the body buffer. The caller holds own's lock
// until it has taken dials and reads off.
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

// unreadable is the error for an answer that isn't what it should be.
func (f *fetcher) unreadable(err error) error {
	return fmt.Errorf("counters of %s: %w; try: curl '%s'", f.name, err, f.url)
}

// Close gives the connection back.
func (f *fetcher) Close() { f.client.CloseIdleConnections() }

// n makes the pointer that a known number is.
func n(v int64) *int64 { return &v }
