package decode

import "testing"

// The end of a file or of a parser's data is no end of a connection.
func TestTheEndOfAFileIsNoConnections(t *testing.T) {
	areQuiet(t,
		"2023-04-17 05:35:10.288 UTC PANI [orderer.common.server] Main -> Failed getting the ledger: error decoding varint with proto.Buffer: unexpected EOF",
		"failed to read WAL segment 000123.wal: unexpected EOF",
		`error loading config file "/etc/prometheus/prometheus.yml": yaml: line 3: unexpected EOF`,
		"/usr/local/bin/entry.sh: line 42: unexpected EOF while looking for matching `\"'",
		"template: notify.tmpl:7: unexpected EOF",
		"proto: unexpected EOF",
		"gzip: stdin: unexpected end of file",
		`{"level":"error","msg":"cannot open the snapshot","error":"decode manifest: unexpected EOF"}`,
		"panic: open /var/lib/store/index.db: unexpected EOF",
		"java.io.EOFException\n\tat java.base/java.io.DataInputStream.readFully(DataInputStream.java:202)\n"+
			"\tat java.base/java.io.RandomAccessFile.readInt(RandomAccessFile.java:1000)\n\tat org.example.Store.load(Store.java:22)",
	)
	for _, text := range []string{
		"failed to decode response body: unexpected EOF",
		`Post "https://a.example/x": unexpected EOF`,
		"error parsing the server's reply: unexpected EOF",
		"failed to copy the layer: httpReadSeeker: archive: unexpected EOF",
		`{"proto": "HTTP/1.1", "uri": "/nar/x.nar", "error": "reading: unexpected EOF"}`,
		"java.io.EOFException\n\tat java.base/java.io.DataInputStream.readFully(DataInputStream.java:202)\n" +
			"\tat org.example.net.SocketReader.read(SocketReader.java:22)",
		"rpc error: code = Unavailable desc = error reading from server: EOF",
	} {
		if r := one(t, text); r.Kind != Plain && r.Kind != Lost || r.Facts.Event != onClosed {
			t.Errorf("%s: %s, %s", text, r.Kind, r.Facts.Event)
		}
	}
}

// A defect in a program's own code is not the transport's, whose names stand around it.
func TestADefectOfTheProgramIsNoTransports(t *testing.T) {
	const (
		null  = "java.lang.NullPointerException\n\tat "
		ofApp = "com.example.Greeter.sayHello(Greeter.java:12)\n\tat io.grpc.stub.ClientCalls.invoke(ClientCalls.java:182)"
	)
	areOf(t, map[string]Kind{
		"ERROR GRPCChannelManager : Create channel to  fail. \n" + null + ofApp: Unrelated,
		"grpc call: TypeError: Cannot read properties of undefined (reading 'id')\n    at toOrder (/app/src/order.js:3:9)\n" +
			"    at Object.onReceiveMessage (/app/node_modules/@grpc/grpc-js/build/src/client.js:3:9)": Unrelated,
		"Grpc client factory: System.NullReferenceException: Object reference not set to an instance of an object.\n" +
			"   at MyApp.Clients.OrderClient.Build(String name) in /src/OrderClient.cs:line 30": Unrelated,
		"Traceback (most recent call last):\n  File \"/usr/lib/grpc/_server.py\", line 444, in _call_behavior\n    f()\n" +
			"  File \"/app/greeter.py\", line 20, in SayHello\n    return user.name\n" +
			"AttributeError: 'NoneType' object has no attribute 'name'": Unrelated,
		"SEVERE: Exception while executing runnable io.grpc.internal.ServerImpl$JumpToApplicationThread@1b2c\n" + null + ofApp: ServerLog,
		// The transport's own code, a frame or no code at all leave open what became of the request.
		"grpc: " + null + "io.grpc.netty.NettyClientHandler.onHeadersRead(NettyClientHandler.java:4)\n\tat com.example.A.b(A.java:1)": Unclear,
		"grpc channel: java.lang.NullPointerException":                                           Unclear,
		"io.grpc: a stream was open: " + null + ofApp:                                            Unclear,
		"NullPointerException in listener onGoAwayReceived of grpc\n\tat " + ofApp:               Unclear,
		"io.grpc.StatusRuntimeException: UNAVAILABLE: Connection reset by peer\n" + null + ofApp: Lost,
	})
}
