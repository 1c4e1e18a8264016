package main

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/base/system"
	"h2lab/internal/base/text"
)

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
	if system.ReaderGone(err) {
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
	if system.ReaderGone(out.failure()) || system.ReaderGone(errs.failure()) {
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
