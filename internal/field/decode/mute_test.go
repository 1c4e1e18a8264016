package decode

import "testing"

// The name of a file of data is no sign of HTTP/2, that of a source file or an archive of classes is.
func TestAFileOfDataIsNoSign(t *testing.T) {
	areOf(t, map[string]Kind{
		"Error: could not unpack archive /tmp/h2-client.tar.gz: invalid header": Plain,
		"tar: grpc-1.62.0.tgz: malformed header":                                Plain,
		`failed to rotate "/var/log/http2/grpc.log": invalid state transition`:  Plain,
		"h2/connection.py: invalid header block in a HEADERS frame":             Malformed,
		"io.grpc (grpc-core-1.62.jar): invalid pseudo header received":          Malformed,
	})
}
