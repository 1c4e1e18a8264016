package decode

var nginxUpstream = []Change{
	{
		Where: "nginx",
		Line:  "keepalive_timeout 4s;",
		Note:  "in upstream {}: below the upstream's idle time-out (Apache: 5s)",
	},
	{
		Where: "nginx",
		Line:  "proxy_next_upstream error timeout invalid_header;",
		Note:  "idempotent requests are then tried elsewhere",
	},
	{Where: "nginx", Line: "proxy_http_version 1.1;", Note: "no HTTP/2 to the upstream, no GOAWAY"},
}

var envoyCures = []Change{
	{
		Where: "Envoy",
		Line:  "common_http_protocol_options: {max_requests_per_connection: 900}",
		Note:  "in the cluster: below the upstream's limit",
		Row:   "envoy-max-requests",
	},
	{
		Where: "Envoy",
		Line:  "retry_policy: {retry_on: refused-stream, num_retries: 3}",
		Note:  "with circuit_breakers max_retries 1024",
		Row:   "envoy-retry-refused",
	},
	{Where: "Envoy", Line: "http_protocol_options: {}", Note: "in place of http2_protocol_options", Row: "envoy-h1"},
}

var envoyLinks = []string{"envoyproxy/envoy#36450", "vespa-engine/vespa#18697", "vespa-engine/vespa#26869"}

