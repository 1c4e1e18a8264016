package decode

import "testing"

// Whole sentences explain a failure and report none; the sign of a record, or a person who saw it, makes them a report.
func TestAnExplanationIsAReading(t *testing.T) {
	for _, text := range []string{
		"The pool keeps one connection for each host, and once a GOAWAY arrives it marks that connection as draining and opens " +
			"another one for the requests that are still in the queue.",
		"Most of the CPU went into handshakes in this benchmark because the proxy ended each connection with a GOAWAY after a thousand " +
			"requests, which is the default of the version that we used here.",
		"It is not obvious from the documentation that a stream which was reset with REFUSED_STREAM has not been processed by the " +
			"server and that it is safe for the library to send it again.",
		"In the old implementation of the h2 transport the writer held the lock while the connection was lost, so that all of the other streams had " +
			"to wait for the timeout before they were closed with an error.",
	} {
		if r := one(t, text); r.Reservation == "" || len(r.Changes) > 0 {
			t.Errorf("%s: %s is sure, changes %v", text, r.Kind, r.Changes)
		}
	}
	for text, want := range map[string]Kind{
		"[ERROR] the request to the order service has failed after the proxy was restarted, and all of the other requests that " +
			"were in the queue at that time have failed with the same error: stream was reset: REFUSED_STREAM": Refused,
		"We are seeing that some of our calls to the service fail after the upgrade of the proxy, and in the logs of the client " +
			"there is a stream that was reset with REFUSED_STREAM": Refused,
	} {
		if r := one(t, text); r.Kind != want || r.Reservation != "" {
			t.Errorf("%s: %s (%s), want %s", text, r.Kind, r.Reservation, want)
		}
	}
}

// What a sentence explains is neither a server's log nor the failure of a plain connection, and in words that decode doesn't know it
// is nothing.
func TestAnExplanationHasNoSureAnswer(t *testing.T) {
	for _, text := range []string{
		"In this setup the worker processes of the old configuration stay alive until the last of their streams has ended, and this is what " +
			"the operators of the cluster had asked for in the first place.",
		"The health check talks to the socket of the daemon, and when the daemon is not there it will get connection refused, which is what " +
			"the operator should then see in the status of the unit.",
		"The retry loop treats connection reset by peer as fatal although the request may be sent again, so this change moves the check " +
			"into the transport and adds a counter for it.",
		"Uvicorn writes the access line when the headers of the response are sent and it silently stops the stream on a client disconnect, so " +
			"that an abort in the body leaves exactly this line and nothing else.",
	} {
		if r := one(t, text); r.Reservation == "" || len(r.Changes) > 0 || r.Executed != nil && *r.Executed == No {
			t.Errorf("%s: %s is sure, executed %v, changes %v", text, r.Kind, r.Executed, r.Changes)
		}
	}
	areQuiet(t,
		"* Clients and servers will reject TLS connections that don't support ALPN. This can be disabled by setting the environment variable "+
			"`ENFORCE_ALPN` to `false`. Please file a bug if you encounter any issues with this behaviour.",
		"the requests will be closed after 60 seconds, and the debugger will automatically create new requests.")
	areOf(t, map[string]Kind{
		"Received SIGTERM, gracefully shutting down: draining listeners":           ServerLog,
		"The connection to the API server gave an error and was not completed.":    Unclear,
		"FATAL worker 12 terminated unexpectedly while serving a request over TLS": Unclear,
	})
}
