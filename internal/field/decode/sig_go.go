package decode

var (
	goBody = []Change{
		{
			Where:   "Go",
			Line:    "req.GetBody = func() (io.ReadCloser, error) { return open() }",
			Note:    "http.NewRequest sets it for bytes.Reader, bytes.Buffer and strings.Reader",
			Row:     "go-replayable",
			Outcome: partly,
		},
		{
			Where: "Go",
			Line:  "transport.MaxConnsPerHost = 1",
			Note:  "with it, for the storm of dials (up to 128 requests in flight)",
			Row:   "go-single-dial",
		},
		{
			Where: "Go",
			Line:  "transport.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}",
			Note:  "HTTP/1.1 in place of both",
			Row:   "go-h1",
		},
	}
	goDials = []Change{
		{
			Where: "Go",
			Line:  "transport.MaxConnsPerHost = 1",
			Note:  "one dial at a renewal and not one for each request that waits",
			Row:   "go-single-dial",
		},
		{
			Where: "Go",
			Line:  "client := &http.Client{Transport: &http2.Transport{}}",
			Note:  "x/net dials once at a time; Go 1.27: -tags http2legacy",
			Row:   "go-http2-transport",
		},
	}
	goLinks = []string{"golang/go#18112", "golang/go#13397", "golang/go#34941"}
)

