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
