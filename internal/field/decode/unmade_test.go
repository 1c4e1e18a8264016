package decode

import (
	"slices"
	"testing"
)

// unmade prove that no connection was had, or that nothing was sent on it: each library says so in its own words.
var unmade = []string{
	"software.amazon.awssdk.crt.CrtRuntimeException: Failed to acquire connection from HTTP/2 stream manager, AWS_ERROR_HTTP_CONNECTION_MANAGER_SHUTTING_DOWN",
	"grpc pool: could not obtain a healthy connection: pool empty",
	"[h2] unable to acquire an idle connection for the stream within 5s",
	`{"level":"error","msg":"http2: failed to get a connection for request 7","err":"no slots"}`,
	"h2 StreamManager: connection acquisition failed (aws error 2060)",
	"RuntimeError: Cannot send a request, as the client has been closed.",
	"  File \"/venv/lib/python3.11/site-packages/aiohttp/client.py\", line 400, in _request\n    raise RuntimeError(\"Session is closed\")\nRuntimeError: Session is closed",
	"ClientClosedError: The client is closed\n    at Client.dispatch (/app/node_modules/undici/lib/dispatcher/dispatcher-base.js:139:15) {\n  code: 'UND_ERR_CLOSED'\n}",
	"java.lang.IllegalStateException: Client instance has been closed.\n\tat jersey.repackaged.com.google.common.base.Preconditions.checkState(Preconditions.java:173)\n\tat org.glassfish.jersey.client.JerseyClient.checkNotClosed(JerseyClient.java:237)",
	"System.ObjectDisposedException: Cannot access a disposed object.\nObject name: 'System.Net.Http.HttpClient'.\n   at System.Net.Http.HttpClient.CheckDisposedOrStarted()",
	"System.ObjectDisposedException: Cannot access a disposed object.\nObject name: 'Grpc.Net.Client.GrpcChannel'.",
	"ObjectDisposedException: Cannot access a disposed object. Object name: 'OrdersServiceClient'. at Acme.Rpc.ClientBase.ThrowIfDisposed()",
	`rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp: address payments: missing port in address"`,
	"panic: grpc: dial tcp: address fe80::1:50051: too many colons in address",
	`Post "localhost:8080/v1": first path segment in URL cannot contain colon (http2 client)`,
	"httpx.UnsupportedProtocol: Request URL is missing an 'http://' or 'https://' protocol.",
	"TypeError [ERR_INVALID_URL]: Invalid URL\n    at new URL (node:internal/url:797:36)\n    at Object.connect (node:internal/http2/core:3320:17) { code: 'ERR_INVALID_URL', input: 'my-service' }",
	"requests.exceptions.MissingSchema: Invalid URL 'api/v2/items': No scheme supplied. Perhaps you meant https://api/v2/items?",
	"error sending request for url (https://api.example.com/): error trying to connect: unexpected EOF",
	"transport error: error trying to connect: received fatal alert or connection reset: Connection reset by peer (os error 104)",
	`reqwest::Error { kind: Request, source: hyper_util::client::legacy::Error(Connect, Custom { kind: UnexpectedEof, error: "unexpected end of file" }) }`,
	`Grpc.Core.RpcException: Status(StatusCode="Unavailable", Detail="Error connecting to subchannel.", DebugException="System.Net.Sockets.SocketException: Ein Socketvorgang konnte nicht ausgeführt werden")`,
	"Grpc.Core.RpcException: Status(StatusCode=\"Unavailable\", Detail=\"Error starting gRPC call. HttpRequestException: Permission denied SocketException: Permission denied\")\n ---> System.Net.Sockets.SocketException (13): Permission denied\n   at System.Net.Sockets.Socket.AwaitableSocketAsyncEventArgs.ThrowException(SocketError error, CancellationToken cancellationToken)\n   at System.Net.Sockets.Socket.<ConnectAsync>g__WaitForConnectWithCancellation|281_0(AwaitableSocketAsyncEventArgs saea, ValueTask connectTask, CancellationToken cancellationToken)\n   at System.Net.Http.HttpConnectionPool.ConnectToTcpHostAsync(String host, Int32 port, HttpRequestMessage initialRequest, Boolean async, CancellationToken cancellationToken)",
	"System.Net.Http.HttpRequestException: Resource temporarily unavailable (api.example.com:443)\n ---> System.Net.Sockets.SocketException (11): Resource temporarily unavailable",
	`Grpc.Core.RpcException: Status(StatusCode="Unavailable", Detail="Error starting gRPC call. HttpRequestException: Přístup odepřen (localhost:5001) SocketException: Přístup odepřen")`,
	"HttpRequestException: Operation timed out ([2001:db8::1]:443) for grpc call",
	`level=error msg="opening gRPC connection to store failed" address=10.0.0.4:10901 err="context deadline exceeded"`,
	"failed to establish gRPC client connection: context deadline exceeded",
	`{"level":"error","message":"could not open HTTP/2 client connection to 10.2.0.4:9000","error":"i/o timeout"}`,
	"Error creating gRPC channel connection to scheduler: TimeoutError: timed out",
	`{"level":"error","component":"tls","msg":"handshake failed","error":"EOF","remote":"10.0.0.4:50010"}`,
	`time=12:00:01 level=WARN msg="TLS handshake failed" peer=10.0.0.9 err=EOF proto=h2`,
	"proxy error from 127.0.0.1:6443 while dialing 10.0.0.5:10250, code 503: 503 Service Unavailable",
	"Sending HTTP/1.1 502 response to 127.0.0.1:48220: failed to find Session for client worker-7",
	"Error from server: error dialing backend: No agent available",
	"There are no listeners connected for the endpoint. TrackingId:3f, SystemTracker:relay:HybridConnection",
	"rpc error: code = Unavailable desc = all SubConns are in TransientFailure, latest connection error: connection closed before server preface received",
	"rpc error: code = Unavailable desc = all SubConns are in TransientFailure, latest connection error: EOF",
	`{"level":"WARN","message":"rpc failed, maybe the node is down","error":"failed to connect 10.0.0.1:19530: connection refused","module":"grpc"}`,
	`level=warn msg="call failed, possibly the node restarts" err="dial tcp 10.0.0.1:50051: connect: connection refused" lib=grpc`,
	"12:18:27 {\"level\":\"warn\",\"msg\":\"retrying of unary invoker failed\",\"error\":\"rpc error: code = DeadlineExceeded desc = latest balancer error: connection error: desc = \\\"transport: Error while dialing dial tcp 127.0.0.1:2379: connect: connection refused\\\"\"}\n12:18:27 level=error msg=\"Failed to check status: context deadline exceeded\"",
	"Unhandled exception: Bad state: Client is already closed.\n#0      Http2Client.send (package:http2_client/client.dart:41:7)",
	"java.lang.IllegalStateException: Client already closed\n\tat io.ktor.client.HttpClient.execute(HttpClient.kt:190)",
	"grpc.aio._base_call.UsageError: Channel is closed.",
	"io.vertx.core.http.ConnectionPoolTooBusyException: Connection pool reached max wait queue size of 100",
	"httpcore.PoolTimeout: could not acquire http/2 connection",
	"ERROR: rpc error: code = Unavailable desc = no tunnel connection found: node is unreachable",
	"curl: (3) URL rejected: Bad hostname (http2)",
	"reqwest::Error { kind: Builder, source: RelativeUrlWithoutBase } relative URL without a base (http2)",
	"java.lang.IllegalArgumentException: Expected URL scheme 'http' or 'https' but no scheme was found for api.ex\n\tat okhttp3.HttpUrl$Builder.parse$okhttp(HttpUrl.kt:1261)",
	`Get "http2://api.example.com": unsupported protocol scheme "http2"`,
	`{"ts":"2024-01-01T00:00:00Z","logger":"transport.tls","msg":"handshake failed","err":"connection reset by peer"}`,
	"Could not establish secure gRPC connection to 10.0.0.3:7233 within 10s: DeadlineExceeded",
	"tunnel: HTTP 502 while dialing upstream.example.com:443 through the proxy (grpc)",
	"System.AggregateException: One or more errors occurred. (Zugriff verweigert (api.example.com:443)) ---> System.Net.Http.HttpRequestException: Zugriff verweigert (api.example.com:443)",
}

