package decode

import (
	"slices"
	"strings"
	"testing"
)

func one(t *testing.T, text string) Reported {
	t.Helper()
	groups := decoded(t, text)
	if len(groups) != 1 {
		t.Fatalf("%d findings for one failure: %v: %q", len(groups), names(groups), text)
	}
	return groups[0].reported("")
}

func classes(r Reported) (out []Class) {
	for _, c := range r.Changes {
		if !slices.Contains(out, c.Class) {
			out = append(out, c.Class)
		}
	}
	return out
}

// A request limit is offered only for a GOAWAY without an error whose last stream id can be a
// limit's, and only if the other side sent it.
func TestARequestLimitNeedsProof(t *testing.T) {
	goaway := func(id, code, debug string) string {
		return `http2: server sent GOAWAY and closed the connection; LastStreamID=` + id + `, ErrCode=` + code +
			`, debug="` + debug + `"`
	}
	for _, tt := range []struct {
		text  string
		limit bool
	}{
		{goaway("1999", "NO_ERROR", ""), true},
		{goaway("199", "NO_ERROR", ""), true},
		{goaway("8329", "NO_ERROR", ""), false},
		{"received GOAWAY [LastStreamId=1999, ErrorCode=NO_ERROR, DebugData=max_age]", false},
		{goaway("2147483647", "NO_ERROR", ""), false},
		{goaway("0", "NO_ERROR", ""), false},
		{goaway("1998", "NO_ERROR", ""), false},
		{goaway("1999", "PROTOCOL_ERROR", ""), false},
		{goaway("1999", "COMPRESSION_ERROR", ""), false},
		{goaway("1999", "INTERNAL_ERROR", ""), false},
		{goaway("1999", "ENHANCE_YOUR_CALM", "too_many_pings"), false},
		{goaway("1999", "NO_ERROR", "max_age"), false},
		{goaway("1999", "NO_ERROR", "session timed out"), false},
		{goaway("1999", "NO_ERROR", "graceful_stop"), false},
		{`http2: Transport received Server's graceful shutdown GOAWAY`, true},
		{`http2: Framer 0xc0: wrote GOAWAY len=8 LastStreamID=1999 ErrCode=NO_ERROR Debug=""`, false},
		{`[id: 0x1] OUTBOUND GO_AWAY: lastStreamId=1999 errorCode=0 length=0`, false},
		{`[id: 0x1] INBOUND GO_AWAY: lastStreamId=1999 errorCode=0 length=0`, true},
		{`[id: 0x1] INBOUND GO_AWAY: lastStreamId=1999 errorCode=0 length=7 bytes=6d61785f616765`, false},
		{`rpc error: code = Unavailable desc = error reading from server: EOF`, false},
		{`curl: (16) Error in the HTTP2 framing layer`, false},
		{`java.lang.InternalError: Expected entry for streamid: 1999`, false},
		{`okhttp3.internal.http2.StreamResetException: stream was reset: REFUSED_STREAM`, false},
	} {
		r := one(t, tt.text)
		if got := slices.Contains(classes(r), RequestLimit); got != tt.limit {
			t.Errorf("%s\n  %s: a request limit is offered: %v, want %v", tt.text, r.Kind, got, tt.limit)
		}
	}
}

// Each cause has its own change.
func TestChangesFitTheCause(t *testing.T) {
	for text, want := range map[string]Class{
		`GOAWAY received; Error code: 11; Debug Text: too_many_pings`:                                            PingInterval,
		`http2 error: connection error received: detected excessive load generating behavior`:                    ResetOrPingRate,
		`http2: server sent GOAWAY and closed the connection; LastStreamID=9, ErrCode=NO_ERROR, debug="max_age"`: Age,
		`Http2Exception: HTTP/2 connection error: COMPRESSION_ERROR`:                                             ReportBug,
		`upstream connect error or disconnect/reset before headers. reset reason: overflow`:                      CircuitBreaker,
		`upstream connect error or disconnect/reset before headers. reset reason: remote connection failure`:     Connect,
		`upstream connect error or disconnect/reset before headers. reset reason: connection failure, ` +
			`transport failure reason: TLS_error: CERTIFICATE_VERIFY_FAILED`: TLS,
		`http2: frame too large, note that the frame header looked like an HTTP/1.1 header`: Protocol,
	} {
		if r := one(t, text); len(r.Changes) == 0 || r.Changes[0].Class != want {
			t.Errorf("%s\n  %s: changes %v, want %s first", text, r.Kind, classes(r), want)
		}
	}
}

