package decode

import "testing"

// What an address, a request, a host or a header is called is not the protocol that failed; the scheme of an address is.
func TestNamesInAddressesAreNoProtocols(t *testing.T) {
	for text, want := range map[string]Kind{
		`2022/03/29 10:59:58 [error] 7#7: *5 upstream prematurely closed connection while reading response header from upstream, ` +
			`client: 192.0.2.240, server: _, request: "GET /grpctest?name=mqtt HTTP/1.1", upstream: "grpc://192.0.2.181:58080"`: Lost,
		"proxy error: upstream h2c://10.0.0.7:8080/kafka/topics: connection reset by peer": Lost,
		`upstream prematurely closed connection while reading response header from upstream, request: "GET / HTTP/2.0", ` +
			`upstream: "grpc://10.0.0.2:80", referrer: "https://example.com/docs/mysql"`: Lost,
		`10.0.0.1 "POST /grpc.Health/Check HTTP/1.1" upstream grpcs://10.0.0.3:443: connection reset by peer`:    Lost,
		"grpc: GET /search?db=postgres&kind=redis: connection reset by peer":                                     Lost,
		`Get "https://example.com/connection-reset/x": http2: connection reset by peer`:                          Lost,
		`{"url":"https://quic.example.com/h3","error":"connection reset by peer","protocol":"h2"}`:               Lost,
		`Get "https://oracle.example.com/sso": read tcp 192.0.2.1:4000->192.0.2.2:443: connection reset by peer`: Plain,
		`connection reset by peer; headers of the last answer: alt-svc: h3=":443"; ma=2592000`:                   Plain,
		"dial tcp: lookup ldap-gateway.example.com on 192.0.2.10:53: no such host":                               Plain,
		"redis://cache.example.com:6379: connection refused":                                                     Unrelated,
		"wss://api.example.com/stream: connection reset by peer":                                                 Unrelated,
		"kafka server: connection refused (https://docs.example.com/x)":                                          Unrelated,
		"Connection refused (jdbc:postgresql://db.example.com:5432/app)":                                         Unrelated,
		"dial tcp: lookup redis on 192.0.2.10:53: no such host":                                                  Unrelated,
		`connect() failed (111: Connection refused), upstream: "uwsgi://192.0.2.1:9000"`:                         Unrelated,
	} {
		if r := one(t, text); r.Kind != want || r.Reservation != "" {
			t.Errorf("%s\n  %s (%s), want %s", text, r.Kind, r.Reservation, want)
		}
	}
}

// A request that came over QUIC and failed at a connection over TCP is not a failure of QUIC.
func TestTheLayerThatFailedCounts(t *testing.T) {
	for text, want := range map[string]Kind{
		`{"error":"Unable to reach the origin service: dial tcp [::1]:8081: connectex: No connection could be made because the target ` +
			`machine actively refused it.","message":"Failed to handle QUIC stream"}`: Plain,
		`{"level":"error","msg":"dial tcp 192.0.2.1:8080: connect: connection refused","request":{"proto":"HTTP/3.0","uri":"/"}}`: Plain,
		`[error] 7#7: *3 connect() failed (111: Connection refused) while connecting to upstream, request: "GET / HTTP/3.0", ` +
			`upstream: "http://192.0.2.1:8080/"`: Plain,
		`ERR error="tls: failed to verify certificate: x509: unknown authority" originService=https://localhost:8443 protocol=quic`: Plain,
		`level=error msg="dial tcp 192.0.2.1:80: connect: no route to host" RequestProtocol=HTTP/3.0`:                               Plain,
		`[error] 7#7: *3 recv() failed (104: Connection reset by peer) while reading response header from upstream, ` +
			`request: "GET / HTTP/3.0", upstream: "grpc://192.0.2.1:8080/"`: Lost,
		"timeout: no recent network activity (quic)":                                         Unrelated,
		"ERR Failed to dial a quic connection error=\"timeout: no recent network activity\"": Unrelated,
		"quic: CRYPTO_ERROR 0x12a: tls: no application protocol, connection closed by peer":  Unrelated,
		"quic: read udp 192.0.2.1:4000->192.0.2.2:443: recvmsg: connection refused":          Unrelated,
		"HTTP/3 stream 4 was reset: H3_REQUEST_REJECTED":                                     Unrelated,
		"smtp: dial tcp 192.0.2.1:25: connect: connection refused":                           Unrelated,
	} {
		if r := one(t, text); r.Kind != want || r.Reservation != "" {
			t.Errorf("%s\n  %s (%s), want %s", text, r.Kind, r.Reservation, want)
		}
	}
}
