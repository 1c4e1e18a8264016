package decode

var vertxCures = []Change{
	{
		Where: "Vert.x",
		Line:  "retry what fails with HttpClosedException or Http2Exception that says GOAWAY",
		Note:  "the row has the code",
		Row:   "vertx-retry",
	},
	{Where: "Vert.x", Line: "options.setProtocolVersion(HttpVersion.HTTP_1_1).setUseAlpn(false)", Row: "vertx-h1"},
}

var grpcJava = []Change{
	{
		Where: "grpc-java",
		Line:  "builder.defaultServiceConfig(…retryableStatusCodes: UNAVAILABLE…)",
		Note:  "transparent retry gives up after one try; the row has the policy whole",
		Row:   "grpc-java-retry",
	},
}

var reactorCures = []Change{
	{
		Where: "Reactor",
		Line: ".retryWhen(Retry.max(5).filter(e -> e instanceof WebClientRequestException && e.getCause() " +
			"instanceof IOException))",
		Row: "webclient-one-connection-retry",
	},
	{Where: "Reactor", Line: "client.protocol(HttpProtocol.HTTP11)", Row: "webclient-h1"},
	{
		Where: "Reactor",
		Line:  `ConnectionProvider.builder("p").maxLifeTime(Duration.ofMinutes(5))`,
		Note:  "and reactor-netty 1.0.22 or newer",
	},
}

