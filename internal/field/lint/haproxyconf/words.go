package haproxyconf

import (
	"fmt"
	"strings"

	"h2lab/internal/field/lint"
)

// word is one argument of a line, with its quotes and backslashes resolved.
type word struct {
	text   string
	column int // from 1
}

// line is a line that says something.
type line struct {
	file   *lint.Source
	number int
	words  []word
}

// text is the word at i, "" past the end.
func (l line) text(i int) string {
	if i >= len(l.words) {
		return ""
	}
	return l.words[i].text
}

// starts reports that the line begins with these words.
func (l line) starts(words ...string) bool {
	if len(l.words) < len(words) {
		return false
	}
	for i, w := range words {
		if l.words[i].text != w {
			return false
		}
	}
	return true
}

// source is the line as it stands in the file, without what surrounds it.
func (l line) source() string { return l.file.Line(l.number) }

// Bounds of HAProxy's own: MAX_LINE_ARGS in include/haproxy/defaults.h and
// LINESIZE, which it doubles as needed; a line above this one is no line.
const (
	mostWords = 64
	mostBytes = 1 << 16
)

// split takes a line apart by the rules of "Quoting and escaping" (configuration
// manual, section 2.2). Variables are left as they stand: what they hold is
// known where HAProxy starts, not here.
func split(s string) ([]word, error) {
	if len(s) > mostBytes {
		return nil, fmt.Errorf("a line of %d bytes: too long", len(s))
	}
	var words []word
	var b strings.Builder
	begun, begin := false, 0
	end := func() {
		if begun {
			words = append(words, word{b.String(), begin + 1})
			b.Reset()
		}
		begun = false
	}
	start := func(i int) {
		if !begun {
			begun, begin = true, i
		}
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ' || c == '\t' || c == '\r':
			end()
		case c == '#':
			end()
			return bounded(words)
		case c == '\'' || c == '"':
			start(i)
			n, err := quoted(s[i:], &b)
			if err != nil {
				return nil, fmt.Errorf("%w, opened at column %d", err, i+1)
			}
			i += n - 1
		case c == '\\':
			start(i)
			i += escape(s[i:], &b) - 1
		default:
			start(i)
			b.WriteByte(c)
		}
	}
	end()
	return bounded(words)
}

func bounded(words []word) ([]word, error) {
	if len(words) > mostWords {
		return nil, fmt.Errorf("%d words: HAProxy takes %d at most", len(words), mostWords)
	}
	return words, nil
}

// quoted writes what stands between the quotes that s begins with, and returns
// how long it is with them. Within ” nothing is special, within "" a backslash.
func quoted(s string, b *strings.Builder) (int, error) {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return i + 1, nil
		case s[i] == '\\' && s[0] == '"':
			i += escape(s[i:], b) - 1
		default:
			b.WriteByte(s[i])
		}
	}
	return 0, fmt.Errorf("a %c that is not closed", s[0])
}

// escape writes what the backslash that s begins with stands for, and returns
// how many bytes that took. One before an ordinary character is itself.
func escape(s string, b *strings.Builder) int {
	if len(s) == 1 {
		b.WriteByte('\\')
		return 1
	}
	switch c := s[1]; c {
	case ' ', '\\', '#', '\'', '"', '$':
		b.WriteByte(c)
	case 'n':
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 't':
		b.WriteByte('\t')
	case 'x':
		var code byte
		if n, err := fmt.Sscanf(s[2:min(len(s), 4)], "%2x", &code); err == nil && n == 1 && len(s) >= 4 {
			b.WriteByte(code)
			return 4
		}
		b.WriteString(s[:2])
	default:
		b.WriteString(s[:2])
	}
	return 2
}
