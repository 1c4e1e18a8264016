package decode

import "testing"

// judged is a text with the kind and with whether the request was executed; "" if the answer says nothing of that.
type judged struct {
	text     string
	kind     Kind
	executed Answer
}

func judge(t *testing.T, list []judged) {
	t.Helper()
	for _, want := range list {
		r, executed := one(t, want.text), Answer("")
		if r.Executed != nil {
			executed = *r.Executed
		}
		if r.Kind != want.kind || executed != want.executed {
			t.Errorf("%s\n  %s, executed %q (%s), want %s, %q", want.text, r.Kind, executed, r.Why, want.kind, want.executed)
		}
	}
}

// Who did not get the other side's preface, or got another protocol's bytes in its place, processed no request.
func TestNoPreface(t *testing.T) {
	unread := `rpc error: code = Unavailable desc = connection error: desc = "error reading server preface: `
	server := "2031/01/02 03:04:05 http2: server: error reading preface from client "
	judge(t, []judged{
		{unread + `read |0: file already closed"`, Unreached, No},
		{unread + `io: read/write on closed pipe"`, Unreached, No},
		{unread + `read tcp 192.0.2.1:4444->192.0.2.2:443: i/o timeout"`, Unreached, No},
		{unread + `context canceled"`, Unreached, No},
		{unread + `unexpected EOF"`, Unreached, No},
		{unread + `http2: frame too large, note that the frame header looked like an HTTP/1.1 header"`, Malformed, No},
		{server + "@: file already closed", ServerLog, ""},
		{server + "192.0.2.1:1234: read tcp 192.0.2.2:80->192.0.2.1:1234: i/o timeout", ServerLog, ""},
		{server + `192.0.2.1:1234: bogus greeting "GET / HTTP/1.1\r\nHost: a"`, Malformed, No},
		{"Kestrel: HTTP/2 connection error (PROTOCOL_ERROR): Invalid HTTP/2 connection preface.", Malformed, No},
		{`GOAWAY received: PROTOCOL_ERROR, lastStreamId=0, debug="invalid_preface"`, Failed, No},
		{"h2.exceptions.ProtocolError: Invalid HTTP preamble.", Malformed, No},
		{"nghttp2: recv error -903: Received bad client magic byte string", Malformed, No},
		{"Kestrel: HTTP/2 connection error (PROTOCOL_ERROR): The client sent a HEADERS frame with invalid flags.", Malformed, Maybe},
		{"http2: Invalid HTTP/2 preface, error code PROTOCOL_ERROR", Malformed, Maybe}, // perhaps a client wrote it
		{"http2: connection preface received; GOAWAY sent, error code PROTOCOL_ERROR, last stream 7", Malformed, Maybe},
		{"http2: RST_STREAM PROTOCOL_ERROR on stream 5: invalid preface of the multipart body", Malformed, Maybe},
		{"h2: PROTOCOL_ERROR: bad magic number in gzip header (stream 3)", Malformed, Maybe},
	})
	if r := one(t, unread+`read |0: file already closed"`); *r.Retry != Safe {
		t.Errorf("retry %s", *r.Retry)
	}
	if r := one(t, `GOAWAY received: PROTOCOL_ERROR, lastStreamId=0, debug="invalid_preface"`); *r.Retry != Useless {
		t.Errorf("retry %s", *r.Retry)
	}
}

// What the two ends negotiate before a request is TLS and its protocols; people and HTTP negotiate other things.
func TestANegotiationThatFailed(t *testing.T) {
	judge(t, []judged{
		{"WARNING: TLS negotiation failed for new client. ALPN supported: false.\n" +
			"java.lang.Exception: Failed protocol negotiation: Unable to find compatible protocol.", TLSFailed, No},
		{"UNAVAILABLE: Failed ALPN negotiation: Unable to find compatible protocol.", TLSFailed, No},
		{"grpc: SSL negotiation failed with api.example.com:443", TLSFailed, No},
		{"http2: TLS negotiation error: no shared parameters", TLSFailed, No},
		{"http2: could not negotiate ALPN with upstream: server selected no protocol", TLSFailed, No},
		{"rpc error: code = Unavailable desc = failed to exit idle mode: dns resolver: missing address", Unreached, No},
		{"psql: error: SSL negotiation failed: received invalid response to SSL negotiation: H", Unrelated, ""},
	})
	areQuiet(t, "HTTP 406: content negotiation failed for /v1/items", "ERROR contract negotiation failed for order 3")
}

