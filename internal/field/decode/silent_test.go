package decode

import (
	"slices"
	"strings"
	"testing"
)

// Words in addresses, file names, requests and empty fields state nothing.
func TestSilentWordsStateNothing(t *testing.T) {
	for text, want := range map[string]Kind{
		`rpc error: code = Unavailable desc = upstream https://example.com/connection-refused/offline: EOF`:                    Lost,
		`http2: server sent GOAWAY and closed the connection; LastStreamID=5, ErrCode=NO_ERROR (/srv/tls/handshake_failed.go)`: Accepted,
		`{"protocol":"HTTP/2","connection_termination_details":null,"reset_stream":0,"error":"grpc: connection refused"}`:      Unreached,
		`192.0.2.1 "GET /rst_stream HTTP/2.0" 499 0 "-"`:                                                                       GaveUp,
	} {
		if r := one(t, text); r.Kind != want {
			t.Errorf("%s\n  %s, want %s", text, r.Kind, want)
		}
	}
	for _, text := range []string{
		`{"protocol":"HTTP/2","response_code":200,"connection_termination_details":null,"response_flags":"-"}`,
		"cluster.a.upstream_cx_protocol_error: 0\ncluster.a.upstream_rq_pending_overflow: 0",
		`http2: Framer 0xc0: read SETTINGS len=24, settings: MAX_FRAME_SIZE=1048576, MAX_CONCURRENT_STREAMS=250`,
		`grpc_server_handled_total{grpc_code="Unavailable",grpc_method="Get"} 12`,
		`Failed to load resource: file:///srv/offline/connection-reset.html`,
	} {
		for _, g := range decoded(t, text) {
			if g.Kind != Unrelated {
				t.Errorf("%s is taken for %s", text, g.Kind)
			}
		}
	}
}

// Silence claims that no connection failed only where something in the text excludes it.
func TestSilenceWithoutAReasonIsNoClaim(t *testing.T) {
	for text, missed := range map[string]bool{
		"the printer is on fire":                               true,
		"No route for peer 7, skipping it":                     true,
		"job 17: worker pool has no free slot":                 true,
		"12:01:07 W sync paused\n12:01:09 W sync paused again": true,
		`var ErrGoaway = errors.New("received GOAWAY")`:        false,
		"All 12 requests completed, shutdown complete":         false,
		"mysql: server has gone away":                          false,
		"http2: server sent GOAWAY and closed the connection":  false, // it was read
		strings.Repeat("12:01:07 I worker 7 is idle\n", 40):    false, // a log: nobody asks for each of its lines
	} {
		if got := tallied(t, text); got.Missed() != missed {
			t.Errorf("%.60q: missed %v, want %v (%v)", text, got.Missed(), missed, names(got.Groups()))
		}
	}
}

// What a client overlooks, what tools call their parts, and the ends of streams and packets in a trace are no failures.
func TestTracesOfWhatWorks(t *testing.T) {
	for text, certain := range map[string]bool{
		"*  SSL certificate verify result: self-signed certificate (18), continuing anyway.":                             false,
		"* SSL certificate verify result: unable to get issuer (20), continuing anyway.\n* using HTTP/2\n< HTTP/2 200":   false,
		"[WARNING] Certificate verification failed: hostname mismatch":                                                   false,
		"WARNING: certificate verification error, continuing":                                                            false,
		"HTTP2 4711: Http2Stream 7 [Http2Session client]: closed with code 0":                                            false,
		"[info][main] envoy.network.dns_resolver: envoy.network.dns_resolver.getaddrinfo":                                false,
		"[info][main] envoy.tls_handshakers: envoy.tls.handshakers.dynamic_modules":                                      false,
		"[trace][connection] [source/common/tls/ssl_handshaker.cc:240] [C0] ssl error occurred while read: WANT_READ":    false,
		"Frame 9: 152 bytes on wire\n    Frame Length: 152 bytes (1216 bits)\n    Capture Length: 152 bytes (1216 bits)": false,
		// and those that are
		"curl: (60) SSL certificate problem: self-signed certificate":                           true,
		"SSL certificate verify result: unable to get local issuer certificate (20)":            true,
		"certificate verify failed, giving up":                                                  true,
		"HTTP2 4711: Http2Stream 7 [Http2Session client]: closed with code 7":                   true,
		"2026/11/23 07:38:30 [info] 29001#29001: *1 peer closed connection in SSL handshake":    true,
		"[debug][connection] [source/common/network/connection.cc:9] [C0] SSL handshake failed": true,
	} {
		found := false
		for _, g := range decoded(t, text) {
			found = found || g.Kind != Unclear && g.Kind != Unrelated
		}
		if found != certain {
			t.Errorf("%s: found %v, want %v: %v", text, found, certain, names(decoded(t, text)))
		}
	}
}

