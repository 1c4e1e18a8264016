package decode

import (
	"fmt"
	"testing"
)

func shown(id *uint32) string {
	if id == nil {
		return "-"
	}
	return fmt.Sprint(*id)
}

func said(s *string) string {
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
		got := fmt.Sprintf("%s %s %s %s %s", f.Frame, f.Code, shown(f.LastStreamID), shown(f.StreamID), said(f.Debug))
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
		if got := f.impossible() != ""; got != tt.odd {
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