// inDoubt have some of these words, and leave open whether the request was executed.
var inDoubt = []string{
	"rpc error: code = Internal desc = failed to acquire a connection: pgx pool closed",
	"grpc: connection acquired, stream 5 reset by peer (INTERNAL_ERROR)",
	"h2: failed to acquire lock on connection 4 while the response was read: unexpected EOF",
	"System.ObjectDisposedException: Cannot access a disposed object.\nObject name: 'System.Net.Sockets.NetworkStream'.",
	"System.IO.IOException: The request was aborted. ---> System.ObjectDisposedException: Cannot access a disposed object. Object name: 'SslStream'. at System.Net.Http.Http2Connection.ProcessIncomingFramesAsync()",
	"System.ObjectDisposedException: Cannot access a disposed object. Object name: 'System.Net.Sockets.TcpClient'.",
	"grpc server: the client has been closed while writing the response, stream 7",
	`Get "https://api.example.com/v1": failed to parse Location header "ht!tp://": parse "ht!tp://": first path segment in URL cannot contain colon`,
	`grpc handler: cannot split peer "10.0.0.7": address 10.0.0.7: missing port in address`,
	`rpc error: code = InvalidArgument desc = callback_url: parse "localhost:1": first path segment in URL cannot contain colon`,
	"grpc client: error trying to connect to the orders service: socket hang up",
	"error sending request for url (https://api.example.com/): client error (SendRequest): connection closed before message completed",
	"System.Net.Http.HttpRequestException: An error occurred while sending the request. (HTTP/2)\n ---> System.IO.IOException: Unable to read data from the transport connection: Connection reset by peer.\n ---> System.Net.Sockets.SocketException (104): Connection reset by peer\n   at System.Net.Sockets.Socket.AwaitableSocketAsyncEventArgs.ThrowException(SocketError error, CancellationToken cancellationToken)\n   at System.Net.Security.SslStream.ReadAsyncInternal[TIOAdapter]",
	"grpc: java.io.IOException: Resource temporarily unavailable (api.example.com:443)",
	"System.Net.Http.HttpRequestException: The response ended prematurely (HTTP/2 stream 5)",
	"failed to list peers over the open gRPC connection: context deadline exceeded",
	"failed to create a gRPC connection record in the inventory: context deadline exceeded",
	"unable to open gRPC connection to store: unexpected EOF",
	"Failed to create watch on gRPC connection 7: context deadline exceeded",
	"grpc: tunnel session closed by the agent while the response was read",
	"http2 request failed: 400 no agent header",
	"grpc call failed, maybe the server refused: failed to connect",
	"12:18:27 WARN grpc call failed, retrying: dial tcp 10.0.0.1:50051: connect: connection refused\n12:18:29 ERROR grpc call failed: context deadline exceeded while awaiting the response",
	"java.lang.IllegalStateException: stream 5: channel is closed (http2)",
	"java.lang.IllegalStateException: Session is closed (grpc handler)",
	"System.ObjectDisposedException: Cannot access a disposed object.\nObject name: 'System.Net.Http.StreamContent'. (HTTP/2)",
	"System.ObjectDisposedException: Cannot access a disposed object.\nObject name: 'StreamingHubClient'.\n   at MagicOnion.Client.StreamingHubClientBase.OnMessage()",
	"grpc: failed to get connection status of peer 7: stream reset",
	"Failed to get connection info for HTTP/2 session 4: unexpected EOF",
	"rpc error: code = Unavailable desc = failed to acquire a connection",
	`StatusCode.UNAVAILABLE details = "unable to open connection to shard 3"`,
	"agent is not connected to the grpc server any more: EOF",
	"ERROR handler failed: MalformedURLException: no protocol: webhook, status 500 returned for stream 7 (HTTP/2)",
	"error: open connections 120, stream 4 timed out (http2)",
	"error creating watch over client connection: deadline exceeded (grpc)",
	"h2: failed to make connection reusable: response timed out",
	"Unexpected server response: 503 during handshake (grpc-web)",
	"grpc call returned 503 while another connection was dialing",
	"System.Net.Http.HttpRequestException: Response status code does not indicate success: 502 (backend.example.com:8443). HTTP/2",
	"System.Net.Http.HttpRequestException: An error occurred while sending the request. ---> System.IO.IOException: The response ended prematurely. (HTTP/2, ResponseEnded)",
	"grpc call failed. Possible causes: the server is down, failed to connect, DNS failed",
	`{"msg":"request failed (maybe connection refused)","error":"stream 5 was reset","proto":"h2"}`,
}

