package load

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
)

const (
	mostTail  = 16 << 10 // bytes of stderr that are kept
	mostQuote = 1500     // bytes of it that an error shows
)

// tail is a writer that keeps the end of what it is given, however much that is.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
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

// quote is the last lines, ready to follow an error message.
func (t *tail) quote() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := bytes.TrimSpace(t.buf)
	if len(s) == 0 {
		return "; it said nothing on stderr"
	}
	if len(s) > mostQuote {
		s = s[len(s)-mostQuote:]
		if i := bytes.IndexByte(s, '\n'); i >= 0 && i < len(s)-1 {
			s = s[i+1:]
		}
	}
	return "; its last words:\n  " + strings.ReplaceAll(strings.ToValidUTF8(string(s), "?"), "\n", "\n  ")
}

// shown is what a client printed, bounded, for an error message.
func shown(line []byte) string {
	const most = 300
	if len(line) > most {
		return fmt.Sprintf("%q… (%d bytes)", line[:most], len(line))
	}
	return fmt.Sprintf("%q", line)
}
