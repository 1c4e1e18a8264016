package decode

var dotnetLinks = []string{"dotnet/corefx#39013", "dotnet/corefx#39005", "dotnet/corefx#34638", "dotnet/corefx#40514"}

var otherSignatures = []Signature{
	{ID: "ruby-active-streams", Library: "async-http, protocol-http2 (Ruby)",
		Versions: "before the fix in socketry/async-http#245",
		All:      []string{"connection closed with", "active stream"},
		Shape:    `(?i)connection closed with \d+ active stream`, Kind: Accepted,
		Means: "The client closed the connection at a graceful GOAWAY, under the streams that the server had taken " +
			"and was about to answer.",
		Changes: []Change{{Where: "Ruby", Line: "bundle update async-http protocol-http2"}},
		Links: []string{
			"socketry/async-http#245",
			"socketry/protocol-http2#31",
		}, Example: "EOFError: Connection closed with 15 active stream(s)!"},
	{ID: "ruby-goaway", Library: "protocol-http2 (Ruby)", Any: []string{
		"protocol::http2::goawayerror",
		"protocol::http2::goawayframe",
	}, Kind: Ended,
		Changes: []Change{{Where: "Ruby", Line: "bundle update async-http protocol-http2"}},
		Links: []string{
			"socketry/async-http#65",
			"socketry/async-http#201",
		}, Example: "Protocol::HTTP2::GoawayError"},
	{ID: "ruby-refused", Library: "protocol-http (Ruby)", Any: []string{
		"protocol::http::refusederror",
		"protocol::http1::refusederror",
	}, Kind: Unprocessed,
		Links: []string{"socketry/async-http#245"}, Example: "Protocol::HTTP::RefusedError"},
	{ID: "ruby-httpx", Library: "httpx (Ruby)", Any: []string{
		"httpx::connection::http2::goawayerror",
		"httpx::connection::http2::error",
		"http2::goawayerror",
	}, Kind: Ended,
		Means: "httpx fails open and waiting requests alike, those included that the server never took.",
		Changes: []Change{
			{
				Where: "Ruby",
				Line:  "HTTPX.plugin(:persistent)",
				Note:  "it connects again; with plugin(:retries) for idempotent requests",
			},
		},
		Links:   []string{"HoneyryderChuck/httpx#149"},
		Example: "HTTPX::Connection::HTTP2::GoawayError: stream 0 closed with error: no_error"},
	{ID: "dotnet-reset", Library: ".NET HttpClient", All: []string{"the http/2 server reset the stream"}, Kind: Reset,
		Means: ".NET Core 3.0 and newer retry REFUSED_STREAM by themselves, older ones don't.", Links: dotnetLinks,
		Example: "System.Net.Http.HttpProtocolException: The HTTP/2 server reset the stream. HTTP/2 error code " +
			"'REFUSED_STREAM' (0x7)."},
	{ID: "dotnet-closed", Library: ".NET HttpClient",
		Any: []string{
			"the http/2 server closed the connection",
			"the http/2 server sent invalid data on the connection",
			"http2connectionexception",
			"http/2 error code 'no_error'",
		}, Kind: Ended,
		Means: "The server sent a GOAWAY. .NET Core before 3.0 aborted the streams above the last id; newer ones " +
			"retry them.", Links: dotnetLinks,
		Changes: []Change{
			{
				Where: ".NET",
				Line:  "PooledConnectionLifetime = TimeSpan.FromMinutes(5)",
				Note:  "on SocketsHttpHandler; MaxConnectionsPerServer isn't applied to HTTP/2",
			},
		},
		Example: "System.Net.Http.HttpProtocolException: The HTTP/2 server closed the connection. HTTP/2 error code " +
			"'NO_ERROR' (0x0)."},
	{ID: "dotnet-aborted", Library: ".NET HttpClient", All: []string{"system.net.http"}, Any: []string{
		"system.io.ioexception: the request was aborted",
		"the response ended prematurely while waiting for the next frame",
		"the response ended prematurely, with at least 9 additional bytes",
	}, General: true, Kind: Lost,
		Means: "The connection ended under an HTTP/2 request. .NET 8 and older hide a GOAWAY behind these words.",
		Links: append([]string{"dotnet/runtime#97128", "dotnet/runtime#1966"}, dotnetLinks...),
		Example: "System.Net.Http.HttpIOException: The response ended prematurely while waiting for the next frame " +
			"from the server. (ResponseEnded)"},
	{ID: "yaha-reset", Library: "YetAnotherHttpHandler (Unity, C# on hyper)", All: []string{
		"the http/2 server closed the connection or reset the stream",
	}, Kind: Reset,
		Links: []string{"Cysharp/YetAnotherHttpHandler#120"},
		Example: "The HTTP/2 server closed the connection or reset the stream. HTTP/2 error code 'REFUSED_STREAM' " +
			"(0x7)."},
	{ID: "swift-stream-closed", Library: "async-http-client, SwiftNIO HTTP/2", Any: []string{
		"streamclosed(streamid: http2streamid(",
		"niohttp2errors.streamclosed",
	}, Kind: Reset,
		Means: "NIO closes streams above a GOAWAY's last id with REFUSED_STREAM, and those under way with CANCEL " +
			"when the connection goes.",
		Changes: []Change{{Where: "Swift", Line: "configuration.httpVersion = .http1Only"}},
		Links: []string{
			"swift-server/async-http-client#660",
			"swift-server/async-http-client#505",
			"swift-server/async-http-client#673",
		},
		Example: "StreamClosed(streamID: HTTP2StreamID(203), errorCode: HTTP2ErrorCode<0x8 Cancel>)"},
	{ID: "swift-remote-closed", Library: "async-http-client", Any: []string{
		"httpclienterror.remoteconnectionclosed",
		"niohttp2errors.nosuchstream",
	}, Kind: Lost,
		Means: "The server closed the connection under the request, or a request came to one that a GOAWAY had " +
			"ended.",
		Changes: []Change{{Where: "Swift", Line: "configuration.httpVersion = .http1Only"}},
		Links: []string{
			"swift-server/async-http-client#660",
			"swift-server/async-http-client#488",
		}, Example: "HTTPClientError.remoteConnectionClosed"},
	{ID: "unity-besthttp", Library: "Best HTTP (Unity)", All: []string{"server closing the connection! error code:"},
		Kind:  Ended,
		Means: "All requests that wait in the connection's queue fail with it.", Changes: []Change{
			{Where: "Unity", Line: "fewer requests queued at once, or HTTP/1.1"},
		},
		Links:   []string{"Benedicht/BestHTTP-Issues#165"},
		Example: "Server closing the connection! Error code: NO_ERROR"},
	{ID: "elixir-mint", Library: "Mint, Finch, Req (Elixir)", Any: []string{
		"server_closed_connection",
		"{:goaway, ",
		"mint.http2, reason: :closed_for_writing",
		"closed_for_writing",
	}, Shape: `(?i)mint|goaway|finch`, Kind: Ended,
		Links:   []string{"elixir-mint/mint#158", "elixir-mint/mint#239"},
		Example: `%Mint.HTTPError{module: Mint.HTTP2, reason: {:server_closed_connection, :no_error, ""}}`},
	{ID: "elixir-mint-request", Library: "Mint, Finch, Req (Elixir)", All: []string{"server_closed_request"},
		Kind:    Reset,
		Means:   "Mint gives refused_stream to requests above a GOAWAY's last id.",
		Links:   []string{"elixir-mint/mint#148"},
		Example: "%Mint.HTTPError{module: Mint.HTTP2, reason: {:server_closed_request, :refused_stream}}"},
	{ID: "erlang-hackney", Library: "hackney, gun, h2 (Erlang)", Any: []string{
		"{error,{goaway",
		"{error, {goaway",
		"{goaway,",
		"{error,goaway}",
		"{error, goaway}",
	}, Kind: Ended,
		Changes: []Change{
			{Where: "Erlang", Line: "{hackney, \"4.4.4\"}", Note: "it retires a connection after its GOAWAY"},
		},
		Links: []string{"benoitc/hackney 4.4.4 notes"}, Example: "{error, {goaway, no_error}}"},
	{ID: "julia-http", Library: "HTTP.jl (Julia)", Versions: "before 2.1.2",
		Any: []string{"h2goawayerror"}, Kind: Ended, Changes: []Change{
			{Where: "Julia", Line: `pkg> update HTTP`, Note: "it then retries what the server did not process"},
		},
		Links:   []string{"JuliaWeb/HTTP.jl#1294", "JuliaWeb/HTTP.jl#1298"},
		Example: `HTTP.H2GoAwayError("…", 0x000007cf)`},
	{ID: "julia-http-reset", Library: "HTTP.jl (Julia)", Any: []string{
		"h2streamreseterror",
		`protocolerror("http/2 stream reset by peer`,
		"http/2 stream reset by peer",
	}, Kind: Reset,
		Links:   []string{"JuliaWeb/HTTP.jl#1294", "JuliaWeb/HTTP.jl#1298"},
		Example: "HTTP/2 stream reset by peer: REFUSED_STREAM"},
	{ID: "php-amphp", Library: "amphp/http-client (PHP)", All: []string{"received goaway frame on", "with error code"},
		Kind:    Ended,
		Changes: []Change{{Where: "PHP", Line: "composer update amphp/http-client"}},
		Links:   []string{"amphp/http-client#276", "amphp/http-client#366"},
		Example: "Amp\\Http\\Client\\SocketException: Received GOAWAY frame on '10.0.0.1:57656' from '10.0.0.2:443' " +
			"with error code 0 and message ''"},
}