var goSignatures = []Signature{
	{ID: "go-body-not-replayable", Library: "Go net/http, x/net/http2", Versions: "all",
		All: []string{"cannot retry err", "after request.body was written"}, Wraps: true, Kind: Unprocessed,
		Means: "Go would have sent it again, but the body had been read and there is no GetBody to read it anew.",
		Seen:  []string{"go-once", "hey"}, Changes: goBody, Links: append([]string{"grafana/k6#1091"}, goLinks...),
		Example: "http2: Transport: cannot retry err [http2: Transport received Server's graceful shutdown GOAWAY] " +
			"after Request.Body was written; define Request.GetBody to avoid this error"},
	{ID: "cloudflared-origin-goaway", Library: "cloudflared (Go net/http)",
		All: []string{"unable to reach the origin service"}, Any: []string{
			"graceful shutdown goaway",
			"define request.getbody",
			"server sent goaway",
		}, Wraps: true, Kind: Unprocessed,
		Means: "cloudflared streams the body on, so Go can't send it again: its callers get 502 or 524.",
		Changes: []Change{
			{
				Where: "cloudflared",
				Line:  "http2Origin: false",
				Note:  "originRequest in its configuration: HTTP/1.1 to the origin",
			},
		},
		Links: []string{"cloudflare/cloudflared#1273", "cloudflare/cloudflared#1274", "cloudflare/cloudflared#1494"},
		Example: "Unable to reach the origin service. The service may be down or it may not be responding to traffic " +
			"from cloudflared: http2: Transport: cannot retry err […] define Request.GetBody to avoid this error"},
	{ID: "k6-body-not-replayable", Library: "k6 (Go net/http)", Versions: "before it set GetBody",
		All: []string{
			"request failed",
			"after request.body was written",
			"define request.getbody",
		}, Wraps: true, Kind: Unprocessed,
		Means:   "k6 sets GetBody in newer versions and then retries unseen; this one does not.",
		Changes: []Change{{Where: "k6", Line: "k6 version", Note: "take a newer one: POSTs survive a GOAWAY there"}},
		Links:   []string{"grafana/k6#1091", "grafana/k6#732"},
		Example: `level=warning msg="Request Failed" error="Post …: http2: Transport: cannot retry err […] after ` +
			`Request.Body was written; define Request.GetBody to avoid this error"`},
	{ID: "go-rewind-body", Library: "Go net/http", Versions: "all",
		All: []string{"cannot rewind body after connection loss"}, Kind: NotSent,
		Means: "Go lost the connection before it wrote the request, and the body it had begun to read can't be read " +
			"again.",
		Why: "net/http comes here only for a request it knows to be unwritten or unprocessed; the lab counted none " +
			"executed",
		Seen: []string{"go-once", "hey"}, Changes: goBody, Links: goLinks,
		Example: "net/http: cannot rewind body after connection loss"},
	{ID: "go-goaway-closed", Library: "Go net/http, x/net/http2", Versions: "all",
		All: []string{"server sent goaway and closed the connection"}, Kind: Accepted,
		Means: "Go does not retry it by itself, since the server had taken the stream. In front of an AWS ALB it " +
			"comes at the connection's end of life.",
		Changes: []Change{
			{
				Where: "Go",
				Line:  "if strings.Contains(err.Error(), \"server sent GOAWAY\") { /* again, if idempotent */ }",
				Note: "a retry above net/http; x/net since September 2022 closes such connections in order " +
					"(golang/go#39752)",
			},
		},
		Links: []string{
			"golang/go#18112",
			"golang/go#18639",
			"golang/go#39752",
			"goproxy/goproxy#35",
			"kalbasit/ncps#632",
		},
		Example: `http2: server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERROR, debug=""`},
	{ID: "go-graceful-goaway", Library: "Go net/http, x/net/http2", Versions: "all",
		All: []string{"transport received server's graceful shutdown goaway"}, Kind: Unprocessed,
		Means:   "Go aborts the streams above the last id and retries those it can.",
		Changes: goDials, Links: goLinks, Example: "http2: Transport received Server's graceful shutdown GOAWAY"},
	{ID: "go-retrying", Library: "Go net/http with GODEBUG=http2debug=1", Versions: "all",
		All: []string{"roundtrip retrying after failure"}, Wraps: true, Kind: Retried, Changes: goDials, Links: goLinks,
		Example: "http2: Transport RoundTrip retrying after failure: http2: Transport received Server's graceful " +
			"shutdown GOAWAY"},
	{ID: "go-framer-goaway", Library: "Go net/http with GODEBUG=http2debug=2", Versions: "all",
		All: []string{"read goaway len="}, Kind: Ended, Changes: goDials, Links: goLinks,
		Example: `http2: Framer 0xc0001: read GOAWAY len=8 LastStreamID=1999 ErrCode=NO_ERROR Debug=""`},
	{ID: "go-conn-unusable", Library: "Go net/http, x/net/http2", Versions: "all",
		Any: []string{
			"http2: client conn not usable",
			"http2: client conn is closed",
			"http2: no cached connection was available",
			"client connection force closed via clientconn.close",
		}, Kind: NotSent,
		Means: "The pool handed out a connection that was ending.", Changes: goDials, Links: goLinks,
		Example: "http2: client conn not usable"},
	{ID: "go-conn-lost", Library: "Go net/http, x/net/http2", Versions: "all",
		Any: []string{"http2: client connection lost"}, Kind: Lost,
		Means: "A health check's PING was not answered, or reading failed.",
		Links: []string{"golang/go#59690"}, Example: "http2: client connection lost"},
	{ID: "go-response-timeout", Library: "Go net/http, x/net/http2", Versions: "all",
		Any: []string{"http2: timeout awaiting response headers"}, Kind: Ambiguous,
		Means: "The server was slow, or the request sat in a connection that had died. No GOAWAY is named.",
		Links: []string{"golang/go#63422"}, Example: "http2: timeout awaiting response headers"},
	{ID: "go-stream-error", Library: "Go net/http, x/net/http2", Versions: "all",
		All: []string{"stream error: stream id"}, Kind: Reset, Changes: nil,
		Means:   "Go names the stream and the code; 'received from peer' says that the server reset it.",
		Links:   []string{"golang/go#32112", "golang/go#49314"},
		Example: "stream error: stream ID 309; INTERNAL_ERROR; received from peer"},
	{ID: "go-connection-error", Library: "Go net/http, x/net/http2", Versions: "all",
		Any: []string{
			"connection error: protocol_error",
			"connection error: flow_control_error",
			"connection error: compression_error",
			"connection error: frame_size_error",
			"connection error: stream_closed",
			"connection error: enhance_your_calm",
			"connection error: internal_error",
		}, None: []string{"grpc", "rpc error"}, Kind: Failed,
		Links: []string{"golang/go#32112"}, Example: "connection error: PROTOCOL_ERROR"},
	{ID: "grpc-go-goaway", Library: "grpc-go",
		Any: []string{
			"received prior goaway",
			"client received goaway with",
			"server stopped or got goaway",
		}, Kind: Ended,
		Means: "grpc-go retries by itself what the server can't have seen; this call it couldn't.",
		Changes: []Change{
			{
				Where: "grpc-go",
				Line: `grpc.WithDefaultServiceConfig("{\"methodConfig\": [{\"name\": [{}], \"retryPolicy\": ` +
					`{…}}]}")`,
				Note:    "retryableStatusCodes UNAVAILABLE, for calls that may run twice; the row has it whole",
				Row:     "grpc-go-retry",
				Outcome: untold,
			},
		},
		Links: []string{"grpc/grpc-go#5903", "grpc/grpc-go#6019"},
		Example: `rpc error: code = Unavailable desc = closing transport due to: connection error: desc = "error ` +
			`reading from server: EOF", received prior goaway: code: NO_ERROR, debug data: "graceful_stop"`},
	{ID: "grpc-go-draining", Library: "grpc-go", Any: []string{"desc = the connection is draining"}, Kind: NotSent,
		Means:   "A GOAWAY had come, and the call was refused a stream on that connection.",
		Links:   []string{"grpc/grpc-go#5903"},
		Example: "rpc error: code = Unavailable desc = the connection is draining"},
	{ID: "grpc-go-closing", Library: "grpc-go", Any: []string{
		"closing transport due to: connection error",
		"desc = transport is closing",
	}, General: true, Kind: Lost,
		Means:   "The transport closed under the call. With 'received prior goaway' behind it, a GOAWAY came before.",
		Links:   []string{"grpc/grpc-go#5903"},
		Example: "rpc error: code = Unavailable desc = transport is closing"},
	{ID: "grpc-go-rst", Library: "grpc-go",
		All: []string{"stream terminated by rst_stream with error code"}, Kind: Reset,
		Links:   []string{"kubernetes/ingress-nginx#5470"},
		Example: "rpc error: code = Internal desc = stream terminated by RST_STREAM with error code: INTERNAL_ERROR"},
}
