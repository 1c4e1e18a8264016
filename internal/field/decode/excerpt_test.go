package decode

import "testing"

// An answer with a status came before the connection ended: its end fails no request.
func TestAStatusBeforeTheEnd(t *testing.T) {
	areQuiet(t,
		"error: RPC failed; result=22, HTTP code = 413 | 282.00 KiB/s\nfatal: The remote end hung up unexpectedly",
		"error: RPC failed; HTTP 413 curl 22 The requested URL returned error: 413 Request Entity Too Large\n"+
			"send-pack: unexpected disconnect while reading sideband packet\nWriting objects: 100% (3/3), done.\n"+
			"fatal: the remote end hung up unexpectedly",
		"error: RPC failed; HTTP 401 curl 22 The requested URL returned error: 401\nfatal: the remote end hung up unexpectedly",
		"> GET /x HTTP/1.1\n< HTTP/1.1 404 Not Found\n< Connection: close\n<\n* Closing connection 0",
		"upload of part 7 failed: got HTTP status 409, connection closed by peer",
		"npm error 413 Payload Too Large - PUT https://registry.example.com/foo - connection closed",
	)
	areOf(t, map[string]Kind{
		"error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502\nfatal: the remote end hung up unexpectedly": Status,
		"< HTTP/1.1 503 Backend fetch failed\n< Server: Varnish\n<\n* Closing connection 0":                                     Status,
		// No status, one of success, a port, and a status whose cause follows.
		"error: RPC failed; curl 56 Recv failure: Connection was reset\nfatal: the remote end hung up unexpectedly\nfatal: early EOF":   Plain,
		"> GET /a HTTP/1.1\n< HTTP/1.1 200 OK\n<\n* transfer closed with 33 bytes remaining to read":                                    Plain,
		"dial https://a.example:443: read: connection reset by peer":                                                                    Plain,
		"502 Bad Gateway: upstream closed: EOF":                                                                                         Plain,
		"error: RPC failed; curl 92 HTTP/2 stream 5 was not closed cleanly: CANCEL (err 8)\nfatal: the remote end hung up unexpectedly": Cancelled,
	})
}

// Another protocol's client under git, or by itself.
func TestOtherProtocolsByTheirOwnWords(t *testing.T) {
	areQuiet(t,
		"ssh_exchange_identification: Connection closed by remote host\nfatal: The remote end hung up unexpectedly",
		"kex_exchange_identification: read: Connection reset by peer\nfatal: Could not read from remote repository.",
		"client_loop: send disconnect: Broken pipe\nfatal: the remote end hung up unexpectedly",
		"Connection to 192.0.2.4 closed by remote host.\nfatal: the remote end hung up unexpectedly",
		"lightningd(19671): 0393 chan #4: Peer connection lost",
		"[ERRO] [error:timeout: no recent network activity] Failed to initialize client: connection failed",
		"timeout: handshake did not complete in time",
	)
	areOf(t, map[string]Kind{
		"fatal: unable to access 'https://git.example.com/x.git/': Connection reset by peer":                         Plain,
		`msg="Scrape failed" target=snmp err="Get \"http://192.0.2.4:9116/snmp\": connection refused"`:               Plain,
		"git@git.example.com: pushing over https://git.example.com/x failed: Recv failure: Connection reset by peer": Plain,
		"grpc: lnd: rpc error: code = Unavailable desc = error reading from server: read: connection reset by peer":  Lost,
	})
}

// Who answered is not who wrote the text, and what runs inside a server is a client there.
func TestWhoseLogItIs(t *testing.T) {
	const lua = "2024/05/05 10:00:00 [error] 31#31: *77 "
	for text, want := range map[string]Kind{
		"< HTTP/1.1 200 OK\n< Server: Varnish\n<\n* transfer closed with 33 bytes remaining to read":                                   Plain,
		"RemoteDisconnected('Remote end closed connection without response') headers={'Server': 'Kestrel'}":                            Plain,
		`{"error":"connection reset by peer","headers":{"via":"1.1 varnish"}}`:                                                         Plain,
		lua + `lua tcp socket read timed out, client: 192.0.2.4, server: a.example, request: "GET / HTTP/1.1"`:                         Plain,
		lua + "[lua] auth.lua:14: failed to request: connection refused, client: 192.0.2.4, server: _":                                 Plain,
		lua + "[lua] v3.lua:340: request_chunk(): failed to connect to etcd: connection refused, context: ngx.timer":                   Plain,
		lua + "OCSP responder timed out (110: Connection timed out) while requesting certificate status":                               Plain,
		"Varnish: connection reset by peer while a backend was read":                                                                   ServerLog,
		lua + `recv() failed (104: Connection reset by peer) while sending to client, server: a, request: "GET / HTTP/2.0"`:            ServerLog,
		lua + "client closed connection while waiting for request, client: 192.0.2.4, server: 0.0.0.0:443":                             ServerLog,
		"Grpc.Core.Server Exception while handling RPC. System.InvalidOperationException: Operation is not valid":                      ServerLog,
		"fail: Grpc.AspNetCore.Server.ServerCallHandler[6]\n      Error when executing service method 'SayHello'.":                     ServerLog,
		"ERROR:grpc._cython.cygrpc:Unexpected [ValueError] raised by servicer method [/helloworld.Greeter/SayHello]":                   ServerLog,
		"Grpc.AspNetCore.Server: Error when executing service method 'A'. System.IO.IOException: The client reset the request stream.": GaveUp,
	} {
		if r := one(t, text); r.Kind != want {
			t.Errorf("%s: %s, want %s", text, r.Kind, want)
		}
	}
}

