package lint

import (
	"bytes"
	"strings"
	"sync"
)

// LongestLine bounds the text of a file that a finding repeats: a minified
// JSON document is one line.
const LongestLine = 160

// SourceLine is line n of the file, from 1, without the space around it; ""
// when there is none or it is too long to repeat.
func (f File) SourceLine(n int) string {
	line := strings.TrimSpace(f.rawLine(n))
	if len(line) > LongestLine {
		return ""
	}
	return line
}

func (f File) rawLine(n int) string {
	start := lineStart(f.Data, n)
	if start < 0 {
		return ""
	}
	line, _, _ := bytes.Cut(f.Data[start:], []byte("\n"))
	return strings.TrimSuffix(string(line), "\r")
}

// lastLine remembers where a line began: findings ask for lines of one file in
// their order, and looking for each from the top takes minutes with a dump of
// 15 MiB.
var lastLine struct {
	sync.Mutex
	data  []byte
	n, at int
}

// lineStart is where line n begins, -1 when there is none.
func lineStart(data []byte, n int) int {
	if n < 1 {
		return -1
	}
	last := &lastLine
	last.Lock()
	defer last.Unlock()
	if len(data) == 0 || len(last.data) != len(data) || &last.data[0] != &data[0] || last.n > n {
		last.data, last.n, last.at = data, 1, 0
	}
	for last.n < n {
		next := bytes.IndexByte(data[last.at:], '\n')
		if next < 0 {
			return -1
		}
		last.n++
		last.at += next + 1
	}
	return last.at
}

// Swap is the line that a field's scalar stands on, and the same line with text
// in its place. A line too long to repeat, or a scalar of several lines, is
// given as "key: value".
func (f File) Swap(field *Field, text string) (found, fix string) {
	n := field.Value
	line := []rune(f.rawLine(n.Line))
	from := n.Column - 1
	if f.SourceLine(n.Line) != "" && from >= 0 && from < len(line) {
		if end := scalarEnd(line, from, n); end > 0 {
			swapped := string(line[:from]) + text + string(line[end:])
			return strings.TrimSpace(string(line)), strings.TrimSpace(swapped)
		}
	}
	return clip(field.Key) + ": " + clip(n.Text), clip(field.Key) + ": " + text
}

// scalarEnd is where the scalar that begins at from ends; 0 when it doesn't end
// on this line. An anchor or a tag before it makes it look like another one.
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

func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > LongestLine {
		return string(r[:LongestLine]) + "…"
	}
	return s
}
