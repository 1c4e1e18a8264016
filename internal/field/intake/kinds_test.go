package intake

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each beginning is of a file that the program wrote; those of Netty, grpc-go and Rust's h2 are from public logs and sources.
func TestARecordingIsNamedByItsBeginning(t *testing.T) {
	const enhanced = "\x06\x00\x00\x00\x10\x00\x00\x00\xff\xff\xff\xff\x10\x00\x00\x00" // an enhanced packet block
	section := "\x0a\x0d\x0d\x0a\x1c\x00\x00\x00\x4d\x3c\x2b\x1a\x01\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x1c\x00\x00\x00"
	bigSection := "\x0a\x0d\x0d\x0a\x00\x00\x00\x1c\x1a\x2b\x3c\x4d\x00\x01\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x1c"
	key := strings.Repeat("0a", 32)
	for _, c := range []struct{ head, what, next string }{
		{"\xd4\xc3\xb2\xa1\x02\x00\x04\x00", "a packet capture", "tshark -r f -o tls.keylog_file:KEYS -Y http2"},
		{"\xa1\xb2\x3c\x4d\x00\x02\x00\x04", "a packet capture", "tshark -r f -o tls.keylog_file:KEYS -Y http2"},
		{section + enhanced, "a packet capture", "tshark -r f -o tls.keylog_file:KEYS -Y http2"},
		{section + "\x0a\x00\x00\x00\x14\x00\x00\x00KSLT", "a packet capture", "tshark -r f -o tls.keylog_file:KEYS -Y http2"},
		{bigSection + "\x00\x00\x00\x0a\x00\x00\x00\x14TLSK", "a packet capture", "tshark -r f -o tls.keylog_file:KEYS -Y http2"},
		{section[:20], "a packet capture", "tshark -r f -o"},
		{"SERVER_HANDSHAKE_TRAFFIC_SECRET " + key + " " + key + "\n", "a log of TLS secrets, without packets", "tshark -r CAPTURE"},
		{"# a comment\nCLIENT_RANDOM " + key + " " + key + "\n", "a log of TLS secrets, without packets", "tshark -r CAPTURE"},
		{"  % Total    % Received\n*   Trying 127.0.0.1:9443...\n", "what curl -v or --trace prints", "h2lab decode f"},
		{"07:36:23.157260 == Info:   Trying 127.0.0.1:9443...\n", "what curl -v or --trace prints", "h2lab decode f"},
		{"[0-0] * ALPN: curl offers h2,http/1.1\n", "what curl -v or --trace prints", "h2lab decode f"},
		{"[  0.027] Connected\n[  0.030] recv GOAWAY frame <length=8, flags=0x00, stream_id=0>\n", "what nghttp -v prints", "h2lab decode f"},
		{"\x1b[33m[  0.030]\x1b[0m \x1b[36mrecv\x1b[0m \x1b[35mSETTINGS frame <length=6\x1b[0m", "what nghttp -v prints", "h2lab decode f"},
		{"starting benchmark...\nspawning thread #0: 1 total client(s). 25 total requests\n", "what h2load prints", "h2lab decode f"},
		{"2026/11/23 07:37:31 http2: Framer 0xc0001: read SETTINGS len=6\n", "a log of Go's HTTP/2 (GODEBUG=http2debug)", "h2lab decode f"},
		{"HTTP2 26640: Http2Session client: created\n", "a log of Node's HTTP/2 (NODE_DEBUG=http2)", "h2lab decode f"},
		{"Nov 23, 2026 7:37:29 AM jdk.internal.net.http.HttpClientImpl$SelectorManager run\n", "a log of the JDK's HTTP client", "h2lab decode f"},
		{"FINE: << 0x00000000     6 SETTINGS      \n", "a log of OkHttp's frames", "h2lab decode f"},
		{"DEBUG [id: 0x1, L:/127.0.0.1:1 - R:h/127.0.0.1:2] INBOUND GO_AWAY: lastStreamId=39 errorCode=0 length=8 bytes=",
			"a log of Netty's frames", "h2lab decode f"},
		{"I1123 07:38:29.364515 28856 chttp2_transport.cc:1397] transport 0x7 got goaway\n", "a log of gRPC's transport", "h2lab decode f"},
		{"2026/11/23 07:37:31 INFO: [transport] [server-transport 0xc000182b60] Closing: EOF\n", "a log of gRPC's transport", "h2lab decode f"},
		{"[2026-11-23T07:38:29Z TRACE h2::proto::streams::recv] recv_go_away\n", "a log of Rust's h2", "h2lab decode f"},
		{"2026-11-23 07:37:31,024 httpcore.http2 DEBUG receive_response_headers.failed\n", "a log of httpcore or Python's h2", "h2lab decode f"},
		{"2026/11/23 07:38:30 [debug] 29001#29001: *1 http2 send GOAWAY frame: last sid 51, error 0\n", "nginx's error log", "h2lab decode f"},
		{"[Mon Nov 23 07:38:33.940877 2026] [http2:debug] [pid 29223:tid 29290] h2_session.c(1446): x\n", "Apache httpd's error log", "h2lab decode f"},
		{"[2026-11-23 07:38:31.861][29095][debug][http2] [source/x.cc:1380] sent goaway code=0\n", "Envoy's application log", "h2lab decode f"},
		{"Frame 9: 152 bytes on wire (1216 bits), 152 bytes captured\n", "what tshark prints of a capture", "h2lab decode f"},
		{"    9   0.006712    127.0.0.1 → 127.0.0.1    HTTP2 152 Magic, SETTINGS[0]\n", "what tshark prints of a capture", "h2lab decode f"},
		{"{\n  \"schema_version\": 1,\n  \"url\": \"https://h/\",\n  \"limit_given\": true,\n", "what h2lab trace wrote", "jq -r .renewal.summary f"},
		{"{\n  \"log\": {\n    \"version\": \"1.2\",\n    \"creator\": {\n", "an archive of requests (HAR)", "h2lab decode f"},
	} {
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, []byte(c.head), 0o600); err != nil {
			t.Fatal(err)
		}
		k, known, err := OfFile(name)
		if err != nil || !known || k.What != c.what || !strings.HasPrefix(k.Next("f"), c.next) {
			t.Errorf("%.60q: %v, %q, %v; want %q, %q", c.head, known, k.What, err, c.what, c.next)
		}
	}
}

