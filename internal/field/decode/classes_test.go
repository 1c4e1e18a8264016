package decode

import (
	"reflect"
	"slices"
	"testing"
)

// Envoy's flags are read beside a status alone, or after their field's name; other letters are none.
func TestFlagsAlone(t *testing.T) {
	for text, want := range map[string]Kind{
		"503 UO 21":                      LimitReached,
		"503 UC":                         Lost,
		"503 UF,URX":                     Unreached,
		`0 DC`:                           GaveUp,
		"504 UT -":                       TimeUp,
		"503 UR":                         Reset,
		"the response flag was UH":       Unreached,
		"response flags: UPE":            Malformed,
		`{"x":1,"response_flags": "UO"}`: LimitReached,
	} {
		if r := one(t, text); r.Kind != want || r.Facts.Flags == "" {
			t.Errorf("%s is %s with the flags %q, want %s", text, r.Kind, r.Facts.Flags, want)
		}
	}
	for _, text := range []string{"503 UX", "room 503 UC", "call 404 NC 28202"} {
		if groups := decoded(t, text); len(groups) > 0 && groups[0].Flags != "" {
			t.Errorf("%s has flags: %s", text, groups[0].Flags)
		}
	}
}

// HAProxy's termination state is read in logs of other formats.
func TestTerminationStatesInOtherFormats(t *testing.T) {
	areOf(t, map[string]Kind{
		`{"backend":"be","termination_state":"SH--","status":502}`:             Lost,
		`haproxy[7]: fe~ be/s1 0/0/0/-1/749 206 400 [CD] "POST /a.B/C HTTP/2"`: GaveUp,
		`haproxy: be=app ts=sQ-- st=503`:                                       LimitReached,
	})
}

// An xDS server ends its streams by age, with an empty debug text too.
func TestStreamsOfConfigurationEndByAge(t *testing.T) {
	r := one(t, `StreamAggregatedResources gRPC config stream closed: 14, closing transport due to: connection error: desc = `+
		`"error reading from server: EOF", received prior goaway: code: NO_ERROR, debug data: `)
	if slices.Contains(classes(r), RequestLimit) || !slices.Contains(classes(r), Age) {
		t.Errorf("%v", classes(r))
	}
}

// A number that a table lacks is a stream's only where the trace names the library.
func TestAMissingStream(t *testing.T) {
	for text, want := range map[string]Kind{
		"KeyError: 115": Ambiguous,
		"  File \"/v/httpcore/_sync/http2.py\", line 350, in _receive_stream_event\nKeyError: 115": Confused,
		"  File \"/v/hypercorn/protocol/h2.py\", line 259, in _handle_events\nKeyError: 1":         ServerLog,
	} {
		if r := one(t, text); r.Kind != want {
			t.Errorf("%q is %s, want %s", text, r.Kind, want)
		}
	}
	if groups := decoded(t, "KeyError: 'name'"); len(groups) > 0 && groups[0].Signature != nil {
		t.Error("any KeyError is taken for a stream's")
	}
}

// What a working program says is no failure, whatever words it has.
func TestWorkingProgramsFailNothing(t *testing.T) {
	areQuiet(t,
		"INFO http2 keepalive ping sent, waiting 20s for ack",
		"grpc circuit breaker 'payments' configured, bulkhead 16",
		"http2 server ready, max concurrent streams 128",
		"http2: DNS resolution took 12ms",
		"* TLSv1.3 (OUT), TLS handshake, Client hello (1):\n* successfully set certificate verify locations:\n* ALPN: server accepted h2",
		"[id: 0x1, L:/127.0.0.1:61940 - R:/127.0.0.1:8080] OUTBOUND HEADERS: streamId=3 headers=[grpc-timeout: 5S]",
		"Frame type [WINDOW_UPDATE], Flags [0], Payload size [4] (http2)",
		`{"protocol":"HTTP/2","upstream_transport_failure_reason":null,"response_code":200,"response_flags":"-"}`,
		"keepAliveTimeout=65s keepAliveRequests=1000 http2MaxConcurrentStreams=128")
	areOf(t, map[string]Kind{
		"http2 keepalive ping failed":                       Lost,
		"grpc circuit breaker 'payments' is open: rejected": LimitReached,
		"http2: max concurrent streams 128 exceeded":        LimitReached,
		"grpc: DNS resolution failed":                       Unreached,
		"http2: payload size exceeds the limit":             Malformed,
	})
}

func TestAlternativesOfPhrases(t *testing.T) {
	want := []string{"a x c", "b x c", "a y c", "b y c"}
	if got := expanded("[[a,b]] [[x,y]] c"); !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}

// A text whose failing party isn't the HTTP/2 stack proves no event of a connection, and no "certainly not".
func TestOtherFailingParties(t *testing.T) {
	areOf(t, map[string]Kind{
		"rpc error: code = NotFound desc = stream closed not found":                                         Unrelated,
		"rpc error: code = Internal desc = grpc: failed to unmarshal the received message: unexpected EOF":  Unrelated,
		"java.lang.NoSuchMethodError: io.netty.handler.codec.http2.Http2Settings.maxConcurrentStreams":      Unrelated,
		"NullPointerException in listener onGoAwayReceived of io.grpc.netty":                                Unclear,
		"[emerg] 7#7: \"grpc_pass\" directive is not allowed here":                                          ServerLog,
		"haproxy[7]: Server be/s1 is DOWN, reason: Layer4 connection problem, info: \"Connection refused\"": ServerLog,
		"Protocol::HTTP2::StreamError: Stream cancelled.":                                                   Cancelled,
		"HTTP/2 stream 17 refused (0x7)":                                                                    Refused,
		"14:Endpoint read failed (GRPC::Unavailable)\n\tfrom client_stub.rb:152:in `request_response'":      Lost,
	})
	for _, text := range []string{
		`rpc error: code = Unknown desc = Post "https://auth.example.com/token": net/http: TLS handshake timeout`,
		"error: failed to resolve the import of the session",
		`dbug: Kestrel[27] the request timed out because it was not sent by the client at a minimum of 240 bytes/second`,
	} {
		if r := one(t, text); r.Executed != nil && *r.Executed == No {
			t.Errorf("%s: certainly not executed: %s", text, r.Why)
		}
	}
	for _, text := range []string{"panic: send on closed channel", "SyntaxError: Unexpected end of JSON input",
		"MaxListenersWarning of ClientHttp2Session", "(node:12) the http2 module is experimental"} {
		areQuiet(t, text)
	}
}
