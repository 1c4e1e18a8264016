package decode

var hyperCures = []Change{
	{
		Where: "reqwest",
		Line:  "builder.http2_prior_knowledge().retry(reqwest::retry::for_host(host)…)",
		Note:  "reqwest 0.13, for bodies that can be sent again",
		Row:   "reqwest-retry-policy",
	},
	{
		Where: "reqwest",
		Line:  "again(|| client.post(url).body(make()).send())",
		Note:  "a retry where h2's error is remote and is_go_away(); the row has the code",
		Row:   "reqwest-stream-retry",
	},
	{
		Where: "hyper",
		Line:  "again(|| client.request(make()))",
		Note:  "the same for hyper-util's client",
		Row:   "hyper-util-retry",
	},
	{Where: "reqwest", Line: "builder.http1_only()", Row: "reqwest-h1"},
}

var rustSignatures = []Signature{
	{ID: "hyper-no-error", Library: "hyper, reqwest, tonic (h2)", Versions: "all",
		All: []string{"not a result of an error"}, Any: []string{
			"http2 error",
			"h2 protocol error",
			"connection error received",
			"protocol error",
			"goaway",
		}, None: []string{"stream error received"}, Kind: Unprocessed,
		Means: "h2 gives NO_ERROR as an error to streams above the last id. hyper has dropped the request by then " +
			"and can't send it again.",
		Why: "h2 fails streams above the last id with it, and the lab counted none of 585 and 298 executed (RFC " +
			"9113 §6.8); a stream that the server reset with NO_ERROR reads alike",
		Seen: []string{"reqwest-stream", "hyper-util"}, Changes: hyperCures, Links: []string{"hyperium/hyper#2500"},
		Example: "client error (SendRequest): http2 error: connection error received: not a result of an error"},
	{ID: "yaha-send-request", Library: "hyper-util; YetAnotherHttpHandler (Unity, C#) on it says no more",
		Any: []string{
			"ioexception: client error (sendrequest): http2 error",
			"client error (sendrequest): http2 error",
		}, None: []string{
			"not a result of an error",
			"too_many_internal_resets",
			"excessive load",
		}, General: true, Kind: Lost,
		Means: "hyper has dropped the request and says no more; at a request limit it is a stream above the last id.",
		Changes: []Change{
			{
				Where: "C#",
				Line:  "catch (HttpRequestException) → send an idempotent request again",
				Note:  "the exception doesn't tell whether it may be repeated",
			},
		},
		Links:   []string{"Cysharp/YetAnotherHttpHandler#120", "hyperium/hyper#2500"},
		Example: "IOException: client error (SendRequest): http2 error"},
	{ID: "h2-internal-resets", Library: "h2 (hyper, reqwest, uv, tonic)", Versions: "0.4.11 and newer",
		Any: []string{"too_many_internal_resets"}, Kind: Choked,
		Means: "h2 counts the streams it resets itself (cancelled requests, broken answers) and ends the connection " +
			"at its limit.",
		Changes: []Change{{
			Where: "hyper",
			Line:  "builder.http2_max_local_error_reset_streams(None)",
			Note:  "hyper 1.9 and newer",
		},
			{Where: "uv", Line: "UV_CONCURRENT_DOWNLOADS=10", Note: "fewer at once"}},
		Links: []string{"hyperium/h2#741", "hyperium/h2#856", "astral-sh/uv#15056"},
		Example: `http2 error: connection error detected: detected excessive load generating behavior ` +
			`(b"too_many_internal_resets")`},
	{ID: "h2-too-many-resets", Library: "h2 (a server in Rust)",
		Any: []string{"too_many_resets", "too_many_data_frames"}, Kind: Calm,
		Links:   []string{"hyperium/hyper#3211", "hyperium/h2#678"},
		Example: `GOAWAY ENHANCE_YOUR_CALM, debug data "too_many_resets"`},
	{ID: "hyper-goaway", Library: "hyper, reqwest, tonic (h2)",
		Any: []string{
			"kind: goaway(",
			"http2 error: connection error received:",
			"http2 error: connection error detected:",
			"h2 protocol error: http2 error",
		}, General: true, Kind: Ended,
		Changes: hyperCures, Links: []string{"hyperium/hyper#2500"},
		Example: `hyper::Error(Http2, Error { kind: GoAway(b"", NO_ERROR, Remote) })`},
	{ID: "hyper-reset", Library: "hyper, reqwest, tonic (h2)",
		Any: []string{
			"kind: reset(streamid(",
			"http2 error: stream error received:",
			"http2 error: stream error sent by user:",
			"stream error received: ",
		}, Kind: Reset,
		Changes: hyperCures, Links: []string{"hyperium/hyper#2500"},
		Example: "http2 error: stream error received: refused stream before processing any application logic"},
	{ID: "hyper-incomplete", Library: "hyper, reqwest", Any: []string{"connection closed before message completed"},
		Kind: Unrelated,
		Means: "hyper's word for HTTP/1.1: a kept connection was closed as the request went out. HTTP/2 has other " +
			"words.",
		Links:   []string{"hyperium/hyper#2136"},
		Example: "hyper::Error(IncompleteMessage): connection closed before message completed"},
}
