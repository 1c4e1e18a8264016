package decode

import (
	"slices"
	"testing"
)

// Two lines of one moment with the same words in another wrapping are one failure, known by its library.
func TestOneFailureInTwoWrappingsIsOne(t *testing.T) {
	for text, id := range map[string]string{
		"10:56:50 -- stream was reset: NO_ERROR\n10:56:50 -- couldn't save to https://example.com/a.kdbx\n" +
			"10:56:50 -- System.Exception: stream was reset: NO_ERROR ---> Java.IO.IOException: stream was reset: NO_ERROR": "okhttp-stream-reset-old",
		"stream was reset: REFUSED_STREAM\nokhttp3.internal.http2.StreamResetException: stream was reset: REFUSED_STREAM": "okhttp-stream-reset",
		"10:00:00 ERROR h2: <StreamReset stream_id:5, error_code:2>\n" +
			"10:00:00 ERROR httpx.RemoteProtocolError: <StreamReset stream_id:5, error_code:2, remote_reset:True>": "h2-stream-reset",
	} {
		if r := one(t, text); r.ID != id {
			t.Errorf("%s\n  %s, want %s", text, r.ID, id)
		}
	}
	for _, text := range []string{
		"10:00:00 stream was reset: REFUSED_STREAM\n10:00:00 okhttp3.internal.http2.StreamResetException: stream was reset: INTERNAL_ERROR",
		"10:00:00 h2: stream was reset: INTERNAL_ERROR\n10:05:00 okhttp3.internal.http2.StreamResetException: stream was reset: INTERNAL_ERROR",
		"10:00:00 a.example.com:443 h2: stream was reset: INTERNAL_ERROR\n" +
			"10:00:00 b.example.com:443 okhttp3.internal.http2.StreamResetException: stream was reset: INTERNAL_ERROR",
		"10:00:00 h2 stream 5 was reset: INTERNAL_ERROR\n10:00:00 http2.StreamError: stream error: stream ID 7; INTERNAL_ERROR",
		"10:00:00 h2 dial tcp 192.0.2.1:443: connect: connection refused\n10:00:00 h2 192.0.2.2:443: stream was reset: REFUSED_STREAM",
	} {
		if groups := decoded(t, text); len(groups) != 2 {
			t.Errorf("%s\n  %v, want two", text, names(groups))
		}
	}
}

// Who answered is not who wrote the text, and what runs inside a server is a client there.
func TestWhoseLogItIs(t *testing.T) {
	const lua = "2024/05/05 10:00:00 [error] 31#31: *77 "
	for text, want := range map[string]Kind{
		"< HTTP/1.1 200 OK\n< Server: Varnish\n<\n* transfer closed with 33 bytes remaining to read":                                   Plain,
		"RemoteDisconnected('Remote end closed connection without response') headers={'Server': 'Kestrel'}":                            Plain,
		`{"error":"connection reset by peer","headers":{"via":"1.1 varnish"}}`:                                                         Plain,
		lua + `lua tcp socket read timed out, client: 192.0.2.4, server: a.example, request: "GET / HTTP/1.1"`:                         Plain,
		lua + "[lua] auth.lua:14: failed to request: connection refused, client: 192.0.2.4, server: _":                                 Plain,
		lua + "[lua] v3.lua:340: request_chunk(): failed to connect to etcd: connection refused, context: ngx.timer":                   Plain,
		lua + "OCSP responder timed out (110: Connection timed out) while requesting certificate status":                               Plain,
		"Varnish: connection reset by peer while a backend was read":                                                                   ServerLog,
		lua + "client closed connection while waiting for request, client: 192.0.2.4, server: 0.0.0.0:443":                             ServerLog,
		"Grpc.Core.Server Exception while handling RPC. System.InvalidOperationException: Operation is not valid":                      ServerLog,
		"fail: Grpc.AspNetCore.Server.ServerCallHandler[6]\n      Error when executing service method 'SayHello'.":                     ServerLog,
		"ERROR:grpc._cython.cygrpc:Unexpected [ValueError] raised by servicer method [/helloworld.Greeter/SayHello]":                   ServerLog,
		"Grpc.AspNetCore.Server: Error when executing service method 'A'. System.IO.IOException: The client reset the request stream.": GaveUp,
	} {
		if r := one(t, text); r.Kind != want {
			t.Errorf("%s: %s, want %s", text, r.Kind, want)
		}
	}
}

