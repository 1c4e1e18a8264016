// Command go-client is Go's HTTP/2 client as several kinds of application use it: with bodies that
// can be sent again (go-replayable), with bodies that can be read once (go-once), with a pool that
// dials one connection at a time (go-single-dial), with resumed TLS sessions (go-resume), and as
// the transport of golang.org/x/net/http2, which dials one connection at a time by itself
// (go-http2-transport). Two variants are no clients of a TLS front but the users of a service: go-users,
// each with a connection and a pause for thought, and go-burst, who all send at once.
//
// The package clients/kit has what all client programs share: the command line, the protocol with
// internal/lab/load, the closed loop and the answer.
package main
