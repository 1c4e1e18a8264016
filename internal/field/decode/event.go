package decode

import (
	"bytes"
	"regexp"
)

// An event is the output of one log call or one exception: a line and its continuation lines. A
// stack trace is one failure, even if it repeats its message.
type event struct {
	text []byte
	line int // of its first line
	// python is set between a traceback's head and its final exception; chained is set once it says
	// that another exception led to it.
	python, chained bool
}

// maxEvent is the maximum size of an event that is kept.
const maxEvent = 64 << 10

// anew matches an indented line that nevertheless begins a new event.
var anew = regexp.MustCompile(`^\s+(?:\{\s*$|\[?\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d ` +
	`\d\d:|(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\b)`)

// belonging are the beginnings of continuation lines.
var belonging = [][]byte{
	[]byte("Caused by"), []byte("caused by"), []byte("Suppressed:"), []byte("... "), []byte("at "),
	[]byte("--- End of"), []byte("--->"),
	[]byte("Stack trace:"), []byte("#0 "), []byte("#1 "), []byte("}"), []byte(")"), []byte("]"),
	[]byte("Received Goaway"), []byte("[cause]"),
}

var (
	traceback = []byte("Traceback (most recent call last)")
	ledTo     = [][]byte{[]byte("The above exception was"), []byte("During handling of the above")}
)

// goesOn reports whether a line continues the event, and updates the state within a Python
// traceback.
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

// begin resets the event to one that begins at a line.
func (e *event) begin(line int) {
	*e = event{text: e.text[:0], line: line}
}