// What logs reads is no recording, however much of HTTP/2 it says.
func TestAnAccessLogIsNoRecording(t *testing.T) {
	for _, head := range []string{
		"",
		"h2lab",
		`10.0.0.1 - - [22/Sep/2026:10:00:00 +0000] "GET / HTTP/2.0" 200 5 "-" "curl/7.88.1" conn=17 req=3` + "\n",
		`[2026-09-22T10:00:00.000Z] "GET / HTTP/2" 200 - via_upstream - "-" 0 3 1 0 "-" "okhttp/4.12.0" "x" "h" "127.0.0.1:80"` + "\n",
		// A container's output: what nginx says of its start, then its access log.
		"2026/11/23 07:38:30 [notice] 1#1: start worker processes\n" +
			strings.Repeat(`10.0.0.1 - - [22/Sep/2026:10:00:00 +0000] "GET / HTTP/2.0" 200 5 "-" "curl/7.88.1"`+"\n", 3),
		`{"log":{"file":{"path":"/var/log/nginx/access.log"}},"message":"GET / HTTP/2.0"}` + "\n",
		`haproxy[12]: 10.0.0.1:4711 [22/Sep/2026:10:00:00.000] front front/<STUB> 0/0/0/0/0 200 5 - - ---- 1/1/0/0/0 0/0 "GET / HTTP/2.0"` + "\n",
	} {
		if k, known := Of([]byte(head)); known {
			t.Errorf("%q: %s", head, k.What)
		}
	}
}
