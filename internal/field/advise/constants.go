package advise

// The constants that were measured: three, all from two runs of one machine,
// testdata/recorded/repro and testdata/calibration (nginx 1.22.1 with OpenSSL 3.0, TLS 1.2,
// RSA 2048, a POST of one byte, 100 in flight, half a core). A test in cmd/h2lab
// holds them to these runs, and what is predicted with them to other runs.
const (
	// DroppedShare is how much of what is at the proxy was sent between the
	// request that met the limit and the client's reading of GOAWAY: failures a
	// renewal of repro's nginx-1000.h2.go-once, over its 100 in flight.
	DroppedShare = 0.35

	// RequestMS is the proxy's processor time for one request: that of calibration's
	// nginx-100000.h2.go-replayable, where nothing is renewed.
	RequestMS = 0.058

	// HandshakeRSA is the proxy's processor time for one full handshake, accept
	// and close included: what calibration's nginx-1000.h2.go-replayable spent above
	// RequestMS, for each connection it accepted.
	HandshakeRSA = 1.48
)

// What the other handshakes take, as shares of a full one with RSA 2048: nginx
// 1.22.1's time over 800 handshakes of each kind, one after the other and
// without requests (TestNginxHandshakesBesideGos; docs/advise.md).
const (
	shareECDSA     = 0.35 // a full one with ECDSA P-256
	shareResumed12 = 0.14
	shareResumed13 = 0.36 // a key exchange is still made (RFC 8446 §2.2, psk_dhe_ke)
)

// Handshake is what a handshake usually costs a proxy, in ms: in nginx on the
// machine of the recorded runs.
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

// What servers do, and who says so.
const (
	// MaxStreams is nginx's http2_max_concurrent_streams: a pool with more in
	// flight holds more connections.
	MaxStreams = 128
	// KeepaliveTimeS is nginx's keepalive_time, the age at which a connection is
	// renewed however few requests it had (since 1.19.10).
	KeepaliveTimeS = 3600
	// FloodFactor times keepalive_requests is how many frames nginx takes
	// without a new request (ngx_http_v2.c, "http2 flood detected").
	FloodFactor = 10
	// MaxStreamIDs is how many requests one connection can carry at all: ids are
	// odd and below 2^31 (RFC 9113 §5.1.1).
	MaxStreamIDs = 1 << 30
)

// OfGo is what nginx with OpenSSL 3.0 takes of the time that a Go server takes
// for the same handshake on the same machine (TestNginxHandshakesBesideGos;
// docs/advise.md): its RSA signature is quicker, the rest of its work is dearer.
func OfGo(key string, resumed bool) float64 {
	if key == RSA && !resumed {
		return 0.6
	}
	return 1.4
}
