package decode

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
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
			t.Errorf("%s: certainly not executed: %s", text, r.Why.String())
		}
	}
	for _, text := range []string{"panic: send on closed channel", "SyntaxError: Unexpected end of JSON input",
		"MaxListenersWarning of ClientHttp2Session", "(node:12) the http2 module is experimental"} {
		areQuiet(t, text)
	}
}

// The same event is proved by a standard's name, by a system's or in a library's words; other words leave a reading.
func TestAReadingIsNotSure(t *testing.T) {
	for text, want := range map[string]struct {
		kind Kind
		sure bool
	}{
		"http2: connect ECONNREFUSED 192.0.2.1:443":                                {Unreached, true},
		"http2 client: the upstream host became unreachable":                       {Unreached, false},
		"stream 7 ended by peer: REFUSED_STREAM":                                   {Refused, true},
		"grpc: my websocket bridge says that the stream was refused":               {Refused, true},
		"grpc-bridge: websocket upstream: failed to connect":                       {Unreached, false},
		"http2 client: cannot open a new stream":                                   {NotSent, true},
		"I am not sure why, but my grpc client says that the request was not sent": {NotSent, false},
		"http2 transport got torn down, connection severed":                        {Lost, false},
	} {
		r := one(t, text)
		if r.Kind != want.kind || (r.Reservation.String() == "") != want.sure {
			t.Errorf("%s\n  %s, reservation %q, want %s, sure %v", text, r.Kind, r.Reservation.String(), want.kind, want.sure)
		}
		if want.sure {
			continue
		}
		if *r.Executed == No || *r.Retry == Safe || len(r.Changes) > 0 {
			t.Errorf("%s\n  a reading says: executed %s, retry %s, changes %v", text, *r.Executed, *r.Retry, classes(r))
		}
		others := len(r.MayBe) > 0 && !slices.Contains(r.MayBe, r.Kind)
		if !others || len(r.Decides) == 0 || !strings.HasPrefix(r.Title.String(), "perhaps") ||
			!strings.HasPrefix(r.Happened.String(), "If so: ") {
			t.Errorf("%s\n  %q, other readings %v, decided by %v", text, r.Title.String(), r.MayBe, r.Decides)
		}
	}
}

// nginx reaches a gRPC server over HTTP/2, any other upstream of a log over HTTP/1 or FastCGI.
func TestTheSchemeOfAnUpstreamTellsTheProtocol(t *testing.T) {
	line := "upstream prematurely closed connection while reading response header from upstream, upstream: \""
	for scheme, want := range map[string]Kind{"grpc": Lost, "grpcs": Lost, "http": Plain, "fastcgi": Plain} {
		if r := one(t, line+scheme+`://192.0.2.1:50051"`); r.Kind != want {
			t.Errorf("%s:// is %s, want %s", scheme, r.Kind, want)
		}
	}
}

// nginx's debug log has a line for each frame; the lines among them that say what became of a request keep
// their own finding.
func TestAFramesLineDoesNotHideWhatBecameOfARequest(t *testing.T) {
	got := names(decoded(t, "2026/11/22 14:13:01 [debug] 4711#4711: *7 http2 frame type:1 f:5 l:20 sid:41\n"+
		"2026/11/22 14:13:01 [debug] 4711#4711: *7 skipping http2 HEADERS frame\n"))
	if !slices.ContainsFunc(got, func(n string) bool { return strings.Contains(n, "nginx-skip-headers") }) {
		t.Errorf("found %q", got)
	}
}

// A failure that was made good is a reading: nothing is certain, and no change is offered.
func TestWhatWentWellInTheEndIsAReading(t *testing.T) {
	for _, text := range []string{
		"h2: stream was refused (REFUSED_STREAM); the retry succeeded",
		"http2: connection reset by peer; reconnected to edge-2, 0 requests lost",
		"[info] HTTP/2 request recovered after timeout: attempt 2 of 3 succeeded in 120 ms",
	} {
		r := one(t, text)
		if r.Reservation.String() == "" || len(r.Changes) > 0 || r.Executed == nil || *r.Executed == No || !slices.Contains(r.MayBe, Unrelated) {
			t.Errorf("%s: %s, executed %v, %d changes, may be %v", text, r.Kind, r.Executed, len(r.Changes), r.MayBe)
		}
	}
}

