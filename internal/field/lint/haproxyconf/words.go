package haproxyconf

import (
	"fmt"
	"strings"

	"h2lab/internal/field/lint"
)

// word is one argument of a line, with quotes and backslashes resolved.
type word struct {
	text   string
	column int // from 1
}

// line is a line that has at least one argument.
type line struct {
	file   *lint.Source
	number int
	words  []word
}

// place identifies the line.
type place struct {
	file   *lint.Source
	number int
}

func (l line) place() place { return place{l.file, l.number} }

// text is the word at i, "" past the end.
func (l line) text(i int) string {
	if i >= len(l.words) {
		return ""
	}
	return l.words[i].text
}

// starts reports whether the line begins with these words.
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

// source is the line as the file has it, without the white space around it.
func (l line) source() string { return l.file.Line(l.number) }

// mostWords is HAProxy's MAX_LINE_ARGS (include/haproxy/defaults.h). HAProxy doubles its line buffer,
// LINESIZE, as needed; mostBytes is far above any real line.
const (
	mostWords = 64
	mostBytes = 1 << 16
)

// split splits a line by the rules of "Quoting and escaping" (configuration manual, section 2.2). It
// leaves variables as they are: only the environment of HAProxy has their values.
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

// quoted writes the text between the quotes that s begins with, and returns its length including the
// quotes. No character is special within single quotes; a backslash is within double quotes.
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

// escape writes the character that the backslash sequence at the start of s means, and returns the
// length of the sequence. A backslash before an ordinary character is a literal backslash.
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
