package decode

import (
	"math/bits"
)

// scanner finds every term of a vocabulary in one pass over a text, ignoring case (Aho–Corasick).
// This loop determines the speed on a log of millions of lines, since most lines have no term and
// need nothing else.
type scanner struct {
	class [256]uint16 // a byte's column; 0 is for bytes in no term
	width int
	next  []uint16
	found [][]uint16 // terms that end in a state
}

// terms is a set of term numbers.
type terms []uint64

func (t terms) has(i uint16) bool { return t[i/64]&(1<<(i%64)) != 0 }

// newTerms is an empty set of at most n terms.
func newTerms(n int) terms { return make(terms, (n+63)/64) }

// all are the numbers in the set, in order.
func (t terms) all(yield func(uint16) bool) {
	for i, w := range t {
		for ; w != 0; w &= w - 1 {
			if !yield(uint16(i*64 + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

func (t terms) add(i uint16) { t[i/64] |= 1 << (i % 64) }

// newScanner builds the automaton; words must be lower case and not empty.
func newScanner(words []string) *scanner {
	s := &scanner{width: 1}
	for _, w := range words {
		for i := range len(w) {
			if s.class[w[i]] == 0 {
				s.class[w[i]] = uint16(s.width)
				s.width++
			}
		}
	}
	for c := byte('a'); c <= 'z'; c++ {
		s.class[c-'a'+'A'] = s.class[c]
	}
	s.grow()
	for i, w := range words {
		state := 0
		for k := range len(w) {
			at := state*s.width + int(s.class[w[k]])
			if s.next[at] == 0 {
				s.next[at] = uint16(s.grow())
			}
			state = int(s.next[at])
		}
		s.found[state] = append(s.found[state], uint16(i))
	}
	s.link()
	return s
}

// grow adds a state and returns its number.
func (s *scanner) grow() int {
	s.next = append(s.next, make([]uint16, s.width)...)
	s.found = append(s.found, nil)
	return len(s.found) - 1
}

// link computes the failure transitions.
func (s *scanner) link() {
	fail := make([]int, len(s.found))
	var queue []int
	for c := range s.width {
		if to := int(s.next[c]); to != 0 {
			queue = append(queue, to)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		state := queue[0]
		s.found[state] = append(s.found[state], s.found[fail[state]]...)
		for c := range s.width {
			at := state*s.width + c
			instead := s.next[fail[state]*s.width+c]
			if to := int(s.next[at]); to != 0 {
				fail[to] = int(instead)
				queue = append(queue, to)
			} else {
				s.next[at] = instead
			}
		}
	}
}

// firstEnd is the index after the first term, or 0.
func (s *scanner) firstEnd(text []byte) int {
	state := 0
	for i, c := range text {
		state = int(s.next[state*s.width+int(s.class[c])])
		if s.found[state] != nil {
			return i
		}
	}
	return 0
}

// scan adds the terms of text to hits and reports whether there were any.
func (s *scanner) scan(text []byte, hits terms) bool { return scan(s, text, hits) }

func scan[T string | []byte](s *scanner, text T, hits terms) bool {
	state, any := 0, false
	for i := range len(text) {
		c := text[i]
		state = int(s.next[state*s.width+int(s.class[c])])
		if f := s.found[state]; f != nil {
			any = true
			for _, i := range f {
				hits.add(i)
			}
		}
	}
	return any
}