// A time-out while a stream was opened may have followed its headers.
func TestAStreamThatWasNotOpenedInTime(t *testing.T) {
	const watch = "[lua] config_etcd.lua:136: grpc_waitdir(): create watch stream failed: failed to new stream: "
	for text, want := range map[string]Answer{watch + "timeout": Maybe, watch + "the channel is closing": No} {
		if r := one(t, text); r.Kind != NotSent || r.Executed == nil || *r.Executed != want {
			t.Errorf("%s: %s, executed %v", text, r.Kind, r.Executed)
		}
	}
}

// What had come and what was to come: an answer's body that ended early.
func TestBodiesThatEndEarly(t *testing.T) {
	events := map[Event][]string{
		onClosed: {
			"[download] Got error: 97701 bytes read, 432403 more expected. Retrying (7/10)...",
			"IncompleteRead(1024 bytes read, 4096 more expected)",
			"urllib.error.ContentTooShortError: <urlopen error retrieval incomplete: got only 5 out of 10 bytes>",
			"2024-05-05 10:00:00 (1.2 MB/s) - Read error at byte 12345. Retrying the download.",
			"the download was truncated: 5 of 10 bytes",
			"curl: (18) end of response with 33 bytes remaining to read",
		},
		onViolation: { // the caller's own body
			"HttpRequestException: Sent 10 request content bytes, but Content-Length promised 20.",
			"h11._util.LocalProtocolError: Too little data for declared Content-Length",
			`Post "http://a.example/": http: ContentLength=4 with Body length 0`,
			"RequestContentLengthMismatchError: Request body length does not match content-length header",
		},
		onUnsent: {
			`{"level":"error","msg":"Error while sending stat{error 25 0  connection has not yet been established}"}`,
			"publish failed: connection not established yet",
			"Error: the channel has not been established",
		},
	}
	for event, texts := range events {
		for _, text := range texts {
			if r := one(t, text); r.Facts.Event != event || r.Kind != Plain {
				t.Errorf("%s: %s, %s, want %s", text, r.Kind, r.Facts.Event, event)
			}
		}
	}
	for _, text := range []string{
		"[download]  81.0% of ~ 1.30GiB at 6.03MiB/s ETA 00:40 (frag 997/1231)",
		"AssertionError: 3 more expected calls to fetch",
		"INFO connection to server established",
		`level=error msg="response completed with error" err.code="BLOB_UNKNOWN" err.message="blob unknown to registry" http.request.method=HEAD`,
	} {
		if groups := decoded(t, text); len(groups) > 0 {
			t.Errorf("%s: %v", text, names(groups))
		}
	}
}

// BuildKit writes a step and its time before each line of a program: the lines are messages of their own.
func TestStepsOfBuildKit(t *testing.T) {
	if n := tallied(t, "#1 22.77 level=info msg=starting\n#1 22.78 level=info msg=stopped\n").Events; n != 2 {
		t.Errorf("%d messages, want 2", n)
	}
	areOf(t, map[string]Kind{ // a frame of PHP
		"PHP Fatal error: Uncaught GuzzleHttp\\Exception\\ConnectException: cURL error 7: Failed to connect to a.example\n" +
			"Stack trace:\n#0 /app/a.php(12): x()\n#1 /app/b.php(3): y()\n#2 {main}": Plain,
	})
}

// A read that failed beside another connection's handshake that timed out proves that there was a connection.
func TestTwoConnectionsInOneText(t *testing.T) {
	read := "read tcp 10.2.0.4:51234->10.0.0.1:6443: read: connection reset by peer"
	for text, want := range map[string]Answer{
		`E1122 10:14:03.112233   41233 memcache.go:265] couldn't get the list: Get "https://10.0.0.1:6443/api": net/http: TLS handshake timeout` + "\nUnable to connect to the server: " + read: Maybe,
		"remote error: TLS handshake failed: " + read: No,
	} {
		if r := one(t, text); *r.Executed != want {
			t.Errorf("%s\n  executed %s, want %s", text, *r.Executed, want)
		}
	}
}

// The code of a reset stream counts more than the end of the connection beside it.
func TestRefusedStreamBesideAClosedConnection(t *testing.T) {
	text := "curl: (92) HTTP/2 stream 3 was not closed cleanly before end of the underlying stream: REFUSED_STREAM (err 7)"
	if r := one(t, text); r.Kind != Refused {
		t.Errorf("%s is %s", text, r.Kind)
	}
}

