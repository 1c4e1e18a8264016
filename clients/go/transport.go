package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"h2lab/internal/lab"
)

// newTransport is one application's pool of connections. Everything that the
// variants don't differ in is as net/http has it by default, or as an
// application with its own TLS configuration must set it.
func newTransport(f flags, share int, roots *x509.CertPool, m *meter) *http.Transport {
	t := &http.Transport{
		DialContext: m.dial(&net.Dialer{Timeout: requestTimeout}),
		TLSClientConfig: &tls.Config{
			RootCAs:    roots,
			MinVersion: tls.VersionTLS12,
			MaxVersion: tlsVersions[f.MaxTLS],
			// No ClientSessionCache, which is net/http's default: no session is
			// resumed, every dial is a full handshake.
			VerifyConnection: m.handshake,
		},
		TLSHandshakeTimeout: requestTimeout,
		DisableCompression:  true,
		MaxIdleConns:        0,     // no bound
		MaxIdleConnsPerHost: share, // the default, 2, would close the others after every answer over h1
		IdleConnTimeout:     90 * time.Second,
	}
	if f.Protocol == string(lab.H1) {
		// A map that is there but empty is how net/http is told not to speak HTTP/2.
		t.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	} else {
		// With a TLSClientConfig of its own a Transport speaks h2 only when told to.
		t.ForceAttemptHTTP2 = true
	}
	if lab.Client(f.Variant) == lab.GoSingleDial {
		t.MaxConnsPerHost = mostConnections(f.Protocol, share)
	}
	return t
}

// mostConnections is what go-single-dial allows itself: over h2 as many as the
// streams need, one for up to 128 in flight; over h1 one a request, since fewer
// would make requests queue.
func mostConnections(protocol string, share int) int {
	if protocol == string(lab.H1) {
		return share
	}
	return (share + lab.MaxConcurrentStreams - 1) / lab.MaxConcurrentStreams
}

var tlsVersions = map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}

// readRoots is the pool of the --ca file, or nil for the system's.
func readRoots(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w: --ca: %w; make it with: make certs", errMissing, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%w: --ca %s holds no PEM certificate; make it anew with: make certs", errMissing, file)
	}
	return pool, nil
}
