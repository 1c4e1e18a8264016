package decode

import (
	"bytes"
	"hash/maphash"
)

// A message is the output of one log call or one exception: a line and its continuation lines. A
// stack trace is one failure, even if it repeats its text.
type message struct {
	text []byte
	line int // of its first line
	// stamped is set if the first line begins as a log's lines do, with a time or a level: then a
	// line without one belongs to it. curl is set within a trace of curl -v.
	stamped, curl bool
	// patch is set within a patch.
	patch bool
	// response is set if the first line is the status line of an answer: its headers and its body follow.
	response bool
	// git is set after git said that its transport failed: what it did and could not do follows.
	git bool
	// python is set between a traceback's head and its final exception; chained is set once it says
	// that another exception led to it.
	python, chained bool
	// heads are the beginnings of the lines that are not indented: the same one again is another
	// failure.
	heads []uint64
	lines int
}

const (
	// maxMessage is the maximum size of a message that is kept, maxLines that of a stamped one.
	maxMessage  = 64 << 10
	maxLines    = 300
	maxResponse = 40
	headSize    = 24
)

// anew matches an indented line that nevertheless begins a new message.
var anew = lazily(`^\s+(?:\{\s*$|\[?\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d ` +
	`\d\d:|(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\b)`)

var seed = maphash.MakeSeed()

func head(line []byte) uint64 { return maphash.Bytes(seed, line[:min(len(line), headSize)]) }

// goesOn reports whether a line continues the message, and updates the state within a Python
// traceback.
func (m *message) goesOn(raw []byte) bool {
	if len(m.text) == 0 || len(m.text)+len(raw) > maxMessage {
		return false
	}
	line := unwrapped(raw)
	trimmed := bytes.TrimSpace(line)
	if len(trimmed) == 0 {
		return true
	}
	if line[0] == ' ' || line[0] == '\t' || bytes.HasPrefix(line, escapedTab) {
		return !anew().Match(line)
	}
	if beginsWith(line, ledTo) {
		m.chained = true
		return true
	}
	if bytes.HasPrefix(line, traceback) && m.chained {
		m.python, m.chained = true, false
		return true
	}
	if m.python {
		m.python = false
		return true
	}
	if m.patch {
		return beginsWith(line, inPatch)
	}
	if !m.curl && beginsWith(line, curlEnds) {
		return false // curl wrote it, whoever wrote the lines before
	}
	if beginsWith(line, belonging) || m.git && beginsWith(line, ofGit) && !bytes.HasPrefix(line, gitFailed) ||
		m.curl && (beginsWith(line, ofCurl) || beginsWith(line, curlEnds)) {
		return true
	}
	if m.response && m.lines < maxResponse && !stamped(line) {
		return true
	}
	return m.unfinished() || (m.named() || m.ofStatus()) && !exception().Match(line) && !stamped(line) || m.unstamped(line)
}

// exception matches a qualified name of an exception's class.
var exception = lazily(`^(?:Caused by:? )?[a-z][\w$]*(?:\.[\w$]+)+(?:Exception|Error)\b`)

// named reports whether the last line is an exception's class alone: some loggers print its message on
// the next line.
func (m *message) named() bool {
	last := bytes.TrimRight(m.text, " \t\r\n")
	if !bytes.HasSuffix(last, []byte("Exception")) && !bytes.HasSuffix(last, []byte("Error")) {
		return false
	}
	last = last[bytes.LastIndexByte(last, '\n')+1:]
	at := exception().FindIndex(last)
	return at != nil && at[1] == len(last)
}

// ofStatus reports whether the message is a gRPC status of Java, whose description may have lines of its own.
func (m *message) ofStatus() bool {
	return m.lines < 6 && bytes.Contains(m.text[:min(len(m.text), mostText)], []byte("io.grpc.Status"))
}

// pythonFrame is a part of a frame of Python, which its line of source follows.
var pythonFrame = []byte(`.py", line `)

var causeNext = []byte("\nCaused by:")

// unfinished reports whether the last line ends where a sentence or a list doesn't.
func (m *message) unfinished() bool {
	last := bytes.TrimRight(m.text, " \t\r\n")
	return len(last) > 0 && bytes.IndexByte([]byte(",([{"), last[len(last)-1]) >= 0 || bytes.HasSuffix(last, causeNext) ||
		bytes.Contains(last[bytes.LastIndexByte(last, '\n')+1:], pythonFrame)
}

// unstamped reports whether a line without a time or a level belongs to a stamped message.
func (m *message) unstamped(line []byte) bool {
	if !m.stamped || m.lines >= maxLines || stamped(line) {
		return false
	}
	h := head(line)
	for _, seen := range m.heads {
		if seen == h {
			return false
		}
	}
	if len(m.heads) < 16 {
		m.heads = append(m.heads, h)
	}
	return true
}

