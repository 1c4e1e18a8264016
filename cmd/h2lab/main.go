// Command h2lab reproduces, measures and explains the HTTP/2 keepalive fault:
// why HTTP/2 behind a proxy is slower than HTTP/1.1, and why its requests fail
// with GOAWAY. Every verb is one file here; this package only wires the rooms
// of internal/ together and finds the words.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