// "Certainly not" needs one of the proofs of RFC 9113 §8.7, or a place before the request was sent.
func TestExecutedFollowsFromWhatIsProved(t *testing.T) {
	for text, want := range map[string]Answer{
		`rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp ` +
			`10.0.0.1:443: connect: connection refused"`: No,
		`"GET / HTTP/2" 503 UO upstream_reset_before_response_started{overflow} - "-" 0 81 0`:                     No,
		`"GET / HTTP/2" 503 UF upstream_reset_before_response_started{connection_failure} - "-" 0 81 0`:           No,
		`"GET / HTTP/2" 503 UC upstream_reset_before_response_started{connection_termination} - "-" 0 95 0`:       Maybe,
		`GOAWAY frame received, error code 0, last_stream_id: 1999, stream 2001 failed`:                           No,
		`GOAWAY frame received, error code 0, last_stream_id: 1999, stream 1999 failed`:                           Maybe,
		`GOAWAY frame received, error code 11, last_stream_id: 1999, stream 2001 failed`:                          No,
		`send GOAWAY frame <last_stream_id=0, error_code=NO_ERROR(0x00)>`:                                         "",
		`some library: h2 stream 33 ended by peer: REFUSED_STREAM`:                                                No,
		`unseen library: no new streams on this http2 session, it is draining`:                                    No,
		`rpc error: code = DeadlineExceeded desc = context deadline exceeded`:                                     Maybe,
		`http2 error: connection error received: not a result of an error`:                                        Maybe,
		`Error: 13 INTERNAL: Received RST_STREAM with code 7 triggered by internal client error: read ECONNRESET`: Maybe,
	} {
		r := one(t, text)
		if (r.Executed == nil) != (want == "") || want != "" && *r.Executed != want {
			t.Errorf("%s\n  %s: executed %v, want %s", text, r.Kind, r.Executed, want)
		}
	}
}

// What one failure logs is one finding, and its strongest statement counts.
func TestOneFailureIsOneFinding(t *testing.T) {
	for text, want := range map[string]Kind{
		"12:56:22 [transport] Closing: connection error: desc = \"keepalive ping failed to receive ACK within timeout\"\n" +
			"12:56:22 http2: Framer 0xc0: wrote GOAWAY len=8 LastStreamID=3 ErrCode=NO_ERROR Debug=\"\"\n" +
			"12:56:22 rpc error: code = Unavailable desc = keepalive ping failed to receive ACK within timeout": Lost,
		"* received GOAWAY, error=0, last_stream=1999\n* Connection #0 to host left intact\n" +
			"curl: (55) Failed sending data to the peer": Ended,
		"[C12] GOAWAY received, error code ENHANCE_YOUR_CALM (http2)\n[C12] http2 connection closed\n": Calm,
		"2031-01-01T00:00:00Z ERROR call failed\nio.grpc.StatusRuntimeException: UNAVAILABLE: io exception\n" +
			"Caused by: java.net.ConnectException: Connection refused\n\tat a.b.C(D.java:1)\n": Unreached,
		"api-1  | 12:00:00 ERROR call failed\napi-1  | java.io.IOException: /10.0.0.1:5: GOAWAY received\n" +
			"api-1  | \tat jdk.internal.net.http.Http2Connection.handleGoAway(Http2Connection.java:1008)\n": Ended,
		`{"log":"ERROR call failed\n","stream":"stderr","time":"2031-01-01T00:00:00Z"}` + "\n" +
			`{"log":"Caused by: java.io.IOException: /10.0.0.1:5: GOAWAY received\n","stream":"stderr","time":"x"}`: Ended,
	} {
		if r := one(t, text); r.Kind != want {
			t.Errorf("%q\n  %s, %d ×, want %s once", text, r.Kind, r.Count, want)
		}
	}
}

// Two requests that fail in the same second are two failures.
func TestTwoFailuresStayTwo(t *testing.T) {
	log := "12:00:00 Get \"https://a.test/1\": http2: server sent GOAWAY and closed the connection; LastStreamID=1999, " +
		"ErrCode=NO_ERROR, debug=\"\"\n12:00:00 Post \"https://a.test/2\": http2: client connection lost\n"
	if groups := decoded(t, log+log); len(groups) != 2 || groups[0].Count != 2 || groups[1].Count != 2 {
		t.Errorf("%v", names(groups))
	}
}