var nettySignatures = []Signature{
	{ID: "reactor-premature-close", Library: "Reactor Netty, Spring WebClient",
		Any: []string{
			"prematurecloseexception",
			"connection prematurely closed before response",
			"connection prematurely closed during response",
		}, Kind: Lost,
		Means: "BEFORE response: it used a connection that had got a GOAWAY or had been closed while idle (HTTP/1.1 " +
			"has that too). DURING: the answer was cut off.",
		Why: "the text gives neither guarantee of RFC 9113 §8.7; of the lab's 97 (BEFORE response, at a GOAWAY) " +
			"none was executed",
		Seen: []string{"webclient-one-connection"}, Changes: reactorCures, Links: []string{
			"reactor/reactor-netty#2396",
			"reactor/reactor-netty#2408",
			"reactor/reactor-netty#1918",
		},
		Example: "reactor.netty.http.client.PrematureCloseException: Connection prematurely closed BEFORE response"},
	{ID: "reactor-pool-full", Library: "Reactor Netty, Spring WebClient",
		Any: []string{
			"poolacquirependinglimitexception",
			"pending acquire queue has reached its maximum size",
		}, Kind: PoolFull,
		Seen: []string{"webclient-short-queue"}, Changes: []Change{
			{
				Where:   "Reactor",
				Line:    `ConnectionProvider.builder("longer").pendingAcquireMaxCount(1000)`,
				Note:    "2 × maxConnections by default",
				Row:     "webclient-short-queue-longer",
				Outcome: untold,
			},
		},
		Links: []string{"reactor/reactor-netty#2396"},
		Example: "reactor.netty.internal.shaded.reactor.pool.PoolAcquirePendingLimitException: Pending acquire queue " +
			"has reached its maximum size of 32"},
	{ID: "netty-cannot-create", Library: "Netty HTTP/2 (Vert.x, Armeria, gRPC and others on it)",
		All: []string{"cannot create stream"}, Any: []string{
			"last-stream-id",
			"goaway frame with last stream id",
		}, Kind: NotSent,
		Means: "The client opened a stream after the GOAWAY had come; Netty stopped it before it was sent.",
		Seen:  []string{"vertx"}, Changes: vertxCures, Links: []string{
			"netty/netty#3564",
			"netty/netty#3731",
			"netty/netty#5097",
		},
		Example: "io.netty.handler.codec.http2.Http2Exception$StreamException: Cannot create stream 2057 greater " +
			"than Last-Stream-ID 1999 from GOAWAY."},
	{ID: "netty-max-streams", Library: "Netty HTTP/2",
		Any: []string{
			"maximum active streams violated for this endpoint",
			"maximum streams violated for this endpoint",
		}, Kind: NotSent,
		Means: "More requests were in flight than the server's SETTINGS_MAX_CONCURRENT_STREAMS (nginx: 128).",
		Links: []string{"netty/netty#3564"},
		Example: "io.netty.handler.codec.http2.Http2Exception$StreamException: Maximum active streams violated for " +
			"this endpoint."},
	{ID: "netty-stream-gone", Library: "Netty HTTP/2", All: []string{"http2exception", "does not exist"},
		Shape: `(?i)stream \d+ does not exist`, Kind: Ended,
		Means:   "A server on Netty got frames of a stream that it dropped after its own GOAWAY.",
		Links:   []string{"line/armeria#3208"},
		Example: "io.netty.handler.codec.http2.Http2Exception: Stream 49 does not exist"},
	{ID: "vertx-goaway", Library: "Vert.x", Versions: "5 (4.5 in part)",
		All: []string{"stream was closed (goaway error code"}, Kind: Unprocessed,
		Why:  "Vert.x says so of streams above the last id; the lab counted none of 74 executed",
		Seen: []string{"vertx"}, Changes: vertxCures, Links: []string{
			"eclipse-vertx/vert.x#4264",
			"eclipse-vertx/vert.x#5693",
		},
		Example: "io.vertx.core.http.HttpClosedException: Stream was closed (GOAWAY error code = 0)"},
	{ID: "vertx-closed", Library: "Vert.x",
		Any: []string{
			"io.vertx.core.http.httpclosedexception",
			"io.vertx.core.vertxexception: connection was closed",
		}, General: true, Kind: Lost,
		Means: "Vert.x 4 says no more than that of streams which a GOAWAY ended.", Changes: vertxCures,
		Links:   []string{"eclipse-vertx/vert.x#4264"},
		Example: "io.vertx.core.http.HttpClosedException: Connection was closed"},
	{ID: "vertx-stream-reset", Library: "Vert.x", All: []string{"io.vertx.core.http.streamresetexception"}, Kind: Reset,
		Changes: vertxCures,
		Links:   []string{"eclipse-vertx/vert.x#3071"},
		Example: "io.vertx.core.http.StreamResetException: Stream reset: 2"},
	{ID: "armeria-unprocessed", Library: "Armeria, sttp on Armeria",
		Any: []string{
			"unprocessedrequestexception",
			"com.linecorp.armeria.client.goawayreceivedexception",
		}, Kind: Unprocessed,
		Means: "Armeria says by the exception's class that the server didn't process it, and retries only with a " +
			"RetryingClient.",
		Why: "Armeria throws it for requests that were not processed, and the class says so",
		Changes: []Change{
			{
				Where: "Armeria",
				Line:  "RetryRule.builder().onUnprocessed().thenBackoff()",
				Note:  "as a RetryingClient decorator",
			},
		},
		Links: []string{"line/armeria#1346", "line/armeria#3825", "softwaremill/sttp#2583", "line/armeria#6263"},
		Example: "com.linecorp.armeria.client.UnprocessedRequestException: " +
			"com.linecorp.armeria.client.GoAwayReceivedException"},
	{ID: "armeria-closed-stream", Library: "Armeria", All: []string{"com.linecorp.armeria", "closedstreamexception"},
		Kind:  Reset,
		Links: []string{"line/armeria#3825"},
		Example: "com.linecorp.armeria.common.stream.ClosedStreamException: received a RST_STREAM frame: " +
			"REFUSED_STREAM"},
	{ID: "grpc-java-received", Library: "grpc-java", Versions: "before 1.40",
		All: []string{"received goaway", "http/2 error code"}, Kind: Ended,
		Means:   "nginx's one-stage GOAWAY hit the call twice, and grpc-java retries transparently only once.",
		Changes: append([]Change{{Where: "grpc-java", Line: "grpc-java 1.54.2 or newer"}}, grpcJava...),
		Links:   []string{"grpc/grpc-java#8310", "grpc/grpc-java#8359"},
		Example: "io.grpc.StatusRuntimeException: UNAVAILABLE: HTTP/2 error code: NO_ERROR\nReceived Goaway"},
	{ID: "grpc-java-closed-after", Library: "grpc-java", All: []string{"connection closed after goaway"},
		Kind:    Accepted,
		Means:   "In front of it was an AWS ALB or a server that ended at once; the call had been taken.",
		Changes: grpcJava, Links: []string{"grpc/grpc-java#8930", "grpc/grpc-java#8122"},
		Example: "io.grpc.StatusRuntimeException: UNAVAILABLE: Connection closed after GOAWAY. HTTP/2 error code: " +
			"NO_ERROR"},
	{ID: "grpc-java-abrupt", Library: "grpc-java", Versions: "1.40 and newer",
		Any: []string{
			"abrupt goaway closed sent stream",
			"abrupt goaway closed unsent stream",
			"goaway closed buffered stream",
		}, Kind: Unprocessed,
		Means: "Abrupt means one-stage: nginx. Sent or not, the stream lay above the last id, and the transparent " +
			"retry was off or used up.",
		Why: "grpc-java says so of streams above the last id only; the lab counted none of 251 executed (RFC 9113 " +
			"§6.8)",
		Seen: []string{"grpc-java-no-retry"}, Changes: grpcJava, Links: []string{
			"grpc/grpc-java#10533",
			"grpc/grpc-java#8208",
			"stargate/stargate#2209",
			"stargate/stargate-mongoose#194",
		},
		Example: "io.grpc.StatusRuntimeException: UNAVAILABLE: Abrupt GOAWAY closed sent stream. HTTP/2 error code: " +
			"NO_ERROR"},
	{ID: "grpc-core-socket-closed", Library: "gRPC core (Python, C++, Ruby, PHP, C#)",
		Any: []string{
			"socket closed",
			"transport closed",
			"endpoint closing",
			"stream removed",
		}, Shape: `(?i)(?:grpc|statuscode|rpcexception|\bunavailable\b|status code: ?14)`, General: true, Kind: Lost,
		Means: "An nginx reload, limit or time-out ended the channel's connection while the call was on it.",
		Changes: []Change{
			{
				Where: "gRPC",
				Line: `("grpc.service_config", '{"methodConfig": [{"name": [{}], "retryPolicy": {…, ` +
					`"retryableStatusCodes": ["UNAVAILABLE"]}}]}')`,
				Note: "as a channel option, for calls that may run twice",
			},
		},
		Links: []string{"grpc/grpc#24069"}, Example: `status = StatusCode.UNAVAILABLE details = "Socket closed"`},
	{ID: "grpc-core-goaway", Library: "gRPC core (Python, C++, Ruby, PHP, C#)",
		Any: []string{
			"got goaway [",
			"received a goaway with error code",
			"internal: goaway received",
			"statuscode.internal, goaway received",
			"goaway received; error code",
			"unavailable: goaway received",
		}, Kind: Ended,
		Links: []string{"grpc/grpc#24069", "grpc/grpc#14088"},
		Example: "Got goaway [11] err=UNAVAILABLE:GOAWAY received; Error code: 11; Debug Text: too_many_pings " +
			"{grpc_status:14, http2_error:11}"},
	{ID: "grpc-ingress", Library: "gRPC through ingress-nginx", All: []string{"grpc", "goaway"},
		Any: []string{"ingress", "keep-alive-requests"}, General: true, Kind: Ended,
		Links:   []string{"kubernetes/ingress-nginx#11118"},
		Example: "gRPC stream through ingress-nginx dropped: GOAWAY received"},
}
