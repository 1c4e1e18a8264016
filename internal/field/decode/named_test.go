package decode

import "testing"

// Programs name a failure in one word, in capitals or by a number: its words are those of a phrase.
func TestNamesMadeOfWordsAreRead(t *testing.T) {
	proveEvents(t, map[string]Event{
		"FailedToOpenSocket: Was there a typo in the url or port?": onNeverConnected,
		"error: failed_to_open_socket":                             onNeverConnected,
		"HttpError: ConnectFail":                                   onNeverConnected,
		"HTTPRequest: RESULT_CANT_CONNECT":                         onNeverConnected,
		"error: TemporaryNameServerFailure":                        onNeverConnected,
		"Rscript: Error in open.connection(con, \"rb\"): cannot open the connection to 'https://api.example.com'": onNeverConnected,
		"HttpError: SslConnectFail":      onTLSFailure,
		"error: TlsInitializationFailed": onTLSFailure,
		"RequestError: SSL: no alternative certificate subject name matches target host name 'wrong.example.com'": onTLSFailure,
		"WinHttpSendRequest() failed: 12175":                                                                         onTLSFailure,
		"WinHttpSendRequest() failed: 12029":                                                                         onNeverConnected,
		"https://example.com/a.zip: WinHttpReceiveResponse() failed: 12030":                                          onClosed,
		"WinHttpReceiveResponse failed with error 12002":                                                             onTimedOut,
		"vulcand/oxy/buffer: error when reading request body, err: local error: tls: record overflow":                onClosed,
		"local error: tls: no renegotiation":                                                                         onClosed,
		"InferenceServerException: [StatusCode.UNAVAILABLE] Socket operation on non-socket":                          onClosed,
		"ENOTSOCK: socket operation on non-socket, read":                                                             onClosed,
		"An operation was attempted on something that is not a socket. (os error 10038)":                             onClosed,
		"Bad file descriptor (os error 9) on the http2 connection":                                                   onClosed,
		`AbortionError(code=StatusCode.UNAVAILABLE, details="OS Error")`:                                             onClosed,
		`{"message":"Connection error.","providerId":"openai"}`:                                                      onClosed,
		"openai.APIConnectionError: Connection error.":                                                               onClosed,
		"AxiosError: Network Error code ERR_NETWORK":                                                                 onClosed,
		"[error] apns trying reconnecting with ServerPid <0.5.0>":                                                    onClosed,
		"lua-resty-http: request failed: timeout":                                                                    onTimedOut,
		"ERROR text_generation_client: Server error: CANCELLED":                                                      onCancelled,
		"metrics export failed (Parse Error: Expected HTTP":                                                          onViolation,
		`noise upgrade failed error="no next protocol in HTTP request"`:                                              onViolation,
		"× HTTP/2 not supported by https://cdn.example.com":                                                          onViolation,
		"failed to init http client: HTTP1/1 and HTTP2 are not supported by this upstream":                           onViolation,
		"the DoH server does not speak HTTP/2":                                                                       onViolation,
		"Error: Requested origin https://www.example.com does not match server https://www.example.com:8765":         onUnsent,
		"Assert error in H2_Send(), http2/cache_http2_send.c line 293: version = varnish-trunk":                      onServerLine,
		`haproxy[123]: FATAL: bug condition "h2c->flags" matched at src/mux_h2.c:902`:                                onServerLine,
		"nghttpx: shrpx_http2_session.cc:1234: Assertion `rv == 0' failed. Aborted (core dumped)":                    onServerLine,
		"nginx: worker process 7 exited on signal 11 (core dumped)":                                                  onServerLine,
		"[STDERR] [3565] Bad request header - ERROR#2\n[3565] ParseRequest error":                                    onServerLine,
		"io.grpc.StatusRuntimeException: UNKNOWN\nCaused by: java.nio.channels.ClosedChannelException":               onClosed,
		"Error: Failed to load gRPC binary module because it was not installed for the current system":               onAnswered,
		"error while loading shared libraries: libgrpc++.so.1: cannot open shared object file":                       onAnswered,
		"Error: /lib/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by grpc_node.node)":                onAnswered,
		"ImportError: /usr/lib/python3/dist-packages/grpc/_cython/cygrpc.so: undefined symbol: EVP_xof":              onAnswered,
		"dyld: Library not loaded: /usr/local/opt/nghttp2/lib/libnghttp2.14.dylib":                                   onAnswered,
		"Error: could not load the native bindings of http2: node-v67-linux-x64":                                     onAnswered,
		"ERROR gateway - io.grpc.StatusRuntimeException: INTERNAL: it went wrong ~[grpc-api-1.25.0.jar:1.25.0] here": onAnswered,
	})
}

// What is certain only before a connection was in use isn't said of one that was.
func TestAlertsAndDescriptorsAreNoCertainNo(t *testing.T) {
	for _, text := range []string{
		"http2: local error: tls: record overflow", "http2: local error: tls: bad record MAC", "http2: ENOTSOCK, read",
		"grpc UNAVAILABLE: Bad file descriptor", `StatusCode.UNAVAILABLE details = "OS Error"`, "http2: Connection error.",
	} {
		if r := one(t, text); r.Executed == nil || *r.Executed == No {
			t.Errorf("%s: %s, executed %v", text, r.Kind, r.Executed)
		}
	}
	if r := one(t, "x.StatusRuntimeException: UNKNOWN"); r.Kind != Unrelated || r.Reservation == "" {
		t.Errorf("a status without a word: %s, %q", r.Kind, r.Reservation)
	}
}
