// Package handshake measures what a TLS handshake costs on this machine: the
// processor time of the server's side and of the client's, apart, in Go's
// crypto/tls over loopback TCP with throw-away certificates that exist in
// memory only. It stands where probing stands: it measures and holds no opinion.
//
// What is counted is what a proxy pays for a connection that serves nobody:
// accept, handshake and close. The key exchange is X25519, as in the lab's
// servers; a proxy with another TLS library pays another price, of the same order.
package handshake