// Services call many failures transient; the state of a gRPC channel has that name too.
func TestATransientFailure(t *testing.T) {
	judge(t, []judged{
		{"photo.dng: Received error: googleapi: Error 503: Transient failure, transientError - retrying 1/10", Status, Maybe},
		{"googleapi: Error 503: The service is currently unavailable., backendError", Status, Maybe},
		{"ERROR upload failed: Transient failure (503), will retry", Unclear, CantSay},
		{"rpc error: code = Unavailable desc = transient failure, please retry", Unrelated, ""},
		{"rpc error: code = Unavailable desc = all SubConns are in TransientFailure", Unreached, No},
		{"channel is in transient failure state (grpc)", Unreached, No},
		{"grpc: connectivity state changed: CONNECTING -> TRANSIENT_FAILURE", Unreached, No},
		{"<ChannelConnectivity.TRANSIENT_FAILURE: (3, 'transient failure')>", Plain, No},
	})
	areQuiet(t, "boto3: ServiceException: A transient failure occurred while processing part 7")
}

// A service that runs out of something says RESOURCE_EXHAUSTED; a client's own limit has no status before it.
func TestAServicesOwnLimit(t *testing.T) {
	areQuiet(t,
		"rpc error: code = ResourceExhausted desc = this server has too many xDS streams open, please try another",
		"rpc error: code = ResourceExhausted desc = database connection pool exhausted",
		"rpc error: code = ResourceExhausted desc = too many concurrent streams for user bob",
		"io.grpc.StatusRuntimeException: RESOURCE_EXHAUSTED: too many open subscriptions on this connection",
		"Error: 8 RESOURCE_EXHAUSTED: Too many requests in the queue of partition 3",
		`grpc.RpcError: status = StatusCode.RESOURCE_EXHAUSTED details = "Out of search connections for project 12"`,
		"ConnectError: [resource_exhausted] too many live connections for this key",
		`status: ResourceExhausted, message: "Too many active requests", details: [], metadata: MetadataMap { headers: {} }`,
		"grpc-status: 8, grpc-message: too many streams open on this node")
	judge(t, []judged{
		{"rpc error: code = ResourceExhausted desc = grpc: received message larger than max (5 vs. 4)", TooLarge, Maybe},
		{"RESOURCE_EXHAUSTED: Bandwidth exhausted HTTP/2 error code: ENHANCE_YOUR_CALM Received Goaway too_many_pings", Calm, Maybe},
		{"rpc error: code = ResourceExhausted desc = stream terminated by RST_STREAM with error code: ENHANCE_YOUR_CALM", Calm, Maybe},
		{`StatusCode.RESOURCE_EXHAUSTED details = "received trailing metadata size exceeds hard limit (5 vs. 4)"`, Malformed, Maybe},
		{"io.grpc.StatusRuntimeException: RESOURCE_EXHAUSTED", Unclear, CantSay},
		{"linkerd: grpc-status: 8, grpc-message: logical service in fail-fast", LimitReached, No},
		{"okhttp: too many concurrent streams on the connection, request rejected", LimitReached, No},
		{"rpc error: code = Unavailable desc = too many concurrent streams on the connection", LimitReached, No},
	})
}

// What a name stands for is a sentence without a subject, and an object of nothing but numbers counts.
func TestManualsAndStatistics(t *testing.T) {
	for _, text := range []string{
		"503 Service Unavailable\n\nIndicates that the web server is overloaded or down for maintenance.",
		"502 Bad Gateway\nReturned when the gateway got an invalid response.\n504 Gateway Timeout\nReturned when the upstream did not answer.",
		"GOAWAY\nMeans that the server closes the connection.\nRST_STREAM\nMeans that one stream is closed.",
		"UNAVAILABLE (14): Indicates that the service is currently unavailable.",
		"ECONNRESET\nOccurs when the peer closes the connection forcibly.",
		"{\n  requests: 100,\n  errors: 100,\n  timeouts: 7,\n  statusCodes: { '503': 12 },\n  latency: 12.5\n}",
		`{"totalRequests":3502,"totalErrors":3502,"rps":175,"errorCodes":{"-1":3502}}`,
	} {
		if tally := tallied(t, text); len(tally.Groups()) > 0 || tally.Missed() {
			t.Errorf("%s\n  is taken for %v, missed %v", text, names(tally.Groups()), tally.Missed())
		}
	}
	judge(t, []judged{
		{"2031-01-02 03:04:05 ERROR 503 Service Unavailable: this indicates that the server is overloaded", Status, Maybe},
		{"http2: server sent GOAWAY and closed the connection; LastStreamID=7, ErrCode=NO_ERROR\nIndicates that the server restarts.", Accepted, Maybe},
		{"{ streamId: 5, errorCode: 8, lastStreamId: 1999, connection: 1 }", Failed, Maybe},
	})
}

