package main

import (
	"unicode/utf16"
	"unicode/utf8"
)

// textLengthHeader is the header of an answer of /post with the sum of the lengths of the request's
// string values.
const textLengthHeader = "X-Lab-Text-Length"

// textLength is the sum of the lengths of all string values of a JSON document, at any depth,
// without the names of fields. A length is counted in UTF-16 units, as String.length() in Java and
// length in JavaScript count it. The document must be valid. textLength reads it once and allocates
// nothing, however deep it is nested.
func textLength(document []byte) (sum int) {
	for i := 0; i < len(document); i++ {
		if document[i] != '"' {
			continue
		}
		length, end := stringLength(document, i+1)
		if i = end; !isName(document[end+1:]) {
			sum += length
		}
	}
	return sum
}

// stringLength is the length of the string that begins at from, and where its closing quote is.
func stringLength(document []byte, from int) (length, end int) {
	for end = from; document[end] != '"'; {
		switch c := document[end]; {
		case c == '\\' && document[end+1] == 'u': // four hexadecimal digits: one unit
			length, end = length+1, end+6
		case c == '\\':
			length, end = length+1, end+2
		case c < utf8.RuneSelf:
			length, end = length+1, end+1
		default:
			r, size := utf8.DecodeRune(document[end:])
			length, end = length+utf16.RuneLen(r), end+size
		}
	}
	return length, end
}

// isName reports whether the string before rest is the name of a field: a colon follows it.
func isName(rest []byte) bool {
	for _, c := range rest {
		switch c {
		case ' ', '\t', '\n', '\r':
		default:
			return c == ':'
		}
	}
	return false
}