// Whether it helps to send it again: not against a proxy that wants credentials, nor where a page answers.
func TestUselessToRepeat(t *testing.T) {
	for text, want := range map[string]Again{
		"java.io.IOException: Unable to tunnel through proxy. Proxy returns \"HTTP/1.1 407 Proxy Authentication Required\"": Useless,
		"npm ERR! 407 Proxy Authentication Required: https://registry.npmjs.org/x":                                          Useless,
		"Error parsing metadata: error=invalid value key=content-type value=text/html; charset=utf-8 (hpack_parser.cc)":     Useless,
		"requests.exceptions.ConnectionError: ('Connection aborted.', UnknownProtocol('HTTP/2.0'))":                         Useless,
		"error: raw response: Client sent an HTTP request to an HTTPS server.":                                              Useless,
		"httpx.UnsupportedProtocol: Request URL is missing an 'http://' or 'https://' protocol.":                            Useless,
		"curl: (7) Failed to connect to api.example.com port 407: Connection refused":                                       Safe,
		"Tunnel connection failed: 503 Service Unavailable":                                                                 Safe,
	} {
		if r := one(t, text); *r.Retry != want {
			t.Errorf("%s\n  %s, %s, want %s", text, r.Kind, *r.Retry, want)
		}
	}
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

func shown(id *uint32) string {
	if id == nil {
		return "-"
	}
	return fmt.Sprint(*id)
}

func quotedOr(s *string) string {
	if s == nil {
		return "-"
	}
	return "<" + *s + ">"
}

func TestFactsAreReadInEverySpelling(t *testing.T) {
	for text, want := range map[string]string{
		// frame code last own debug
		`received GOAWAY [LastStreamId=1999, ErrorCode=NO_ERROR, DebugData=max_age]`:                       `GOAWAY NO_ERROR 1999 - <max_age>`,
		`read GOAWAY len=8 LastStreamID=1999 ErrCode=NO_ERROR Debug=""`:                                    `GOAWAY NO_ERROR 1999 - <>`,
		`<ConnectionTerminated error_code:ErrorCodes.NO_ERROR, last_stream_id:1999, additional_data:None>`: `GOAWAY NO_ERROR 1999 - <>`,
		`<ConnectionTerminated error_code:11, last_stream_id:0, ` +
			`additional_data:b'too_many_pings'>`: `GOAWAY ENHANCE_YOUR_CALM 0 - <too_many_pings>`,
		`received GOAWAY, error=0, last_stream=39`:        `GOAWAY NO_ERROR 39 - -`,
		`http2 send GOAWAY frame: last sid 1999, error 0`: `GOAWAY NO_ERROR 1999 - -`,
		`Sending GOAWAY failed: lastStreamId '7', errorCode ` +
			`'2', debugData ''. Forcing shutdown`: `GOAWAY INTERNAL_ERROR 7 - <>`,
		`GoAway { error_code: NO_ERROR, last_stream_id: StreamId(1999) }`: `GOAWAY NO_ERROR 1999 - -`,
		`goaway(lastStreamID: HTTP2StreamID(2147483647), ` +
			`errorCode: HTTP2ErrorCode<0x0 No Error>)`: `GOAWAY NO_ERROR 2147483647 - -`,
		`(last_stream_id=1999, error_code=NO_ERROR(0x00), opaque_data(0)=[])`:     `GOAWAY NO_ERROR 1999 - <>`,
		`Cannot create stream 2087 greater than Last-Stream-ID 1999 from GOAWAY.`: `GOAWAY  1999 2087 -`,
		`since this endpoint has received a GOAWAY frame with last stream id 0`:   `GOAWAY  0 - -`,
		`HTTP/2 error code: NO_ERROR stream id: 2073, GOAWAY Last-Stream-ID:2001`: `GOAWAY NO_ERROR 2001 2073 -`,
		`Client received GoAway with error code ENHANCE_YOUR_CALM ` +
			`and debug data equal to ASCII "too_many_pings".`: `GOAWAY ENHANCE_YOUR_CALM - - <too_many_pings>`,
		`Got goaway [11] err=UNAVAILABLE:GOAWAY received; Error code: 11; Debug Text: too_many_pings {grpc_status:14}`: `GOAWAY ENHANCE_YOUR_CALM - - <too_many_pings>`,
		`Connection closed after GOAWAY. HTTP/2 error code: NO_ERROR, debug data: max_age`:                             `GOAWAY NO_ERROR - - <max_age>`,
		`Received GOAWAY frame on '10.0.0.1:5' from '10.0.0.2:443' with error code 2 and message ''`:                   `GOAWAY INTERNAL_ERROR - - <>`,
		`kind: GoAway(b"too_many_internal_resets", ` +
			`ENHANCE_YOUR_CALM, Library)`: `GOAWAY ENHANCE_YOUR_CALM - - <too_many_internal_resets>`,
		`upstream sent goaway with error 0 while reading`:                               `GOAWAY NO_ERROR - - -`,
		`HTTP/2: "GOAWAY" frame received with code 0`:                                   `GOAWAY NO_ERROR - - -`,
		`Stream was closed (GOAWAY error code = 0)`:                                     `GOAWAY NO_ERROR - - -`,
		`The HTTP/2 server reset the stream. HTTP/2 error code 'REFUSED_STREAM' (0x7).`: `RST_STREAM REFUSED_STREAM - - -`,
		`StreamClosed(streamID: HTTP2StreamID(203), ` +
			`errorCode: HTTP2ErrorCode<0x8 Cancel>)`: `RST_STREAM CANCEL - 203 -`,
		`stream error: stream ID 309; CANCEL; received from peer`:        `RST_STREAM CANCEL - 309 -`,
		`stream error: stream ID 5; INTERNAL_ERROR`:                      `RST_STREAM INTERNAL_ERROR - 5 -`,
		`Stream closed with error code NGHTTP2_ENHANCE_YOUR_CALM`:        `RST_STREAM ENHANCE_YOUR_CALM - - -`,
		`Stream closed with error code NGHTTP2_CANCEL`:                   `RST_STREAM CANCEL - - -`,
		`net::ERR_HTTP2_COMPRESSION_ERROR`:                               ` COMPRESSION_ERROR - - -`,
		`HTTP/2 stream 0 was not closed cleanly: REFUSED_STREAM (err 7)`: `RST_STREAM REFUSED_STREAM - - -`,
		`Received RST_STREAM with code 8`:                                `RST_STREAM CANCEL - - -`,
		`Stream reset: 2`:                                                `RST_STREAM INTERNAL_ERROR - - -`,
		`<StreamReset stream_id:5, error_code:ErrorCodes.REFUSED_STREAM, ` +
			`remote_reset:True>`: `RST_STREAM REFUSED_STREAM - 5 -`,
		`Connection closed with 15 active stream(s)!`:                                         `  - - -`,
		`GOAWAY on the connection, error code 0x0b`:                                           `GOAWAY ENHANCE_YOUR_CALM - - -`,
		`GOAWAY on the connection, error code 104`:                                            `GOAWAY  - - -`,
		`GOAWAY on the connection, lastStreamId=99999999999`:                                  `GOAWAY  - - -`,
		`server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=ENHANCE_YO`: `GOAWAY ENHANCE_YOUR_CALM 1999 - -`,
		`server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=STREA`:      `GOAWAY STREAM_CLOSED 1999 - -`,
		`goaway-service error code 7`:                                                         ` REFUSED_STREAM - - -`,
	} {
		f := provedBy(text)
		got := fmt.Sprintf("%s %s %s %s %s", f.Frame, f.Code, shown(f.LastStreamID), shown(f.StreamID), quotedOr(f.Debug))
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestRequestsOnAConnection(t *testing.T) {
	for id, want := range map[uint32]struct {
		n     uint32
		round bool
	}{
		1999: {1000, true}, 2001: {1000, true}, 199: {100, true}, 201: {100, true}, 39: {20, true}, 1: {1, false},
		19999: {10000, true}, 20001: {10000, true}, 4861: {2431, false}, 1045: {523, false}, 199999: {100000, true},
		41: {21, false}, 3: {2, false},
	} {
		if n, round := requests(id); n != want.n || round != want.round {
			t.Errorf("last stream id %d: %d %v, want %d %v", id, n, round, want.n, want.round)
		}
	}
}

func TestImpossibleIDsAreSaid(t *testing.T) {
	id := func(n uint32) *uint32 { return &n }
	for _, tt := range []struct {
		id   *uint32
		odd  bool
		have bool
	}{{id(1998), true, false}, {id(4294967295), true, false}, {id(1999), false, true}, {id(0), false, false},
		{id(maxID), false, false}, {nil, false, false}} {
		f := Facts{LastStreamID: tt.id}
		if got := !f.impossible().IsZero(); got != tt.odd {
			t.Errorf("%s: impossible is %v", shown(tt.id), got)
		}
		if tt.id == nil {
			continue
		}
		g := provedBy(fmt.Sprintf("GOAWAY frame, last_stream_id: %d, error code 0", *tt.id))
		if (g.Requests != nil) != tt.have {
			t.Errorf("%d: requests %v", *tt.id, g.Requests)
		}
	}
}

func TestKindsFollowFromFacts(t *testing.T) {
	for text, want := range map[string]Kind{
		`GOAWAY frame received, error code INTERNAL_ERROR, last_stream_id: 4861, debug data: ""`:           Exhausted,
		`GOAWAY frame received, error code INTERNAL_ERROR, last_stream_id: 4861, debug data: "ParseError"`: Failed,
		`GOAWAY frame received, error code INTERNAL_ERROR, last_stream_id: 4861`:                           Failed,
		`GOAWAY frame received, error code 11`:                                                             Calm,
		`GOAWAY frame received, error code PROTOCOL_ERROR`:                                                 Failed,
		`GOAWAY frame received, error code 0, last_stream_id: 2147483647`:                                  Announced,
		`GOAWAY frame received, error code 0, last_stream_id: 1999, stream 2001 failed`:                    Unprocessed,
		`GOAWAY frame received, error code 0, last_stream_id: 1999, stream 1997 failed`:                    Accepted,
		`GOAWAY frame received, error code 0, last_stream_id: 0`:                                           Unprocessed,
		`GOAWAY frame received, error code 0, last_stream_id: 1999`:                                        Ended,
		`GOAWAY frame received`:                             Ended,
		`some proxy: RST_STREAM, error code REFUSED_STREAM`: Refused,
		`some proxy: RST_STREAM, error code CANCEL`:         Cancelled,
		`some proxy: RST_STREAM, error code PROTOCOL_ERROR`: Reset,
		`http2: Transport: cannot retry err [stream error: stream ID 5; REFUSED_STREAM; received ` +
			`from peer] after Request.Body was written; define Request.GetBody to avoid this error`: Refused,
		`http2: Transport: cannot retry err [stream error: stream ID 5; PROTOCOL_ERROR; received ` +
			`from peer] after Request.Body was written; define Request.GetBody to avoid this error`: Reset,
		`net::ERR_HTTP2_PROTOCOL_ERROR`:                                     Malformed,
		`Stream closed with error code NGHTTP2_INTERNAL_ERROR`:              Reset,
		`Error [ERR_HTTP2_SESSION_ERROR]: Session closed with error code 2`: Failed,
		`rpc error: code = Unavailable desc = transport is closing, received ` +
			`prior goaway: code: ENHANCE_YOUR_CALM, debug data: "too_many_pings"`: Calm,
	} {
		f := NewDecoder().Text([]byte(text))
		if f == nil || f.Kind != want {
			t.Errorf("%s: %+v, want %s", text, f, want)
		}
	}
}

// A status in a service's own words is its answer, in every spelling of gRPC's libraries.
func TestAStatusInAServicesWordsIsItsAnswer(t *testing.T) {
	areQuiet(t,
		`rpc error: code = Internal desc = create order: row 77 is missing in the table of orders`,
		`level=error msg="tick failed" error="unknown: rpc error: code = Internal desc = pick job: plan 7217: tenant does not exist"`,
		`io.grpc.StatusRuntimeException: INTERNAL: could not compute the price of item 4`,
		"io.grpc.StatusRuntimeException: INTERNAL: Remote Build - internal server error\n"+
			"\tat io.grpc.stub.ClientCalls.toStatusRuntimeException(ClientCalls.java:262)",
		`Error: 2 UNKNOWN: the plan gold is not valid`,
		`ERROR: Grpc Stream Error: 8 RESOURCE_EXHAUSTED: Expected to activate jobs of type 'a'.`,
		`grpc-js Error: 8 RESOURCE_EXHAUSTED: the daily budget of project 12 is used up`,
		`Status { code: Internal, message: "lagged behind", source: None } (tonic::transport)`,
		`status: Unknown, message: "no such bucket", details: [], metadata: MetadataMap { headers: {} }`,
		`Grpc.Core.RpcException: Status(StatusCode="Unknown", Detail="Customer 12 is blocked")`,
		`<_InactiveRpcError of RPC that terminated with: status = StatusCode.INTERNAL details = "the model is not loaded"`,
		`error="session healthcheck failed fatally: Unimplemented: The server does not implement the method /grpc.health.v1.Health/Check"`,
		`GRPC status internal error (13): no such tenant`,
		`%GRPC.RPCError{status: 13, message: "the tenant is blocked"}`,
		`grpc call failed: grpc-status=2 grpc-message="the tenant is blocked"`,
		`ConnectError: [internal] could not compute the price`,
		`ConnectError: [not_found] no such item`,
		`<_InactiveRpcError of RPC that terminated with: status = StatusCode.UNKNOWN details = "Exception calling application: `+
			`'NoneType' object has no attribute 'x'" debug_error_string = "UNKNOWN:Error received from peer ipv4:192.0.2.1:50051">`,
		`rpc error: code = Unknown desc = OCI runtime exec failed: exec: "bash": executable file not found in $PATH: unknown`)
	// The words of a transport, or none, leave the status as it was.
	for text, want := range map[string]Kind{
		`ConnectError: [unavailable] upstream connection refused`:                                                      Unreached,
		`io.grpc.StatusRuntimeException: UNAVAILABLE: Credentials failed to obtain metadata`:                           NotSent,
		`{:error, %GRPC.RPCError{status: 2, message: ":down: :normal"}}`:                                               Lost,
		`%GRPC.RPCError{status: 13, message: "stream was reset"}`:                                                      Reset,
		`rpc error: code = Internal desc = internal error`:                                                             Unclear,
		`rpc error: code = Unavailable desc = `:                                                                        Unclear,
		`rpc error: code = Internal desc = stream terminated by RST_STREAM with error code: CANCEL`:                    Cancelled,
		`rpc error: code = Internal desc = server closed the stream without sending trailers`:                          Reset,
		`13 INTERNAL: Received RST_STREAM with code 2`:                                                                 Reset,
		`io.grpc.StatusRuntimeException: UNKNOWN: channel closed`:                                                      Lost,
		`io.grpc.StatusRuntimeException: UNAVAILABLE: io exception`:                                                    Lost,
		`grpc: 14 UNAVAILABLE: No connection established`:                                                              Unreached,
		`<_InactiveRpcError: status = StatusCode.UNKNOWN details = "Stream removed"`:                                   Lost,
		`rpc error: code = Unavailable desc = name resolver error: produced zero addresses`:                            Unreached,
		`rpc error: code = ResourceExhausted desc = trying to send message larger than max (3 vs. 2)`:                  TooLarge,
		`io.grpc.StatusRuntimeException: INTERNAL: could not be served: java.io.IOException: Connection reset by peer`: Lost,
	} {
		if r := one(t, text); r.Kind != want {
			t.Errorf("%s: %s, want %s", text, r.Kind, want)
		}
	}
}

// UNAVAILABLE is a service's status and a library's: in the service's words it is a reading.
func TestUnavailableInAServicesWordsIsAReading(t *testing.T) {
	for _, text := range []string{
		`io.grpc.StatusRuntimeException: UNAVAILABLE: The service is currently unavailable.`,
		`rpc error: code = Unavailable desc = The server cannot handle this request right now. Please retry with backoff`,
		`rpc error: code = Unavailable desc = maintenance until 18:00`,
	} {
		r := one(t, text)
		if r.Kind != Unrelated || r.Reservation.String() == "" || !slices.Contains(r.MayBe, Unreached) || len(r.Decides) == 0 {
			t.Errorf("%s: %s, %q, may be %v, decides %q", text, r.Kind, r.Reservation.String(), r.MayBe, r.Decides)
		}
	}
}

// A service's own status is an answer in each language's spelling of it, whatever its description is called.
func TestAStatusOfTheServiceInAnySpelling(t *testing.T) {
	const rust = `, message: "Method not found: acme.v1.StreamService/Collect", metadata: MetadataMap { headers: {"content-type": "application/grpc"} }, source: None }`
	areQuiet(t,
		"report by stream failed status=Status { code: Unimplemented"+rust,
		"WARN: upload failed: status: Unimplemented"+rust,
		`Failed client connect: Status { code: PermissionDenied, message: "service answered 503", metadata: MetadataMap { headers: {} }, source: None }`,
		`status: NotFound, message: "no connection with this id", details: [], metadata: MetadataMap { headers: {} }`,
		`tonic::Status: code: 'The caller does not have permission to execute the specified operation', message: "channel is read-only"`,
		`{"code":2,"message":"rpc error: code = Unauthenticated desc = auth header missing ()"}`,
		`rpc error: code = Unauthenticated desc = x509: certificate signed by unknown authority`,
		`rpc error: code = PermissionDenied desc = stream orders is closed for this user`,
		`level=error msg="error processing request" err="rpc error: code = Code(500) desc = connection pool of the store is exhausted\n"`,
		`rpc error: code = Code(422) desc = stream rejected`,
		`Grpc.Core.RpcException: Status(StatusCode="PermissionDenied", Detail="The connection string is not yours.")`,
		"<_InactiveRpcError of RPC that terminated with:\n\tstatus = StatusCode.UNAUTHENTICATED\n\tdetails = \"session token missing\"\n>",
		`GRPC::Unauthenticated: 16:invalid header token. debug_error_string:{UNKNOWN:Error received from peer}`,
		`Error: 7 PERMISSION_DENIED: the channel is private`,
		`%GRPC.RPCError{status: 16, message: "socket token expired"}`,
		`grpc call: { code: 12, details: 'The server does not implement the method /acme.Stream/Get', metadata: Metadata {} }`,
		`io.grpc.StatusRuntimeException: UNIMPLEMENTED: Method not found: acme.TransportService/Connect`)
	for _, text := range []string{
		`status: Unavailable, message: "error trying to connect: tcp connect error", details: [], metadata: MetadataMap { headers: {} }`,
		`status: Unknown, message: "transport error", details: [], metadata: MetadataMap { headers: {} }`,
		`rpc error: code = Internal desc = stream terminated by RST_STREAM with error code: INTERNAL_ERROR`,
		`rpc error: code = Unauthenticated desc = transport: per-RPC creds failed due to error: dial tcp 192.0.2.1:443: connect: connection refused`,
		`Error: 14 UNAVAILABLE: Connection dropped`,
		`io.grpc.StatusRuntimeException: UNAUTHENTICATED: Credentials failed to obtain metadata`,
		`status: Unauthenticated, message: "error fetching auth metadata: connection refused", details: []`,
		`grpc: connection aborted, message: reset by peer`,
		`status: PermissionDenied, message: "h2 protocol error: INADEQUATE_SECURITY", details: []`,
	} {
		if r := one(t, text); r.Kind == Unrelated {
			t.Errorf("%s\n  %s", text, r.Kind)
		}
	}
}

// The number of RESOURCE_EXHAUSTED counts as its name does, in every field that has it.
func TestTheNumberOfAnExhaustedService(t *testing.T) {
	for _, text := range []string{
		"grpc: status: ResourceExhausted, message: \"too many open connections\"",
		"grpc: status: 8, message: \"too many open connections\"",
		"grpc-status: 8 grpc-message: too many open connections",
	} {
		if r := one(t, text); r.Kind != Unrelated {
			t.Errorf("%s: %s, executed %v", text, r.Kind, r.Executed)
		}
	}
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
	if r := one(t, "x.StatusRuntimeException: UNKNOWN"); r.Kind != Unrelated || r.Reservation.String() == "" {
		t.Errorf("a status without a word: %s, %q", r.Kind, r.Reservation.String())
	}
}
