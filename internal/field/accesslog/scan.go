package accesslog

import "bytes"

// scanner reads lines of one format without allocating.
type scanner struct {
	format *Format
	clock  clock
	left   int // how much of the last line followed its format
}

// line reads one line into the record and reports whether it matches the format.
func (s *scanner) line(line []byte, r *Record) bool {
	*r = Record{Age: -1, Upstreams: -1}
	f := s.format
	if len(line) < len(f.start) || string(line[:len(f.start)]) != f.start {
		return false
	}
	rest := line[len(f.start):]
	for i := range f.parts {
		p := &f.parts[i]
		end := len(rest)
		if p.until != "" {
			if end = f.end(rest, p); end < 0 {
				return false
			}
		} else if i < len(f.parts)-1 {
			continue // two adjacent variables that are not read
		}
		if p.field != skipped && !empty(p.field, rest[:end]) && !r.set(p.field, rest[:end], &s.clock) {
			return false
		}
		rest = rest[end+len(p.until):]
	}
	s.left = len(rest)
	return true
}

// empty reports whether a value is the placeholder that nginx and Envoy write for a missing one.
// That is valid except for the connection and the ordinal, which always exist.
func empty(f field, v []byte) bool {
	switch f {
	case fConnection, fOrdinal:
		return false
	case fAge, fStatus, fProtocol, fFlags, fTimeISO, fTimeLocal, fTimeUnix, fTimeHAProxy:
		return len(v) == 0 || len(v) == 1 && v[0] == '-'
	}
	return false
}

// end finds the end of a value: the next literal, unless that is part of the value.
func (f *Format) end(rest []byte, p *part) int {
	from := 0
	for {
		at := bytes.IndexByte(rest[from:], p.until[0])
		if at < 0 {
			return -1
		}
		at += from
		if !startsWith(rest[at:], p.until) || f.within(rest, at, p) {
			from = at + 1
			continue
		}
		return at
	}
}

// within reports whether the literal at that position belongs to the value: a quote that
// escape=json has escaped, or the space after a comma or around a colon in a list of upstreams.
func (f *Format) within(rest []byte, at int, p *part) bool {
	if f.escape == EscapeJSON && p.until[0] == '"' {
		backslashes := 0
		for at-backslashes > 0 && rest[at-backslashes-1] == '\\' {
			backslashes++
		}
		return backslashes%2 == 1
	}
	if !p.list || p.quoted || p.until[0] != ' ' || at == 0 {
		return false
	}
	before := rest[at-1]
	return before == ',' || before == ':' && at > 1 && rest[at-2] == ' ' || startsWith(rest[at:], " : ")
}

func startsWith(b []byte, s string) bool { return len(b) >= len(s) && string(b[:len(s)]) == s }
