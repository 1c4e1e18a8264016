package main

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"

	"h2lab/clients/kit"
	"h2lab/internal/facts"
)

// dialTimeout limits a dial and a handshake; a Transport has no limit by default.
const dialTimeout = 12 * time.Second

// newTransport makes one application's connection pool. Settings in which the variants don't differ
// are net/http's defaults, or what an application with its own TLS configuration must set.
func newTransport(f kit.Flags, share int, m *kit.Meter) (http.RoundTripper, error) {
	config, err := kit.TLS(f, m)
	if err != nil {
		return nil, err
	}
	if f.Variant == transport {
		return newHTTP2(f, config, m)
	}
	t := &http.Transport{
		DialContext:         m.Dial(&net.Dialer{Timeout: dialTimeout}),
		TLSClientConfig:     config,
		TLSHandshakeTimeout: dialTimeout,
		DisableCompression:  true,
		MaxIdleConns:        0, // no limit
		MaxIdleConnsPerHost: share,
		IdleConnTimeout:     90 * time.Second,
	}
	if f.H1() {
		onlyH1(t, share)
	} else {
		// A Transport with its own TLSClientConfig offers h2 only when ForceAttemptHTTP2 is set.
		t.ForceAttemptHTTP2 = true
	}
	single := facts.Client(f.Variant) == facts.GoSingleDial || f.Variant == resumeSingle
	switch {
	case single && f.H1():
		t.MaxConnsPerHost = share // one for each request, because fewer would make requests queue
	case single && f.Rate > 0:
		// concurrency is the most that may be in flight at a rate: 2,000 a second of 10 ms each are 20
		singleDial(t, min(share, facts.MaxConcurrentStreams))
	case single:
		singleDial(t, share)
	}
	if f.Variant == resume || f.Variant == resumeSingle {
		resumed(t)
	}
	return t, nil
}

func onlyH1(t *http.Transport, inFlight int) {
	// snippet:h1
	// A map that is there but empty is how net/http is told not to speak HTTP/2.
	t.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	t.MaxIdleConnsPerHost = inFlight // the default, 2, would close the others after every answer
	// snippet:end
}

// singleDial allows as many connections as the streams require, one for up to 128 requests in
// flight: net/http then dials once, however many requests wait.
func singleDial(t *http.Transport, inFlight int) {
	const maxConcurrentStreams = facts.MaxConcurrentStreams
	// snippet:single-dial
	// t is an *http.Transport, maxConcurrentStreams is the server's: nginx's default is 128.
	t.MaxConnsPerHost = (inFlight + maxConcurrentStreams - 1) / maxConcurrentStreams // 1 up to 128
	// snippet:end
}

func resumed(t *http.Transport) {
	// snippet:resume
	t.TLSClientConfig.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	// snippet:end
}
