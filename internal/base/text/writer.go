package text

import (
	"bytes"
	"io"
	"sync"
	"unicode/utf8"
)

// Writer writes text to another writer and escapes everything that a terminal would execute.
// Several goroutines may use it; it passes the text of one Write on in one Write.
type Writer struct {
	mu   sync.Mutex
	to   io.Writer
	rest []byte // an incomplete rune or CR LF
}

// NewWriter makes a Writer. Close it, or an incomplete rune at the end is lost.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Unwrap is the underlying writer: for the program's own colours and for the output of programs
// that clean it themselves.
func (w *Writer) Unwrap() io.Writer { return w.to }

// Raw is the underlying writer of a Writer, or w itself.
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

// Close writes the kept bytes; it doesn't close the underlying writer.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rest) == 0 {
		return nil
	}
	_, err := w.to.Write(w.clean(w.rest, true))
	return err
}

// printable is the common case: ASCII with nothing to escape.
func printable(p []byte) bool {
	return bytes.IndexFunc(p, func(r rune) bool { return r >= 0x7f || !safe(r) }) < 0
}

// clean keeps an incomplete sequence in w.rest until more bytes come.
func (w *Writer) clean(p []byte, end bool) []byte {
	w.rest = nil
	out := make([]byte, 0, len(p)+16)
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		switch {
		case !end && (!utf8.FullRune(p) || r == '\r' && len(p) == 1):
			w.rest = bytes.Clone(p)
			return out
		case r == '\r' && len(p) > 1 && p[1] == '\n': // CR LF, a line end on other systems
			out = append(out, p[:2]...)
			n = 2
		case safe(r): // includes U+FFFD for invalid UTF-8
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, escaped(r)...)
		}
		p = p[n:]
	}
	return out
}
