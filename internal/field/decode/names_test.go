package decode

import (
	"slices"
	"testing"
)

// Metrics, settings, tests and functions are called after failures, and reports say that there were none.
func TestNamesOfFailuresAreNone(t *testing.T) {
	areQuiet(t,
		`{"metric":"http2_goaway_received_total","value":3,"labels":{"peer":"edge-3"}}`,
		`%{"goaway_received" => 0, "stream_resets" => 0, "protocol" => "h2"}`,
		"10:00:00 INFO h2: streams opened=12 closed=12 reset=0 refused=0 goaway=0 connection errors=0",
		"# HELP envoy_cluster_http2_rx_reset Total number of reset stream frames",
		"health check: OK (connection refused count=0, h2=true)",
		"goaway_timeout = \"30s\"\nconnection_lost_threshold = 5",
		"defaults\n  retry-on conn-failure empty-response response-timeout\n  timeout http-keep-alive 10s",
		"error_page 502 503 504 /connection-refused.html;",
		"proxy_next_upstream error timeout http_502;",
		"Subchannel #17 connectivity state: TRANSIENT_FAILURE -> READY",
		"Circuit breaker 'payments' changed state from HALF_OPEN to CLOSED (http2 backend healthy)",
		"PASSED tests/test_h2.py::test_refused_stream_is_retried",
		"[INFO] Running com.example.Http2ConnectionResetTest\n[INFO] Tests run: 14, Failures: 0, Errors: 0, Skipped: 0",
		"=== RUN   TestStreamResetByPeer\n--- PASS: TestStreamResetByPeer (0.00s)",
		"void onGoAwayReceived(int lastStreamId, long errorCode, ByteBuf debugData);",
		"// TODO: handle GOAWAY with last_stream_id < our stream: those requests can be retried",
		"throws Http2Exception – if the connection is closed or the stream was reset by the remote endpoint",
		"assert.rejects(client.get('/'), { code: 'ERR_HTTP2_GOAWAY_SESSION' });",
		"public static final int ENHANCE_YOUR_CALM = 0xb;",
		"SELECT count(*) FROM log WHERE error LIKE '%connection reset by peer%' AND proto = 'HTTP/2.0';",
		"--http2-retry   Retry a request when the stream is refused or the connection is reset",
		"No connection errors, no timeouts, no refused streams in the last 24 h (HTTP/2)",
		"stream 9: END_STREAM received, not reset, status 200",
		`{"protocol":"h2","status":200,"goaway": null,"reset_reason": null}`,
		"TOTAL 12 h2 conns: 12 ok, 0 reset, 0 goaway, 0 timed out",
		"resilience4j.retry.instances.api.retry-exceptions[1]=okhttp3.internal.http2.StreamResetException",
		"http2_recv_timeout 30s; # closes the connection when the client is silent",
		"Subject: [PATCH] http2: do not lose requests when GOAWAY arrives early",
		"An attacker can cause excessive RST_STREAM frames in vulnerable versions.",
		`errors.Is(err, syscall.ECONNRESET) || strings.Contains(err.Error(), "http2: client connection lost")`,
		"@Retryable(value = {StreamResetException.class, ConnectException.class}, maxAttempts = 3)",
		"rescue HTTPX::Connection::HTTP2::GoawayError, Errno::ECONNRESET => e",
		"$ kubectl logs api-1 | grep -i 'stream error'",
		"Verbindung hergestellt (HTTP/2), keine Fehler, kein GOAWAY empfangen")
}

