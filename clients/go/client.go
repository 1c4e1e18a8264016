// Command go-client is Go's HTTP/2 client as several kinds of application use it: with bodies that
// can be sent again (go-replayable), with bodies that can be read once (go-once), with a pool that
// dials one connection at a time (go-single-dial), with resumed TLS sessions (go-resume), and as
// the transport of golang.org/x/net/http2, which dials one connection at a time by itself
// (go-http2-transport). Two variants are no clients of a TLS front but the users of a service: go-users,
// each with a connection and a pause for thought, and go-burst, who all send at once.
//
// The package clients/kit has what all client programs share: the command line, the protocol with
// internal/lab/load, the closed loop and the answer.
package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"runtime/debug"

	"h2lab/clients/kit"
	"h2lab/internal/facts"
)

// client is the application: its connection pools, and what its requests have in common.
type client struct {
	flags kit.Flags
	meter *kit.Meter
	pools []*http.Client
}

func newClient(f kit.Flags) (*client, error) {
	c := &client{flags: f, meter: &kit.Meter{}}
	for i := range f.Pools {
		share := f.Concurrency / f.Pools
		if i < f.Concurrency%f.Pools {
			share++
		}
		t, err := newTransport(f, share, c.meter)
		if err != nil {
			return nil, err
		}
		c.pools = append(c.pools, &http.Client{Transport: t})
	}
	return c, nil
}

// Library returns the name of the measured code: golang.org/x/net has its own version; net/http has
// Go's version, which the answer names as the runtime.
func (c *client) Library() string {
	const path = "golang.org/x/net"
	info, ok := debug.ReadBuildInfo()
	if c.flags.Variant != transport || !ok {
		return "net/http"
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return path + "/http2 " + m.Version
		}
	}
	return path + "/http2"
}

func (c *client) Counts() kit.Counts { return c.meter.Traced() }

// Times returns how long the window's connects and handshakes took.
func (c *client) Times() kit.Times { return c.meter.Times() }

func (c *client) Close() {
	for _, p := range c.pools {
		p.CloseIdleConnections()
	}
}

// Send makes one request and reads its answer to the end.
func (c *client) Send(ctx context.Context, call kit.Call) (*kit.Failure, error) {
	ctx = httptrace.WithClientTrace(ctx, c.meter.Trace())
	req, err := http.NewRequestWithContext(ctx, c.flags.Method, c.flags.URL, newBody(c.flags.Variant, call.Body))
	if err != nil {
		return nil, err
	}
	req.ContentLength = int64(len(call.Body)) // set also for a body that can be read once
	req.Header.Set(kit.IDHeader, call.ID)
	resp, err := c.pools[call.Worker%len(c.pools)].Do(req)
	if err != nil {
		return &kit.Failure{Kind: kit.Transport, Message: err.Error()}, nil
	}
	return c.flags.Judge(resp, call.Body)
}

// newBody makes the request's body, of the kind that the variant measures.
func newBody(variant string, body []byte) io.Reader {
	switch {
	case len(body) == 0:
		return http.NoBody
	case facts.Client(variant) == facts.GoOnce:
		// http.NewRequest sets no GetBody for a reader of an unknown type, as with a streamed body.
		return struct{ io.Reader }{bytes.NewReader(body)}
	}
	return replayable(body)
}

// replayable is a body that can be sent again after a GOAWAY.
func replayable(body []byte) io.Reader {
	// snippet:replayable
	// http.NewRequest knows bytes.Reader, bytes.Buffer and strings.Reader and sets
	// req.GetBody; for any other reader set it: it returns the body from its start.
	return bytes.NewReader(body)
	// snippet:end
}

// The variants that internal/facts doesn't name.
const (
	resume       = "go-resume"
	resumeSingle = "go-resume-single-dial"
	transport    = "go-http2-transport"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the program and returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return kit.Main(ctx, args, stdin, stdout, stderr, kit.Program{
		Name:        "go-client",
		Description: "Sends requests in a closed loop or at a rate over Go's HTTP client, as one kind of application does.",
		Variants: []string{string(facts.GoReplayable), string(facts.GoOnce), string(facts.GoSingleDial), resume,
			resumeSingle, transport, string(facts.GoUsers), string(facts.GoBurst)},
		Pools: true,
		New:   func(f kit.Flags) (kit.Subject, error) { return newClient(f) },
		Users: map[string]func(kit.Flags) (kit.Batch, error){string(facts.GoUsers): newUsers,
			string(facts.GoBurst): newBurst},
	})
}
