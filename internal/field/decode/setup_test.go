package decode

import (
	"strings"
	"testing"
)

// The call that failed is in the stack or in a field: in a handshake or a connect nothing was sent yet.
func TestTheCallThatFailed(t *testing.T) {
	const reset = "java.net.SocketException: Connection reset\n\tat java.base/sun.nio.ch.NioSocketImpl.implRead(NioSocketImpl.java:328)\n"
	for text, want := range map[string]Answer{
		reset + "\tat java.base/sun.security.ssl.SSLSocketImpl.readHandshakeRecord(SSLSocketImpl.java:1425)":                               No,
		"java.io.EOFException\n\tat sun.security.ssl.SSLSocketImpl.startHandshake(SSLSocketImpl.java:455)":                                 No,
		"ConnectionResetError: [Errno 104] Connection reset by peer\n  File \"/usr/lib/python3.8/ssl.py\", line 1309, in do_handshake":     No,
		"TCPConnectWrap.afterConnect [as oncomplete] (net.js:1159:16) {\n errno: -110,\n code: 'TimeoutError',\n syscall: 'connect'":       No,
		`{"errno":-104,"code":"ECONNRESET","syscall":"connect","address":"192.0.2.1"}`:                                                     No,
		"io.netty Http2Exception: First received frame was not SETTINGS. Hex dump for first 5 bytes: 1503030002":                           No,
		"level=info msg=\"No connection to peer node-2, skipping\" subsys=relay":                                                           No,
		"failed to send RPC: sending to all replicas failed; last error: unable to dial n6: breaker open":                                  No,
		reset + "\tat java.base/java.net.Socket$SocketInputStream.read(Socket.java:966)":                                                   Maybe,
		reset + "\tSuppressed: java.io.EOFException\n\tat java.base/sun.security.ssl.SSLSocketImpl.startHandshake(SSLSocketImpl.java:455)": Maybe,
		"Error: read ECONNRESET\n errno: -104, code: 'ECONNRESET', syscall: 'read'":                                                        Maybe,
		"javax.net.ssl.SSLException: Connection reset by peer\n\tat io.netty.handler.ssl.SslHandler.unwrap(SslHandler.java:1)":             Maybe,
		"io.netty Http2Exception: First received frame was not SETTINGS. Hex dump for first 5 bytes: 0000120400":                           Maybe,
		"AggregateError: errno: -110, syscall: 'connect'; errno: -104, code: 'ECONNRESET', syscall: 'read'":                                Maybe,
	} {
		if r := one(t, text); r.Executed == nil || *r.Executed != want {
			t.Errorf("%s\n  %s, want %s", text, r.Kind, want)
		}
	}
	areQuiet(t, "breaker opened 3 times today", "level=info msg=\"no connections in pool, skipping cleanup\"",
		"- AbortedStream_ResetsAndDrainsRequest_RefusesFramesAfterEndOfStream", "- Adds `streamResetBurst` options against GOAWAY INTERNAL_ERROR")
}

// What the same words mean beside what else the failure says.
func TestTheOtherWordsOfAFailure(t *testing.T) {
	const wrote = "2016/08/03 11:22:25 http2: Framer 0xc820a269c0: %s RST_STREAM stream=5 len=4 ErrCode=CANCEL\n" +
		"2016/08/03 11:22:25 RoundTrip failure: net/http: request canceled"
	areOf(t, map[string]Kind{
		"gRPC config stream closed: 2, cannot create upstream cluster without discovery chain":       Unrelated,
		"DeltaAggregatedResources gRPC config stream to xds closed: 13, invalid listener definition": Unrelated,
		"gRPC config stream closed since 40s ago: 14, no healthy upstream":                           Unreached,
		"GRPC error: Stream removed (Deadline Exceeded)":                                             TimeUp,
		"GRPC error: Stream removed": Lost,
		"h2: Sending GOAWAY failed: lastStreamId '0', errorCode '2', debugData 'connection timed out: x'": Lost,
		"System.IO.IOException: The request stream was aborted. ---> The HTTP/2 connection faulted.":      Lost,
		"IOException: The request stream was aborted. (HTTP/2)":                                           Reset,
		strings.Replace(wrote, "%s", "wrote", 1):                                                          GaveUp,
		strings.Replace(wrote, "%s", "read", 1):                                                           Cancelled,
		"grpc: request was throttled":                                                                     Unrelated,
		`{"level":"error","msg":"Throttler try error","error":"context canceled"}`:                        Plain,
	})
	for text, want := range map[string]Again{
		"stream terminated by RST_STREAM with error code: PROTOCOL_ERROR; malformed authority (b\"unix:///x\"): invalid uri": Useless,
		"stream terminated by RST_STREAM with error code: PROTOCOL_ERROR":                                                    Idempotents,
		"Metadata(:status=400,server=a): stream terminated by RST_STREAM with error code: PROTOCOL_ERROR":                    Useless,
		"stream terminated by RST_STREAM with error code: INTERNAL_ERROR; malformed headers":                                 Idempotents,
	} {
		if r := one(t, text); *r.Retry != want {
			t.Errorf("%s\n  %s, %s, want %s", text, r.Kind, *r.Retry, want)
		}
	}
}
