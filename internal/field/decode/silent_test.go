package decode

import (
	"slices"
	"strings"
	"testing"
)

// Words in addresses, file names, requests and empty fields state nothing.
func TestSilentWordsStateNothing(t *testing.T) {
	for text, want := range map[string]Kind{
		`rpc error: code = Unavailable desc = upstream https://example.com/connection-refused/offline: EOF`:                    Lost,
		`http2: server sent GOAWAY and closed the connection; LastStreamID=5, ErrCode=NO_ERROR (/srv/tls/handshake_failed.go)`: Accepted,
		`{"protocol":"HTTP/2","connection_termination_details":null,"reset_stream":0,"error":"grpc: connection refused"}`:      Unreached,
	} {
		if r := one(t, text); r.Kind != want {
			t.Errorf("%s\n  %s, want %s", text, r.Kind, want)
		}
	}
	for _, text := range []string{
		`{"protocol":"HTTP/2","response_code":200,"connection_termination_details":null,"response_flags":"-"}`,
		"cluster.a.upstream_cx_protocol_error: 0\ncluster.a.upstream_rq_pending_overflow: 0",
		`http2: Framer 0xc0: read SETTINGS len=24, settings: MAX_FRAME_SIZE=1048576, MAX_CONCURRENT_STREAMS=250`,
		`grpc_server_handled_total{grpc_code="Unavailable",grpc_method="Get"} 12`,
		`Failed to load resource: file:///srv/offline/connection-reset.html`,
	} {
		for _, g := range decoded(t, text) {
			if g.Kind != Unrelated {
				t.Errorf("%s is taken for %s", text, g.Kind)
			}
		}
	}
}

// Silence claims that no connection failed only where something in the text excludes it.
func TestSilenceWithoutAReasonIsNoClaim(t *testing.T) {
	for text, missed := range map[string]bool{
		"the printer is on fire":                               true,
		"No route for peer 7, skipping it":                     true,
		"job 17: worker pool has no free slot":                 true,
		"12:01:07 W sync paused\n12:01:09 W sync paused again": true,
		`var ErrGoaway = errors.New("received GOAWAY")`:        false,
		"mysql: server has gone away":                          false,
		"http2: server sent GOAWAY and closed the connection":  false, // it was read
		strings.Repeat("12:01:07 I worker 7 is idle\n", 40):    false, // a log: nobody asks for each of its lines
	} {
		if got := tallied(t, text); got.Missed() != missed {
			t.Errorf("%.60q: missed %v, want %v (%v)", text, got.Missed(), missed, names(got.Groups()))
		}
	}
}

// A code beside a frame is read however it is spelled; a gRPC status is none.
func TestCodesBesideAFrame(t *testing.T) {
	for text, want := range map[string]string{
		`Got GOAWAY (lastStreamId 199, error PROTOCOL)`:          "PROTOCOL_ERROR",
		`goAway: {"lastStreamId":199,"errorCode":"COMPRESSION"}`: "COMPRESSION_ERROR",
		`onGoAway(lastGoodStreamId=1999, statusCode=2)`:          "INTERNAL_ERROR",
		`on_frame_recv GOAWAY last=1999 err=0x02`:                "INTERNAL_ERROR",
		`stream 11 was closed by peer with error 8 (http2)`:      "CANCEL",
		`ConnectionErrorIsReceived FlowControlError 1 "window"`:  "FLOW_CONTROL_ERROR",
		`13 INTERNAL: GOAWAY received, "code":13,"details":"x"`:  "",
	} {
		if r := one(t, text); r.Facts.Code != want {
			t.Errorf("%s\n  code %q, want %q", text, r.Facts.Code, want)
		} else if want != "" && slices.Contains(classes(r), RequestLimit) {
			t.Errorf("%s\n  offers a request limit for %s", text, want)
		}
	}
}

// Where only the shape of a text names the event, the answer names the other kinds of that shape.
func TestWeakEvidenceNamesItsAlternatives(t *testing.T) {
	if r := one(t, "h2 session torn down while a call was open"); len(r.MayBe) == 0 {
		t.Errorf("%s has no alternatives", r.Kind)
	}
	if r := one(t, "http2: read: connection reset by peer"); len(r.MayBe) != 0 {
		t.Errorf("a proved event has alternatives: %v", r.MayBe)
	}
}
