package decode

import (
	"strings"
	"testing"
)

// joinedLines is a text of several lines.
func joinedLines(lines ...string) string { return strings.Join(lines, "\n") }

// A line of source that a program prints beside a failure says nothing of the failure.
func TestSourceBesideAFailureStatesNothing(t *testing.T) {
	areOf(t, map[string]Kind{
		joinedLines("Traceback (most recent call last):",
			`  File "/app/client.py", line 88, in call`,
			"    return await self.sent(",
			"           ^^^^^^^^^^^^^^^",
			"        stream, ErrorCodes.REFUSED_STREAM",
			"    )",
			`  File "/usr/lib/python3.12/ssl.py", line 1132, in reset_stream`,
			"    return self._sslobj.read(len, buffer)",
			"ConnectionResetError: [Errno 104] Connection reset by peer (h2)"): Lost,
		`{"level":"ERROR","msg":"http2 call failed","exc":"Traceback (most recent call last):\n  File \"/app/client.py\", line 88, in call\n` +
			`    raise_if(ErrorCodes.REFUSED_STREAM, \"connection refused\")\n  File \"/usr/lib/ssl.py\", line 1132, in read\n` +
			`    return self._sslobj.read(len)\nConnectionResetError: [Errno 104] Connection reset by peer"}`: Lost,
		`h2 call: File "/app/a.py", line 8, in call raise_if(ErrorCodes.REFUSED_STREAM) File "/usr/lib/ssl.py", line 1132, in read ` +
			"ConnectionResetError: [Errno 104] Connection reset by peer": Lost,
		joinedLines("/app/node_modules/grpc-client/lib/session.js:123",
			"    stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);",
			"           ^", "",
			"Error: read ECONNRESET",
			"    at Http2Session.onStreamRead (node:internal/stream_base_commons:217:20)"): Lost,
		joinedLines("  + Exception Group Traceback (most recent call last):",
			`  |   File "/app/client.py", line 88, in call`,
			"  |     self.fail(ErrorCodes.REFUSED_STREAM)",
			"  | h2: stream was reset: CANCEL"): Cancelled,
	})
	areQuiet(t,
		joinedLines("client.rb:12:in 'call': undefined method 'reset' for nil (NoMethodError)", "",
			"    stream.close(:refused_stream) if goaway",
			"          ^^^^^^"),
		joinedLines("error[E0599]: no variant named `REFUSED` found for struct `Reason`",
			"  --> src/client.rs:40:31",
			"   |",
			"40 |     stream.send_reset(Reason::REFUSED_STREAM);",
			"   |                       ^^^^^^^^^^^^^^^^^^^^^^ not found"),
		joinedLines("    error: undefined variable \"conn\"",
			"    │",
			" 11 │   Mint.HTTP2.stream_error(conn, :refused_stream)",
			" 12 │   Mint.HTTP2.cancel(conn, :refused_stream)",
			"    │                     ^^^^",
			"    └─ lib/client.ex:12:23: Client.call/1"),
		joinedLines("@@ -10,6 +10,7 @@ func retryable(err error) bool {",
			" \tswitch {",
			"-\tcase strings.Contains(s, \"connection reset by peer\"):",
			"+\tcase strings.Contains(s, \"stream error: stream ID 5; REFUSED_STREAM\"):",
			" \t\treturn true"),
		joinedLines("diff --git a/retry.py b/retry.py",
			"--- a/retry.py", "+++ b/retry.py", "@@ -1,3 +1,3 @@",
			"-RETRY = ['GOAWAY received']",
			"+RETRY = ['stream was reset: REFUSED_STREAM']"),
		joinedLines("\tretryable = []string{", " \t\t\"stream terminated by RST_STREAM\", // once more", "+\t\t\"Received Rst stream\","),
		joinedLines("RETRYABLE_ERRORS = (", "    \"stream was reset: REFUSED_STREAM\",", "    \"GOAWAY received\",", ")"),
		joinedLines("const RETRYABLE = [", "  'ERR_HTTP2_GOAWAY_SESSION',", "  \"the server refused the stream: GOAWAY received\","),
		joinedLines("  Failure/Error: stream.close(:refused_stream)"))
}

func TestAnArgumentInASourceLineIsNotWhatHappened(t *testing.T) {
	r := one(t, joinedLines(`  File "/app/h2/stream.py", line 379, in reset_stream`,
		"    self._protocol.conn.reset_stream(self.stream_id, ErrorCodes.REFUSED_STREAM)",
		`  File "/app/h2/connection.py", line 228, in process_input`,
		"    raise ProtocolError("))
	if r.Facts.Code != "" || r.Executed == nil || *r.Executed == No || r.Kind != Malformed {
		t.Errorf("%s, code %q, executed %v", r.Kind, r.Facts.Code, r.Executed)
	}
}

// What only looks like source: data that a parser rejects, lists of JSON, tables, bullets and the trace of a shell.
func TestWhatLooksLikeSourceIsRead(t *testing.T) {
	areOf(t, map[string]Kind{
		"{\n  \"errors\": [\n    \"stream was reset: REFUSED_STREAM\",\n    \"the retry failed\"\n  ]\n}": Refused,
		"aiohttp.http_exceptions.BadStatusLine: 400, message:\n  Invalid method encountered:\n\n" +
			"    b'PRI * HTTP/2.0'\n      ^": Malformed,
		"Traceback (most recent call last):\n  File \"/app/client.py\", line 88, in call\n    return self.inner()\n" +
			"httpx.RemoteProtocolError: <StreamReset stream_id:5, error_code:ErrorCodes.REFUSED_STREAM, remote_reset:True>": Refused,
		"  File \"/app/client.py\", line 88, in call\n  File \"/app/client.py\", line 99, in inner\n" +
			"h2: stream was reset: REFUSED_STREAM": Refused,
		"- stream was reset: REFUSED_STREAM\n- the retry failed too":                                                     Refused,
		"1686 | ERROR | h2 client: stream was reset: REFUSED_STREAM":                                                     Refused,
		"> stream was reset: REFUSED_STREAM":                                                                             Refused,
		"10:00:01 ERROR errs = []string{\"http2: client connection lost\"}":                                              Lost,
		"Error:   × request failed\n  ╰─▶ stream error received: refused stream before processing any application logic": Refused,
	})
}
