//go:build linux

package load

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/facts"
)

// The messages are recorded ones: of net/http go1.26.8, of k6 1.8.1, and of public reports on other
// clients.
func TestMessagesAreClassedByWhatBecameOfTheRequest(t *testing.T) {
	for _, c := range []struct{ message, class string }{
		{`Post "https://127.0.0.1:18101/echo?ms=0": http2: Transport: cannot retry err [http2: Transport ` +
			`received Server's graceful shutdown GOAWAY] after Request.Body was written; define Request.GetBody ` +
			`to avoid this error`, facts.ErrGoawayNotReplayable},
		{`http2: Transport: cannot retry err [http2: client conn not usable] after Request.Body was written; ` +
			`define Request.GetBody to avoid this error`, facts.ErrGoawayNotReplayable},
		{`http2: Transport received Server's graceful shutdown GOAWAY`, facts.ErrGoawayNotReplayable},
		{`net/http: cannot rewind body after connection loss`, facts.ErrGoawayNotReplayable},
		{`ERR_HTTP2_GOAWAY_SESSION: New streams cannot be created after receiving a GOAWAY`,
			facts.ErrGoawayNotReplayable},
		{`com.linecorp.armeria.client.UnprocessedRequestException`, facts.ErrGoawayNotReplayable},
		{`http2: Transport: cannot retry err [stream error: stream ID 5; REFUSED_STREAM; received from peer] ` +
			`after Request.Body was written; define Request.GetBody to avoid this error`, facts.ErrRefusedStream},
		{`http2: stream error with http2 ErrCode REFUSED_STREAM`, facts.ErrRefusedStream},
		{`StreamResetException: stream was reset: REFUSED_STREAM`, facts.ErrRefusedStream},
		{`net::ERR_HTTP2_SERVER_REFUSED_STREAM`, facts.ErrRefusedStream},
		{`http2: server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERROR, debug=""`,
			facts.ErrGoawayAfterProcessing},
		{`http2: received GoAway with http2 ErrCode NO_ERROR`, facts.ErrGoawayAfterProcessing},
		{`<ConnectionTerminated error_code:ErrorCodes.NO_ERROR, last_stream_id:1999, additional_data:None>`,
			facts.ErrGoawayAfterProcessing},
		{`http2 error: protocol error: not a result of an error`, facts.ErrGoawayAfterProcessing},
		{`java.io.IOException: /127.0.0.1:18101: GOAWAY received`, facts.ErrGoawayAfterProcessing},
		{`UNAVAILABLE: HTTP/2 error code: NO_ERROR Received Goaway`, facts.ErrGoawayAfterProcessing},
		{`Abrupt GOAWAY closed sent stream`, facts.ErrGoawayAfterProcessing},
		{`Server closing the connection! Error code: NO_ERROR`, facts.ErrGoawayAfterProcessing},
		{`Post "https://127.0.0.1:18101/echo?ms=0": EOF`, facts.ErrConnectionLost},
		{`unexpected EOF`, facts.ErrConnectionLost},
		{`EOFError: Connection closed with 15 active stream(s)!`, facts.ErrConnectionLost},
		{`read tcp 127.0.0.1:41234->127.0.0.1:18101: read: connection reset by peer`, facts.ErrConnectionLost},
		{`write: broken pipe`, facts.ErrConnectionLost},
		{`dial: connection refused`, facts.ErrConnectionLost},
		{`http: server closed idle connection`, facts.ErrConnectionLost},
		{`http2: client connection lost`, facts.ErrConnectionLost},
		{`Connection died, tried 5 times before giving up`, facts.ErrConnectionLost},
		{`reactor.netty.http.client.PrematureCloseException: Connection prematurely closed BEFORE response`,
			facts.ErrConnectionLost},
		{`request timeout`, facts.ErrTimeout},
		{`dial: i/o timeout`, facts.ErrTimeout},
		{`context deadline exceeded`, facts.ErrTimeout},
		{`net/http: TLS handshake timeout`, facts.ErrTimeout},
		{`(16) Error in the HTTP2 framing layer`, facts.ErrOther},
		{`http2 error: too_many_internal_resets`, facts.ErrOther},
		{`x509: unknown authority`, facts.ErrOther},
		{`the answer is not the body that was sent: 1 bytes sent, 0 received`, facts.ErrOther},
	} {
		if got := classify(failure{Kind: "transport", Message: c.message}, facts.H2); got != c.class {
			t.Errorf("%s\n  is %s, want %s", c.message, got, c.class)
		}
	}
}

