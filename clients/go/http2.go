//lint:file-ignore SA1019 x/net deprecates its transport for net/http's, which is what it is compared with here

package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/http2"

	"h2lab/clients/kit"
)

// newHTTP2 makes the transport of golang.org/x/net/http2. It dials expecting to share the
// connection, so requests wait for one dial (client_conn_pool.go, getStartDialLocked).
func newHTTP2(f kit.Flags, config *tls.Config, m *kit.Meter) (http.RoundTripper, error) {
	if f.H1() {
		return nil, fmt.Errorf("%w: %s speaks HTTP/2 only; leave --protocol=h1 out", kit.ErrUsage, transport)
	}
	dial := m.Dial(&net.Dialer{Timeout: dialTimeout})
	// snippet:http2-transport
	// golang.org/x/net/http2, in http.Client{Transport: t}
	t := &http2.Transport{TLSClientConfig: config} // Go 1.27: build with -tags http2legacy
	// snippet:end
	t.DisableCompression = true
	// This dials as the transport does by itself, and counts the dials.
	t.DialTLSContext = func(ctx context.Context, network, addr string, c *tls.Config) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		secure := tls.Client(conn, c)
		began := time.Now()
		if err := secure.HandshakeContext(ctx); err != nil {
			conn.Close()
			return nil, err
		}
		m.Handshook(time.Since(began))
		return secure, nil
	}
	return t, nil
}
