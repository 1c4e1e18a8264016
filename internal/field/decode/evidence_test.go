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
