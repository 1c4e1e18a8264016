package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"h2lab/internal/lab"
)

// requestTimeout bounds every request, as in every client of the lab. net/http
// tries an unprocessed request again at once and then after pauses of 1, 2, 4
// and 8 s; 12 s leave room for all but the last.
const requestTimeout = 12 * time.Second

const idHeader = "X-Lab-Request-Id" // the backend counts requests that carry it

// client is the application: its pools, and what every request has in common.
type client struct {
	flags flags
	body  []byte
	echo  bool // the answer must be what was sent
	major int  // HTTP version that must be negotiated
	meter *meter
	pools []*pool
}

// pool is one transport with its share of the requests in flight.
type pool struct {
	*client
	index     int
	share     int
	http      *http.Client
	transport *http.Transport
	sent      atomic.Int64
}

func newClient(f flags) (*client, error) {
	roots, err := readRoots(f.CA)
	if err != nil {
		return nil, err
	}
	c := &client{flags: f, meter: &meter{}, major: 2}
	if f.Protocol == string(lab.H1) {
		c.major = 1
	}
	if f.Method != http.MethodGet {
		c.body = bytes.Repeat([]byte("1"), f.BodyBytes)
		c.echo = strings.Contains(f.URL, "/echo")
	}
	for i := range f.Pools {
		share := f.Concurrency / f.Pools
		if i < f.Concurrency%f.Pools {
			share++
		}
		t := newTransport(f, share, roots, c.meter)
		c.pools = append(c.pools, &pool{client: c, index: i, share: share, transport: t, http: &http.Client{Transport: t}})
	}
	return c, nil
}

func (c *client) close() {
	for _, p := range c.pools {
		p.transport.CloseIdleConnections()
	}
}

// newBody is the request's body, of the kind that the variant is about.
func (c *client) newBody() io.Reader {
	switch {
	case len(c.body) == 0:
		return http.NoBody
	case lab.Client(c.flags.Variant) == lab.GoOnce:
		// A reader that http.NewRequest doesn't know gets no GetBody, as with a
		// body that is streamed from somewhere.
		return struct{ io.Reader }{bytes.NewReader(c.body)}
	}
	return bytes.NewReader(c.body) // http.NewRequest sets GetBody
}

// failure is why a request is not a success.
type failure struct {
	kind    string // "transport" or "status"
	message string
	hung    bool // no answer within requestTimeout
}

// errWrongProtocol ends the run: its figures would stand under a false name.
var errWrongProtocol = errors.New("wrong protocol")

// request sends one request and reads its answer to the end. ctx carries the trace.
func (p *pool) request(ctx context.Context, phase string, answer *bytes.Buffer) (*failure, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, p.flags.Method, p.flags.URL, p.newBody())
	if err != nil {
		return nil, err
	}
	req.ContentLength = int64(len(p.body)) // known, also of a body that can be read once
	n := p.sent.Add(1)
	req.Header.Set(idHeader, p.flags.Nonce+"-"+phase+"-"+strconv.Itoa(p.index)+"-"+strconv.FormatInt(n, 10))

	resp, err := p.http.Do(req)
	if err != nil {
		return transportFailure(err), nil
	}
	defer resp.Body.Close()
	if resp.ProtoMajor != p.major {
		return nil, fmt.Errorf("%w: %s was asked for, but %s answered with %s: see whether it offers the protocol by ALPN",
			errWrongProtocol, p.flags.Protocol, p.flags.URL, resp.Proto)
	}
	answer.Reset()
	if _, err := answer.ReadFrom(resp.Body); err != nil {
		return transportFailure(err), nil
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return &failure{kind: "status", message: "HTTP status " + resp.Status}, nil
	}
	if p.echo && !bytes.Equal(answer.Bytes(), p.body) {
		return &failure{kind: "transport", message: fmt.Sprintf("the answer is not the body that was sent: %d bytes sent, %d received", len(p.body), answer.Len())}, nil
	}
	return nil, nil
}

func transportFailure(err error) *failure {
	return &failure{kind: "transport", message: err.Error(), hung: errors.Is(err, context.DeadlineExceeded)}
}

// traced is the context of a window's requests.
func (c *client) traced(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, c.meter.trace())
}
