package decode

import (
	"slices"
	"strings"
	"testing"
)

// A list of changes, a manual and a test that passed name frames and codes, and report no failure.
func TestProseReportsNoFailure(t *testing.T) {
	for _, text := range []string{
		"Add a test for a server which refuses streams with REFUSED_STREAM",
		"Work around \"dial tcp: lookup proxy.example.com: no such host\" seen in sandboxed grpc builds by vendoring modules.",
		"The health check talks to the socket, and when the daemon is not there it will get connection refused, as the operator should see.",
		"Fix timeout issue", "Don't log \"connection reset by peer\" as error", "[core] Avoid a deadlock when a stream is cancelled",
		"v2.3.1: connection refused errors are now retried", "- fixed: EOF when the server closes a keep-alive connection",
		"Improve the message when a TLS handshake fails", "nghttp2 1.57: limit the rate of RST_STREAM", "Changed: the client reconnects after the connection was lost",
		"How to fix \"connection refused\" in docker", "IOTimeoutException is thrown when the server does not answer in time.", "except ConnectionResetError:",
		`time=10:00:00 level=info msg="request done" path=/items/10054 status=200`, "GET /docs/connection-refused.html 200 0.003",
		"Downloading: connection-timeout-2.3.jar (12 kB)", "connection_idle_timeout = 300", "npm install timeout-signal@2.0.0",
		"The retry loop treats connection reset by peer as fatal although the request may be sent again, so this change moves the check " +
			"into the transport and adds a counter for it.",
		"What's Changed: * Fix http2: server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERROR",
		"## What's New in 2.4 * Fixed RST_STREAM with REFUSED_STREAM after a reload",
		"fix(http2): retry a request after REFUSED_STREAM",
		"feat: close the connection with GOAWAY ENHANCE_YOUR_CALM when pings flood it",
		"• shutdown() queues GOAWAY with NO_ERROR and lets the streams that are open end; a second call closes the connection.",
		"The chance flag helps to spread clients: the server closes the connection with GOAWAY now and then.",
		"The max_age setting limits how long a connection lives before GOAWAY is sent with NO_ERROR.",
		"6.8. GOAWAY\n  _ Receives a GOAWAY frame with PROTOCOL_ERROR",
		"✔ closes the session after GOAWAY (12 ms)",
		"ok 12 - the client retries after REFUSED_STREAM",
		"[       OK ] Http2Test.GoAwayWithEnhanceYourCalm (3 ms)",
		"PASS TestARefusedStreamIsSentAgain (0.03s) stream error: REFUSED_STREAM",
		"A client that receives REFUSED_STREAM can safely retry the request.",
		"Endpoints MAY send RST_STREAM with CANCEL to abandon a stream.",
		"When receiving REFUSED_STREAM, the pool opens another connection.",
		"Each server sends a GOAWAY with the last stream id before it exits.",
		"- Retry requests when the server sends GOAWAY",
		"- Do not reuse a connection after GOAWAY",
		`case ErrCodeEnhanceYourCalm: return "ENHANCE_YOUR_CALM"`,
		`"overview": "An attacker can send RST_STREAM frames in rapid succession", "cve": ["CVE-2023-44487"]`,
	} {
		if groups := decoded(t, text); len(groups) > 0 {
			t.Errorf("%s: %v", text, names(groups))
		}
	}
	areOf(t, map[string]Kind{
		"• stream was reset: REFUSED_STREAM":        Refused,
		"• Error: stream was reset: REFUSED_STREAM": Refused,
		"Setting keepalive_requests limits nothing: http2: server sent GOAWAY and closed the connection; " +
			`LastStreamID=1999, ErrCode=NO_ERROR, debug=""`: Accepted,
		"not ok 12 - stream was reset: REFUSED_STREAM": Refused,
	})
}

// A word that also names a setting, a page or a number is a failure's with a level, an exception or a verb beside it, or in a clause of its own.
func TestAConnectionErrorStandsInAnErrorsPlace(t *testing.T) {
	for _, text := range []string{"connection reset by peer", "read: i/o timeout", "worker: 10:00:00 ERROR timeout in /orders", "java.net.SocketTimeoutException: timeout",
		"Request failed: timeout", "GET /items failed, os error 10054", "connect timeout in the pool, giving up",
		`time=10:00:00 level=error msg="request failed" path=/items/10054 err="connection reset by peer"`} {
		if r := one(t, text); r.Kind != Plain {
			t.Errorf("%s: %s", text, r.Kind)
		}
	}
}