// A client that rejects its own request sends nothing; the headers of an answer and those that were received are another matter.
func TestARequestThatThisSideRejects(t *testing.T) {
	node := "\n    at mapToHeaders (node:internal/http2/util:570:15)\n    at "
	hpack := "org.eclipse.jetty.http2.hpack.HpackException$SessionException: Could not hpack encode "
	judge(t, []judged{
		{hpack + "GET{u=https://app.example.com:443/x,HTTP/2.0,h=15,cl=-1,p=null}", Malformed, No},
		{`Get "https://api.example.com/v1": http2: request header list larger than peer's advertised limit`, Malformed, No},
		{`Get "https://api.example.com": net/http: invalid header field value for "Authorization"`, Plain, No},
		{"rpc error: code = Internal desc = header list size to send violates the maximum size (8192 bytes) set by server", Malformed, No},
		{"HttpRequestException: Request headers must contain only ASCII characters.\n   at System.Net.Http.Http2Connection.WriteLiteralHeader()", Malformed, No},
		{`TypeError [ERR_HTTP2_INVALID_HEADER_VALUE]: Invalid value "undefined" for header "x"` + node + "ClientHttp2Session.request (core:1:2)", Malformed, No},
		{`TypeError [ERR_HTTP2_INVALID_CONNECTION_HEADERS]: headers are forbidden: "te"` + node + "ClientHttp2Session.request (core:1:2)", Malformed, No},
		{`httpcore.LocalProtocolError: Illegal header value b'abc\n'`, Plain, No},
		{"error sending request for url (https://a/): http2 error: user error: malformed headers", Malformed, No},
		{hpack + "HTTP/2.0{s=200,h=15,cl=-1}", Malformed, Maybe},
		{`TypeError [ERR_HTTP2_INVALID_CONNECTION_HEADERS]: headers are forbidden: "te"` + node + "ServerHttp2Stream.respond (core:1:2)", Malformed, Maybe},
		{`rpc error: code = Internal desc = header key "x-user" contains value with non-printable ASCII characters`, Malformed, Maybe},
		{"rpc error: code = Internal desc = header list size to send violates the maximum size (8192 bytes) set by client", Malformed, Maybe},
		{"hyper: http2 error: user error: malformed headers", Malformed, Maybe}, // of a request or of an answer
		{"io.netty.handler.codec.http2.Http2Exception$HeaderListSizeException: Header size exceeded max allowed size (8192)", Malformed, Maybe},
		{"http2: server sent an invalid header field name in the answer to GET /", Malformed, Maybe},
	})
}

// An error code beside a stream's number ended that stream, and libraries object to the number itself.
func TestErrorsOfStreams(t *testing.T) {
	judge(t, []judged{
		{"* http2 error: Invalid HTTP header field was received: frame type: 1, stream: 1, name: [te], value: [x]\n" +
			"* Connection state changed (MAX_CONCURRENT_STREAMS updated)!\n" +
			"* HTTP/2 stream 1 was not closed cleanly: PROTOCOL_ERROR (err 1)", Malformed, Maybe},
		{"* Connection state changed (MAX_CONCURRENT_STREAMS updated)!\n* HTTP/2 stream 3 was not closed cleanly: INTERNAL_ERROR (err 2)", Reset, Maybe},
		{"h2 stream=11 error=INTERNAL_ERROR", Reset, Maybe},
		{"http2: connection error: FLOW_CONTROL_ERROR", Failed, Maybe},
		{"connection error: PROTOCOL_ERROR: stream 3 frame after end", Failed, Maybe},
		{"io.netty.handler.codec.http2.Http2Exception: Request stream 2414839 is not correct for server connection", Malformed, Maybe},
		{"org.apache.coyote.http2: A client initiated stream [4] must have an odd identifier", Malformed, Maybe},
		{"io.undertow: Http2 stream id 6 is not valid for a client initiated stream", Malformed, Maybe},
		{"Http2Exception: Stream IDs are exhausted for this endpoint.", LimitReached, No},
		{"Http2Exception: Cannot create stream 2003 greater than Last-Stream-ID 1999 from GOAWAY.", NotSent, No},
	})
	areQuiet(t, "ValueError: stream 7 is not valid", "video stream 4 is not correct for this container",
		"kafka streams: stream 12 is not correct for topic orders")
}

