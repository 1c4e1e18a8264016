// Command go-client is Go's HTTP/2 client as several kinds of application use
// it: with bodies that can be sent again (go-replayable), with bodies that can be
// read once (go-once), with a pool that dials once at a time (go-single-dial),
// with TLS sessions that are resumed (go-resume), and as x/net's own transport,
// which dials once at a time by itself (go-http2-transport).
//
// What it shares with the other client programs is clients/kit: the command
// line, the conversation with the conductor, the closed loop and the answer.
package main
