package accesslog

import "bytes"

// usualSeparators are tried first, a blank last: most texts have some.
var usualSeparators = []byte{'\t', '|', ';', ','}

// oddSeparators stand in few texts but between fields.
const oddSeparators = "^~#$!*\\@`\x01\x02\x03\x04\x1c\x1d\x1e\x1f"

// leastSeparated is how many separators a line of three fields has.
const leastSeparated = 2

// separators are those that may be between the fields of these lines. A line that a quotation or a path lengthens has
// more of an odd one, so most lines must have the same number.
func separators(lines [][]byte) []byte {
	out := bytes.Clone(usualSeparators)
	for _, sep := range []byte(oddSeparators) {
		numbers := map[int]int{}
		for _, l := range lines {
			numbers[bytes.Count(l, []byte{sep})]++
		}
		for n, of := range numbers {
			if n >= leastSeparated && 2*of > len(lines) {
				out = append(out, sep)
			}
		}
	}
	return append(out, ' ')
}
