package decode

import "testing"

// Who wrote a line is told by words that only one side writes.
func TestLibrariesOfBothSidesTellNoSide(t *testing.T) {
	areOf(t, map[string]Kind{
		"I: lws_h2_parse_end_of_frame: wsi 0x64: headers: client path\nI: LWS_H2_FRAME_TYPE_RST_STREAM: sid 1: reason 0x1": Reset,
		"INFO[0035] transport: loopyWriter.run returning. connection error: desc = \"transport is closing\"\n" +
			"ERRO[0035] finished streaming call error=\"rpc error: code = Internal desc = stream terminated by RST_STREAM with error code: PROTOCOL_ERROR\"": Reset,
		"10:00:00 app/logger.go:57: rpc error: code = Unavailable desc = transport is closing\n" +
			"10:00:00 grpc/x.go:44: connection error: desc = \"transport is closing\"": Lost,
	})
}

// A proxy that resets a stream because its own time is over is a time-out; a stream that was reset for another reason is reset.
func TestAProxyResetsAStreamWhenItsTimeIsOver(t *testing.T) {
	areOf(t, map[string]Kind{
		"10:00:01 [C4] Resetting stream due to upstream_response_timeout. Prior headers have already been sent\n10:00:01 [C4] http2 sent reset code=0": TimeUp,
		"10:00:01 [C4] http2 resetting stream due to stream idle timeout\n10:00:01 [C4] http2 sent reset code=8":                                       TimeUp,
		"envoy: resetting stream because of per_try_timeout":                                                                                           TimeUp,
		"http2: closed request due to deadline":                                                                                                        TimeUp,
		"10:00:01 [C4] http2 resetting stream due to a bad frame\n10:00:01 [C4] http2 sent reset code=1":                                               Reset,
		"10:00:01 h2 request_timeout=30s is set\n10:00:01 http2 sent RST_STREAM, stream 5, error code INTERNAL_ERROR":                                  Reset,
	})
}

// An empty status line is a closed connection, bytes that are none are another protocol; a server that can't read a method logs
// what others send to its port.
func TestStatusLinesAndMethods(t *testing.T) {
	proveEvents(t, map[string]Event{
		`upload fail:BadStatusLine("''",)`:              onClosed,
		`httplib.BadStatusLine: ''`:                     onClosed,
		`('Connection aborted.', BadStatusLine("''",))`: onClosed,
		`http.client.BadStatusLine: No status line received - the server has closed the connection`: onClosed,
		`Net::HTTPBadResponse: wrong status line: ""`:                                               onClosed,
		`http.client.BadStatusLine: HTTP/2 200`:                                                     onViolation,
		`Net::HTTPBadResponse: wrong status line: "\x15\x03\x01"`:                                   onViolation,
		`ERROR server: Failed to serve HTTP connection: hyper::Error(Parse(Method))`:                onServerLine,
		`error serving connection: invalid HTTP method parsed`:                                      onServerLine,
		`clientError: Parse Error: Invalid method encountered HPE_INVALID_METHOD`:                   onServerLine,
		`AH00126: Invalid URI in request; AH00566: request failed: malformed request line`:          onServerLine,
	})
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
