// Package handshake measures what a TLS handshake costs on this machine: the processor time of the
// server's side and of the client's side, separately, in Go's crypto/tls over loopback TCP. Its
// certificates are temporary and exist in memory only.
//
// The measurement covers what a proxy spends on a connection without requests: accept, handshake
// and close. The key exchange is X25519, as in the lab's servers. A proxy with another TLS library
// has another cost of the same order.
package handshake
