package decode

import (
	"slices"
	"testing"
)

// A GOAWAY with a reason of its own, in whatever field, is not a request limit's, however round its last stream id.
func TestStatedReasonIsNoRequestLimit(t *testing.T) {
	for _, text := range []string{
		`[h2] conn 7 goaway: last=19999 code=0 text="Node is being drained by operator"`,
		`received GOAWAY, last_stream_id=1999, error_code=0, message: blue green switch of the region`,
		`http2: server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERROR, because the host is evicted`,
	} {
		if r := one(t, text); slices.Contains(classes(r), RequestLimit) {
			t.Errorf("%s\n  offers %v", text, classes(r))
		}
	}
	for _, text := range []string{
		`[h2] conn 7 goaway: last=1999 code=0 text="request limit reached"`,
		`received GOAWAY, last_stream_id=1999, error_code=0, message: connection closed`,
	} {
		if r := one(t, text); !slices.Contains(classes(r), RequestLimit) {
			t.Errorf("%s\n  offers %v", text, classes(r))
		}
	}
}

// A server that answers Unavailable because its database refused a connection had the request.
func TestUnavailableBecauseOfAStore(t *testing.T) {
	for text, want := range map[string]Answer{
		"io.grpc.StatusRuntimeException: UNAVAILABLE: orders: could not reach redis: Connection refused":  Maybe,
		"rpc error: code = Unavailable desc = mysql: dial tcp 10.0.0.3:3306: connect: connection refused": Maybe,
		`rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 10.0.0.3:` +
			`8080: connect: connection refused"`: No,
	} {
		if r := one(t, text); *r.Executed != want {
			t.Errorf("%s\n  executed %s, want %s", text, *r.Executed, want)
		}
	}
}

// A read that failed beside another connection's handshake that timed out proves that there was a connection.
func TestTwoConnectionsInOneText(t *testing.T) {
	read := "read tcp 10.2.0.4:51234->10.0.0.1:6443: read: connection reset by peer"
	for text, want := range map[string]Answer{
		`E1122 10:14:03.112233   41233 memcache.go:265] couldn't get the list: Get "https://10.0.0.1:6443/api": net/http: TLS handshake timeout` + "\nUnable to connect to the server: " + read: Maybe,
		"remote error: TLS handshake failed: " + read: No,
	} {
		if r := one(t, text); *r.Executed != want {
			t.Errorf("%s\n  executed %s, want %s", text, *r.Executed, want)
		}
	}
}

// The code of a reset stream counts more than the end of the connection beside it.
func TestRefusedStreamBesideAClosedConnection(t *testing.T) {
	text := "curl: (92) HTTP/2 stream 3 was not closed cleanly before end of the underlying stream: REFUSED_STREAM (err 7)"
	if r := one(t, text); r.Kind != Refused {
		t.Errorf("%s is %s", text, r.Kind)
	}
}

// What was tried again is one failure. The last attempt says why it failed; each of them may have been executed.
func TestNumberedAttempts(t *testing.T) {
	const refused, lost = "dial tcp 10.0.0.7:443: connect: connection refused", "http2: client connection lost"
	for text, want := range map[string]Answer{
		"attempt 1/3: " + refused + "\nattempt 2/3: " + refused + "\nattempt 3/3: " + lost:                 Maybe,
		"attempt 1/2: " + lost + "\nattempt 2/2: " + refused:                                               Maybe,
		"attempt 1 of 2: " + refused + "\nattempt 2 of 2: " + refused:                                      No,
		"WARN " + lost + ", will retry\nERROR request failed after 2 attempts: " + refused + ", giving up": Maybe,
	} {
		if r := one(t, text); *r.Executed != want {
			t.Errorf("%s\n  executed %s, want %s", text, *r.Executed, want)
		}
	}
}

// curl tries several addresses of a host: those that failed before it connected are no failure.
func TestAnotherAddressAnswered(t *testing.T) {
	tried := "* Trying [2001:db8::1]:443...\n* Immediate connect fail for 2001:db8::1: Network is unreachable\n" +
		"* Trying 192.0.2.1:443...\n"
	answered := tried + "* Connected to api.example.com (192.0.2.1) port 443\n* using HTTP/2\n> GET / HTTP/2\n< HTTP/2 200\n"
	if groups := decoded(t, answered); len(groups) > 0 && groups[0].Kind == Unreached {
		t.Errorf("an answered request is %s", groups[0].Kind)
	}
	if r := one(t, tried+"* connect to 192.0.2.1 port 443 failed: Connection refused\ncurl: (7) Failed to connect"); *r.Executed != No {
		t.Errorf("a host that refuses each connection is %s", r.Kind)
	}
}

// The words of the debug data don't make a GOAWAY that a client received a server's line.
func TestDebugDataAreNoServersLine(t *testing.T) {
	r := one(t, `GOAWAY received: lastStreamId=19, errorCode=NO_ERROR, debugData="hot restart in progress"`)
	if r.Kind == ServerLog || slices.Contains(classes(r), RequestLimit) {
		t.Errorf("%s %v", r.Kind, classes(r))
	}
}

// errSSLClosedAbort ends a connection in use as well as a handshake.
func TestAnEndOfTLSMayComeUnderARequest(t *testing.T) {
	areOf(t, map[string]Kind{"h2: read failed, OSStatus -9806 (errSSLClosedAbort)": Lost})
	if r := one(t, "OSStatus -9806 errSSLClosedAbort"); *r.Executed == No {
		t.Errorf("executed %v", *r.Executed)
	}
}