// A time-out while a stream was opened may have followed its headers.
func TestAStreamThatWasNotOpenedInTime(t *testing.T) {
	const watch = "[lua] config_etcd.lua:136: grpc_waitdir(): create watch stream failed: failed to new stream: "
	for text, want := range map[string]Answer{watch + "timeout": Maybe, watch + "the channel is closing": No} {
		if r := one(t, text); r.Kind != NotSent || r.Executed == nil || *r.Executed != want {
			t.Errorf("%s: %s, executed %v", text, r.Kind, r.Executed)
		}
	}
}

// What had come and what was to come: an answer's body that ended early.
func TestBodiesThatEndEarly(t *testing.T) {
	events := map[Event][]string{
		onClosed: {
			"[download] Got error: 97701 bytes read, 432403 more expected. Retrying (7/10)...",
			"IncompleteRead(1024 bytes read, 4096 more expected)",
			"urllib.error.ContentTooShortError: <urlopen error retrieval incomplete: got only 5 out of 10 bytes>",
			"2024-05-05 10:00:00 (1.2 MB/s) - Read error at byte 12345. Retrying the download.",
			"the download was truncated: 5 of 10 bytes",
			"curl: (18) end of response with 33 bytes remaining to read",
		},
		onViolation: { // the caller's own body
			"HttpRequestException: Sent 10 request content bytes, but Content-Length promised 20.",
			"h11._util.LocalProtocolError: Too little data for declared Content-Length",
			`Post "http://a.example/": http: ContentLength=4 with Body length 0`,
			"RequestContentLengthMismatchError: Request body length does not match content-length header",
		},
		onUnsent: {
			`{"level":"error","msg":"Error while sending stat{error 25 0  connection has not yet been established}"}`,
			"publish failed: connection not established yet",
			"Error: the channel has not been established",
		},
	}
	for event, texts := range events {
		for _, text := range texts {
			if r := one(t, text); r.Facts.Event != event || r.Kind != Plain {
				t.Errorf("%s: %s, %s, want %s", text, r.Kind, r.Facts.Event, event)
			}
		}
	}
	for _, text := range []string{
		"[download]  81.0% of ~ 1.30GiB at 6.03MiB/s ETA 00:40 (frag 997/1231)",
		"AssertionError: 3 more expected calls to fetch",
		"INFO connection to server established",
		`level=error msg="response completed with error" err.code="BLOB_UNKNOWN" err.message="blob unknown to registry" http.request.method=HEAD`,
	} {
		if groups := decoded(t, text); len(groups) > 0 {
			t.Errorf("%s: %v", text, names(groups))
		}
	}
}

// A short excerpt that tells the end of one connection in two wordings has one failure, one with two addresses has two.
func TestOneEndInTwoWordings(t *testing.T) {
	const closing = "Error: rpc error: code = Unavailable desc = transport is closing\n"
	r := one(t, closing+"E1109 21:50:15.647812       1 portforward.go:178] lost connection to pod\nError: context deadline exceeded")
	if r.Kind != Lost || r.ID != "grpc-go-closing" {
		t.Errorf("%s, %q", r.Kind, r.ID)
	}
	for _, more := range []string{
		"grpc: connection to db.example:5001 was lost\n",
		"ok\nok\nok\ngrpc: lost connection to the server\n",
	} {
		if groups := decoded(t, closing+more); len(groups) != 2 {
			t.Errorf("%s: %v", more, names(groups))
		}
	}
}

// BuildKit writes a step and its time before each line of a program: the lines are messages of their own.
func TestStepsOfBuildKit(t *testing.T) {
	if n := tallied(t, "#1 22.77 level=info msg=starting\n#1 22.78 level=info msg=stopped\n").Events; n != 2 {
		t.Errorf("%d messages, want 2", n)
	}
	areOf(t, map[string]Kind{ // a frame of PHP
		"PHP Fatal error: Uncaught GuzzleHttp\\Exception\\ConnectException: cURL error 7: Failed to connect to a.example\n" +
			"Stack trace:\n#0 /app/a.php(12): x()\n#1 /app/b.php(3): y()\n#2 {main}": Plain,
	})
}