// Each statement has its words in the text.
func TestStatementsAreTraceable(t *testing.T) {
	for _, r := range publicReports {
		for _, text := range r.Texts {
			d := NewDecoder()
			normal := strings.ToLower(string(d.norm.normal([]byte(text))))
			for _, s := range decoded(t, text)[0].Proves {
				words := strings.TrimSuffix(strings.ToLower(s.Words), " …")
				if !strings.Contains(normal, words) {
					t.Errorf("%s says %q by %q, which isn't in %q", s.About, s.Says, s.Words, text)
				}
			}
		}
	}
}

// A signature that contradicts what the text proves keeps its library alone.
func TestAContradictionDropsTheSignature(t *testing.T) {
	r := one(t, `okhttp3.internal.http2.ConnectionShutdownException caused by: java.net.ConnectException: Connection refused`)
	if r.Kind != Unreached || r.ID != "okhttp-shutdown" || slices.Contains(classes(r), ClientRenewal) {
		t.Errorf("%s %s %v", r.ID, r.Kind, classes(r))
	}
}

// Some loggers break the line between an exception's class and its message, and gRPC for Java puts the
// frame on the next line.
func TestAMessageOnTheNextLineBelongsToItsException(t *testing.T) {
	for text, want := range map[string]Kind{
		"okhttp3.internal.http2.StreamResetException\nstream was reset: CANCEL\n": Cancelled,
		"Caused by: okhttp3.internal.http2.StreamResetException\nstream was reset: REFUSED_STREAM\n" +
			"okhttp3.internal.http2.Http2Stream.takeHeaders (Http2Stream.kt:148)": Refused,
		"io.grpc.StatusRuntimeException: INTERNAL: HTTP/2 error code: INTERNAL_ERROR\nReceived Rst Stream": Reset,
		"HTTP/2 error: Stream error: Stream was terminated by peer (errorCode: 8).":                        Cancelled,
	} {
		if r := one(t, text); r.Kind != want {
			t.Errorf("%q is %s, want %s", text, r.Kind, want)
		}
	}
	if groups := decoded(t, "java.nio.channels.ClosedChannelException\njava.nio.channels.ClosedChannelException\n"); groups[0].Count != 2 {
		t.Errorf("two exceptions are %d", groups[0].Count)
	}
}

// A host or a network that isn't reached fails a connect, and a read or a write in use too: only the call that the text names decides.
func TestAnErrorOfAnyCallProvesByTheCall(t *testing.T) {
	const winsock = "A connection attempt failed because the connected party did not properly respond after a period of time, or established " +
		"connection failed because connected host has failed to respond."
	for executed, texts := range map[Answer][]string{
		No: {"http2: dial tcp 10.0.0.1:443: connectex: " + winsock, "httpx.ConnectError: [Errno 113] No route to host", "grpc: connect EHOSTUNREACH 10.0.0.2:443",
			"dial tcp: lookup api.test on 10.0.0.53:53: read udp 10.0.0.1:444->10.0.0.53:53: i/o timeout",
			"connect() failed (113: No route to host) while connecting to upstream, client: 10.0.0.1", "NoRouteToHostException: No route to host (Host unreachable)"},
		Maybe: {`Post "https://a/": http2: client connection lost: read tcp 10.0.0.1:5->10.0.0.2:443: wsarecv: ` + winsock,
			"IOException: Unable to read data from the transport connection: " + winsock + " at Http2Connection.ReadFrameAsync",
			"httpx.ReadError: [Errno 113] No route to host", "h2: write ENETUNREACH", "SocketException: No route to host (Write failed)",
			"OSError: [Errno 65] No route to host", "h2 stream 5: recv error: Host is down (os error 64)",
			"recv() failed (113: No route to host) while reading response header from upstream, client: 10.0.0.1",
			"http2: write tcp 10.0.0.1:5->10.0.0.2:443: remote error: tls: internal error", "javax.net.ssl.SSLException: Received fatal alert: unexpected_message",
			"http2: circuit breaker open while reading response body", "h2: request failed after 3 attempts: dial tcp 10.0.0.2:443: connection refused"},
	} {
		for _, text := range texts {
			if r := one(t, text); r.Executed == nil || *r.Executed != executed {
				t.Errorf("%s: %s, want executed %s", text, r.Kind, executed)
			}
		}
	}
}