// The words of the debug data don't make a GOAWAY that a client received a server's line.
func TestDebugDataAreNoServersLine(t *testing.T) {
	r := one(t, `GOAWAY received: lastStreamId=19, errorCode=NO_ERROR, debugData="hot restart in progress"`)
	if r.Kind == ServerLog || slices.Contains(classes(r), RequestLimit) {
		t.Errorf("%s %v", r.Kind, classes(r))
	}
}

// errSSLClosedAbort ends a connection in use as well as a handshake.
func TestAnEndOfTLSMayComeUnderARequest(t *testing.T) {
	areOf(t, map[string]Kind{"h2: read failed, OSStatus -9806 (errSSLClosedAbort)": Lost})
	if r := one(t, "OSStatus -9806 errSSLClosedAbort"); *r.Executed == No {
		t.Errorf("executed %v", *r.Executed)
	}
}

// A breaker of something else than connections refused no request on this side.
func TestBreakersOfOtherThings(t *testing.T) {
	areQuiet(t,
		`level=warning msg="opening circuit breaker" supervisor.args=[bundle exec bin/x /tmp/x/socket] supervisor.name=x`,
		`process x: exited with code 1 five times, circuit breaker open`,
		`CircuitBreakingException[[parent] Data too large, data for [<http_request>] would be [1gb], which is larger than the limit of [500mb]]`,
		`(service api) deployment failed: ECS deployment circuit breaker: tasks failed to start.`)
	for _, text := range []string{"bundle: could not locate Gemfile, socket error", "OpenFile error: the http cache is read-only"} {
		if f := provedBy(text); f.Event == onLocalLimit {
			t.Errorf("%s: a part of a word is taken for EMFILE or ENFILE", text)
		}
	}
	for _, text := range []string{
		"CallNotPermittedException: CircuitBreaker 'api' is OPEN and does not permit further calls", "http: accept: EMFILE",
		"upstream api: circuit breaker open, request rejected", "Error: http circuit breaker is open\nexit status 1", "http client: too many open files (EMFILE)",
	} {
		if groups := decoded(t, text); len(groups) == 0 || groups[0].Kind == Unrelated {
			t.Errorf("%s: %v", text, names(groups))
		}
	}
}

// Failures of two protocols are two; the state that a connection was in before tells that there was one.
func TestOtherProtocolsAndStates(t *testing.T) {
	two := decoded(t, "WebSocketException: SocketException: Failed host lookup: 'a.example.com'\n"+
		"W/Firestore: Stream closed with status: Status{code=UNAVAILABLE, description=Unable to resolve host b.example.com}")
	if len(two) != 2 || two[0].Kind != Unreached {
		t.Errorf("%v", names(two))
	}
	for text, want := range map[string]Event{
		"Connectivity changed state from old state: ready to new state: transientFailure":                                            onClosed,
		"connectivity: READY => TRANSIENT_FAILURE":                                                                                   onClosed,
		"subchannel state from READY to TRANSIENT_FAILURE":                                                                           onClosed,
		"Connectivity changed from CONNECTING to TRANSIENT_FAILURE":                                                                  onNeverConnected,
		`error ping https://example.com/: Head "https://example.com": io: read/write on closed pipe`:                                 onClosed,
		"hpack_parser.cc:993] Error parsing 'content-type' metadata: invalid value\nStatusCode.UNKNOWN details = \"Stream removed\"": onViolation,
	} {
		if f := provedBy(text); f.Event != want {
			t.Errorf("%s\n  %s, want %s", text, f.Event, want)
		}
	}
}

// A body that came incompletely is a reading of a lost connection.
func TestABodyThatIsTooShort(t *testing.T) {
	for _, text := range []string{
		"BadRequest: Expected filesize of 1724803 bytes but read (from the client) and wrote (to the storage) 40960 bytes.",
		"upload error: the server received 100 of 2000 bytes", "http2 error: the request body has 100 bytes missing from the body",
		"Error: expected 500 bytes but the connection gave 20",
	} {
		if groups := decoded(t, text); len(groups) != 1 || groups[0].Event != onClosed || groups[0].Kind != Plain && groups[0].Kind != Lost {
			t.Errorf("%s: %v", text, names(groups))
		}
	}
	areQuiet(t, "test failed: expected 5 bytes but got 4", "disk full: wrote 100 of 2000 bytes to /tmp/x", "upload done: sent 2000 of 2000")
}

