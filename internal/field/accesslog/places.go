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
		if line[at] == ' ' { // several blanks are one, and one beside another separator is none
			at++
			continue
		}
		end := p.end(line, at)
		from, to := unpaired(line, at, at+len(bytes.TrimRight(line[at:end], " ")))
		p.from, p.to = append(p.from, from), append(p.to, to)
		at = end + 1
	}
}

// end is where the part that begins at a position ends.
func (p *places) end(line []byte, at int) int {
	for i := at; i < len(line); i++ {
		switch c := line[i]; {
		case c == p.sep && (p.sep != ' ' || i == at || line[i-1] != ',' || labelAhead(line[i+1:], "=: ")):
			return i
		case c == '"' && (i == at || line[i-1] == '=' || line[i-1] == ':'):
			i = closing(line, i, '"')
		case c == '[' && i == at && p.sep == ' ':
			inside := line[i:min(len(line), i+longestBracket)]
			if end := bytes.IndexByte(inside, ']'); end > 0 && !labelAhead(inside[1:], "= ") {
				i += end
			}
		}
	}
	return len(line)
}

// labelAhead reports whether a text begins with a label, which one of the signs ends: then a comma before it is none
// within a list, and a bracket before it holds several parts.
func labelAhead(text []byte, signs string) bool {
	at := bytes.IndexAny(text[:min(len(text), longestLabel)], signs)
	if at <= 0 || text[at] == ' ' {
		return false
	}
	name, _ := label(append(bytes.Clone(text[:at+1]), 'x'))
	return name != nil
}

// longestLabel is far above the length of a label.
const longestLabel = 40

// unpaired leaves out the bracket around several parts that the first or the last of them has: {conn: 17, reqs: 3}.
func unpaired(line []byte, from, to int) (int, int) {
	if to-from > 1 {
		if i := bytes.IndexByte([]byte("{(["), line[from]); i >= 0 && bytes.IndexByte(line[from:to], "})]"[i]) < 0 {
			from++
		}
	}
	if to-from > 1 {
		if i := bytes.IndexByte([]byte("})]"), line[to-1]); i >= 0 && bytes.IndexByte(line[from:to], "{(["[i]) < 0 {
			to--
		}
	}
	return from, to
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
