package decode

// publicReport is a public report of this fault and similar texts: the first as the report has it
// (or as the library writes it, if the report quotes none), the others as in real logs, with other
// numbers.
type publicReport struct {
	row, client, where string
	id                 string
	kind               Kind
	texts              []string
	// made is set if neither the report nor its library's source quotes the text.
	made bool
}

var publicReports = []publicReport{
	{"1", "Go", "golang/go#18112", "go-goaway-closed", Accepted, []string{
		`http2: server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERROR, debug=""`,
		`{"level":"error","ts":1712345678.9,"msg":"call failed","error":"Get \"https://api.example.net/v2\": http2: ` +
			`server sent GOAWAY and closed the connection; LastStreamID=199, ErrCode=NO_ERROR, debug=\"\""}`,
		`ts=2022-12-01T15:21:15.357Z caller=refresh.go:99 level=error msg="Unable to refresh" err="[002] http2: ` +
			`server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERR`,
		`http2: server sent GOAWAY and closed the connection; LastStreamID=8329, ErrCode=NO_ERROR, debug="max_age"`},
		false},
	{"2", "Go", "golang/go#18639", "go-goaway-closed", Accepted, []string{
		`server sent GOAWAY and closed the connection`,
		`2024/03/01 12:00:03 proxy error: http2: server sent GOAWAY and closed the connection; LastStreamID=20001, ` +
			`ErrCode=NO_ERROR, debug=""`}, false},
	{"3", "Go", "cloudflare/cloudflared#1273", "cloudflared-origin-goaway", Unprocessed, []string{
		`Unable to reach the origin service. The service may be down or it may not be responding to traffic from ` +
			`cloudflared: http2: Transport: cannot retry err [http2: Transport received Server's graceful shutdown ` +
			`GOAWAY] after Request.Body was written; define Request.GetBody to avoid this error`,
		`2024-06-13T09:11:02Z ERR  error="Unable to reach the origin service. The service may be down or it may not ` +
			`be responding to traffic from cloudflared: http2: Transport: cannot retry err [http2: Transport ` +
			`received Server's graceful shutdown GOAWAY] after Request.Body was written; define Request.GetBody to ` +
			`avoid this error" connIndex=2 event=1 originService=https://nginx:443`}, false},
	{"4", "Go", "goproxy/goproxy#35", "go-goaway-closed", Accepted, []string{
		`http2: server sent GOAWAY and closed the connection; LastStreamID=199, ErrCode=NO_ERROR, debug=""`,
		`go: example.org/mod@v1.2.3: Get "https://goproxy.example/mod": http2: server sent GOAWAY and closed the ` +
			`connection; LastStreamID=39, ErrCode=NO_ERROR, debug=""`}, false},
	{"5", "Go", "kalbasit/ncps#632", "go-goaway-closed", Failed, []string{
		`error performing HEAD request to https://nixhelm.example/x.narinfo: Head ` +
			`"https://nixhelm.example/x.narinfo": http2: server sent GOAWAY and closed the connection; ` +
			`LastStreamID=1045, ErrCode=PROTOCOL_ERROR, debug=""; retrying in 251 ms`,
		`W0101 10:00:00.1 1 x.go:1] http2: server sent GOAWAY and closed the connection; LastStreamID=77, ` +
			`ErrCode=FLOW_CONTROL_ERROR, debug="window"`}, false},
	{"6", "k6", "grafana/k6#1091", "k6-body-not-replayable", Unprocessed, []string{
		`time="2019-07-19T11:08:44+02:00" level=warning msg="Request Failed" error="Post https://example.org/: ` +
			`http2: Transport: cannot retry err [http2: Transport received Server's graceful shutdown GOAWAY] after ` +
			`Request.Body was written; define Request.GetBody to avoid this error"`,
		"WARN[0042] Request Failed                                error=\"Post \\\"https://shop.example/api\\\": " +
			"http2: Transport: cannot retry err [http2: Transport received Server's graceful shutdown GOAWAY] after " +
			"Request.Body was written; define Request.GetBody to avoid this error\""}, false},
	{"7", "Ruby", "socketry/async-http#245", "ruby-active-streams", Accepted, []string{
		`EOFError: Connection closed with 15 active stream(s)!`,
		`{"time":"2026-08-30T10:00:00Z","severity":"warn","subject":"Async::Task","event":{"type":"failure",` +
			`"class":"EOFError","message":"Connection closed with 3 active stream(s)!"}}`}, false},
	{"8", "curl", "curl/curl#11859", "curl-send", Lost, []string{
		`error: While fetching deadbeef: [55] Failed sending data to the peer`,
		`curl: (55) Failed sending HTTP/2 data to the peer`}, false},
	{"8", "curl", "curl/curl#12054", "curl-died", Lost, []string{
		`curl: (56) Connection died, tried 5 times before giving up`,
		`2024-01-01 sync.sh[12]: curl: (55) Connection died, tried 7 times before giving up`}, false},
	{"8", "curl", "curl/curl#11859", "curl-goaway", Ended, []string{
		`* received GOAWAY, error=0, last_stream=1999`,
		`12:01:02.123456 [0-0] * [HTTP/2] received GOAWAY, error=0, last_stream=39`}, false},
	{"9", "curl", "curl/curl#4267", "curl-framing", Lost, []string{
		`curl: (16) Error in the HTTP2 framing layer`,
		`PHP Fatal error: Uncaught GuzzleHttp\Exception\ConnectException: cURL error 16: Error in the HTTP2 framing ` +
			`layer (see https://curl.se/libcurl/c/libcurl-errors.html) for https://api.example.com/v1`}, false},
	{"9", "curl", "curl/curl#5611", "curl-stream", Reset, []string{
		`curl: (92) HTTP/2 stream 0 was closed cleanly, but before getting  all response header fields, treated as ` +
			`error`,
		`curl: (92) HTTP/2 stream 7 was not closed cleanly: INTERNAL_ERROR (err 2)`}, false},
	{"9", "curl", "curl/curl#8809", "curl-stream", Lost, []string{
		`HTTP/2 stream 0 was not closed cleanly before end of the underlying stream`,
		`fatal: unable to access 'https://git.example/x.git/': HTTP/2 stream 7 was not closed cleanly before end of ` +
			`the underlying stream`}, false},
	{"9", "curl", "curl/curl#5611", "curl-recv", Lost, []string{
		`curl: (56) Recv failure: Connection reset by peer`,
		`[2025-01-01 00:00:00] build.ERROR: curl error 56 while downloading https://repo.example/p.json: Recv ` +
			`failure: Connection reset by peer`}, false},
	{"10", "OkHttp", "square/okhttp#6700", "okhttp-stream-reset", Refused, []string{
		`StreamResetException: stream was reset: REFUSED_STREAM`,
		"Exception in thread 4: java.util.concurrent.CompletionException: " +
			"okhttp3.internal.http2.StreamResetException: stream was reset: REFUSED_STREAM\n\tat " +
			"java.base/java.util.concurrent.CompletableFuture.encodeRelay(CompletableFuture.java:368)\nCaused by: " +
			"okhttp3.internal.http2.StreamResetException: stream was reset: REFUSED_STREAM\n\tat " +
			"okhttp3.internal.http2.Http2Stream.takeHeaders(Http2Stream.kt:148)"}, false},
	{"11", "OkHttp", "square/okhttp#2543", "okhttp-shutdown", NotSent, []string{
		`okhttp3.internal.http2.ConnectionShutdownException`,
		"2021-03-01 12:00:00.123 ERROR 1 --- [nio-8080-exec-7] c.e.Api : call " +
			"failed\n\nokhttp3.internal.http2.ConnectionShutdownException: null\n\tat " +
			"okhttp3.internal.http2.Http2Connection.newStream(Http2Connection.java:248)"}, false},
	{"11", "OkHttp", "square/okhttp#2506", "okhttp-stream-reset-old", Refused, []string{
		`java.io.IOException: stream was reset: REFUSED_STREAM`,
		`04-25 19:10:54.501 23709-23768/com.app E/HttpImpl: NativeLogger Exception during http request ` +
			`java.io.IOException: stream was reset: REFUSED_STREAM`}, false},
	{"12", "Rust", "hyperium/hyper#2500", "hyper-no-error", Ended, []string{
		`http2 error: protocol error: not a result of an error`,
		`2024-05-01T10:00:00.1Z  WARN app: request failed err=error sending request for url ` +
			`(https://api.example.org/x): client error (SendRequest): http2 error: connection error received: not a ` +
			`result of an error`,
		"Error: request\n\nCaused by:\n    0: client error (SendRequest)\n    1: http2 error\n    2: connection " +
			"error received: not a result of an error"}, false},
	{"13", "Rust", "hyperium/h2#856", "h2-internal-resets", Choked, []string{
		`connection error detected: detected excessive load generating behavior (b"too_many_internal_resets")`,
		`Reqwest(reqwest::Error { kind: Request, url: "https://pypi.example/simple/x/", source: ` +
			`hyper_util::client::legacy::Error(SendRequest, hyper::Error(Http2, Error { kind: ` +
			`GoAway(b"too_many_internal_resets", ENHANCE_YOUR_CALM, Library) })) })`}, false},
	{"14", "Python", "encode/httpcore#45", "h2-connection-terminated", Ended, []string{
		`<ConnectionTerminated error_code:ErrorCodes.NO_ERROR, last_stream_id:1999, additional_data:None>`,
		"Traceback (most recent call last):\n  File \"/app/x.py\", line 3, in f\n    " +
			"yield\nhttpcore.RemoteProtocolError: <ConnectionTerminated error_code:0, last_stream_id:199, " +
			"additional_data:None>\n\nThe above exception was the direct cause of the following " +
			"exception:\n\nTraceback (most recent call last):\n  File \"/app/y.py\", line 9, in " +
			"g\nhttpx.RemoteProtocolError: <ConnectionTerminated error_code:0, last_stream_id:199, " +
			"additional_data:None>"}, false},
	{"14", "Python", "encode/httpx#828", "h2-connection-terminated", Announced, []string{
		`httpx.RemoteProtocolError: <ConnectionTerminated error_code:0, last_stream_id:2147483647, ` +
			`additional_data:None>`,
		`ERROR:app:<ConnectionTerminated error_code:ErrorCodes.NO_ERROR, last_stream_id:2147483647, ` +
			`additional_data:b'graceful'>`}, false},
	{"15", "Java", "reactor/reactor-netty#2396", "reactor-premature-close", Lost, []string{
		`reactor.netty.http.client.PrematureCloseException: Connection prematurely closed BEFORE response`,
		`{"@timestamp":"2022-01-01T00:00:00Z","level":"ERROR","message":"x",` +
			`"stack_trace":"org.springframework.web.reactive.function.client.WebClientRequestException: Connection ` +
			`prematurely closed BEFORE response; nested exception is ` +
			`reactor.netty.http.client.PrematureCloseException\n\tat a.b.C(D.java:1)"}`}, false},
	{"16", "Java", "netty/netty#3564", "netty-cannot-create", NotSent, []string{
		`io.netty.handler.codec.http2.Http2Exception: Cannot create stream 1 since this endpoint has received a ` +
			`GOAWAY frame with last stream id 0`,
		`io.netty.handler.codec.http2.Http2Exception$StreamException: Cannot create stream 401 greater than ` +
			`Last-Stream-ID 199 from GOAWAY.`}, false},
	{"17", "Java", "eclipse-vertx/vert.x#4264", "vertx-goaway", Ended, []string{
		`io.vertx.core.http.HttpClosedException: Stream was closed (GOAWAY error code = 0)`,
		`2025-11-14 09:00:00,001 SEVERE [app] (vert.x-eventloop-thread-1) Stream was closed (GOAWAY error code = 0): ` +
			`io.vertx.core.http.HttpClosedException: Stream was closed (GOAWAY error code = 0)`}, false},
	{"17", "Java", "eclipse-vertx/vert.x#4264", "vertx-closed", Lost, []string{
		`io.vertx.core.http.HttpClosedException: Connection was closed`,
		`ERROR io.vertx.core.VertxException: Connection was closed`}, false},
	{"18", "Java", "line/armeria#1346", "armeria-unprocessed", Unprocessed, []string{
		`com.linecorp.armeria.client.UnprocessedRequestException: com.linecorp.armeria.client.GoAwayReceivedException`,
		"sttp.client3.SttpClientException$ReadException: Exception when sending request: POST " +
			"https://api.example\nCaused by: com.linecorp.armeria.client.UnprocessedRequestException: " +
			"com.linecorp.armeria.client.GoAwayReceivedException"}, false},
	{"19", "Java", "apache/maven-resolver#1256", "jdk-goaway", Ended, []string{
		`Caused by: java.io.IOException: /10.8.2.106:51760: GOAWAY received`,
		"[ERROR] Failed to execute goal: /192.168.0.9:43288: GOAWAY received -> [Help 1]\nCaused by: " +
			"java.io.IOException: /192.168.0.9:43288: GOAWAY received\n    at " +
			"jdk.internal.net.http.Http2Connection.handleGoAway (Http2Connection.java:1008)"}, false},
	{"20", "Java", "jetty/jetty.project#13131", "jetty-retryable", Unprocessed, []string{
		`org.eclipse.jetty.client.RetryableRequestException: org.eclipse.jetty.http2.RetryableStreamException`,
		"java.util.concurrent.ExecutionException: org.eclipse.jetty.client.RetryRequestException\n\tat " +
			"org.eclipse.jetty.client.CompletableResponseListener"}, false},
	{"21", "Java", "apache/httpcomponents-core#654", "apache-not-executed", NotSent, []string{
		`org.apache.hc.core5.http.RequestNotExecutedException: Connection is closed`,
		`11:02:03.004 [httpclient-dispatch-2] ERROR app - failed ` +
			`org.apache.hc.core5.http.RequestNotExecutedException: GOAWAY received`}, false},
	{"22", "gRPC-Java", "grpc/grpc-java#8310", "grpc-java-received", Ended, []string{
		"io.grpc.StatusRuntimeException: UNAVAILABLE: HTTP/2 error code: NO_ERROR\nReceived Goaway",
		"io.grpc.StatusRuntimeException: UNAVAILABLE: HTTP/2 error code: NO_ERROR\nReceived Goaway\n\tat " +
			"io.grpc.Status.asRuntimeException(Status.java:533)",
		`{"msg":"UNAVAILABLE: HTTP/2 error code: NO_ERROR\nReceived Goaway","logger":"grpc"}`}, false},
	{"23", "gRPC-Java", "grpc/grpc-java#8930", "grpc-java-closed-after", Accepted, []string{
		`io.grpc.StatusRuntimeException: UNAVAILABLE: Connection closed after GOAWAY. HTTP/2 error code: NO_ERROR`,
		"11:57:02.836 WARN  Watch stream disconnected (1/3), reconnecting in 1,000ms:\n                  " +
			"UNAVAILABLE: Connection closed after GOAWAY.\n                  HTTP/2 error code: NO_ERROR, debug " +
			"data: max_age"}, false},
	{"24", "gRPC-Java", "grpc/grpc-java#10533", "grpc-java-abrupt", Unprocessed, []string{
		`io.grpc.StatusRuntimeException: UNAVAILABLE: Abrupt GOAWAY closed unsent stream. HTTP/2 error code: ` +
			`NO_ERROR stream id: 2073, GOAWAY Last-Stream-ID:2001`,
		`ERROR [grpc-7] UNAVAILABLE: Abrupt GOAWAY closed unsent stream. HTTP/2 error code: NO_ERROR stream id: 211, ` +
			`GOAWAY Last-Stream-ID:201`}, false},
	{"25", "gRPC-Python", "grpc/grpc#24069", "grpc-core-socket-closed", Lost, []string{
		"grpc._channel._InactiveRpcError: <_InactiveRpcError of RPC that terminated with:\n        status = " +
			"StatusCode.UNAVAILABLE\n        details = \"Socket closed\"\n        debug_error_string = " +
			"\"{\"created\":\"@1599533975.386975000\",\"description\":\"Error received from peer " +
			"ipv4:172.30.73.37:10000\",\"grpc_message\":\"Socket closed\",\"grpc_status\":14}\"",
		`Grpc.Core.RpcException: Status(StatusCode="Unavailable", Detail="Socket closed")`}, false},
	{"26", "ingress-nginx", "kubernetes/ingress-nginx#11118", "grpc-ingress", Ended, []string{
		`grpc stream through ingress-nginx dropped: rpc error: GOAWAY received`,
		`{"service":"grpc-ingress","level":"warn","msg":"received GOAWAY, error code NO_ERROR, last_stream_id: 1999"}`},
		true},
	{"27", "Node", "nodejs/help#3986", "node-goaway-session", NotSent, []string{
		`ERR_HTTP2_GOAWAY_SESSION: New streams cannot be created after receiving a GOAWAY`,
		"Error [ERR_HTTP2_GOAWAY_SESSION]: New streams cannot be created after receiving a GOAWAY\n    at " +
			"ClientHttp2Session.request (internal/http2/core.js:1364:13) {\n  code: 'ERR_HTTP2_GOAWAY_SESSION'\n}"},
		false},
	{"28", "Node", "grantila/fetch-h2#2", "fetch-h2-retry", NotSent, []string{
		"RetryError: ERR_HTTP2_GOAWAY_SESSION\n    at doFetch " +
			"(/app/node_modules/fetch-h2/dist/lib/fetch-http2.js:56:23)",
		`{"err":{"type":"RetryError","message":"ERR_HTTP2_GOAWAY_SESSION","stack":"Error: ERR_HTTP2_GOAWAY_SESSION\n ` +
			`at doFetch (C:\\app\\node_modules\\fetch-h2\\dist\\lib\\fetch-http2.js:60:2)"}}`}, false},
	{"29", "Node", "nodejs/undici#3140", "undici-goaway", Ended, []string{
		`SocketError: HTTP/2: "GOAWAY" frame received with code 0`,
		"TypeError: fetch failed\n    at node:internal/deps/undici/undici:12345:11 {\n  [cause]: InformationalError: " +
			"HTTP/2: \"GOAWAY\" frame received with code 0\n      at ClientHttp2Session.onHttp2SessionGoAway {\n    " +
			"code: 'UND_ERR_INFO'\n  }\n}"}, false},
	{"30", "Node", "stargate/stargate#2209", "grpc-java-abrupt", Unprocessed, []string{
		`Abrupt GOAWAY closed sent stream`,
		`{"description":"Bridge: UNAVAILABLE: Abrupt GOAWAY closed sent stream. HTTP/2 error code: ` +
			`NO_ERROR","code":502}`}, false},
	{"31", ".NET", "dotnet/corefx#39013", "dotnet-closed", Ended, []string{
		`System.Net.Http.Http2ConnectionException: The HTTP/2 server sent invalid data on the connection. HTTP/2 ` +
			`error code 'NO_ERROR' (0x0).`,
		"System.Net.Http.HttpRequestException: An error occurred while sending the request.\n ---> " +
			"System.Net.Http.HttpProtocolException: The HTTP/2 server closed the connection. HTTP/2 error code " +
			"'NO_ERROR' (0x0). (HttpProtocolError)\n   at " +
			"System.Net.Http.Http2Connection.ThrowRequestAborted(Exception innerException)"}, false},
	{"31", ".NET", "dotnet/corefx#39005", "dotnet-reset", Refused, []string{
		`System.Net.Http.Http2StreamException: The HTTP/2 server reset the stream. HTTP/2 error code ` +
			`'REFUSED_STREAM' (0x7).`,
		"fail: App[0] System.IO.IOException: The request was aborted.\n ---> System.Net.Http.HttpProtocolException: " +
			"The HTTP/2 server reset the stream. HTTP/2 error code 'REFUSED_STREAM' (0x7)."}, false},
	{"31b", "Unity/C#", "Cysharp/YetAnotherHttpHandler#120", "yaha-send-request", Lost, []string{
		`IOException: client error (SendRequest): http2 error`,
		"HttpRequestException: An error occurred while sending the request.\n ---> System.IO.IOException: client " +
			"error (SendRequest): http2 error\n  at Cysharp.Net.Http.ResponseContext.ThrowException"}, false},
	{"31c", "Ruby httpx", "HoneyryderChuck/httpx#149", "ruby-httpx", Ended, []string{
		`HTTPX::Connection::HTTP2::GoawayError: stream 0 closed with error: no_error`,
		`E, [2026-08-28T10:00:00.123456 #7] ERROR -- : POST /jobs failed: #<HTTPX::Connection::HTTP2::GoawayError: ` +
			`stream 0 closed with error: no_error>`}, false},
	{"32", "Swift", "swift-server/async-http-client#660", "swift-stream-closed", Cancelled, []string{
		`StreamClosed(streamID: HTTP2StreamID(203), errorCode: HTTP2ErrorCode<0x8 Cancel>, location: ` +
			`"NIOHTTP2/HTTP2StreamChannel.swift:827")`,
		`[ ERROR ] StreamClosed(streamID: HTTP2StreamID(20003), errorCode: HTTP2ErrorCode<0x8 Cancel>, location: ` +
			`"NIOHTTP2/HTTP2StreamChannel.swift:881"),desc: The operation could not be completed. [request-id: 8F]`},
		false},
	{"33", "Unity", "Benedicht/BestHTTP-Issues#165", "unity-besthttp", Ended, []string{
		`Server closing the connection! Error code: NO_ERROR`,
		"Error occured on loading ImageMeta entities from the collection 'A', url: " +
			"https://example.org/api/meta\nError: Server closing the connection! Error code: NO_ERR"}, false},
	{"34", "Erlang", "benoitc/hackney 4.4.4 notes", "erlang-hackney", Ended, []string{
		`{error, {goaway, no_error}, true}`,
		`12:00:01.002 [error] <0.112.0> request failed: {error,{goaway,no_error,<<>>}}`}, false},
	{"34", "Julia", "JuliaWeb/HTTP.jl#1294", "julia-http-reset", Refused, []string{
		`HTTP/2 stream reset by peer: REFUSED_STREAM`,
		`ERROR: LoadError: HTTP.H2StreamResetError: HTTP/2 stream reset by peer: REFUSED_STREAM`}, false},
	{"34", "PHP", "amphp/http-client#276", "php-amphp", Ended, []string{
		`Amp\Http\Client\SocketException: Received GOAWAY frame on '10.0.0.1:57656' from '10.0.0.2:443' with error ` +
			`code 0 and message ''`,
		"Surfaced: Amp\\Http\\Client\\SocketException: Received GOAWAY frame on '192.0.2.1:1' from '192.0.2.2:443' " +
			"with error code 0 and message '' in /root/app/vendor/amphp/http-client/src/X.php:202\nStack trace:\n#0 " +
			"/root/app/vendor/amphp/http/src/Http2Parser.php(586): Amp\\X->handleShutdown()"}, false},
	{"35", "Browser", "AquilaCMS/AquilaCMS discussion #121", "chrome-refused", Refused, []string{
		`net::ERR_HTTP2_SERVER_REFUSED_STREAM`,
		`GET https://shop.example/_next/static/chunk.js net::ERR_HTTP2_SERVER_REFUSED_STREAM 200`}, false},
	{"35", "Browser", "nginx trac #2155", "chrome-failed", Ambiguous, []string{
		`net::ERR_FAILED`,
		`index.html:12 GET https://shop.example/app.js net::ERR_FAILED`}, false},
	{"36", "nginx as client", "nginx/nginx#1431", "nginx-upstream-goaway", Unprocessed, []string{
		`upstream sent goaway with error 0`,
		`2026/06/04 12:36:11 [error] 27884#0: *10958 upstream sent goaway with error 0 while reading response header ` +
			`from upstream, client: 192.0.2.7, server: example.org, request: "GET /a HTTP/2.0", upstream: ` +
			`"https://127.0.0.1:8443/a", host: "example.org"`}, false},
	{"37", "Envoy as client", "envoyproxy/envoy#36450", "envoy-refused", Refused, []string{
		`upstream connect error or disconnect/reset before headers. reset reason: remote refused stream reset`,
		`[2024-10-04T10:00:00.000Z] "POST /x HTTP/2" 503 UR ` +
			`upstream_reset_before_response_started{remote_refused_stream_reset} - "-" 1 95 3 - "-" "go" "b51c8970" ` +
			`"api" "10.0.0.1:443"`}, false},
	{"37", "Vespa", "vespa-engine/vespa#18697", "vespa-feed", Ended, []string{
		`ai.vespa.feed.client.impl.HttpRequestStrategy: GOAWAY received, error code NO_ERROR`,
		`[2021-08-09] WARNING : container Container.ai.vespa.feed.client.FeedClient HTTP/2 connection: received ` +
			`GOAWAY frame`}, true},
}