func TestServersLogs(t *testing.T) {
	for line, want := range map[string]string{
		`2026/11/21 07:00:00 [debug] 12#12: *5 http2 ` +
			`send GOAWAY frame: last sid 1999, error 0`: "nginx-send-goaway server-sent-goaway",
		`2026/11/21 07:00:00 [debug] 12#12: ` +
			`*5 skipping http2 HEADERS frame`: "nginx-skip-headers server-skipped-stream",
		`2026/11/21 07:00:00 [info] 12#12: *5 http2 flood detected while processing ` +
			`HTTP/2 connection, client: 192.0.2.1, server: 0.0.0.0:443`: "nginx-flood server-flood",
		`2026/11/21 07:00:00 [warn] 12#12: 512 worker_connections ` +
			`are not enough, reusing connections`: "nginx-worker-connections server-shortage",
		`2026/11/21 07:00:00 [alert] 12#12: 1024 ` +
			`worker_connections are not enough`: "nginx-worker-connections server-shortage",
		`2026/11/21 07:00:00 [info] 12#12: *61 peer closed connection in SSL handshake ` +
			`(104: Connection reset by peer) while ` +
			`SSL handshaking, client: 192.0.2.1`: "nginx-handshake server-handshake-lost",
		`2026/11/21 07:00:00 [info] 12#12: *9 client closed connection ` +
			`while SSL handshaking, client: 192.0.2.1, server: 0.0.0.0:443`: "nginx-handshake server-handshake-lost",
		`2026/11/21 07:00:00 [info] 12#12: *9 concurrent streams ` +
			`exceeded 128 while processing HTTP/2 connection`: "nginx-concurrent stream-refused",
		`2026/11/21 07:00:00 [error] 12#12: *3 upstream rejected request with error 7 ` +
			`while reading response header from upstream, ` +
			`upstream: "grpc://10.0.0.1:50"`: "nginx-upstream-rejected stream-refused",
		`2026/11/21 07:00:00 [error] 12#12: *3 upstream sent goaway ` +
			`with error 2 while reading response header from upstream`: "nginx-upstream-goaway goaway-error",
		`nginx: [warn] the "http2_max_requests" directive is obsolete, use the ` +
			`"keepalive_requests" directive instead in /etc/nginx/nginx.conf:12`: "nginx-obsolete server-config",
		`[2026-11-21T07:00:00.000Z] "POST /x HTTP/2" 0 DPE codec_error:The_user_callback_function_failed ` +
			`- "-" 0 0 3 - "-" "hey/0.0.1" "-" "a" "-"`: "envoy-codec-error protocol-violation",
		`{"response_code":502,"response_code_details":"upstream_reset_before_response_started{protocol_error}",` +
			`"response_flags":"UPE"}`: "envoy-upstream-protocol protocol-violation",
		`[2026-11-21T07:00:00.000Z] "POST /x HTTP/2" 503 UC ` +
			`upstream_reset_before_response_started{connection_termination} ` +
			`- "-" 0 95`: "envoy-upstream-reset connection-lost",
		`[2026-11-21T07:00:00.000Z] "POST /x HTTP/2" ` +
			`503 URX,UR via_upstream - "-" 0 95`: "envoy-flag-reset connection-lost",
		`{"flags":"x","response_flags":"DPE","code":0}`: "envoy-flag-protocol protocol-violation",
		`HTTP status 503 Service Unavailable: upstream connect error or disconnect/reset ` +
			`before headers. retried and the latest ` +
			`reset reason: connection termination`: "envoy-upstream-reset connection-lost",
		`http2.inbound_window_update_frames_flood`: "envoy-downstream-protocol protocol-violation",
		`requests: 3000 total, 1128 started, 3000 done, 1000 ` +
			`succeeded, 2000 failed, 2000 errored, 0 timeout`: "h2load-errored no-reconnect",
	} {
		got := decoded(t, line)
		if len(got) != 1 || names(got)[0] != want {
			t.Errorf("%s\n got %v\nwant %s", line, names(got), want)
		}
	}
	for _, fine := range []string{
		`requests: 3000 total, 3000 started, 3000 done, 3000 succeeded, 0 failed, 0 errored, 0 timeout`,
		`{"response_flags":"-","code":200}`,
		`[2026-11-21T07:00:00.000Z] "POST /x HTTP/2" 200 - via_upstream - "-" 0 95`,
		`192.0.2.1 - - [21/Nov/2026:07:00:00 +0000] "GET / HTTP/2.0" 503 157 "-" "curl/8"`,
		`nginx.conf: http2_max_requests 1000;`,
	} {
		if got := decoded(t, "12:00:00 INFO up\n12:00:01 "+fine); len(got) != 0 {
			t.Errorf("%s is taken for %v", fine, names(got))
		}
	}
}
