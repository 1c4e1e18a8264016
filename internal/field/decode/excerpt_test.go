package decode

import "testing"

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
