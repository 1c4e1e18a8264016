package decode

import "testing"

func TestServersLogs(t *testing.T) {
	for line, want := range map[string]string{
		`2026/11/21 07:00:00 [debug] 12#12: *5 http2 ` +
			`send GOAWAY frame: last sid 1999, error 0`: "nginx-send-goaway server-sent-goaway",
		`2026/11/21 07:00:00 [debug] 12#12: ` +
			`*5 skipping http2 HEADERS frame`: "nginx-skip-headers server-skipped-stream",
		`2026/11/21 07:00:00 [info] 12#12: *5 http2 flood detected while processing ` +
			`HTTP/2 connection, client: 192.0.2.1, server: 0.0.0.0:443`: "nginx-flood server-flood",
		`2026/11/21 07:00:00 [warn] 12#12: 512 worker_connections ` +
			`are not enough, reusing connections`: "nginx-worker-connections server-shortage",
		`2026/11/21 07:00:00 [alert] 12#12: 1024 ` +
			`worker_connections are not enough`: "nginx-worker-connections server-shortage",
		`2026/11/21 07:00:00 [info] 12#12: *61 peer closed connection in SSL handshake ` +
			`(104: Connection reset by peer) while ` +
			`SSL handshaking, client: 192.0.2.1`: "nginx-handshake server-handshake-lost",
		`2026/11/21 07:00:00 [info] 12#12: *9 client closed connection ` +
			`while SSL handshaking, client: 192.0.2.1, server: 0.0.0.0:443`: "nginx-handshake server-handshake-lost",
		`2026/11/21 07:00:00 [info] 12#12: *9 concurrent streams ` +
			`exceeded 128 while processing HTTP/2 connection`: "nginx-concurrent stream-refused",
		`2026/11/21 07:00:00 [error] 12#12: *3 upstream rejected request with error 7 ` +
			`while reading response header from upstream, ` +
			`upstream: "grpc://10.0.0.1:50"`: "nginx-upstream-rejected stream-refused",
		`2026/11/21 07:00:00 [error] 12#12: *3 upstream sent goaway ` +
			`with error 2 while reading response header from upstream`: "nginx-upstream-goaway goaway-error",
		`nginx: [warn] the "http2_max_requests" directive is obsolete, use the ` +
			`"keepalive_requests" directive instead in /etc/nginx/nginx.conf:12`: "nginx-obsolete server-config",
		`[2026-11-21T07:00:00.000Z] "POST /x HTTP/2" 0 DPE codec_error:The_user_callback_function_failed ` +
			`- "-" 0 0 3 - "-" "hey/0.0.1" "-" "a" "-"`: "envoy-codec-error protocol-violation",
		`{"response_code":502,"response_code_details":"upstream_reset_before_response_started{protocol_error}",` +
			`"response_flags":"UPE"}`: "envoy-upstream-protocol protocol-violation",
		`[2026-11-21T07:00:00.000Z] "POST /x HTTP/2" 503 UC ` +
			`upstream_reset_before_response_started{connection_termination} ` +
			`- "-" 0 95`: "envoy-upstream-reset connection-lost",
		`[2026-11-21T07:00:00.000Z] "POST /x HTTP/2" ` +
			`503 URX,UR via_upstream - "-" 0 95`: "envoy-flag-reset connection-lost",
		`{"flags":"x","response_flags":"DPE","code":0}`: "envoy-flag-protocol protocol-violation",
		`HTTP status 503 Service Unavailable: upstream connect error or disconnect/reset ` +
			`before headers. retried and the latest ` +
			`reset reason: connection termination`: "envoy-upstream-reset connection-lost",
		`http2.inbound_window_update_frames_flood`: "envoy-downstream-protocol protocol-violation",
		`requests: 3000 total, 1128 started, 3000 done, 1000 ` +
			`succeeded, 2000 failed, 2000 errored, 0 timeout`: "h2load-errored no-reconnect",
	} {
		got := decoded(t, line)
		if len(got) != 1 || names(got)[0] != want {
			t.Errorf("%s\n got %v\nwant %s", line, names(got), want)
		}
	}
	for _, fine := range []string{
		`requests: 3000 total, 3000 started, 3000 done, 3000 succeeded, 0 failed, 0 errored, 0 timeout`,
		`{"response_flags":"-","code":200}`,
		`[2026-11-21T07:00:00.000Z] "POST /x HTTP/2" 200 - via_upstream - "-" 0 95`,
		`192.0.2.1 - - [21/Nov/2026:07:00:00 +0000] "GET / HTTP/2.0" 503 157 "-" "curl/8"`,
		`nginx.conf: http2_max_requests 1000;`,
	} {
		if got := decoded(t, "12:00:00 INFO up\n12:00:01 "+fine); len(got) != 0 {
			t.Errorf("%s is taken for %v", fine, names(got))
		}
	}
}