// A sentence that tells a rule or what happened is a reading, also where it names a code.
func TestASentenceThatMayBeARuleProvesNothing(t *testing.T) {
	for _, text := range []string{
		"If the client receives a GOAWAY frame, it opens a new connection and retries requests with larger stream ids.",
		"GOAWAY is used to initiate shutdown of a connection or to signal serious error conditions.",
		"This release treats RST_STREAM with REFUSED_STREAM as success.",
		"If you see this, the HTTP/2 session was closed by the server with GOAWAY.",
		"HTTP/2 support landed in 1.4; REFUSED_STREAM requests are retried automatically.",
		"ERR_HTTP2_PROTOCOL_ERROR is shown by browsers when a server breaks the protocol.",
		"if errors.Is(err, http2.ErrCodeRefusedStream) { return retry(req) }",
	} {
		r := one(t, text)
		if r.Reservation.String() == "" || len(r.Changes) > 0 || r.Executed == nil || *r.Executed != Maybe ||
			!slices.Contains(r.MayBe, Unrelated) {
			t.Errorf("%s: %s, executed %v, %d changes, may be %v", text, r.Kind, r.Executed, len(r.Changes), r.MayBe)
		}
	}
	for _, text := range []string{
		"stream error: stream ID 5; REFUSED_STREAM; the server may be overloaded",
		"Got a GOAWAY with ENHANCE_YOUR_CALM while sending a request",
		"When calling https://api/: HTTP/2 stream was reset with INTERNAL_ERROR",
		"Closing the connection because of GOAWAY ENHANCE_YOUR_CALM",
		"10:00:00 If the server is down: stream was reset: REFUSED_STREAM",
		"All servers cannot serve streams now: stream was reset: REFUSED_STREAM",
	} {
		if r := one(t, text); r.Reservation.String() != "" {
			t.Errorf("%s: perhaps %s: %s", text, r.Kind, r.Reservation.String())
		}
	}
}

// Each failure of the corpus that has one line becomes none as an entry of a list of changes, and stays the same below
// the prose of a bug report.
func TestFailuresInProse(t *testing.T) {
	tried := 0
	for i, l := range corpus(t, "testdata/corpus.jsonl") {
		groups := decoded(t, l.Text)
		if i%2 != 0 || len(groups) != 1 || strings.Contains(l.Text, "\n") || len(l.Text) > piece/2 {
			continue
		}
		tried++
		entry := "What's Changed: * Fix " + l.Text
		if got := decoded(t, entry); len(got) > 0 {
			t.Errorf("%d as an entry of a list of changes: %v: %q", i+1, names(got), entry)
		}
		report := "Since Tuesday some calls do this:\n\n" + strings.TrimLeft(l.Text, " \t") + "\n"
		tally := tallied(t, report)
		got := tally.Groups()
		if groups[0].Kind == Unclear && tally.Missed() { // it says so of all messages together
			continue
		}
		if len(got) != 1 || got[0].Kind != groups[0].Kind || got[0].Code != groups[0].Code {
			t.Errorf("%d below prose: %v, alone %v: %q", i+1, names(got), names(groups), report)
		}
	}
	if tried < 300 {
		t.Errorf("only %d texts were tried", tried)
	}
}