// inUseAfterAll name a closed client, a handshake or an acquired connection, and something that was in use.
var inUseAfterAll = []string{
	"ERROR http2: response body closed: client is closed while reading stream 9",
	"cannot write response to grpc caller: client is closed",
	"cannot flush stream 5: client has been closed by the peer (http2)",
	"grpc over tls: session handshake failed on stream 3: EOF",
	"http2: failed to get connection header of the response: malformed",
	"System.Net.Sockets.SocketException (104): Connection reset by peer at System.Net.Sockets.Socket.Receive(Byte[] buffer) at App.ConnectionLoop() grpc",
	`grpc: dial retried after "failed to open connection" ; stream 7 reset with INTERNAL_ERROR`,
}

func TestWithoutAConnection(t *testing.T) {
	for _, text := range unmade {
		if r := one(t, text); r.Executed == nil || *r.Executed != No {
			t.Errorf("%s\n  %s is not certainly not executed", text, r.Kind)
		}
	}
	for _, text := range slices.Concat(inDoubt, inUseAfterAll) {
		for _, g := range decoded(t, text) {
			if r := g.reported(""); r.Executed != nil && *r.Executed == No {
				t.Errorf("%s\n  %s is certainly not executed: %s", text, r.Kind, r.Why)
			}
		}
	}
}
