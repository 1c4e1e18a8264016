// Command go-client is Go's net/http as three kinds of application use it:
// with bodies that can be sent again (go-replayable), with bodies that can be
// read once (go-once), and with a pool that dials once at a time
// (go-single-dial).
//
// It stands where k6 stands on the path of a fact: internal/load runs it and
// reads its answer. It talks to the conductor by lines on stdin and stdout, so
// that start-up is not measured and the window opens and closes when both agree:
// READY, WARM and DONE each wait for a newline, and one line of JSON ends it.
// Without --json it runs on its own and prints the answer for a reader.
package main