// Silence says that no connection failed: a failure in words that decode doesn't know is unknown.
func TestAFailureInUnknownWordsIsNotNothing(t *testing.T) {
	for _, text := range []string{
		"Status: 0\nLatency: 0ms\nReason: BackendConnectionError\nServer: app.example.net:443",
		"sync: the engine finished with ERROR\nsync.http: PROPFIND https://cloud.example.com/dav HTTP status 0 (request 1001)",
		"FATAL worker 12 terminated unexpectedly while serving a request",
		"12:01:02 DEBUG client: com.example.TransportException: the exchange is over",
	} {
		r := one(t, text)
		if r.Kind != Unclear || r.Executed == nil || *r.Executed != CantSay || len(r.Decides) == 0 || len(r.Changes) > 0 ||
			!strings.Contains(r.Happened.String(), "doesn't know") {
			t.Errorf("%s: %s, %q, decides %q", text, r.Kind, r.Happened.String(), r.Decides)
		}
	}
	for _, text := range []string{
		"Error on AMQP connection <0.542.0>:\noperation none caused a connection exception: broker forced connection closure",
		"close code=1006 reason=\"the WebSocket proxy restarted\"",
		"src/main.c:12: error: use of undeclared identifier 'server'",
		"GET /a HTTP/1.1 returned 404 with an error page",
	} {
		for _, g := range decoded(t, text) {
			if g.Kind != Unrelated {
				t.Errorf("%s: %s", text, g.Kind)
			}
		}
	}
}

// What each text proves, and whether the request was certainly not executed.
func TestTheCauseCountsMoreThanItsConsequence(t *testing.T) {
	maven := "[ERROR] Could not resolve dependencies for project a:b:1: Connect to repo.example.com:443 failed: "
	for text, want := range map[string]struct {
		events   []Event
		executed Answer
	}{
		"npm ERR! code ENOTFOUND\nnpm ERR! network request failed, reason: getaddrinfo ENOTFOUND r.example.com": {[]Event{onNeverConnected}, No},
		maven + "Connection refused": {[]Event{onNeverConnected}, No},
		"rpc error: code = Unavailable desc = all SubConns are in TransientFailure, latest connection error: <nil>": {[]Event{onUnsent}, No},
		"error reading preface from client x: rpc error: code = Internal desc = stream terminated by RST_STREAM with error code: " +
			"PROTOCOL_ERROR": {[]Event{onViolation, onRstStream}, Maybe},
		`HTTP2Handler: Cannot write application data on closed/failed TLS connection`:                                                {[]Event{onClosed}, Maybe},
		`qt.network.http2: stream 57 finished with error: "Server stopped accepting new streams before this stream was established"`: {[]Event{onUnsent}, No},
		"[ERROR] Received a malformed response from the API\n  upstream connect error or disconnect/reset before headers. " +
			"reset reason: connection termination": {[]Event{onClosed}, Maybe},
		"APIError: TypeError: terminated":                     {[]Event{onClosed}, Maybe},
		"transport: closing client transport due to idleness": {[]Event{onClosed}, Maybe},
		"2024/05/02 10:11:12 [info] 22#22: *8841 client terminated stream 33 due to internal error while reading upstream, " +
			"server: a.example": {[]Event{onRstStream}, Maybe},
		"WARN h2: locally-reset streams reached limit (1024)\nERROR app: h2 protocol error: too_many_internal_resets":                   {[]Event{onNoEvent, onRstStream}, Maybe},
		"FINE Http2UpgradeHandler.upgradeDispatch\n\tjava.io.IOException: Connection [1], Stream [17], State [IDLE], Frame type [DATA]": {[]Event{onViolation}, Maybe},
	} {
		r := one(t, text)
		if !slices.Contains(want.events, r.Facts.Event) || r.Executed == nil || *r.Executed != want.executed {
			t.Errorf("%s\n  %s, %s, executed %v; want %v, %s", text, r.Kind, r.Facts.Event, r.Executed, want.events, want.executed)
		}
	}
}

// Netty prints the debug data as bytes: they say what the server objects to.
func TestDebugDataInBytesDecideTheChange(t *testing.T) {
	r := one(t, "io.grpc.netty.NettyServerHandler - [id: 0x1] OUTBOUND GO_AWAY: lastStreamId=7 errorCode=11 length=14 "+
		"bytes=746f6f5f6d616e795f70696e6773")
	if !slices.Contains(classes(r), PingInterval) || slices.Contains(classes(r), ResetOrPingRate) {
		t.Errorf("changes %v", classes(r))
	}
}

