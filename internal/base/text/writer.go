package text

import (
	"bytes"
	"io"
	"sync"
	"unicode/utf8"
)

// Writer passes text on to another writer with everything escaped that a
// terminal would obey. It is safe for several goroutines; what one Write got is
// passed on in one Write.
type Writer struct {
	mu   sync.Mutex
	to   io.Writer
	rest []byte // a rune or a CR LF whose end has not come yet
}

// NewWriter makes a Writer. Close it, or the half of a rune at the very end is lost.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Unwrap is the writer behind: for a program's own colours and for the output
// of programs that clean it themselves.
func (w *Writer) Unwrap() io.Writer { return w.to }

// Raw is the writer behind a Writer, or w itself.
func Raw(w io.Writer) io.Writer {
	if x, ok := w.(*Writer); ok {
		return x.Unwrap()
	}
	return w
}

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := p
	if len(w.rest) > 0 || !printable(p) {
		out = w.clean(append(w.rest, p...), false)
	}
	if len(out) == 0 {
		return len(p), nil
	}
	if _, err := w.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close passes on what was kept; it doesn't close the writer behind.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rest) == 0 {
		return nil
	}
	_, err := w.to.Write(w.clean(w.rest, true))
	return err
}

// printable is the usual case: ASCII with nothing to escape.
func printable(p []byte) bool {
	return bytes.IndexFunc(p, func(r rune) bool { return r >= 0x7f || !safe(r) }) < 0
}

// clean keeps in w.rest what can't be told before more has come.
func (w *Writer) clean(p []byte, end bool) []byte {
	w.rest = nil
	out := make([]byte, 0, len(p)+16)
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		switch {
		case !end && (!utf8.FullRune(p) || r == '\r' && len(p) == 1):
			w.rest = bytes.Clone(p)
			return out
		case r == '\r' && len(p) > 1 && p[1] == '\n': // the end of a line elsewhere
			out = append(out, p[:2]...)
			n = 2
		case safe(r): // also U+FFFD for what is no UTF-8
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, escaped(r)...)
		}
		p = p[n:]
	}
	return out
}
