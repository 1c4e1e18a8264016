package probe

import (
	"errors"
	"fmt"
	"net/http"

	"golang.org/x/net/http2"
)

// The errors for a connection whose requests fail.

// Stopped is the error of a run that the probe ended for a bound of its own, so that no frame of the server's shows why.
type Stopped struct{ error }

func (e Stopped) Unwrap() error { return e.error }

// busy is the error for a server that asks for fewer requests (429, 503): an ordinary client would
// leave it alone.
func (r *run) busy(status int) error {
	return Stopped{fmt.Errorf("%s answers %d (%s) by request %d, so the probe stops; ask more slowly (--rate), or another path",
		r.target.Addr, status, http.StatusText(status), r.sent)}
}

// unfinished is the error for overdue answers.
func (r *run) unfinished() error {
	for id, got := range r.open {
		if got > 0 {
			return fmt.Errorf("%s does not end its answers: %d bytes came on stream %d, and no end for %v; is it "+
				"an endless stream? ask another path%s",
				r.target.Addr, got, id, r.target.patience(), r.target.orWait())
		}
	}
	owed := fmt.Sprintf("%d of %d requests", len(r.open), r.sent)
	if r.plan.http1 && len(r.open) == 1 {
		owed = fmt.Sprintf("request %d", r.sent)
	}
	return fmt.Errorf("%s left %s unanswered for %v; its log may say why%s",
		r.target.Addr, owed, r.target.patience(), r.target.orWait())
}

// orWait is advice that only a user of the command can follow.
func (t Target) orWait() string {
	if t.url == "" {
		return ""
	}
	return ", or wait longer with --timeout"
}

// noRoom is the error for windows that stay closed.
func (r *run) noRoom() error {
	stream, all := int64(0), int64(0)
	if c, ok := r.connection.(*conn); ok {
		stream, all = c.streamRoom, c.connRoom
	}
	return Stopped{fmt.Errorf("%s takes no body of %d bytes (its flow-control windows: %d of a stream, %d of the "+
		"connection); try a smaller --data",
		r.target.Addr, len(r.target.Body), stream, all)}
}

// broken is the error for a connection that fails before its end.
func (r *run) broken(err error) error {
	var large tooLarge
	if errors.As(err, &large) {
		return Stopped{fmt.Errorf("%s: %w; choose a path with smaller answers, or --method HEAD", r.target.Addr, err)}
	}
	return garbled(r.connection, err)
}

// unanswered is the error for a connection without any answer. If the first request brings a GOAWAY
// (keepalive_requests 1), the answer still follows, so unanswered waits for it.
func (r *run) unanswered() error {
	if r.first != nil && r.first.code == http2.ErrCodeNo {
		if err := r.owed(); err != nil {
			return err
		}
	}
	g := r.first
	switch {
	case r.answered > 0:
		return nil
	case len(r.resets) > 0:
		return fmt.Errorf("%s resets the first stream (%v) instead of answering; its log may say why",
			r.target.Addr, r.resets[1])
	case r.plan.http1:
		return fmt.Errorf("%s closes the connection without an answer; its log may say why", r.target.Addr)
	case g == nil && len(r.statuses) > 0:
		return fmt.Errorf("%s breaks its first answer (status %s) off after the headers and closes the "+
			"connection; its log may say why", r.target.Addr, short(r.status))
	case g == nil:
		return fmt.Errorf("%s closes the connection without an answer or a GOAWAY; its log may say why", r.target.Addr)
	case g.code != http2.ErrCodeNo:
		return fmt.Errorf("%s ends the connection at the first request with GOAWAY %v %q; its log may say why",
			r.target.Addr, g.code, short(g.debug))
	case g.last > 0:
		return fmt.Errorf("%s named stream %d as its last, and answered 0 requests; its log may say why",
			r.target.Addr, g.last)
	}
	return fmt.Errorf("%s takes no request on a new connection (GOAWAY, last stream %d); is it shutting down?",
		r.target.Addr, g.last)
}
