package load

import (
	"bytes"
	"fmt"
)

const (
	mostLine  = 1 << 20 // an answer has a few kB
	mostLines = 16      // a client prints four
)

// lines is a writer that passes on whole lines. It drops unread lines beyond mostLines and keeps
// only the beginning of a longer line, so that a client with too much output neither fills the
// memory nor blocks.
type lines struct {
	part []byte
	out  chan []byte
}

func newLines() *lines { return &lines{out: make(chan []byte, mostLines)} }

func (l *lines) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if room := mostLine - len(l.part); room > 0 {
			l.part = append(l.part, line[:min(room, len(line))]...)
		}
		if whole {
			select {
			case l.out <- bytes.TrimRight(l.part, "\r"):
			default:
			}
			l.part = nil
		}
		rest = after
	}
	return len(p), nil
}

// shown is a client's output, shortened for an error message.
func shown(line []byte) string {
	const most = 300
	if len(line) > most {
		return fmt.Sprintf("%q… (%d bytes)", line[:most], len(line))
	}
	return fmt.Sprintf("%q", line)
}
