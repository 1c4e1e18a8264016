// Command grpc-go-client is grpc-go as applications use it: one ClientConn that all goroutines
// share, with default settings (grpc-go) or with a retry policy (grpc-go-retry), and several
// ClientConns (grpc-go-spread).
//
// internal/lab/load runs the program and reads its answer; clients/kit is its harness. It calls
// h2lab.Echo/Say of the backend, whatever the path of --url.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"h2lab/clients/kit"
)

// say is h2lab.Echo/Say: google.protobuf.StringValue → google.protobuf.StringValue.
const say = "/h2lab.Echo/Say"

// client is the application's ClientConns and their counts.
type client struct {
	conns []*grpc.ClientConn
	meter *kit.Meter
}

func newClient(f kit.Flags) (kit.Subject, error) {
	if f.H1() {
		return nil, fmt.Errorf("%w: --protocol=h1: gRPC needs HTTP/2; give --protocol=h2", kit.ErrUsage)
	}
	if f.Method != http.MethodPost {
		return nil, fmt.Errorf("%w: --method=%s: a gRPC call is a POST", kit.ErrUsage, f.Method)
	}
	at, err := url.Parse(f.URL)
	if err != nil {
		return nil, fmt.Errorf("%w: --url=%s: %w", kit.ErrUsage, f.URL, err)
	}
	c := &client{meter: &kit.Meter{}}
	tlsConfig, err := kit.TLS(f, c.meter)
	if err != nil {
		return nil, err
	}
	tcp := c.meter.Dial(&net.Dialer{})
	options := append(optionsOf(f.Variant),
		grpc.WithTransportCredentials(credentials.NewTLS(tlsConfig)),
		grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) {
			return tcp(ctx, "tcp", addr)
		}))
	c.conns, err = dial(f.Variant, at.Host, options)
	return c, err
}

// Send makes one call.
func (c *client) Send(ctx context.Context, call kit.Call) (*kit.Failure, error) {
	ctx = metadata.AppendToOutgoingContext(ctx, kit.IDHeader, call.ID)
	sent, got := wrapperspb.String(string(call.Body)), new(wrapperspb.StringValue)
	if err := c.conns[call.Worker%len(c.conns)].Invoke(ctx, say, sent, got); err != nil {
		return failure(err), nil
	}
	if got.Value != sent.Value {
		return &kit.Failure{Kind: kit.Transport,
			Message: fmt.Sprintf("the answer is not the text that was sent: %d bytes sent, %d received",
				len(sent.Value), len(got.Value))}, nil
	}
	return nil, nil
}

// failure keeps grpc-go's message. The codes that grpc-go uses for a lost connection or stream are
// transport failures; the others are the server's answers.
func failure(err error) *kit.Failure {
	switch status.Code(err) {
	case codes.Unavailable, codes.Internal, codes.Canceled, codes.Unknown:
		return &kit.Failure{Kind: kit.Transport, Message: err.Error()}
	}
	return &kit.Failure{Kind: kit.Status, Message: err.Error()}
}

// Library returns grpc-go's version in go.mod.
func (c *client) Library() string { return "grpc-go " + grpc.Version }

// Counts returns the connections that were dialled.
func (c *client) Counts() kit.Counts { return c.meter.Counts() }

// Close closes the ClientConns.
func (c *client) Close() {
	for _, conn := range c.conns {
		_ = conn.Close()
	}
}

var program = kit.Program{
	Name:        "grpc-go-client",
	Description: "Makes unary gRPC calls in a closed loop over one grpc-go ClientConn.",
	Variants:    []string{asItComes, withRetry, spread},
	New:         newClient,
}

func main() {
	os.Exit(kit.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, program))
}
