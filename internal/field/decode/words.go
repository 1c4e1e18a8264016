package decode

import "slices"

// spelled is a text as the grammar reads it: lower case, with one blank between words, however the
// program joins them: CONNECTION_RESET, connection-reset and ConnectionReset are "connection reset".
type spelled struct {
	words string
	out   []byte
	pos   []int32 // of each byte in the normalised text
}

// spell spells a text; the buffers are used again.
func (s *spelled) spell(as string) {
	if most := len(as) + len(as)/4; cap(s.out) < most {
		s.out, s.pos = make([]byte, 0, most), make([]int32, 0, most)
	}
	out, pos := s.out[:0], s.pos[:0]
	put := func(c byte, i int) {
		if c == ' ' && (len(out) == 0 || out[len(out)-1] == ' ') {
			return
		}
		out, pos = append(out, c), append(pos, int32(i))
	}
	for i := range len(as) {
		c := as[i]
		switch {
		case c == '_' || c == '-' && i > 0 && letter(as[i-1]):
			put(' ', i)
		case upper(c):
			if i > 0 && (lower(as[i-1]) && i > 1 && letter(as[i-2]) || digit(as[i-1]) && i > 1 && !digit(as[i-2])) ||
				i > 1 && upper(as[i-1]) && i+1 < len(as) && lower(as[i+1]) && !plural(as[i+1:]) {
				put(' ', i)
			}
			put(c+'a'-'A', i)
		default:
			put(c, i)
		}
	}
	s.words, s.out, s.pos = string(out), out, pos
}

// plural reports whether a word goes on with the s of several IDs.
func plural(rest string) bool { return rest[0] == 's' && (len(rest) == 1 || !letter(rest[1])) }

func upper(c byte) bool  { return c >= 'A' && c <= 'Z' }
func lower(c byte) bool  { return c >= 'a' && c <= 'z' }
func letter(c byte) bool { return upper(c) || lower(c) }

// without are the words with other white space in place of the parts that state nothing: no shape crosses
// it.
func (s spelled) without(silence []span) string {
	out := []byte(s.words)
	for _, part := range silence {
		from, _ := slices.BinarySearch(s.pos, int32(part.from))
		for i := from; i < len(out) && int(s.pos[i]) < part.to; i++ {
			out[i] = '\n'
		}
	}
	return string(out)
}

// span is a part of the words as a part of the normalised text.
func (s spelled) span(at span) span {
	return span{int(s.pos[at.from]), int(s.pos[at.to-1]) + 1}
}