var serverSignatures = []Signature{
	{ID: "nginx-upstream-goaway", Library: "nginx as a client (proxy_http_version 2, grpc_pass)",
		Versions: "1.29.4 and newer; gRPC since 1.13.10",
		All:      []string{"upstream sent goaway with error"}, Kind: Unprocessed,
		Means: "nginx answered 502 and marked the peer failed, though the upstream had not touched the request: " +
			"nginx logs this only when its stream lay above the last id.",
		Why: "ngx_http_proxy_v2_process_control_frame() and the gRPC module log it only for a stream above the " +
			"last id (RFC 9113 §8.7)",
		Changes: nginxUpstream, Links: []string{"nginx/nginx#1431", "nginx/nginx#1724", "nginx/nginx#1441"},
		Example: "[error] 27884#0: *10958 upstream sent goaway with error 0 while reading response header from " +
			"upstream"},
	{ID: "nginx-upstream-rejected", Library: "nginx as a client (proxy_http_version 2, grpc_pass)",
		All: []string{"upstream rejected request with error"}, Kind: Reset,
		Links:   []string{"kubernetes/ingress-nginx#6273"},
		Example: "upstream rejected request with error 7 while reading response header from upstream"},
	{ID: "nginx-send-goaway", Library: "nginx, error_log … debug", All: []string{"http2 send goaway frame: last sid"},
		Kind:    ServerEnded,
		Links:   []string{"nginx trac #2155"},
		Example: "[debug] 1234#0: *5 http2 send GOAWAY frame: last sid 1999, error 0"},
	{ID: "nginx-skip-headers", Library: "nginx, error_log … debug", All: []string{"skipping http2 headers frame"},
		Kind:  ServerSkipped,
		Links: []string{"nginx trac #2155"}, Example: "[debug] 1234#0: *5 skipping http2 HEADERS frame"},
	{ID: "nginx-flood", Library: "nginx", All: []string{"http2 flood detected"}, Kind: Flood,
		Means:   "This is the only end of an HTTP/2 connection that nginx logs without debug.",
		Links:   []string{"nginx: src/http/v2/ngx_http_v2.c"},
		Example: "[info] 1234#0: *77 http2 flood detected while processing HTTP/2 connection"},
	{ID: "nginx-worker-connections", Library: "nginx", Any: []string{"worker_connections are not enough"},
		Kind: Shortage,
		Changes: []Change{
			{Where: "nginx", Line: "worker_connections 4096;", Note: "in events{}; each proxied request takes two"},
		},
		Links:   []string{"nginx: ngx_drain_connections()"},
		Example: "[warn] 1234#0: 512 worker_connections are not enough, reusing connections"},
	{ID: "nginx-concurrent", Library: "nginx", Any: []string{"concurrent streams exceeded"},
		Shape: `concurrent streams exceeded \d+`, Kind: Refused,
		Means: "This is REFUSED_STREAM from nginx itself: more requests in flight on one connection than " +
			"http2_max_concurrent_streams.",
		Changes: []Change{
			{Where: "nginx", Line: "http2_max_concurrent_streams 256;"},
		}, Links: []string{"nginx: src/http/v2/ngx_http_v2.c"},
		Example: "[info] 1234#0: *9 concurrent streams exceeded 128 while processing HTTP/2 connection"},
	{ID: "nginx-early-data", Library: "nginx", All: []string{
		"client sent stream with data before settings were acknowledged",
	}, Kind: Refused,
		Changes: []Change{
			{
				Where: "nginx",
				Line:  "http2_body_preread_size 64k;",
				Note:  "its default; a small one refuses early bodies",
			},
		},
		Links: []string{"square/okhttp#2506", "curl/curl#804"},
		Example: "[info] 25#25: *5877 client sent stream with data before settings were acknowledged while " +
			"processing HTTP/2 connection"},
	{ID: "nginx-handshake", Library: "nginx", Any: []string{
		"peer closed connection in ssl handshake",
		"client closed connection while ssl handshaking",
	}, Kind: HandshakeLost,
		Links:   []string{"golang/go#13397", "golang/go#13957"},
		Example: "[info] 1234#0: *61 peer closed connection in SSL handshake while SSL handshaking"},
	{ID: "nginx-obsolete", Library: "nginx", Versions: "1.19.7 and newer", Any: []string{
		"http2_max_requests",
		"http2_idle_timeout",
		"http2_recv_timeout",
	}, Shape: `(?i)directive is obsolete|unknown directive`, Kind: Obsolete,
		Links: []string{"nginx: 49ab33124"},
		Example: `[warn] the "http2_max_requests" directive is obsolete, use the "keepalive_requests" directive ` +
			`instead in nginx.conf:12`},
	{ID: "envoy-refused", Library: "Envoy as a client",
		Any: []string{"remote_refused_stream_reset", "reset reason: remote refused stream"}, Kind: Refused,
		Means: "Envoy calls streams above an upstream's last id refused, does not retry them by itself, and " +
			"answers 503.",
		Seen: []string{"envoy-as-client"}, Changes: envoyCures, Links: envoyLinks,
		Example: "upstream connect error or disconnect/reset before headers. reset reason: remote refused stream " +
			"reset"},
	{ID: "envoy-upstream-protocol", Library: "Envoy as a client", Any: []string{
		"upstream_reset_before_response_started{protocol_error",
		"upstream_reset_after_response_started{protocol_error",
		"reset reason: protocol error",
	}, Kind: Failed,
		Means: "Flag UPE: the upstream broke the protocol, or its GOAWAY came with an error.", Links: []string{
			"envoyproxy/envoy#34472",
			"envoyproxy/envoy#26691",
		}, Changes: envoyCures,
		Example: `"GET / HTTP/2" 502 UPE upstream_reset_before_response_started{protocol_error}`},
	{ID: "envoy-upstream-reset", Library: "Envoy as a client", Any: []string{
		"upstream_reset_before_response_started{",
		"upstream_reset_after_response_started{",
		"upstream connect error or disconnect/reset before headers",
	}, General: true, Kind: Lost,
		Means: "Envoy's upstream ended the connection or the stream: flags UC (connection), UR (stream), UF " +
			"(connect), URX (retries used up). HTTP/1.1 upstreams give the same words.",
		Changes: envoyCures, Links: envoyLinks,
		Example: `"POST / HTTP/2" 503 UC upstream_reset_before_response_started{connection_termination}`},
	{ID: "envoy-codec-error", Library: "Envoy as a server",
		Any: []string{"codec_error:the_user_callback_function_failed"}, Kind: Exhausted,
		Means: "Flag DPE: Envoy's nghttp2 ended a client's connection with an error. It is the limit on resets " +
			"where http2.rx_reset stands at 1000 + 33 a second; other floods read alike.",
		Changes: exhaustedCures, Links: []string{"envoyproxy/envoy#30882", "envoyproxy/envoy#36387", "golang/go#49314"},
		Example: "0 DPE codec_error:The_user_callback_function_failed"},
	{ID: "envoy-downstream-protocol", Library: "Envoy as a server", Any: []string{
		"codec_error:",
		"http2.violation.of.messaging.rule",
		"http2.too_many_headers",
		"http2.invalid.header.field",
		"http2.unexpected_underscore",
		"http2.inbound_empty_frames_flood",
		"http2.outbound_frames_flood",
		"http2.outbound_control_frames_flood",
		"http2.inbound_priority_frames_flood",
		"http2.inbound_window_update_frames_flood",
	}, General: true, Kind: Failed,
		Means:   "Flag DPE: Envoy ended the stream or the connection for what the client sent.",
		Links:   []string{"envoyproxy/envoy#36387"},
		Example: "DPE http2.inbound_window_update_frames_flood"},
	{ID: "envoy-flag-protocol", Library: "Envoy's access log", Any: []string{
		`http/2" 0 `,
		`http/2" 502`,
		`http/2" 503`,
		"response_flags",
		"resp_flags",
	}, Shape: `(?:HTTP/2" (?:0|502|503) |resp(?:onse)?_flags["']?[:=] ?"?)(?:[A-Z]+,)*(?:UPE|DPE)\b`, General: true,
		Kind: Failed,
		Means: "Flag UPE: the upstream broke the protocol; DPE: the client did, or was thought to. " +
			"%RESPONSE_CODE_DETAILS% says how.", Links: []string{"envoyproxy/envoy#34472"},
		Example: `"GET / HTTP/2" 502 UPE -`},
	{ID: "envoy-flag-reset", Library: "Envoy's access log",
		Any:   []string{`http/2" 503`, "response_flags", "resp_flags"},
		Shape: `(?:HTTP/2" 503 |resp(?:onse)?_flags["']?[:=] ?"?)(?:[A-Z]+,)*(?:UC|UR|URX)\b`, General: true,
		Kind: Lost,
		Means: "Flag UC: the upstream's connection closed; UR: its stream was reset; URX: the retries were used up. " +
			"%RESPONSE_CODE_DETAILS% says more.", Links: envoyLinks, Changes: envoyCures,
		Example: `"POST /x HTTP/2" 503 URX -`},
	{ID: "envoy-goaway", Library: "Envoy", Any: []string{
		"http2.remote_goaway",
		"upstream_remote_goaway",
		"remote_goaway",
	}, Kind: Ended, Changes: envoyCures, Links: envoyLinks,
		Example: "http2.remote_goaway"},
	{ID: "haproxy-limit", Library: "HAProxy", Versions: "3.0 and newer", Any: []string{"stream limit violated"},
		Kind: Calm,
		Means: "A client went on opening streams past tune.h2.fe.max-total-streams and the streams it may have at " +
			"once.",
		Links: []string{"haproxy: mux_h2.c"}, Example: "Stream limit violated"},
	{ID: "vespa-feed", Library: "Vespa's container or feed client (Jetty)", All: []string{"vespa", "goaway"},
		General: true, Kind: Ended,
		Means: "Vespa's server limits requests a connection; newer ones say so in two stages.", Changes: []Change{
			{Where: "Vespa", Line: "a version after vespa-engine/vespa#26869"},
		},
		Links: []string{
			"vespa-engine/vespa#18697",
			"vespa-engine/vespa#26869",
		}, Example: "ai.vespa.feed.client: GOAWAY received"},
}

// exhaustedCures are changes for nghttp2's rate limit on resets.
var exhaustedCures = []Change{
	{
		Where: "client",
		Line:  "hey -t 0 …",
		Note:  "or a hey, k6 or Go built after November 2021: old ones reset finished streams",
	},
	{
		Where: "Envoy",
		Line:  "http2_protocol_options: {stream_reset_burst: 100000, stream_reset_rate: 10000}",
		Note:  "1.39 and newer",
	},
}
