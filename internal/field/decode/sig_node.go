package decode

var nodeRetry = []Change{
	{
		Where: "Node",
		Line:  "session.on('goaway', () => { current = undefined }) // then connect() for the next request",
		Note:  "and again what fails with REFUSED_STREAM; the row has the code",
		Row:   "node-http2-retry",
	},
	{Where: "Node", Line: "a new session every 900 requests, below keepalive_requests 1000", Row: "node-http2-renew"},
}

var undiciCures = []Change{
	{Where: "undici", Line: "new Agent({ allowH2: false })", Note: "HTTP/1.1", Row: "undici-7-h1"},
	{Where: "undici", Line: "a new Agent every 900 requests; close() the old one", Row: "undici-7-renew"},
	{
		Where: "fetch",
		Line:  "again(() => fetch(url, options)) where err.cause.code is 'UND_ERR_INFO' and says GOAWAY",
		Row:   "undici-8-fetch-retry",
	},
}

var undiciLinks = []string{"nodejs/undici#3140", "nodejs/undici#5598"}

var nodeSignatures = []Signature{
	{ID: "node-goaway-session", Library: "Node.js http2 (and got, axios, fetch-h2 on it)", Versions: "all",
		Any: []string{
			"err_http2_goaway_session",
			"new streams cannot be created after receiving a goaway",
		}, Kind: NotSent,
		Means: "The program keeps a session that has got its GOAWAY. Node never makes another by itself.",
		Why:   "Node throws it where a stream would be opened", Seen: nil, Changes: nodeRetry,
		Links:   []string{"nodejs/help#3986", "grantila/fetch-h2#2", "grantila/fetch-h2#19", "sindresorhus/got#2156"},
		Example: "Error [ERR_HTTP2_GOAWAY_SESSION]: New streams cannot be created after receiving a GOAWAY"},
	{ID: "node-invalid-session", Library: "Node.js http2", Versions: "all",
		Any: []string{"err_http2_invalid_session", "the session has been destroyed"}, Kind: NotSent,
		Means: "The program keeps a session that has ended: every request after the limit fails, for ever.",
		Why:   "Node throws it where a stream would be opened; the lab counted none of 75,454 executed",
		Seen:  []string{"node-http2"}, Changes: nodeRetry, Links: []string{"nodejs/help#3986", "grantila/fetch-h2#2"},
		Example: "Error [ERR_HTTP2_INVALID_SESSION]: The session has been destroyed"},
	{ID: "node-stream-error", Library: "Node.js http2", Versions: "all",
		Any: []string{"err_http2_stream_error", "stream closed with error code nghttp2_"}, Kind: Reset,
		Means: "Node gives NGHTTP2_REFUSED_STREAM to streams above a GOAWAY's last id.",
		Seen:  []string{"node-http2-reconnect"}, Changes: nodeRetry, Links: []string{"nodejs/help#3986"},
		Example: "Error [ERR_HTTP2_STREAM_ERROR]: Stream closed with error code NGHTTP2_REFUSED_STREAM"},
	{ID: "node-session-error", Library: "Node.js http2", Versions: "all",
		Any: []string{"err_http2_session_error", "session closed with error code"}, Kind: Ended,
		Means: "The session got a GOAWAY with a code that is an error; Node prints the code's number.",
		Links: []string{"nodejs/node#56306"}, Changes: nodeRetry,
		Example: "Error [ERR_HTTP2_SESSION_ERROR]: Session closed with error code 2"},
	{ID: "node-stream-cancel", Library: "Node.js http2", Versions: "all",
		Any: []string{"err_http2_stream_cancel", "the pending stream has been canceled"}, Kind: NotSent,
		Means: "The stream had not been opened yet when its session ended.", Changes: nodeRetry,
		Links:   []string{"nodejs/help#3986"},
		Example: "Error [ERR_HTTP2_STREAM_CANCEL]: The pending stream has been canceled"},
	{ID: "undici-goaway", Library: "undici, Node's fetch", Versions: "6 and newer",
		All: []string{`"goaway" frame received with code`}, Kind: Ended,
		Means: "undici fails all requests of the connection. UND_ERR_SOCKET: some were executed. UND_ERR_INFO (8 and " +
			"newer): only those above the last id.",
		Why: "in the lab UND_ERR_SOCKET's 8 were all executed and UND_ERR_INFO's 427 none; without that word it " +
			"can't be told",
		Seen: []string{
			"undici-6-bounded",
			"undici-7-bounded",
			"undici-7-mux",
			"undici-8-fetch",
			"fetch-node-26",
		}, Changes: undiciCures, Links: undiciLinks,
		Example: `SocketError: HTTP/2: "GOAWAY" frame received with code 0 { code: 'UND_ERR_SOCKET' }`},
	{ID: "undici-frame-error", Library: "undici, Node's fetch", Versions: "6 and newer",
		All: []string{`"frameerror" received - type`}, Kind: NotSent,
		Means: "A frame could not be sent, since its session had ended. Type 1 is HEADERS: the request did not " +
			"go out.",
		Executed: Maybe,
		Why:      "type 1 (HEADERS) was never sent; the text of other types tells nothing",
		Changes:  undiciCures, Links: undiciLinks,
		Example: `InformationalError: HTTP/2: "frameError" received - type 1, code 2 { code: 'UND_ERR_INFO' }`},
	{ID: "undici-stream-error", Library: "undici, Node's fetch", Any: []string{
		`http/2: "stream error" received`,
		`http/2: "stream timeout after`,
		`http/2: stream half-closed`,
		`http/2: "aborted"`,
	}, Kind: Reset,
		Changes: undiciCures, Links: undiciLinks,
		Example: `InformationalError: HTTP/2: "stream error" received - code 7`},
	{ID: "fetch-h2-retry", Library: "fetch-h2", All: []string{"fetch-h2", "err_http2_goaway_session"}, Wraps: true,
		Kind:  NotSent,
		Means: "fetch-h2 before its reconnect fix fails at the 999th request or so.", Changes: nodeRetry,
		Links: []string{
			"grantila/fetch-h2#2",
			"grantila/fetch-h2#19",
			"grantila/fetch-h2#116",
		},
		Example: "RetryError: ERR_HTTP2_GOAWAY_SESSION at doFetch (…/fetch-h2/dist/lib/fetch-http2.js)"},
	{ID: "grpc-js-refused", Library: "grpc-js", All: []string{"stream refused by server"},
		Any: []string{"unavailable", "grpc"}, Kind: Refused,
		Changes: []Change{
			{
				Where: "grpc-js",
				Line: `new Client(addr, creds, { 'grpc.service_config': ` +
					`'{"methodConfig":[{"name":[{}],"retryPolicy":{…}}]}' })`,
				Note: "retryableStatusCodes UNAVAILABLE",
			},
		},
		Links: []string{"stargate/stargate-mongoose#194"}, Example: "Error: 14 UNAVAILABLE: Stream refused by server"},
	{ID: "grpc-js-rst", Library: "grpc-js", All: []string{"received rst_stream with code"}, Kind: Reset,
		Links: []string{"grpc/grpc-node#138"}, Example: "Error: 13 INTERNAL: Received RST_STREAM with code 2"},
	{ID: "grpc-js-dropped", Library: "grpc-js", All: []string{"unavailable: connection dropped"}, Kind: Lost,
		Links: []string{"grpc/grpc-node#960"}, Example: "Error: 14 UNAVAILABLE: Connection dropped"},
	{ID: "chrome-refused", Library: "Chrome and browsers of its family",
		Any: []string{"err_http2_server_refused_stream", "err_spdy_server_refused_stream"}, Kind: Refused,
		Means: "Chrome tries one more connection and then shows this. It was seen with nginx 1.19.7 to 1.19.9 " +
			"(limit 100) and with keepalive_timeout 0.",
		Changes: []Change{
			{
				Where: "nginx",
				Line:  "keepalive_timeout 75s;",
				Note:  "0 ends each HTTP/2 connection at its first request; and take 1.19.10 or newer",
			},
		},
		Links:   []string{"nginx trac #2155", "AquilaCMS/AquilaCMS discussion #121"},
		Example: "GET https://example.com/a.js net::ERR_HTTP2_SERVER_REFUSED_STREAM"},
	{ID: "chrome-protocol-error", Library: "Chrome and browsers of its family",
		Any: []string{
			"net::err_http2_",
			"net::err_spdy_",
			"err_http2_protocol_error",
			"err_http2_ping_failed",
			"err_http2_compression_error",
			"err_http2_inadequate_transport_security",
			"err_http2_flow_control_error",
			"err_http2_frame_size_error",
			"err_http2_stream_closed",
		}, General: true, Kind: Reset,
		Means: "Chrome names what was broken. Mostly headers or a proxy that cut an answer off; a request limit is " +
			"not behind it.",
		Links: []string{"elixir-mint/hpax#20"}, Example: "net::ERR_HTTP2_PROTOCOL_ERROR 200 (OK)"},
	{ID: "chrome-failed", Library: "Chrome and browsers of its family", All: []string{"net::err_failed"}, General: true,
		Kind: Ambiguous,
		Means: "Chrome's word for anything: CORS most often. With nginx 1.19.7 to 1.19.9 (limit 100 for HTTP/2) it " +
			"came beside ERR_HTTP2_SERVER_REFUSED_STREAM.",
		Links: []string{
			"nginx trac #2155",
			"AquilaCMS/AquilaCMS discussion #121",
		}, Example: "GET https://example.com/a.js net::ERR_FAILED"},
	{ID: "firefox-goaway", Library: "Firefox", Any: []string{
		"ns_error_net_http2_sent_goaway",
		"ns_error_http2",
	}, Kind: Failed,
		Means: "Firefox itself sent the GOAWAY: it took what the server sent for a breach of the protocol.",
		Links: []string{"elixir-mint/hpax#20"}, Example: "NS_ERROR_NET_HTTP2_SENT_GOAWAY"},
}
