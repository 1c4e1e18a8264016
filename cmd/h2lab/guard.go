package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"h2lab/internal/base/await"
	"h2lab/internal/base/child"
)

// interruptible returns a context that the first Ctrl-C, SIGTERM or SIGHUP cancels: running servers
// and clients are then stopped in order. The second signal kills them (child.Cleanup); a third ends
// this process, and the kernel then ends its servers.
func interruptible() (ctx context.Context, stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	hurry, hurried := context.WithCancel(context.Background())
	ctx, interrupted := context.WithCancel(child.WithHurry(context.Background(), hurry))
	over := make(chan struct{})
	go func() {
		for _, end := range []func(){interrupted, hurried} {
			select {
			case <-signals:
				end()
			case <-over:
				return
			}
		}
		signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(over)
		interrupted()
		hurried()
	}
}

// guarded calls run and turns a panic into a one-line message. Deferred calls have stopped the
// servers by then.
func guarded(ctx context.Context, args []string, stdout, stderr io.Writer) (status int) {
	defer func() {
		if p := await.Caught(recover()); p != nil {
			fmt.Fprintln(stderr, bugReport(p, args))
			status = statusCouldNot
		}
	}()
	return run(ctx, args, stdout, stderr)
}

// bugReport is the line about a panic: what, where, and how to report it.
func bugReport(p *await.Panic, args []string) string {
	line := strings.Join(strings.Fields(p.String()), " ")
	return fmt.Sprintf("h2lab: this is a bug: %s (in %s); report it with this line, the command (h2lab %s) "+
		"and the output of: h2lab version, h2lab doctor", line, p.Where, strings.Join(args, " "))
}
