package decode

import (
	"slices"
	"testing"
)

// What ends while a connection is being made carried no request; the words of a wrapper and of another connection prove
// nothing.
func TestThePhaseBeforeARequest(t *testing.T) {
	for text, want := range map[string]Answer{
		"UNAVAILABLE: Connection closing while performing protocol negotiation for [NettyClientHandler#0]":                     No,
		"[C12] Connection is closed by peer during connecting.":                                                                No,
		"h2: connection lost during ALPN negotiation":                                                                          No,
		"h2 session: socket hang up before connection was established":                                                         No,
		"grpc: deadline exceeded during name resolution":                                                                       No,
		"http2: broken pipe while opening connection to api.example.com:443":                                                   No,
		"the gRPC client is not connected yet":                                                                                 No,
		"UNAVAILABLE: Credentials failed to obtain metadata Caused by: SocketTimeoutException: Read timed out":                 No,
		"Connection request timed out":                                                                                         No,
		"http2: error while connecting to the API: EOF":                                                                        Maybe,
		"grpc: connection closed by peer while the client was handshaking with another backend":                                Maybe,
		"client disconnected; the channel is not connected anymore: unexpected EOF (grpc)":                                     Maybe,
		"http2: session closed while negotiating the price: EOF":                                                               Maybe,
		"h2: EOF when connection setup had finished and a request was open":                                                    Maybe,
		"h2 stream 5 closed during the handshake of another connection: reset by peer":                                         Maybe,
		"java.io.EOFException: SSL peer shut down incorrectly":                                                                 Maybe,
		"IOException: Cannot determine the frame size or a corrupted frame was received.":                                      Maybe,
		"The SSL connection could not be established. ---> Cannot determine the frame size or a corrupted frame was received.": No,
	} {
		if r := one(t, text); *r.Executed != want {
			t.Errorf("%s\n  %s, executed %s, want %s", text, r.Kind, *r.Executed, want)
		}
	}
}

// Systems write their messages in the user's language; the name of the exception and the number stay the same.
func TestNamesOfExceptionsInAnyLanguage(t *testing.T) {
	proveEvents(t, map[string]Event{
		"java.net.ConnectException: Spojení bylo příliš dlouho neaktivní":                                   onNeverConnected,
		"io.netty.channel.AbstractChannel$AnnotatedConnectException: Bağlantı reddedildi":                   onNeverConnected,
		"System.Net.Sockets.SocketException (10061): Nie można nawiązać połączenia":                         onNeverConnected,
		"OSError: [Errno 113] Ingen väg till värden":                                                        onNeverConnected,
		"aiohttp.client_exceptions.ClientConnectorError: Не удается":                                        onNeverConnected,
		"Net::OpenTimeout: 接続できません":                                                                         onNeverConnected,
		"socket.gaierror: [Errno -2] Služba není známa":                                                     onNeverConnected,
		"System.Net.WebException: Error: TrustFailure (Echec)":                                              onTLSFailure,
		"h2: write: 断开的管道":                                                                                  onClosed,
		"GuzzleHttp\\Exception\\ConnectException: cURL error 28: Operation timed out with 0 bytes received": onTimedOut,
	})
	areQuiet(t, "order 10061 shipped with error code 0", "import java.net.ConnectException;")
}

// Whether it helps to send it again: not against a proxy that wants credentials, nor where a page answers.
func TestUselessToRepeat(t *testing.T) {
	for text, want := range map[string]Again{
		"java.io.IOException: Unable to tunnel through proxy. Proxy returns \"HTTP/1.1 407 Proxy Authentication Required\"": Useless,
		"npm ERR! 407 Proxy Authentication Required: https://registry.npmjs.org/x":                                          Useless,
		"Error parsing metadata: error=invalid value key=content-type value=text/html; charset=utf-8 (hpack_parser.cc)":     Useless,
		"requests.exceptions.ConnectionError: ('Connection aborted.', UnknownProtocol('HTTP/2.0'))":                         Useless,
		"error: raw response: Client sent an HTTP request to an HTTPS server.":                                              Useless,
		"httpx.UnsupportedProtocol: Request URL is missing an 'http://' or 'https://' protocol.":                            Useless,
		"curl: (7) Failed to connect to api.example.com port 407: Connection refused":                                       Safe,
		"Tunnel connection failed: 503 Service Unavailable":                                                                 Safe,
	} {
		if r := one(t, text); *r.Retry != want {
			t.Errorf("%s\n  %s, %s, want %s", text, r.Kind, *r.Retry, want)
		}
	}
}

// A server's own stack is the log of a client that left; the stack of a client that runs in a server is not.
func TestAServersOwnStack(t *testing.T) {
	closed := "java.nio.channels.ClosedChannelException\n"
	jetty := "\tat org.eclipse.jetty.util.IteratingCallback.close(IteratingCallback.java:427) ~[org.eclipse.jetty.util:9.3.22]\n" +
		"\tat org.eclipse.jetty.io.ssl.SslConnection.onClose(SslConnection.java:217) ~[org.eclipse.jetty.io:9.3.22]\n" +
		"\tat org.eclipse.jetty.server.HttpConnection.onClose(HttpConnection.java:489)\n"
	call := "\tat org.apache.http.impl.conn.DefaultClientConnection.receive(DefaultClientConnection.java:95)\n" +
		"\tat com.example.Proxy.service(Proxy.java:3)\n\tat com.example.Servlet.service(Servlet.java:34)\n"
	for text, want := range map[string]Kind{
		closed + jetty: ServerLog,
		closed + "\tat io.micronaut.http.server.netty.RoutingInBoundHandler.write(RoutingInBoundHandler.java:9)": ServerLog,
		closed + call + jetty: Lost,
		"accept unix /run/a/b.sock: accept4: use of closed network connection":                                      ServerLog,
		"aiohttp.server: Error handling request BadStatusLine: 400, message: Bad status line 'invalid HTTP method'": ServerLog,
		"hypercorn: LocalProtocolError('not in a reusable state')":                                                  Plain,
	} {
		r := one(t, text)
		if r.Kind != want || want == ServerLog && slices.Contains(classes(r), ClientRenewal) {
			t.Errorf("%s\n  %s %v, want %s", text, r.Kind, classes(r), want)
		}
	}
}
