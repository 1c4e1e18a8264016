package probe

import (
	"errors"
	"io"
	"os"

	"golang.org/x/net/http2"

	"h2lab/internal/base/system"
)

// happening is the kind of an event.
type happening int

const (
	frameCame happening = iota
	ended               // the peer closed or reset the connection
	silence             // nothing arrived before the deadline
	failed              // the peer's data is not HTTP/2, or the context ended
)

// event is one event of a connection. Its frame is valid until the next wait.
type event struct {
	what  happening
	frame http2.Frame
	err   error // of ended (how) and failed (why)
}

// hungUp reports whether the peer closed or reset a connection.
func hungUp(err error) bool { return err != nil && readEvent(err).what == ended }

// readEvent turns a reader's error into an event.
func readEvent(err error) event {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return event{what: silence}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		system.Reset(err):
		return event{what: ended, err: err}
	}
	return event{what: failed, err: err}
}
