package decode

import (
	"slices"
	"strings"
	"testing"
)

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
		if r.Kind != want.kind || (r.Reservation == "") != want.sure {
			t.Errorf("%s\n  %s, reservation %q, want %s, sure %v", text, r.Kind, r.Reservation, want.kind, want.sure)
		}
		if want.sure {
			continue
		}
		if *r.Executed == No || *r.Retry == Safe || len(r.Changes) > 0 {
			t.Errorf("%s\n  a reading says: executed %s, retry %s, changes %v", text, *r.Executed, *r.Retry, classes(r))
		}
		others := len(r.MayBe) > 0 && !slices.Contains(r.MayBe, r.Kind)
		if !others || len(r.Decides) == 0 || !strings.HasPrefix(r.Title, "perhaps") ||
			!strings.HasPrefix(r.Happened, "If so: ") {
			t.Errorf("%s\n  %q, other readings %v, decided by %v", text, r.Title, r.MayBe, r.Decides)
		}
	}
}

// What a test expects, a manual explains or a program logs while it works is no failure.
func TestNoFailureIsReported(t *testing.T) {
	areQuiet(t,
		"An endpoint that receives this frame MUST treat it as a connection error of type FRAME_SIZE_ERROR (http2)",
		"✔ 3: Sends a RST_STREAM frame on an idle stream",
		"× 2: Sends a GOAWAY frame\n Expected: GOAWAY Frame (Error Code: PROTOCOL_ERROR)\n Actual: Timeout",
		"http2_recv_timeout: sets the timeout for expecting more data from the client, after which the connection is closed",
		"DEBUG [http2] the idle session ended and left the pool, its streams were closed",
		"stream_idle_timeout: 300s\nmax_stream_duration: 60s\nhttp2_protocol_options: {}",
		"http2: received connection preface from client")
}

// A text without a failure that a guard must not silence.
func TestFailuresStayFailures(t *testing.T) {
	areOf(t, map[string]Kind{
		"DEBUG [http2] connection reset by peer":                                                 Lost,
		"level=info msg=\"rpc error: code = Unavailable desc = error reading from server: EOF\"": Lost,
		"DEBUG received GOAWAY frame, error code 11, debug data too_many_pings":                  Calm,
		"http2: error reading preface from client: bogus greeting":                               Malformed,
		"HTTP/2 connection error (FLOW_CONTROL_ERROR): window overflow":                          Failed,
		"java.io.IOException: 1/invalid_data_frame":                                              Malformed,
		"AxiosError: Parse Error: Expected HTTP/":                                                Plain,
	})
}

// Envoy writes its flags into TCP logs, into logs of any format and by their long names.
func TestFlagsOfOtherFormats(t *testing.T) {
	areOf(t, map[string]Kind{
		`[2026-01-01T00:00:00.000Z] "- - -" 0 UF,URX - - "-" 0 0 2285 - "-" "-"`: Unreached,
		`"- - -" 0 UH - - "-" 0 0 0 BlackHoleCluster`:                            Unreached,
		`status=503 flags=UC,URX dur=31 path=/a.B/C`:                             Lost,
		`envoy|503|UO|overflow`:                                                  LimitReached,
		`envoy: 503 UpstreamConnectionTermination`:                               Lost,
		`envoy: 504 UpstreamRequestTimeout`:                                      TimeUp,
		`envoy: 503 NoHealthyUpstream`:                                           Unreached,
		`envoy: 0 DownstreamConnectionTermination`:                               GaveUp,
	})
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
		if r.Reservation == "" || len(r.Changes) > 0 || r.Executed == nil || *r.Executed == No || !slices.Contains(r.MayBe, Unrelated) {
			t.Errorf("%s: %s, executed %v, %d changes, may be %v", text, r.Kind, r.Executed, len(r.Changes), r.MayBe)
		}
	}
}

// Systems write their messages in the user's language; the name of the exception and the number stay the same.
func TestNamesOfExceptionsInAnyLanguage(t *testing.T) {
	proveEvents(t, map[string]Event{
		"java.net.ConnectException: Spojení bylo příliš dlouho neaktivní":                                   onNeverConnected,
		"io.netty.channel.AbstractChannel$AnnotatedConnectException: Bağlantı reddedildi":                   onNeverConnected,
		"System.Net.Sockets.SocketException (10061): Nie można nawiązać połączenia":                         onNeverConnected,
		"OSError: [Errno 113] Ingen väg till värden":                                                        onNeverConnected,
		"aiohttp.client_exceptions.ClientConnectorError: Не удается":                                        onNeverConnected,
		"Net::OpenTimeout: 接続できません":                                                                         onNeverConnected,
		"socket.gaierror: [Errno -2] Služba není známa":                                                     onNeverConnected,
		"System.Net.WebException: Error: TrustFailure (Echec)":                                              onTLSFailure,
		"h2: write: 断开的管道":                                                                                  onClosed,
		"GuzzleHttp\\Exception\\ConnectException: cURL error 28: Operation timed out with 0 bytes received": onTimedOut,
	})
	areQuiet(t, "order 10061 shipped with error code 0", "import java.net.ConnectException;")
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
