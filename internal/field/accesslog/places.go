package accesslog

import "bytes"

// places are the parts of a line between separators: blanks, tabs or bars. Quotes and brackets hold their
// blanks together.
type places struct {
	sep  byte
	from []int // where each part begins, with its quotes
	to   []int
}

// longestBracket is far above the length of a time in brackets. A line of brackets alone is read once.
const longestBracket = 256

// split finds the parts of a line.
func (p *places) split(line []byte) {
	p.from, p.to = p.from[:0], p.to[:0]
	for at := 0; at < len(line); {
		if line[at] == p.sep && p.sep == ' ' { // several blanks are one
			at++
			continue
		}
		end := p.end(line, at)
		p.from, p.to = append(p.from, at), append(p.to, end)
		at = end + 1
	}
}

// end is where the part that begins at a position ends.
func (p *places) end(line []byte, at int) int {
	for i := at; i < len(line); i++ {
		switch c := line[i]; {
		case c == p.sep && (p.sep != ' ' || i == at || line[i-1] != ','):
			return i
		case c == '"' && (i == at || line[i-1] == '=' || line[i-1] == ':'):
			i = closing(line, i, '"')
		case c == '[' && i == at && p.sep == ' ':
			if end := bytes.IndexByte(line[i:min(len(line), i+longestBracket)], ']'); end > 0 {
				i += end
			}
		}
	}
	return len(line)
}

// closing is the position of the quote that ends a text, or that of its beginning where none does.
func closing(line []byte, from int, quote byte) int {
	for i := from + 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case quote:
			return i
		}
	}
	return from
}

// label splits a part into its label and its value: name=value, name:value, name="value".
func label(part []byte) (name, value []byte) {
	at := bytes.IndexAny(part, "=:")
	if at <= 0 || at == len(part)-1 || part[0] == '"' || part[0] == '[' {
		return nil, part
	}
	for _, c := range part[:at] {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.' || c == '-') {
			return nil, part
		}
	}
	return part[:at], part[at+1:]
}

// unquote takes quotes and brackets off.
func unquote(v []byte) []byte {
	v = bytes.TrimRight(v, ",;")
	if n := len(v); n > 1 && (v[0] == '"' && v[n-1] == '"' || v[0] == '[' && v[n-1] == ']' ||
		v[0] == '(' && v[n-1] == ')') {
		return v[1 : n-1]
	}
	return v
}
