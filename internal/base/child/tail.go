package child

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"unicode"
)

const (
	mostTail  = 64 << 10 // bytes to keep
	mostQuote = 1500     // bytes of it that an error shows
	mostLine  = 300      // bytes of one line that an error shows
)

// Tail is a writer that keeps only the end, so that its memory is bounded.
type Tail struct {
	mu  sync.Mutex
	buf []byte
}

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(p) >= mostTail {
		t.buf = append(t.buf[:0], p[len(p)-mostTail:]...)
		return len(p), nil
	}
	if over := len(t.buf) + len(p) - mostTail; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	t.buf = append(t.buf, p...)
	return len(p), nil
}

// String is the kept text.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.buf), "?")
}

// Last is the last non-empty line, shortened to a readable width.
func (t *Tail) Last() string { return lastOf(t.String()) }

func lastOf(text string) string {
	text = strings.TrimSpace(text)
	line := strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	if len(line) > mostLine {
		line = strings.ToValidUTF8(line[:mostLine], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?' // a terminal would interpret it
	}, line)
}

// LastLine returns a suffix for an error's text: "; its last line: …".
func (t *Tail) LastLine() string {
	if last := t.Last(); last != "" {
		return "; its last line: " + last
	}
	return "; it printed nothing to stderr"
}

// Quote returns a suffix for an error's text: the last lines, indented.
func (t *Tail) Quote() string {
	s := bytes.TrimSpace([]byte(t.String()))
	if len(s) == 0 {
		return "; it printed nothing to stderr"
	}
	if len(s) > mostQuote {
		s = s[len(s)-mostQuote:]
		if i := bytes.IndexByte(s, '\n'); i >= 0 && i < len(s)-1 {
			s = s[i+1:]
		}
	}
	return fmt.Sprintf("; its last lines:\n  %s", strings.ReplaceAll(strings.ToValidUTF8(string(s), "?"), "\n", "\n  "))
}