// What somebody says that is to be done about a quoted error proves no failure; a program's own advice below its error takes nothing back.
func TestAQuotedErrorWithAdviceIsAReading(t *testing.T) {
	for _, text := range []string{
		"Release builds sometimes fail with 'curl ... Error in the HTTP2 framing layer' (curl error 16). Force HTTP/1.1 and retry, workflow-wide.",
		"Agent logs \"connection refused\" while the grpc node boots. Wait for the port before starting the agent.",
		"Users report net::ERR_HTTP2_PROTOCOL_ERROR on large uploads behind the proxy until the fix lands.",
		"Intermittent `code = Unavailable desc = no such host` in CI; bump the keepalive and add retries so jobs survive",
	} {
		r := one(t, text)
		if r.Reservation.String() == "" || len(r.Changes) > 0 || r.Executed == nil || *r.Executed != Maybe {
			t.Errorf("%s: %s, %q, executed %v, %d changes", text, r.Kind, r.Reservation.String(), r.Executed, len(r.Changes))
		}
	}
	for _, text := range []string{
		"grpc: failed to connect to 'db.example.com': connection refused. Use --host to set another one",
		"Error: http2 'connection refused'. Retry later", "10:00:00 http2 \"connection refused\" came. Wait for the port",
	} {
		if r := one(t, text); r.Reservation.String() != "" || *r.Executed != No {
			t.Errorf("%s: perhaps %s: %s", text, r.Kind, r.Reservation.String())
		}
	}
}

// Whole sentences explain a failure and report none; the sign of a record, or a person who saw it, makes them a report.
func TestAnExplanationIsAReading(t *testing.T) {
	for _, text := range []string{
		"The pool keeps one connection for each host, and once a GOAWAY arrives it marks that connection as draining and opens " +
			"another one for the requests that are still in the queue.",
		"Most of the CPU went into handshakes in this benchmark because the proxy ended each connection with a GOAWAY after a thousand " +
			"requests, which is the default of the version that we used here.",
		"It is not obvious from the documentation that a stream which was reset with REFUSED_STREAM has not been processed by the " +
			"server and that it is safe for the library to send it again.",
		"In the old implementation of the h2 transport the writer held the lock while the connection was lost, so that all of the other streams had " +
			"to wait for the timeout before they were closed with an error.",
	} {
		if r := one(t, text); r.Reservation.String() == "" || len(r.Changes) > 0 {
			t.Errorf("%s: %s is sure, changes %v", text, r.Kind, r.Changes)
		}
	}
	for text, want := range map[string]Kind{
		"[ERROR] the request to the order service has failed after the proxy was restarted, and all of the other requests that " +
			"were in the queue at that time have failed with the same error: stream was reset: REFUSED_STREAM": Refused,
		"We are seeing that some of our calls to the service fail after the upgrade of the proxy, and in the logs of the client " +
			"there is a stream that was reset with REFUSED_STREAM": Refused,
	} {
		if r := one(t, text); r.Kind != want || r.Reservation.String() != "" {
			t.Errorf("%s: %s (%s), want %s", text, r.Kind, r.Reservation.String(), want)
		}
	}
}

// What a sentence explains is neither a server's log nor the failure of a plain connection, and in words that decode doesn't know it
// is nothing.
func TestAnExplanationHasNoSureAnswer(t *testing.T) {
	for _, text := range []string{
		"In this setup the worker processes of the old configuration stay alive until the last of their streams has ended, and this is what " +
			"the operators of the cluster had asked for in the first place.",
		"Uvicorn writes the access line when the headers of the response are sent and it silently stops the stream on a client disconnect, so " +
			"that an abort in the body leaves exactly this line and nothing else.",
	} {
		if r := one(t, text); r.Reservation.String() == "" || len(r.Changes) > 0 || r.Executed != nil && *r.Executed == No {
			t.Errorf("%s: %s is sure, executed %v, changes %v", text, r.Kind, r.Executed, r.Changes)
		}
	}
	areQuiet(t,
		"* Clients and servers will reject TLS connections that don't support ALPN. This can be disabled by setting the environment variable "+
			"`ENFORCE_ALPN` to `false`. Please file a bug if you encounter any issues with this behaviour.",
		"the requests will be closed after 60 seconds, and the debugger will automatically create new requests.")
	areOf(t, map[string]Kind{
		"Received SIGTERM, gracefully shutting down: draining listeners":           ServerLog,
		"The connection to the API server gave an error and was not completed.":    Unclear,
		"FATAL worker 12 terminated unexpectedly while serving a request over TLS": Unclear,
	})
}

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