// The same names beside a failure, and the beginnings of code in a failure's words.
func TestFailuresBesideNames(t *testing.T) {
	areOf(t, map[string]Kind{
		"import failed: http2: connection reset by peer":                                               Lost,
		"java.io.IOException: FRAME_SIZE_ERROR: 4740180":                                               Malformed,
		"service may be down (or overloaded): h2 stream was reset: REFUSED_STREAM (service=a;tier=b)}": Refused,
		"http2: use of closed network connection":                                                      Lost,
		"use of closed HTTP/2 connection: connection reset by peer":                                    Lost,
		"internal http2 error: connection reset by peer (os error 104)":                                Lost,
		"open h2 stream failed (connection reset by peer)":                                             Lost,
		"message: 'stream was reset: REFUSED_STREAM' }":                                                Refused,
		"type: system, code: stream was reset: REFUSED_STREAM }":                                       Refused,
		"recv() failed (104: Connection reset by peer) on an h2 connection;":                           Lost,
		"from peer: stream was reset: REFUSED_STREAM":                                                  Refused,
		"case 17: stream was reset: REFUSED_STREAM":                                                    Refused,
		"onGoAway(lastGoodStreamId=1999, statusCode=2)":                                                Failed,
		"http2: test_client: stream was reset: REFUSED_STREAM":                                         Refused,
		"h2 peer: goaway_timeout=30s exceeded, connection reset by peer":                               Lost,
		"com.linecorp.armeria.common.stream.ClosedStreamException: null":                               Reset,
		"grpc: no retries left: connection reset by peer":                                              Lost,
		"h2 connection closed without GOAWAY while stream 7 was waiting for headers":                   Lost,
		"http2: state READY -> TRANSIENT_FAILURE: connection reset by peer":                            Lost,
		"FAILED tests/test_h2.py::test_goaway - stream was reset: REFUSED_STREAM":                      Refused,
	})
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

// What ended well, what may come and what somebody asks is no failure, or may be none.
func TestWhatEndedWellIsNoFailure(t *testing.T) {
	areQuiet(t,
		"Connection closed: peer sent GOAWAY NO_ERROR after all streams completed; 0 pending requests",
		"http2: stream 5 closed without error",
		"draining listener https, sending GOAWAY NO_ERROR to connections; listener stopped normally",
		"Connexion HTTP/2 fermée normalement, aucune erreur",
		"已收到 SIGTERM,正在优雅关闭:已向 12 个 HTTP/2 连接发送 GOAWAY,全部请求已完成")
	for _, text := range []string{
		"http2 session closed, the pool has 3 others",
		"The proxy will send GOAWAY after 10000 requests.",
		"What happens when the connection is lost during an upload over HTTP/2?",
		`Have you ever seen "http2: server sent GOAWAY and closed the connection"? We explain it here.`,
	} {
		if r := one(t, text); r.Reservation == "" || len(r.Changes) > 0 || !slices.Contains(r.MayBe, Unrelated) {
			t.Errorf("%s: %s, reservation %q, may be %v", text, r.Kind, r.Reservation, r.MayBe)
		}
	}
	areOf(t, map[string]Kind{
		"curl: (92) HTTP/2 stream 0 was closed cleanly, but before getting all response header fields": Reset,
		"HTTP/2 stream 1 was not closed cleanly: REFUSED_STREAM (err 7)":                               Refused,
		"shutdown complete; 3 requests failed: http2: client connection lost":                          Lost,
	})
}

// Codes are values of enumerations too, wrappers are no causes, and systems speak other languages.
func TestSpellingsOfCodesAndCauses(t *testing.T) {
	areOf(t, map[string]Kind{
		"Http2ErrorCode::kRefusedStream on stream 11":                                                         Refused,
		"h2 stream 5 was reset: Http2ErrorCode.EnhanceYourCalm":                                               Calm,
		"HTTP2_ERR_ENHANCE_YOUR_CALM in GOAWAY from peer":                                                     Calm,
		"Failed to connect to backend: http2: request failed: context canceled":                               GaveUp,
		"failed to dial h2 upstream: read tcp 192.0.2.1:40000->192.0.2.2:443: read: connection reset by peer": Lost,
		"Fehler: Die HTTP/2-Verbindung wurde vom Server geschlossen, bevor eine Antwort eintraf.":             Lost,
		"Erreur HTTP/2 : connexion refusée":                                                                   Unreached,
		"gRPC 错误: 连接被对方重设":                                                                                    Lost,
		"gRPC: Превышено время ожидания ответа":                                                               TimeUp,
		"Failed to connect to backend: http2: dial tcp 192.0.2.1:443: operation was canceled":                 Unreached,
		"HTTP/2-Anfrage: Eine vorhandene Verbindung wurde vom Remotehost geschlossen. (Fehler 10054)":         Lost,
		"HTTP/2 リクエスト失敗: 接続が相手からリセットされました":                                                                    Lost,
		"grpc: В соединении отказано":                                                                         Unreached,
		"h2: error reading the reply: Die Verbindung wurde vom Kommunikationspartner zurückgesetzt":           Lost,
		"Unable to reach the server: http2: write tcp 192.0.2.1:4000->192.0.2.2:443: write: broken pipe":      Lost,
	})
}

// The innermost cause counts, and the last attempt says why a request that was tried again failed.
func TestTheInnermostAndTheLastCauseCount(t *testing.T) {
	areOf(t, map[string]Kind{
		"com.acme.ApiException: connect failed?\nCaused by: com.acme.HttpFailure: timeout waiting for response\n" +
			"Caused by: java.io.IOException: stream 17 reset by server: INTERNAL_ERROR": Reset,
		"com.acme.ConnectFailed: java.util.concurrent.CancellationException: call cancelled by user (h2)": GaveUp,
		"h2 client: cannot connect: dial tcp 192.0.2.1:443: connection reset by peer":                     Unreached,
		"Error: h2 session lost: unable to verify the first certificate":                                  TLSFailed,
		"12:00:00 WARN h2 POST: no such host api.example.com, retrying\n" +
			"12:00:09 ERROR h2 POST failed for good: connection reset by peer": Lost,
		"W h2 retry 1: stream reset by peer (CANCEL)\nE giving up on h2: connect: no route to host": Unreached,
	})
}
