package decode

import (
	"slices"
	"testing"
)

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
