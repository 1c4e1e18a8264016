package decode

import "testing"

// Two lines of one moment with the same words in another wrapping are one failure, known by its library.
func TestOneFailureInTwoWrappingsIsOne(t *testing.T) {
	for text, id := range map[string]string{
		"10:56:50 -- stream was reset: NO_ERROR\n10:56:50 -- couldn't save to https://example.com/a.kdbx\n" +
			"10:56:50 -- System.Exception: stream was reset: NO_ERROR ---> Java.IO.IOException: stream was reset: NO_ERROR": "okhttp-stream-reset-old",
		"stream was reset: REFUSED_STREAM\nokhttp3.internal.http2.StreamResetException: stream was reset: REFUSED_STREAM": "okhttp-stream-reset",
		"10:00:00 ERROR h2: <StreamReset stream_id:5, error_code:2>\n" +
			"10:00:00 ERROR httpx.RemoteProtocolError: <StreamReset stream_id:5, error_code:2, remote_reset:True>": "h2-stream-reset",
	} {
		if r := one(t, text); r.ID != id {
			t.Errorf("%s\n  %s, want %s", text, r.ID, id)
		}
	}
	for _, text := range []string{
		"10:00:00 stream was reset: REFUSED_STREAM\n10:00:00 okhttp3.internal.http2.StreamResetException: stream was reset: INTERNAL_ERROR",
		"10:00:00 h2: stream was reset: INTERNAL_ERROR\n10:05:00 okhttp3.internal.http2.StreamResetException: stream was reset: INTERNAL_ERROR",
		"10:00:00 a.example.com:443 h2: stream was reset: INTERNAL_ERROR\n" +
			"10:00:00 b.example.com:443 okhttp3.internal.http2.StreamResetException: stream was reset: INTERNAL_ERROR",
		"10:00:00 h2 stream 5 was reset: INTERNAL_ERROR\n10:00:00 http2.StreamError: stream error: stream ID 7; INTERNAL_ERROR",
		"10:00:00 h2 dial tcp 192.0.2.1:443: connect: connection refused\n10:00:00 h2 192.0.2.2:443: stream was reset: REFUSED_STREAM",
	} {
		if groups := decoded(t, text); len(groups) != 2 {
			t.Errorf("%s\n  %v, want two", text, names(groups))
		}
	}
}
