package accesslog

import "bytes"

// object iterates over the keys of a JSON object without copying. It accepts what log writers
// produce; it does not validate JSON, but never reads beyond its line.
type object struct {
	rest  []byte
	first bool
	whole bool // the closing brace was read, and nothing follows it
}

func (o *object) open() bool {
	o.space()
	if len(o.rest) == 0 || o.rest[0] != '{' {
		return false
	}
	o.rest, o.first = o.rest[1:], true
	return true
}

func (o *object) space() {
	for len(o.rest) > 0 && (o.rest[0] == ' ' || o.rest[0] == '\t' || o.rest[0] == '\r') {
		o.rest = o.rest[1:]
	}
}

// next returns a key without its quotes and a value with them; more is false at the end and at
// invalid JSON.
func (o *object) next() (key, value []byte, more bool) {
	o.space()
	if len(o.rest) > 0 && o.rest[0] == '}' {
		o.rest = o.rest[1:]
		o.space()
		o.whole = len(o.rest) == 0
		return nil, nil, false
	}
	if !o.first {
		if len(o.rest) == 0 || o.rest[0] != ',' {
			return nil, nil, false
		}
		o.rest = o.rest[1:]
		o.space()
	}
	o.first = false
	if key = o.quoted(); key == nil {
		return nil, nil, false
	}
	o.space()
	if len(o.rest) == 0 || o.rest[0] != ':' {
		return nil, nil, false
	}
	o.rest = o.rest[1:]
	o.space()
	if value = o.value(); value == nil {
		return nil, nil, false
	}
	return key[1 : len(key)-1], value, true
}

// item returns the next value of a list, whose opening bracket was read.
func (o *object) item() (value []byte, more bool) {
	o.space()
	if len(o.rest) > 0 && o.rest[0] == ',' {
		o.rest = o.rest[1:]
		o.space()
	}
	if len(o.rest) == 0 || o.rest[0] == ']' {
		return nil, false
	}
	value = o.value()
	return value, value != nil
}

// quoted reads a string with its quotes; nil if there is none.
func (o *object) quoted() []byte {
	if len(o.rest) == 0 || o.rest[0] != '"' {
		return nil
	}
	for n := 1; ; n++ {
		at := bytes.IndexByte(o.rest[n:], '"')
		if at < 0 {
			return nil
		}
		n += at
		backslashes := 0
		for o.rest[n-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			out := o.rest[:n+1]
			o.rest = o.rest[n+1:]
			return out
		}
	}
}

// value reads a string, a number, a word, or a whole nested value.
func (o *object) value() []byte {
	if len(o.rest) == 0 {
		return nil
	}
	switch o.rest[0] {
	case '"':
		return o.quoted()
	case '{', '[':
		return o.nested()
	}
	n := 0
	for n < len(o.rest) && o.rest[n] != ',' && o.rest[n] != '}' && o.rest[n] != ']' && o.rest[n] != ' ' {
		n++
	}
	if n == 0 {
		return nil
	}
	out := o.rest[:n]
	o.rest = o.rest[n:]
	return out
}

func (o *object) nested() []byte {
	all, depth := o.rest, 0
	for len(o.rest) > 0 {
		switch o.rest[0] {
		case '"':
			if o.quoted() == nil {
				return nil
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		o.rest = o.rest[1:]
		if depth == 0 {
			return all[:len(all)-len(o.rest)]
		}
	}
	return nil
}
