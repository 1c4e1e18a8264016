package decode

import (
	"bytes"
	"regexp"
)

// An event is what one log call or one exception wrote: a line, and the lines
// that belong to it. A stack trace is one failure, whatever it repeats.
type event struct {
	text []byte
	line int // its first
	// python is set between a traceback's head and the exception it ends with;
	// chained once it says that another led to it.
	python, chained bool
}

// maxEvent bounds what is kept of an event.
const maxEvent = 64 << 10

// anew finds an indented line that begins something new all the same.
var anew = regexp.MustCompile(`^\s+(?:\{\s*$|\[?\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:|(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\b)`)

// belonging are the beginnings of lines that go on with the one before.
var belonging = [][]byte{
	[]byte("Caused by"), []byte("caused by"), []byte("Suppressed:"), []byte("... "), []byte("at "), []byte("--- End of"), []byte("--->"),
	[]byte("Stack trace:"), []byte("#0 "), []byte("#1 "), []byte("}"), []byte(")"), []byte("]"), []byte("Received Goaway"), []byte("[cause]"),
}

var (
	traceback = []byte("Traceback (most recent call last)")
	ledTo     = [][]byte{[]byte("The above exception was"), []byte("During handling of the above")}
)

// goesOn reports whether a line belongs to the event, and takes note of where
// in a Python traceback that leaves it.
func (e *event) goesOn(line []byte) bool {
	if len(e.text) == 0 || len(e.text)+len(line) > maxEvent {
		return false
	}
	trimmed := bytes.TrimSpace(line)
	if len(trimmed) == 0 {
		return true
	}
	if line[0] == ' ' || line[0] == '\t' {
		return !anew.Match(line)
	}
	for _, b := range ledTo {
		if bytes.HasPrefix(line, b) {
			e.chained = true
			return true
		}
	}
	if bytes.HasPrefix(line, traceback) && e.chained {
		e.python, e.chained = true, false
		return true
	}
	if e.python {
		e.python = false
		return true
	}
	for _, b := range belonging {
		if bytes.HasPrefix(line, b) {
			return true
		}
	}
	return false
}

// add appends a line.
func (e *event) add(line []byte) {
	if len(e.text) == 0 {
		e.python = bytes.Contains(line, traceback)
	}
	if room := maxEvent - len(e.text); len(line) > room {
		line = line[:room]
	}
	e.text = append(e.text, line...)
	if len(line) == 0 || line[len(line)-1] != '\n' {
		e.text = append(e.text, '\n')
	}
}

// begin empties the event for one that begins at a line.
func (e *event) begin(line int) {
	*e = event{text: e.text[:0], line: line}
}
