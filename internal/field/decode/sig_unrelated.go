package decode

var unrelatedSignatures = []Signature{
	{ID: "http1-stale-keepalive", Library: "HTTP/1.1 clients (urllib3, aiohttp, JDK, Apache 4, Ruby)",
		Any: []string{
			"remote end closed connection without response",
			"server disconnected without sending a response",
			"header parser received no bytes",
			"nohttpresponseexception",
			"aiohttp.client_exceptions.serverdisconnectederror",
			"http: server closed idle connection",
		}, Kind: Unrelated,
		Means: "An HTTP/1.1 connection that had been kept was closed as the request went out. The same race as " +
			"GOAWAY's, without HTTP/2's guarantees.",
		Example: "http.client.RemoteDisconnected: Remote end closed connection without response"},
	{ID: "nginx-upstream-http1", Library: "nginx as a client over HTTP/1.x, FastCGI …", Any: []string{
		"upstream prematurely closed connection while reading response header",
	}, Kind: Unrelated,
		Means:   "The upstream closed an HTTP/1.x or FastCGI connection without an answer. No GOAWAY is in play.",
		Example: "upstream prematurely closed connection while reading response header from upstream"},
	{ID: "websocket", Library: "WebSocket", Any: []string{
		"websocket connection to",
		"websocket: close ",
		"websocket connection failed",
		"unexpected server response: ",
	}, Shape: `(?i)websocket`, Kind: Unrelated,
		Means:   "A WebSocket was closed; that is HTTP/1.1's Upgrade and has its own close codes.",
		Example: "websocket: close 1006 (abnormal closure): unexpected EOF"},
	{ID: "lab-no-answer", Library: "this lab's own words", Any: []string{
		"(the call never settled)",
		"no request of the warm-up succeeded",
	}, Kind: Unrelated,
		Means: "A call of a client program neither succeeded nor failed within the lab's patience. httpx shared by " +
			"threads does that after a GOAWAY; the words are the lab's.", Seen: []string{"httpx-threads"},
		Links: []string{"encode/httpcore#45"}, Example: "no answer within 4s (the call never settled)"},
	{ID: "http-status", Library: "any client", Any: []string{"http status 4"},
		Shape: `^HTTP status 4\d\d(?: [A-Za-z ]+)?$`, Kind: Unrelated,
		Means: "The server answered; the request was executed or judged. A GOAWAY leaves no status.", Executed: Yes,
		Why:     "there is an answer",
		Example: "HTTP status 400"},
}