// add appends a line.
func (m *message) add(raw []byte) {
	line := unwrapped(raw)
	if len(m.text) == 0 {
		m.python = bytes.Contains(line, traceback) || bytes.HasPrefix(bytes.TrimSpace(line), ofTrace)
		m.response, m.patch = bytes.HasPrefix(line, statusLine), beginsWith(line, ofPatch)
		m.stamped, m.curl, m.git = stamped(line), beginsWith(line, ofCurl[:4]), bytes.HasPrefix(line, gitFailed)
	}
	m.lines++
	if room := maxMessage - len(m.text); len(line) > room {
		line = line[:room]
	}
	m.text = append(m.text, line...)
	if len(line) == 0 || line[len(line)-1] != '\n' {
		m.text = append(m.text, '\n')
	}
}

// begin resets the message to one that begins at a line.
func (m *message) begin(line int) {
	*m = message{text: m.text[:0], line: line, heads: m.heads[:0]}
}

var (
	dockerLog  = []byte(`{"log":"`)
	dockerEnd  = []byte(`","stream":"`)
	escapedNL  = []byte(`\n`)
	escapedTab = []byte(`\t`)
	streams    = prefixes("stdout ", "stderr ")
	bar        = []byte("| ")
)

// buildStep matches what BuildKit writes before each line of a step.
var buildStep = lazily(`^#\d+ \d+\.\d+ `)

// unwrapped is a line without what a container's log writes before each line of its program:
// docker's json-file, the CRI format, docker compose, BuildKit. Their inner lines decide what belongs together.
func unwrapped(line []byte) []byte {
	if len(line) > 8 && line[0] == '#' && digit(line[1]) { // BuildKit: a step and its time
		if at := buildStep().FindIndex(line[:min(len(line), 24)]); at != nil {
			return line[at[1]:]
		}
	}
	if bytes.HasPrefix(line, dockerLog) {
		inner, _, ok := bytes.Cut(line[len(dockerLog):], dockerEnd)
		if ok {
			return bytes.TrimSuffix(inner, escapedNL)
		}
	}
	if len(line) > 40 && line[4] == '-' && line[10] == 'T' { // CRI: time, stream, F or P
		if at := bytes.Index(line[:min(len(line), 60)], []byte(" std")); at > 0 {
			if rest := line[at+1:]; beginsWith(rest, streams) {
				if rest = rest[7:]; len(rest) > 2 && rest[1] == ' ' {
					return rest[2:]
				}
			}
		}
	}
	if at := bytes.Index(line[:min(len(line), 40)], bar); at > 0 {
		name := bytes.TrimRight(line[:at], " ")
		if at > len(name) && len(name) > 0 && bytes.IndexByte(name, ' ') < 0 {
			return line[at+2:]
		}
	}
	return line
}

// stamped reports whether a line begins as a line of a log does: with a date, a time, a level, an
// address or a key.
func stamped(line []byte) bool {
	for len(line) > 0 && (line[0] == '[' || line[0] == '(' || line[0] == 27) {
		line = line[1:]
	}
	if len(line) < 6 {
		return false
	}
	switch c := line[0]; {
	case c == '{':
		return line[1] == '"'
	case digit(c):
		return digitsThenMark(line)
	case c == 't' || c == 'l' || c == 'c':
		return beginsWith(line, keys)
	case c == '*':
		return false
	}
	return beginsWith(line, levels) || syslogTime(line) || klog(line)
}

var (
	keys   = prefixes("time=", "ts=", "level=", "lvl=", "caller=", "timestamp=")
	levels = prefixes("INFO", "WARN", "ERROR", "DEBUG", "TRACE", "FATAL", "SEVERE", "NOTICE", "CRIT", "info:", "warn:",
		"error:", "error]", "debug:", "fail:", "crit:", "dbug:", "info]", "warn]", "E, [", "W, [", "I, [", "D, [")
)

func digit(c byte) bool { return c >= '0' && c <= '9' }

// digitsThenMark matches 2031-01-01, 31/Jan, 10:00:00, 192.0.2.1 and 1700000000.123.
func digitsThenMark(line []byte) bool {
	n := 0
	for n < len(line) && digit(line[n]) {
		n++
	}
	if n == len(line) || n > 13 {
		return false
	}
	c := line[n]
	if n+1 == len(line) {
		return false
	}
	next := digit(line[n+1])
	return c == '/' && n > 1 || (c == '-' || c == ':') && n > 1 && next || c == '.' && next
}

// syslogTime matches "Feb  3 04:05:06".
func syslogTime(line []byte) bool {
	return len(line) > 14 && line[3] == ' ' && line[6] == ' ' && line[9] == ':' && digit(line[5]) && digit(line[7])
}

// klog matches "E0101 10:00:00".
func klog(line []byte) bool {
	return len(line) > 8 && digit(line[1]) && digit(line[2]) && digit(line[3]) && digit(line[4]) && line[5] == ' ' &&
		bytes.IndexByte([]byte("IWEF"), line[0]) >= 0
}