// A failure without any word of a network is nothing: what files, packages and quoted names are called says nothing.
func TestAFailureOfNoNetworkIsNothing(t *testing.T) {
	areQuiet(t,
		`ERROR[07-21|09:04:12.120] Beacon sync linkup unavailable           number=1,523,438 hash=e98bff..5d9a7b`,
		`error: unable to recognize "upstream.yaml": no matches for kind "GatewayUpstream" in version "example.org/v1"`,
		`2018-08-15 05:14:16 E | rafthttp: failed to find member fae45edff5cba178 in cluster 68a20fe25dffa9cd`,
		`ERROR com.example.language_server.client.RequestIndex - Error refreshing the context`,
		`WARN  GET https://npm.example.com/@a/ui/-/ui-2.92.4.tgz error (ERR_PNPM_TARBALL_EXTRACT). Will retry in 10 seconds.`,
		`Failed to extract /var/cache/downloads/http-client.tar`,
		"Error: failed to plan the route\n    at Planner.run (/app/node_modules/network/connection/index.js:10:3)",
		`Curl error 1: Protocol "webpack-internal" not supported or disabled in libcurl`,
		`Error: curl_easy_setopt: 48`,
		`PHP Fatal error:  Uncaught Error: Socket#7 has already been bound to another coroutine#3, reading at the same time is not allowed`,
		`UnsupportedOperationException: Not yet implemented: the pool of connections`,
		`Exception: errorCode=8 Invalid range header. Request: 5-9/10, Response: 0-9/10`,
		`ERROR: missing content-length header for request: https://registry.example.com/v2/a/blobs/sha256:c5`,
		`rospy.exceptions.TransportInitError: TCPROS remote error reported: node shutting down`,
		`panic: the schema "client" lacks a primary key`)
	for _, text := range []string{
		`Reason: BackendConnectionError`,
		`✘ [ERROR] fetch failed`,
		`Failed to fetch https://registry.example.com/a.tgz: error sending request for url (https://registry.example.com/a.tgz)`,
		`Exception: the "RequestTimeout" came back`,
		`com.example.TransportException: the exchange is over`,
		`ERROR upload of part 3 failed for an unknown reason`,
		`FATAL: the session of peer 3 ended in error`,
		`Error: request to https://api.example.com/a failed`,
		`500 Internal Server Error: Unable to write frame`,
		`Error code 12 in the proxy's response handler`,
	} {
		r := one(t, text)
		if r.Kind != Unclear && r.Reservation.String() == "" && r.Kind != Plain {
			t.Errorf("%s: %s", text, r.Kind)
		}
	}
}

// Where a client hides the cause, the answer names where the cause is.
func TestAWrapperNamesWhereItsCauseIs(t *testing.T) {
	for text, look := range map[string]string{
		"Problem in node 'Store': fetch failed\nNodeApiError: fetch failed at normalize (/usr/local/lib/a.ts:57:8)":           "error.cause",
		"Failed to fetch https://registry.example.com/a.tgz: error\n  sending request for url (https://registry.example.com)": "error.cause",
		"error sending request for url (https://registry.example.com/a)":                                                      "source()",
		"\"Error: net::ERR_FAILED\n    at SimpleURLLoaderWrapper.<anonymous> (electron/js2c/browser_init.js:105:6497)":        "net-export",
		"java.util.concurrent.ExecutionException: org.eclipse.jetty.http.BadMessageException: 500: null\n" +
			"\tat org.eclipse.jetty.client.HttpRequest.send(HttpRequest.java:770)\n\tat com.example.http2.core.HTTP2Client.sample(HTTP2Client.java:150)": "Caused by",
		`Transient error StatusCode.UNAVAILABLE encountered while exporting traces to otlp.example.net:4317`: "details",
	} {
		if r := one(t, text); len(r.Decides) == 0 || !strings.Contains(r.Decides[0].String(), look) {
			t.Errorf("%s: %s, decides %q", text, r.Kind, r.Decides)
		}
	}
}
