// Command h2lab reproduces, measures and explains the HTTP/2 keepalive fault: why HTTP/2 behind a
// proxy is slower than HTTP/1.1, and why its requests fail with GOAWAY. Each verb has its own file
// here; this package connects the packages of internal/ and prints their results.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(process()) }

// process runs the program and returns its exit status.
func process() int {
	ctx, stop := interruptible()
	defer stop()
	// With SIGPIPE caught, a write to a closed pipe returns an error and the verb stops its
	// servers; otherwise Go would end the program at once (os/signal, "SIGPIPE"). Ignoring the
	// signal instead would be inherited by child processes.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return guarded(ctx, expanded(os.Args[1:]), os.Stdout, os.Stderr)
}