// "Unable to connect" and "failed to resolve" begin many errors; what stands behind them is the cause.
func TestACauseBehindAWrapperCounts(t *testing.T) {
	for text, want := range map[string]Answer{
		"Unable to connect to the server: http2: client connection lost":                                               Maybe,
		"Unable to connect to the server: net/http: request canceled (Client.Timeout exceeded while awaiting headers)": Maybe,
		"Failed to resolve source metadata for library/golang: http2: client connection lost":                          Maybe,
		`failed to resolve reference "registry.example.com/a:1": failed to do request: Head "https://r/v2/": EOF`:      Maybe,
		"Could not resolve all files for configuration ':a'. > Could not GET 'https://r/'. > Connection reset":         Maybe,
		"error: could not resolve variable grpc.port; connection closed":                                               Maybe,
		"Unable to connect to the server: dial tcp 192.0.2.1:6443: connect: connection refused":                        No,
		"net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)":     No,
		"Unable to connect to the server: net/http: TLS handshake timeout":                                             No,
		"Failed to resolve 'api.example.com' [A(1)] after 2 queries":                                                   No,
		`Unable to resolve "api.example.com"`:                                                                          No,
		"could not resolve host: api":                                                                                  No,
	} {
		if r := one(t, text); r.Executed == nil || *r.Executed != want {
			t.Errorf("%s: %s, executed %v, want %s", text, r.Kind, r.Executed, want)
		}
	}
}

// A code beside a frame is read however it is spelled; a gRPC status is none.
func TestCodesBesideAFrame(t *testing.T) {
	for text, want := range map[string]string{
		`Got GOAWAY (lastStreamId 199, error PROTOCOL)`:                   "PROTOCOL_ERROR",
		`goAway: {"lastStreamId":199,"errorCode":"COMPRESSION"}`:          "COMPRESSION_ERROR",
		`onGoAway(lastGoodStreamId=1999, statusCode=2)`:                   "INTERNAL_ERROR",
		`on_frame_recv GOAWAY last=1999 err=0x02`:                         "INTERNAL_ERROR",
		`stream 11 was closed by peer with error 8 (http2)`:               "CANCEL",
		`ConnectionErrorIsReceived FlowControlError 1 "window"`:           "FLOW_CONTROL_ERROR",
		`13 INTERNAL: GOAWAY received, "code":13,"details":"x"`:           "",
		`gRPC Error (code: 5, codeName: NOT_FOUND, message: no such row)`: "",
	} {
		if r := one(t, text); r.Facts.Code != want {
			t.Errorf("%s\n  code %q, want %q", text, r.Facts.Code, want)
		} else if want != "" && slices.Contains(classes(r), RequestLimit) {
			t.Errorf("%s\n  offers a request limit for %s", text, want)
		}
	}
}

// "Certainly not" and "certainly connected" follow from the cause, not from what wraps it.
func TestWrappersProveNothing(t *testing.T) {
	for text, want := range map[string]Answer{
		`Unable to connect to the server: unexpected EOF (http2)`:                                   Maybe,
		`rpc error: code = Unavailable desc = failed to connect: dial tcp 192.0.2.1:1: EOF`:         No,
		`DEADLINE_EXCEEDED: deadline exceeded after 0.3s. [open=[[waiting_for_connection]]] grpc`:   No,
		`DEADLINE_EXCEEDED: deadline exceeded after 0.3s. [remote_addr=192.0.2.1:443] grpc`:         Maybe,
		`rpc error: code = Internal desc = dial tcp 192.0.2.1:5432: connect: connection refused`:    Maybe,
		`rpc error: code = Unavailable desc = dial tcp 192.0.2.1:5432: connect: connection refused`: No,
		`Error: 13 INTERNAL: x509: certificate has expired`:                                         Maybe,
		`GOAWAY sent: last_stream_id=0, error_code=PROTOCOL_ERROR (http2)`:                          Maybe,
	} {
		if r := one(t, text); r.Executed == nil || *r.Executed != want {
			t.Errorf("%s\n  %s: executed %v, want %s", text, r.Kind, r.Executed, want)
		}
	}
}

// Where only the shape of a text names the event, the answer names the other kinds of that shape.
func TestWeakEvidenceNamesItsAlternatives(t *testing.T) {
	if r := one(t, "h2 session torn down while a call was open"); len(r.MayBe) == 0 {
		t.Errorf("%s has no alternatives", r.Kind)
	}
	if r := one(t, "http2: read: connection reset by peer"); len(r.MayBe) != 0 {
		t.Errorf("a proved event has alternatives: %v", r.MayBe)
	}
}

// A client that works and ends by itself lost no connection; one that complains of something may have.
func TestAProgramThatEndsByItself(t *testing.T) {
	areQuiet(t, "DEBUG:app:gRPC channel closed\nINFO:app:Disconnect and shut down", "INFO  Run completed\nDEBUG grpc transport closed",
		"INFO job finished\nTRACE h2 connection closed\nINFO exiting")
	for _, text := range []string{
		"DEBUG:app:gRPC channel closed\nERROR:app:call failed\nINFO:app:Disconnect and shut down", "DEBUG http2 connection closed",
		"INFO server is shutting down\nINFO grpc connection closed", "INFO the peer is exiting\nINFO grpc connection closed",
		"WARN grpc channel closed\nINFO Disconnect and shut down", "INFO grpc connection closed\nINFO reconnecting",
	} {
		if groups := decoded(t, text); len(groups) == 0 {
			t.Errorf("%s: nothing", text)
		}
	}
}
