package accesslog

import (
	"bytes"
	"slices"
	"strings"
)

// w3cNames are those of the directive #Fields of the W3C's extended log file format, and the lines without
// directives.
func w3cNames(lines [][]byte) (names []string, rest [][]byte) {
	for _, l := range lines {
		if of, is := fieldsOf(l); is {
			names = of
		} else if len(l) > 0 && l[0] != '#' {
			rest = append(rest, l)
		}
	}
	return names, rest
}

// fieldsOf are the names in a directive #Fields; is is false for another line.
func fieldsOf(line []byte) (names []string, is bool) {
	list, is := bytes.CutPrefix(line, []byte("#Fields:"))
	return strings.Fields(string(list)), is
}

// fields takes the places from a directive #Fields within the log, as a server writes it when its configuration has
// changed. What is in the log no more has no place.
func (p *placesReader) fields(line []byte) {
	names, is := fieldsOf(line)
	if !is {
		return
	}
	for i := range p.take {
		w := &p.take[i]
		if w.at = slices.Index(names, w.name); w.at < 0 || w.at+w.span > len(names) {
			w.at = nowhere
		}
	}
	p.count = len(names)
}

// nowhere is beyond the parts of any line.
const nowhere = 1 << 20