func TestAStatusIsAStatusWhateverItSays(t *testing.T) {
	if got := classify(failure{
		Kind:    "status",
		Message: "HTTP status 504 Gateway Time-out",
	}, facts.H2); got != facts.ErrHTTPStatus {
		t.Errorf("it is %s", got)
	}
}

func TestOverHTTP1ThereIsNoGoawayToBlame(t *testing.T) {
	f := failure{Kind: "transport", Message: "net/http: cannot rewind body after connection loss"}
	if got := classify(f, facts.H1); got != facts.ErrConnectionLost {
		t.Errorf("it is %s", got)
	}
}

func TestMessagesThatDifferInNumbersOnlyAreOneGroup(t *testing.T) {
	got := groupErrors([]failure{
		{Kind: "transport", Count: 1, Message: "EOF"},
		{Kind: "transport", Count: 2, Message: "read tcp 127.0.0.1:1->127.0.0.1:2: connection reset by peer"},
		{Kind: "transport", Count: 3, Message: "read tcp 127.0.0.1:3->127.0.0.1:2: connection reset by peer"},
		{Kind: "transport", Count: 1, Message: "graceful shutdown GOAWAY"},
	}, facts.H2)
	want := []facts.Error{
		{Class: facts.ErrGoawayNotReplayable, Count: 1, Message: "graceful shutdown GOAWAY"},
		{
			Class:   facts.ErrConnectionLost,
			Count:   5,
			Message: "read tcp 127.0.0.1:1->127.0.0.1:2: connection reset by peer",
		},
		{Class: facts.ErrConnectionLost, Count: 1, Message: "EOF"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("groups differ (-want +got):\n%s", diff)
	}
}

func TestManyKindsOfFailureAreBoundedAndStillAddUp(t *testing.T) {
	var failures []failure
	for i := range 80 {
		failures = append(failures, failure{
			Kind:    "transport",
			Count:   2,
			Message: fmt.Sprintf("novel %c%c", 'a'+i/26, 'a'+i%26),
		})
	}
	got := groupErrors(failures, facts.H2)
	var sum int64
	for _, e := range got {
		sum += e.Count
	}
	if len(got) != mostErrors+1 || sum != 160 {
		t.Errorf("%d groups with %d failures, want %d with 160", len(got), sum, mostErrors+1)
	}
}

func TestAServicesFailedCallsAreClassifiedByTheirMessages(t *testing.T) {
	got := Classify([]facts.Error{
		{Count: 3, Message: "org.springframework.web.client.ResourceAccessException: I/O error on POST request for " +
			`"https://127.0.0.1:18141/echo": stream was reset: CANCEL; nested exception is ` +
			"okhttp3.internal.framed.StreamResetException: stream was reset: CANCEL"},
		{Count: 2, Message: "org.springframework.web.client.HttpServerErrorException$BadGateway: 502 Bad Gateway"},
		{Count: 4, Message: "org.springframework.web.client.HttpServerErrorException$BadGateway: 503 Bad Gateway"},
		{Count: 1, Message: "org.springframework.web.reactive.function.client.WebClientResponseException$NotFound: 404"},
		{Count: 1, Message: "java.io.IOException: unexpected end of stream: java.io.EOFException: \\n not found"},
		{Count: 1, Message: "java.net.SocketException: Too many open files"},
		{Count: 1, Message: "java.net.SocketTimeoutException: timeout"},
		{Count: 1, Message: "okhttp3.internal.http2.StreamResetException: stream was reset: REFUSED_STREAM"},
		{Count: 1, Message: "reactor.netty.internal.shaded.reactor.pool.PoolAcquirePendingLimitException: Pending acquire " +
			"queue has reached its maximum size of 1000"},
	}, facts.H2)
	want := map[string]int64{facts.ErrRefusedStream: 1, facts.ErrConnectionLost: 1, facts.ErrTimeout: 1,
		facts.ErrHTTPStatus: 7, facts.ErrClientResources: 1, facts.ErrOther: 4}
	sums := map[string]int64{}
	for _, e := range got {
		sums[e.Class] += e.Count
	}
	if diff := cmp.Diff(want, sums); diff != "" {
		t.Errorf("classes (-want +got):\n%s\n%+v", diff, got)
	}
	if got[len(got)-1].Count != 1 || got[len(got)-2].Count != 3 {
		t.Errorf("the most frequent doesn't come first: %+v", got)
	}
	if len(Classify(nil, facts.H2)) != 0 {
		t.Error("no errors have classes")
	}
}
