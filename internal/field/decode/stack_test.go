package decode

import "testing"

// The names of the functions in a stack are no events, in whichever language, and the failure beside them is read.
func TestNamesOfFunctionsInAStackStateNothing(t *testing.T) {
	for _, text := range []string{
		"thread 'main' panicked at 'called `unwrap()` on an `Err` value', src/main.rs:10\nstack backtrace:\n" +
			"   3: h2::proto::streams::streams::Streams::recv_go_away\n   4: h2::codec::refused_stream",
		"10:00:00 [error] Task #PID<0.1.0> terminating\n** (RuntimeError) boom\n" +
			"    (mint 1.4.0) lib/mint/http2.ex:1200: Mint.HTTP2.handle_goaway/3\n" +
			"    (mint 1.4.0) lib/mint/http2.ex:1300: Mint.HTTP2.connection_refused/2",
		"PHP Fatal error: Uncaught RuntimeException: boom in /app/a.php:3\n" +
			"#0 /app/vendor/http-client/src/Http2Connection.php(145): Amp\\Http\\Connection->connectionRefused('x')",
		"a.rb:12:in `connection_refused': boom (RuntimeError)\n\tfrom /gems/http-2/stream.rb:120:in `stream_refused'",
		"java.lang.IllegalStateException: boom\n" +
			"\tat io.netty.handler.codec.http2.DefaultHttp2Connection.goAwayReceived(DefaultHttp2Connection.java:230)",
		"#3  0x00007f grpc_core::chttp2::connection_refused (t=0x1) at src/core/x.cc:12",
	} {
		for _, g := range decoded(t, text) {
			if g.Kind != Unclear {
				t.Errorf("%s\n  %s, code %q", text, g.Kind, g.Code)
			}
		}
	}
	areOf(t, map[string]Kind{
		"System.Net.Http.HttpRequestException: An error occurred while sending the request.\n" +
			" ---> System.IO.IOException: The response ended prematurely (HTTP/2).\n" +
			"   at System.Net.Http.Http2Connection.ProcessGoAwayFrame(FrameHeader frameHeader, Int32 lastStreamId)": Lost,
		"Jan 01 10:00:00 host app[12]:   File \"/app/h2.py\", line 12, in connection_refused\n" +
			"Jan 01 10:00:00 host app[12]:     raise_for(ErrorCodes.REFUSED_STREAM)\n" +
			"Jan 01 10:00:00 host app[12]: ConnectionResetError: [Errno 104] Connection reset by peer (h2)": Lost,
		"Error: request failed\n\nCaused by:\n    0: h2 stream failed\n    1: stream error received: refused stream before processing any application logic": Refused,
		"java.io.IOException: stream was reset: REFUSED_STREAM\n\tat okhttp3.internal.http2.Http2Stream.read(Http2Stream.java:1)":                            Refused,
		"error in h2::client: h2::proto::Error::GoAway(b\"\", NO_ERROR, Remote)":                                                                             Ended,
	})
}
