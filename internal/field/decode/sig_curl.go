package decode

var curlCures = []Change{
	{Where: "curl", Line: "curl --retry 3 --retry-all-errors …", Note: "for what may be sent twice", Row: ""},
	{Where: "curl", Line: "curl --http1.1 …"},
	{
		Where: "libcurl",
		Line:  "curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);",
		Row:   "libcurl-multi-h1",
	},
	{
		Where: "libcurl",
		Line:  "curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);",
		Note:  "with curl_easy_reset between transfers",
		Row:   "libcurl-multi-one-connection",
	},
}

var curlLinks = []string{"curl/curl#11859", "curl/curl#12054", "curl/curl#5611", "curl/curl#8809", "curl/curl#4267"}

var curlSignatures = []Signature{
	{ID: "curl-died", Library: "curl, libcurl", Versions: "all",
		All: []string{"connection died, tried", "times before giving up"}, Kind: Lost,
		Means: "Each of curl's tries met a connection that was ending. Parallel transfers at a request limit do that.",
		Why:   "curl counts connections that died and not what they carried; of the lab's 36 and 38 none was executed",
		Seen:  []string{"libcurl-multi", "libcurl-multi-pipewait"}, Changes: curlCures, Links: curlLinks,
		Example: "curl: (55) Connection died, tried 5 times before giving up"},
	{ID: "curl-framing", Library: "curl, libcurl (CURLE_HTTP2, 16)", Versions: "fixed in part by 8.4.0",
		Any: []string{
			"error in the http2 framing layer",
			"error in the http/2 framing layer",
			"curle_http2 ",
			"curle_http2)",
			"curl error 16",
		}, None: []string{"stream error in the http"}, Kind: Lost,
		Means: "The HTTP/2 session had ended when curl used it; a GOAWAY is the usual reason.",
		Why:   "the text gives neither guarantee; of the lab's 36 none was executed",
		Seen:  []string{"libcurl-multi"}, Changes: curlCures, Links: curlLinks,
		Example: "curl: (16) Error in the HTTP2 framing layer"},
	{ID: "curl-stream", Library: "curl, libcurl (CURLE_HTTP2_STREAM, 92)", Versions: "fixed in part by 8.4.0",
		Any: []string{
			"was not closed cleanly",
			"was closed cleanly, but before getting",
			"stream error in the http/2 framing layer",
			"curle_http2_stream",
			"curl: (92)",
			"curl error 92",
		}, Shape: `(?i)http/?2|curl|stream \d`, Kind: Reset,
		Means: "REFUSED_STREAM is how curl's nghttp2 names streams above a GOAWAY's last id. Without a code the " +
			"connection ended under the transfer.",
		Changes: curlCures, Links: curlLinks,
		Example: "curl: (92) HTTP/2 stream 0 was not closed cleanly: REFUSED_STREAM (err 7)"},
	{ID: "curl-send", Library: "curl, libcurl, ostree (CURLE_SEND_ERROR, 55)",
		Any: []string{
			"failed sending data to the peer",
			"failed sending http/2 data to the peer",
			"failed sending http2 data to the peer",
			"curl: (55)",
			"curl error 55",
		}, General: true, Kind: Lost,
		Means: "curl wrote to a connection that had ended. Beside a GOAWAY with last_stream it is the request " +
			"limit; HTTP/1.1 can say the same words.",
		Changes: curlCures, Links: curlLinks, Example: "[55] Failed sending data to the peer"},
	{ID: "curl-recv", Library: "curl, libcurl (CURLE_RECV_ERROR, 56)",
		Any: []string{
			"curl: (56)",
			"curl error 56",
			"failure when receiving data from the peer",
			"curle_recv_error",
		}, General: true, Kind: Lost,
		Means: "The connection broke while curl read. In parallel HTTP/2 transfers a GOAWAY may be behind it; the " +
			"text names neither.",
		Changes: curlCures, Links: curlLinks, Example: "curl: (56) Recv failure: Connection reset by peer"},
	{ID: "curl-goaway", Library: "curl -v", Any: []string{
		"received goaway, error=",
		"goaway, error_code = ",
	}, Kind: Ended,
		Means: "curl's own trace of the frame.", Changes: curlCures, Links: curlLinks,
		Example: "* received GOAWAY, error=0, last_stream=1999"},
	{ID: "h2load-errored", Library: "h2load", Any: []string{" errored, "},
		Shape: `requests: \d+ total, \d+ started, \d+ done, \d+ succeeded, [1-9]\d* failed, [1-9]\d* errored`,
		Kind:  NoReconnect,
		Means: "h2load -c 1 uses one connection and never makes another; after the server's limit every request is " +
			"errored.",
		Changes: h2loadCures, Links: []string{"nghttp2/nghttp2#981", "nghttp2/nghttp2#1197"},
		Example: "requests: 3000 total, 1128 started, 3000 done, 1000 succeeded, 2000 failed, 2000 errored, 0 timeout"},
	{ID: "h2load-lab", Library: "h2load, in the lab's words", Any: []string{
		"h2load sent nothing more after",
		"errored (h2load --log-file: status -1)",
	}, Kind: NoReconnect,
		Seen: []string{"h2load"}, Changes: h2loadCures, Links: []string{"nghttp2/nghttp2#981", "nghttp2/nghttp2#1197"},
		Example: "h2load sent nothing more after 0.1 s of 3s: it makes no new connection"},
	{ID: "nghttp-goaway", Library: "nghttp, nghttp2's trace", Any: []string{"recv goaway frame", "send goaway frame <"},
		Kind:  Ended,
		Links: []string{"nghttp2/nghttp2#981"},
		Example: "recv GOAWAY frame <length=8, flags=0x00, stream_id=0> (last_stream_id=1999, " +
			"error_code=NO_ERROR(0x00), opaque_data(0)=[])"},
}

var h2loadCures = []Change{
	{
		Where: "h2load",
		Line:  "h2load -c 100 -m 1 …",
		Note:  "many connections, one request each at a time",
		Row:   "h2load-connections",
	},
	{Where: "h2load", Line: "h2load --h1 -c 100 -m 1 …", Row: "h2load-h1"},
}
