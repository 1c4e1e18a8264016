package decode

import (
	"bytes"
	"strconv"
	"strings"
)

// normaliser removes colours, undoes escapes and reduces white space to one blank. Logs wrap the
// same message in JSON, in URLs and in terminal sequences; normalised, these look alike.
type normaliser struct {
	out    []byte
	escape escapeState
}

type escapeState int

// ordinary marks the bytes that are copied unchanged.
var ordinary = func() (t [256]bool) {
	for c := range t {
		t[c] = c > ' ' && c != 0x7f && !strings.ContainsRune(`\%&+`, rune(c))
	}
	return t
}()

const (
	plain escapeState = iota
	escaped
	control // ESC [ … letter
	command // ESC ] … BEL
)

// normal appends the normal form of raw to the emptied buffer and returns it.
func (n *normaliser) normal(raw []byte) []byte {
	n.out, n.escape = n.out[:0], plain
	for i := 0; i < len(raw); {
		if n.escape == plain {
			from := i
			for i < len(raw) && ordinary[raw[i]] {
				i++
			}
			if n.out = append(n.out, raw[from:i]...); i == len(raw) {
				break
			}
		}
		c := raw[i]
		size := 1
		switch {
		case c == '\\':
			c, size = unescaped(raw[i:])
		case c == '%':
			c, size = percent(raw[i:])
		case c == '&':
			c, size = entity(raw[i:])
		case c == '+': // a blank in a query; no term has a plus sign
			c = ' '
		}
		n.put(c)
		i += size
	}
	if k := len(n.out); k > 0 && n.out[k-1] == ' ' {
		n.out = n.out[:k-1]
	}
	return n.out
}

// uncoloured is raw without terminal escape sequences.
func (n *normaliser) uncoloured(raw []byte) []byte {
	n.out, n.escape = n.out[:0], plain
	for _, c := range raw {
		n.put(c)
	}
	return n.out
}

// put appends one byte unless it is part of a terminal escape sequence.
func (n *normaliser) put(c byte) {
	switch n.escape {
	case escaped:
		switch c {
		case '[':
			n.escape = control
		case ']':
			n.escape = command
		default:
			n.escape = plain
		}
		return
	case control:
		if c >= '@' && c <= '~' || c < ' ' {
			n.escape = plain
		}
		return
	case command:
		if c == 7 || c == '\n' {
			n.escape = plain
		} else if c == 27 {
			n.escape = escaped
		}
		return
	}
	switch {
	case c == 27:
		n.escape = escaped
	case c == 0: // UTF-16 is ASCII with zeros between
	case c <= ' ' || c == 0x7f:
		if k := len(n.out); k > 0 && n.out[k-1] != ' ' {
			n.out = append(n.out, ' ')
		}
	default:
		n.out = append(n.out, c)
	}
}

// unescaped decodes \" \n \u003c \x22 and \033 after any number of backslashes, since JSON within
// JSON doubles them. A backslash before anything else stays.
func unescaped(b []byte) (c byte, size int) {
	i := 0
	for i < len(b) && b[i] == '\\' {
		i++
	}
	if i == len(b) {
		return '\\', i
	}
	switch b[i] {
	case '"', '\'', '/':
		return b[i], i + 1
	case 'n', 'r', 't':
		return ' ', i + 1
	case 'e':
		return 27, i + 1
	case 'u', 'U':
		if v, ok := number(b, i+1, 4, 16); ok {
			return v, i + 5
		}
	case 'x':
		if v, ok := number(b, i+1, 2, 16); ok {
			return v, i + 3
		}
	case '0':
		if v, ok := number(b, i, 3, 8); ok {
			return v, i + 3
		}
	}
	return '\\', i
}

// percent decodes %3A and other percent escapes.
func percent(b []byte) (c byte, size int) {
	if v, ok := number(b, 1, 2, 16); ok {
		return v, 3
	}
	return '%', 1
}

// number reads digits of the given base as one ASCII byte.
func number(b []byte, from, digits, base int) (byte, bool) {
	if from+digits > len(b) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[from:from+digits]), base, 16)
	if err != nil || v == 0 || v > 0x7e {
		return 0, false
	}
	return byte(v), true
}

var entities = []struct {
	name string
	c    byte
}{{"&quot;", '"'}, {"&#34;", '"'}, {"&#39;", '\''}, {"&apos;", '\''}, {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}}

func entity(b []byte) (c byte, size int) {
	for _, e := range entities {
		if bytes.HasPrefix(b, []byte(e.name)) {
			return e.c, len(e.name)
		}
	}
	return '&', 1
}
