// Command h2lab reproduces, measures and explains the HTTP/2 keepalive fault:
// why HTTP/2 behind a proxy is slower than HTTP/1.1, and why its requests fail
// with GOAWAY. Every verb is one file here; this package connects the packages
// of internal/ and prints what they answer.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(process()) }

// process is the whole program but for its end.
func process() int {
	ctx, stop := interruptible()
	defer stop()
	// A reader that has gone is an error of the write then, and the verb ends in
	// order; Go would end the program at once (os/signal, "SIGPIPE"). It is not
	// ignored, which children would inherit.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return guarded(ctx, os.Args[1:], os.Stdout, os.Stderr)
}
