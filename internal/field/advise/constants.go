package advise

// The three measured constants. They come from two runs of one machine, testdata/recorded/repro and
// testdata/calibration (nginx 1.22.1 with OpenSSL 3.0, TLS 1.2, RSA 2048, a POST of one byte, 100
// in flight, half a core). A test in cmd/h2lab compares them with these runs, and the predictions
// with other runs.
const (
	// DroppedShare is the share of the requests at the proxy that the client sent between the
	// request that reached the limit and its reading of GOAWAY: failures per
	// renewal of repro's nginx-1000.h2.go-once, over its 100 in flight.
	DroppedShare = 0.35

	// RequestMS is the proxy's processor time for one request, from calibration's
	// nginx-100000.h2.go-replayable, which has no renewals.
	RequestMS = 0.058

	// HandshakeRSA is the proxy's processor time for one full handshake, accept and close included:
	// what calibration's nginx-1000.h2.go-replayable spent above RequestMS, per accepted
	// connection.
	HandshakeRSA = 1.48
)

// The cost of the other handshakes as shares of a full one with RSA 2048: nginx 1.22.1's time over
// 800 handshakes of each kind, in sequence and without requests (TestNginxHandshakesBesideGos;
// docs/advise.md).
const (
	shareECDSA     = 0.35 // full, with ECDSA P-256
	shareResumed12 = 0.14
	shareResumed13 = 0.36 // includes a key exchange (RFC 8446 §2.2, psk_dhe_ke)
)

// Handshake is the default cost of a handshake for a proxy in ms: that of nginx on the machine of
// the recorded runs.
func Handshake(key, version string, resumed bool) float64 {
	switch {
	case resumed && version == TLS12:
		return HandshakeRSA * shareResumed12
	case resumed:
		return HandshakeRSA * shareResumed13
	case key == ECDSA:
		return HandshakeRSA * shareECDSA
	}
	return HandshakeRSA
}

// The numbers of the stampede's arithmetic that were chosen after a look at the whole recorded map (testdata/recorded/matters)
// and at the sweep of docs/advise.md. The results hardly depend on their second digit.
const (
	perFlight         = 0.4  // of the requests at the proxy, the share that needs a connection in one flight
	diallingOneFlight = 0.6  // of the requests in flight, the share that dials at most if the handshake has one flight
	queueLost         = 0.65 // of the time of a renewal's handshakes, the share that requests wait on average …
	queueP99          = 0.4  // … and that the 99th percentile shows besides stopMS
)

// Limits and defaults of servers.
const (
	// MaxStreams is nginx's http2_max_concurrent_streams: a pool with more requests in flight opens
	// more connections.
	MaxStreams = 128
	// KeepaliveTimeS is nginx's keepalive_time: at this age it ends a connection even below the
	// request limit (since 1.19.10).
	KeepaliveTimeS = 3600
	// FloodFactor times keepalive_requests is how many frames nginx accepts without a new request
	// (ngx_http_v2.c, "http2 flood detected").
	FloodFactor = 10
	// MaxStreamIDs is the maximum number of requests on one connection: ids are odd and below 2^31
	// (RFC 9113 §5.1.1).
	MaxStreamIDs = 1 << 30
)

// OfGo is the ratio of the processor time of nginx with OpenSSL 3.0 to that of a Go server for the
// same handshake on the same machine (TestNginxHandshakesBesideGos; docs/advise.md): OpenSSL's RSA
// signature is faster, the rest of nginx's handshake is slower.
func OfGo(key string, resumed bool) float64 {
	if key == RSA && !resumed {
		return 0.6
	}
	return 1.4
}