// A program that answers requests is a client of others: the connection that failed is the one that it made.
func TestAClientInAServersHandler(t *testing.T) {
	const handler = "Traceback (most recent call last):\n  File \"/app/lib/gunicorn/workers/sync.py\", line 135, in handle\n    f()\n"
	const reset = "java.net.SocketException: Connection reset\n\tat java.base/sun.nio.ch.NioSocketImpl.implRead(NioSocketImpl.java:3)\n"
	areOf(t, map[string]Kind{
		handler + "requests.exceptions.ConnectionError: ('Connection aborted.', ConnectionResetError(104, 'Connection reset by peer'))": Plain,
		"ERROR: Exception in ASGI application\nTraceback (most recent call last):\n  File \"/app/uvicorn/h11_impl.py\", line 4, in run\n" +
			"    f()\nhttpx.RemoteProtocolError: Server disconnected without sending a response.": Plain,
		"Microsoft.AspNetCore.Server.Kestrel: An unhandled exception was thrown by the application. System.Net.Http.HttpIOException: " +
			"The response ended prematurely.": Plain,
		"ERROR io.grpc.internal.ServerImpl: io.grpc.StatusRuntimeException: UNAVAILABLE: io exception\n" +
			"\tat io.grpc.stub.ClientCalls.toStatusRuntimeException(ClientCalls.java:268)\n" +
			"Caused by: java.io.IOException: Connection reset by peer": Lost,
		"SEVERE org.apache.catalina.core.StandardWrapperValve.invoke " + reset +
			"\tat org.apache.http.impl.io.SessionInputBufferImpl.streamRead(S.java:1)": Plain,
		"varnish: FetchError http first read error: EOF":                                                          Plain,
		handler + "BrokenPipeError: [Errno 32] Broken pipe":                                                       ServerLog,
		"Microsoft.AspNetCore.Server.Kestrel.Connections: Connection id \"0HN3\" reset: Connection reset by peer": ServerLog,
		"SEVERE org.apache.catalina.connector.ClientAbortException: java.io.IOException: Broken pipe":             ServerLog,
	})
}

// A server that stops ends what it does itself.
func TestAServersOwnStop(t *testing.T) {
	areOf(t, map[string]Kind{
		"2024/05/05 10:00:00 http: Server closed":                                                 ServerLog,
		`level=error caller=web.go:500 err="http: Server closed"`:                                 ServerLog,
		`Get "http://a.example/": http: server closed idle connection`:                            Plain,
		"ERROR worker: rpc error: code = Canceled desc = context canceled":                        GaveUp,
		`level=error msg="pull failed during graceful shutdown" error="connection reset by peer"`: Plain,
	})
	areQuiet(t, `time="2024-05-05T10:00:00Z" level=info msg="stopping event stream following graceful shutdown" error="context canceled"`)
}

// A request that goes round comes back with the same status until the proxies' settings change.
func TestALoopComesAgain(t *testing.T) {
	for text, want := range map[string]Again{
		"< HTTP/1.1 503 Internal Server Error\n< Server: Varnish\n< Error-Reason: loop detected\n<\n* Closing connection 0": Useless,
		"grpc: unexpected HTTP status code received from server: 502 (Bad Gateway); loop detected":                          Useless,
		"< HTTP/1.1 503 Backend fetch failed\n< Server: Varnish\n<\n* Closing connection 0":                                 Idempotents,
	} {
		if r := one(t, text); r.Kind != Status || r.Retry == nil || *r.Retry != want {
			t.Errorf("%s: %s, again %v", text, r.Kind, r.Retry)
		}
	}
}

// What a trace or a settled message says of a failure is told.
func TestAStatusInATrace(t *testing.T) {
	areOf(t, map[string]Kind{
		"* using HTTP/2\n> GET /x HTTP/2\n< HTTP/2 503\n< retry-after: 1\n<\n* Connection #0 to host a.example left intact": Status,
	})
	areQuiet(t, "* using HTTP/2\n> GET /x HTTP/2\n< HTTP/2 404\n<\n* Connection #0 to host a.example left intact",
		"* using HTTP/2\n> GET /x HTTP/2\n< HTTP/2 200\n<\n* Connection #0 to host a.example left intact")
	const progress = "The push refers to repository [registry.example.com/app]\n"
	for text, missed := range map[string]bool{
		progress + `error parsing HTTP 413 response body: invalid character '<' looking for beginning of value`: false,
		progress: true,
	} {
		tally := tallied(t, text)
		if len(tally.Groups()) > 0 || tally.Missed() != missed {
			t.Errorf("%s: %v, missed %v", text, names(tally.Groups()), tally.Missed())
		}
	}
}
