package lint

import (
	"strings"

	"h2lab/internal/base/text"
)

// LongestLine bounds the text of a file that a finding repeats: a minified JSON document is one line.
const LongestLine = 160

// LongestWord bounds a token of a file that a message repeats.
const LongestWord = 60

// longestRaw bounds a line before the white space around it is trimmed.
const longestRaw = 4096

// Source is a file with an index of its lines: a dump of Envoy's has hundreds of thousands, too many
// to count from the top for each finding.
type Source struct {
	File
	starts []int // where each line begins
}

// Lines indexes the lines of a file.
func Lines(f File) *Source {
	s := &Source{File: f, starts: []int{0}}
	for i, c := range f.Data {
		if c == '\n' {
			s.starts = append(s.starts, i+1)
		}
	}
	return s
}

// Line is line n of the file, from 1, without the white space around it; "" when there is no such line
// or it is too long to repeat.
func (s *Source) Line(n int) string {
	line := strings.TrimSpace(s.raw(n))
	if len(line) > LongestLine {
		return ""
	}
	return line
}

func (s *Source) raw(n int) string {
	if n < 1 || n > len(s.starts) {
		return ""
	}
	line := s.Data[s.starts[n-1]:]
	if n < len(s.starts) {
		line = line[:s.starts[n]-1-s.starts[n-1]]
	}
	if len(line) > longestRaw {
		return ""
	}
	return strings.TrimSuffix(string(line), "\r")
}

// Swap returns the line of a field's scalar, and the same line with text in the scalar's place. When
// the line is too long to repeat, or the scalar has several lines, it returns "key: value" instead.
func (s *Source) Swap(field *Field, content string) (found, fix string) {
	n := field.Value
	line := []rune(s.raw(n.Line))
	from := n.Column - 1
	if s.Line(n.Line) != "" && from >= 0 && from < len(line) {
		if end := scalarEnd(line, from, n); end > 0 {
			swapped := string(line[:from]) + content + string(line[end:])
			return strings.TrimSpace(string(line)), strings.TrimSpace(swapped)
		}
	}
	return text.ClipLine(field.Key, LongestLine) + ": " + text.ClipLine(n.Text, LongestLine),
		text.ClipLine(field.Key, LongestLine) + ": " + content
}

// scalarEnd is where the scalar that begins at from ends; 0 when it doesn't end on this line, or an
// anchor or a tag precedes it.
func scalarEnd(line []rune, from int, n *Node) int {
	if quote := line[from]; quote == '"' || quote == '\'' {
		for i := from + 1; i < len(line); i++ {
			switch {
			case line[i] == '\\' && quote == '"':
				i++
			case line[i] == quote:
				return i + 1
			}
		}
		return 0
	}
	end := from + len([]rune(n.Text))
	if n.Text == "" || end > len(line) || string(line[from:end]) != n.Text {
		return 0
	}
	return end
}