// What one side found wrong, the other side was told in its GOAWAY: one failure.
func TestAGoawayRepeatsTheOtherSidesError(t *testing.T) {
	for _, text := range []string{
		"Http2Exception: HPACK - max dynamic table size change required\n" +
			"2031-01-02 03:04:06 Received GoAwayFrame@5335bfdd{2147483647/compression_error/HPACK - max dynamic table size change required} on HTTP2Session",
		"client: Http2Exception: Header block had invalid padding\nserver: INBOUND GO_AWAY: lastStreamId=5 errorCode=1 debug=\"Header block had invalid padding\"",
		"2031-01-02 03:04:05 ERROR client h2 decode error: frame with invalid size\n" +
			"2031-01-02 03:04:06 ERROR server GOAWAY received: FRAME_SIZE_ERROR, lastStreamId=3, debug data: \"frame with invalid size\"",
	} {
		one(t, text)
	}
	for _, text := range []string{
		"client: Http2Exception: Header block had invalid padding\nserver: GOAWAY received: lastStreamId=5 errorCode=11 debug=\"too_many_pings\"",
		"http2: server sent GOAWAY; LastStreamID=5, ErrCode=PROTOCOL_ERROR, debug=\"\"\nhttp2: frame with invalid size on stream 9",
	} {
		if groups := decoded(t, text); len(groups) != 2 {
			t.Errorf("%d findings of two failures: %v: %s", len(groups), names(groups), text)
		}
	}
}

// A client that falls back from QUIC to TCP fails once, at its last attempt; a connection that carried requests is another failure.
func TestAFallBackFromQUIC(t *testing.T) {
	quic := `12:47:08Z WRN Connection terminated error="failed to dial to edge with quic: timeout: no recent network activity"` + "\n"
	judge(t, []judged{
		{quic + `12:47:31Z WRN error="TLS handshake with edge error: read tcp 192.0.2.1:37452->192.0.2.193:7844: i/o timeout"`, Plain, No},
		{quic + `12:47:31Z WRN http2: dial tcp 192.0.2.193:7844: connect: connection refused`, Unreached, No},
	})
	if groups := decoded(t, quic+"12:47:31Z WRN http2: connection reset by peer under stream 5"); len(groups) != 2 {
		t.Errorf("%v", names(groups))
	}
}

// A service answered that its own request was not sent: the call itself was.
func TestARequestBehindTheService(t *testing.T) {
	judge(t, []judged{
		{`rpc error: code = Unknown desc = Get "https://a.example.com/": dial tcp 192.0.2.1:443: i/o timeout (Client.Timeout exceeded)`, Unreached, Maybe},
		{`response: 500 {"error":"getaddrinfo ENOTFOUND db.internal"}`, Plain, Maybe},
		{`HTTP/2 500 body: "could not connect to the cache: connection refused"`, Unreached, Maybe},
		{"rpc error: code = Unavailable desc = connection pool exhausted", LimitReached, Maybe},
		{"Error: 14 UNAVAILABLE: circuit breaker is open for inventory", LimitReached, Maybe},
		{`HTTP 503 Service Unavailable: {"error":"connection pool exhausted"}`, Plain, Maybe},
		{`{"status":500,"message":"HikariPool-1 - Connection is not available, request timed out"}`, Unrelated, ""},
		{`java.io.IOException: Unable to tunnel through proxy. Proxy returns "HTTP/1.1 503 Service Unavailable"`, Plain, No},
		{"got HTTP 502: dial tcp 192.0.2.1:8080: connect: connection refused", Plain, No}, // the gateway's own
		{"rpc error: code = Unavailable desc = upstream connect error or disconnect/reset before headers. reset reason: overflow", LimitReached, No},
		{"CallNotPermittedException: CircuitBreaker 'grpc' is OPEN and does not permit further calls", LimitReached, No},
		{"rpc error: code = Unknown desc = Get https://a.example.com/v2/: net/http: request canceled while waiting for connection", TimeUp, Maybe},
		{`Get "https://a.example.com/": dial tcp 192.0.2.1:443: i/o timeout (Client.Timeout exceeded while awaiting headers)`, Plain, No},
		{"Get https://a.example.com/v2/: net/http: request canceled while waiting for connection (Client.Timeout exceeded)", Plain, No},
	})
}
