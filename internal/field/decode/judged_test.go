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
