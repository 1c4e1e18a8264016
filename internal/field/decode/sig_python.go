package decode

var httpxCures = []Change{
	{
		Where: "httpx",
		Line:  "a new transport every 900 requests, below keepalive_requests 1000",
		Note:  "the row has the class",
		Row:   "httpx-renew",
	},
	{
		Where: "httpx",
		Line:  "client = httpx.AsyncClient(http2=False)",
		Note:  "with limits as large as the requests in flight are many",
		Row:   "httpx-h1",
	},
	{
		Where: "httpx",
		Line:  "client = httpx.Client(http2=False)",
		Note:  "for threads: h2 is not made for them",
		Row:   "httpx-threads-h1",
	},
}

var (
	httpxLinks = []string{"encode/httpcore#45", "encode/httpx#828", "encode/httpcore#730"}
	httpxRows  = []string{"httpx", "httpx-retry", "httpx-threads"}
)

var pythonSignatures = []Signature{
	{ID: "h2-connection-terminated", Library: "httpx, httpcore, hyper-h2", Versions: "all",
		All: []string{"connectionterminated", "last_stream_id"}, Kind: Ended,
		Means: "httpx fails the request and retries nothing. It prints the frame, so the id and the code can be " +
			"trusted.",
		Seen: nil, Changes: httpxCures, Links: httpxLinks,
		Example: "httpx.RemoteProtocolError: <ConnectionTerminated error_code:ErrorCodes.NO_ERROR, " +
			"last_stream_id:1999, additional_data:None>"},
	{ID: "h2-stream-reset", Library: "httpx, httpcore, hyper-h2", All: []string{"<streamreset stream_id"}, Kind: Reset,
		Changes: httpxCures, Links: httpxLinks,
		Example: "httpx.RemoteProtocolError: <StreamReset stream_id:5, error_code:7, remote_reset:True>"},
	{ID: "h2-closed-state", Library: "httpx, httpcore, hyper-h2", All: []string{"invalid input connectioninputs."},
		Kind: Confused,
		Means: "h2 was closed by the GOAWAY that another request read, and refuses what comes after. RECV_ words are " +
			"answers that were thrown away, SEND_HEADERS a request that did not go out.",
		Why: "the lab saw 48 of 115 failed requests executed (RFC 9113 §6.8)", Seen: httpxRows, Changes: httpxCures,
		Links: append([]string{"encode/httpcore#46"}, httpxLinks...),
		Example: "httpx.LocalProtocolError: Invalid input ConnectionInputs.RECV_HEADERS in state " +
			"ConnectionState.CLOSED"},
	{ID: "httpx-disconnected", Library: "httpx, httpcore", All: []string{"remoteprotocolerror: server disconnected"},
		None: []string{"without sending a response"}, Kind: Lost,
		Means: "The server closed its connection after a GOAWAY, and httpx failed the requests that it still had " +
			"on it.",
		Why: "the lab saw 48 of 115 failed requests executed", Seen: httpxRows, Changes: httpxCures, Links: httpxLinks,
		Example: "httpx.RemoteProtocolError: Server disconnected"},
	{ID: "httpx-local", Library: "httpx, httpcore, hyper-h2 between threads",
		Any: []string{
			"localprotocolerror: received pseudo-header in trailer",
			"localprotocolerror:",
			"protocolerror: 7",
		}, Shape: `LocalProtocolError: (?:\d{1,10}\b|Received pseudo-header in trailer|Max outbound ` +
			`streams|StreamID|StreamClosed)`, Kind: Confused,
		Means: "h2 is not made for threads: frames of one request came into another's hands while the connection was " +
			"being renewed.",
		Why: "the lab saw 1 of such a client's 434 failed requests executed", Changes: httpxCures, Links: httpxLinks,
		Example: "httpx.LocalProtocolError: 715"},
	{ID: "python-deque-threads", Library: "Python: httpx between threads says so, and others",
		All: []string{"runtimeerror: deque mutated during iteration"}, Kind: Ambiguous,
		Means: "Two threads used one object. The lab saw it from httpx's HTTP/2 shared by threads at a renewal; " +
			"any threaded program may say it.",
		Changes: httpxCures[2:], Links: httpxLinks, Example: "RuntimeError: deque mutated during iteration"},
}
