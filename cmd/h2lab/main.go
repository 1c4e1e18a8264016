// Command h2lab reproduces, measures and explains the HTTP/2 keepalive fault: why HTTP/2 behind a
// proxy is slower than HTTP/1.1, and why its requests fail with GOAWAY. Each verb has its own file
// here; this package connects the packages of internal/ and prints their results.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"h2lab/internal/base/await"
	"h2lab/internal/base/child"
	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/system"
	"h2lab/internal/base/text"
	"h2lab/internal/lab/native"
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

// checkedWriter is stdout or stderr. It records the first write error, so that a verb that ignores
// write errors still fails, and it cancels the verb when the reader closes the pipe.
type checkedWriter struct {
	to     io.Writer
	closed context.CancelFunc // called when the reader has closed the pipe

	mu  sync.Mutex
	err error
}

// Write implements io.Writer.
func (o *checkedWriter) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if err == nil {
		return n, nil
	}
	o.mu.Lock()
	if o.err == nil {
		o.err = err
	}
	o.mu.Unlock()
	if system.ReaderGone.Is(err) {
		o.closed()
	}
	return n, err
}

// failure is the first error of a write, or nil.
func (o *checkedWriter) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// file returns the file that w writes to: a child process gets the file itself, and only a file can
// be a terminal.
func file(w io.Writer) io.Writer {
	if o, ok := text.Raw(w).(*checkedWriter); ok {
		return o.to
	}
	return w
}

// statusReaderGone is the status that a shell reports for a program that SIGPIPE ended.
const statusReaderGone = 128 + int(syscall.SIGPIPE)

// finished returns the exit status of a verb that ended with err, including errors of its output. A
// closed pipe gives no message.
func (a *app) finished(err error) int {
	for _, w := range []io.Writer{a.stdout, a.stderr} {
		_ = w.(*text.Writer).Close() // its checkedWriter keeps the error
	}
	out, errs := text.Raw(a.stdout).(*checkedWriter), text.Raw(a.stderr).(*checkedWriter)
	if system.ReaderGone.Is(out.failure()) || system.ReaderGone.Is(errs.failure()) {
		return statusReaderGone
	}
	failed := out.failure()
	if failed == nil && err == nil {
		return statusDone
	}
	if failed == nil {
		return a.fail(err)
	}
	if err != nil && !errors.Is(err, failed) && exitstatus.Of(err) != exitstatus.Contradicted {
		a.fail(err)
	}
	var path *os.PathError
	if errors.As(failed, &path) {
		failed = path.Err
	}
	a.message("h2lab: the output can't be written: %v; make room, or send it to another place", failed)
	return statusCouldNot
}

// The exit statuses, as docs/architecture.md names them.
const (
	statusDone         = exitstatus.Done
	statusCouldNot     = exitstatus.Failed
	statusUsage        = exitstatus.Usage
	statusMissing      = exitstatus.Missing
	statusContradicted = exitstatus.Contradicted // finished, but a verdict contradicts what the command claims
)

func statusOf(err error) int {
	var program relayed
	var tool *native.ToolError
	var cert *native.CertificateError
	switch {
	case errors.As(err, &program):
		return program.status
	case errors.As(err, &tool), errors.As(err, &cert):
		return statusMissing
	}
	return exitstatus.Of(err)
}

// relayed is the exit status of a program that has printed its own error message.
type relayed struct{ status int }

// relay is the error of a program that ended with a status.
func relay(status int) error {
	if status == statusDone {
		return nil
	}
	return relayed{status}
}

func (r relayed) Error() string { return fmt.Sprintf("a program ended with status %d", r.status) }
