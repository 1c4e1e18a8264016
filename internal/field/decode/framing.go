package decode

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
)

// Framing, the first stage: which lines are one failure, and their text without escapes.

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

var seed = maphash.MakeSeed()

func head(line []byte) uint64 { return maphash.Bytes(seed, line[:min(len(line), headSize)]) }

// beginsWith reports whether a line begins with one of the words of a list in data/names.toml.
func beginsWith(line []byte, list string) bool {
	return slices.ContainsFunc(theNames().Lines[list], func(w string) bool { return opens(line, w) })
}

func opens(line []byte, with string) bool {
	return len(line) >= len(with) && string(line[:len(with)]) == with
}

const (
	traceback = "Traceback (most recent call last)"
	gitFailed = "error: RPC failed" // git's account of a failed transport
)

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// text is a normalised text and its lower-case form of equal length. The expressions are anchored
// and run only from a known word on, because a log may have a million texts to search.
type text struct {
	as, low string
	spelled
}

func newText(normal []byte) text {
	var both strings.Builder // one allocation: a log may have a million texts
	both.Grow(2 * len(normal))
	both.Write(normal)
	for _, c := range normal {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		both.WriteByte(c)
	}
	s := both.String()
	as, low := s[:len(normal)], s[len(normal):]
	return text{as: as, low: low}
}

// span is a part of a normalised text.
type span struct{ from, to int }

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
	if line[0] == ' ' || line[0] == '\t' || opens(line, `\t`) {
		return !re("anew").Match(line)
	}
	if beginsWith(line, "ledTo") {
		m.chained = true
		return true
	}
	if opens(line, traceback) && m.chained {
		m.python, m.chained = true, false
		return true
	}
	if m.python {
		m.python = false
		return true
	}
	if m.patch {
		return beginsWith(line, "inPatch")
	}
	if !m.curl && beginsWith(line, "curlEnds") {
		return false // curl wrote it, whoever wrote the lines before
	}
	if beginsWith(line, "belonging") || m.git && beginsWith(line, "ofGit") && !opens(line, gitFailed) ||
		m.curl && (beginsWith(line, "ofCurl") || beginsWith(line, "curlEnds")) {
		return true
	}
	if m.response && m.lines < maxResponse && !stamped(line) {
		return true
	}
	return m.unfinished() || (m.named() || m.ofStatus()) && !re("exception").Match(line) && !stamped(line) || m.unstamped(line)
}

// named reports whether the last line is an exception's class alone: some loggers print its message on
// the next line.
func (m *message) named() bool {
	last := bytes.TrimRight(m.text, " \t\r\n")
	if !bytes.HasSuffix(last, []byte("Exception")) && !bytes.HasSuffix(last, []byte("Error")) {
		return false
	}
	last = last[bytes.LastIndexByte(last, '\n')+1:]
	at := re("exception").whole().FindIndex(last)
	return at != nil && at[1] == len(last)
}

// ofStatus reports whether the message is a gRPC status of Java, whose description may have lines of its own.
func (m *message) ofStatus() bool {
	return m.lines < 6 && bytes.Contains(m.text[:min(len(m.text), mostText)], []byte("io.grpc.Status"))
}

// unfinished reports whether the last line ends where a sentence or a list doesn't.
func (m *message) unfinished() bool {
	last := bytes.TrimRight(m.text, " \t\r\n")
	return len(last) > 0 && bytes.IndexByte([]byte(",([{"), last[len(last)-1]) >= 0 || bytes.HasSuffix(last, []byte("\nCaused by:")) ||
		bytes.Contains(last[bytes.LastIndexByte(last, '\n')+1:], []byte(`.py", line `)) // a frame of Python: its source follows
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
		m.python = bytes.Contains(line, []byte(traceback)) || opens(bytes.TrimSpace(line), `File "`)
		m.response, m.patch = opens(line, "HTTP/"), beginsWith(line, "ofPatch")
		m.stamped, m.curl, m.git = stamped(line), beginsWith(line, "curlBegins"), opens(line, gitFailed)
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

// unwrapped is a line without what a container's log writes before each line of its program:
// docker's json-file, the CRI format, docker compose, BuildKit. Their inner lines decide what belongs together.
func unwrapped(line []byte) []byte {
	if len(line) > 8 && line[0] == '#' && digit(line[1]) { // BuildKit: a step and its time
		if at := re("buildStep").whole().FindIndex(line[:min(len(line), 24)]); at != nil {
			return line[at[1]:]
		}
	}
	if docker := `{"log":"`; opens(line, docker) {
		if inner, _, ok := bytes.Cut(line[len(docker):], []byte(`","stream":"`)); ok {
			return bytes.TrimSuffix(inner, []byte(`\n`))
		}
	}
	if len(line) > 40 && line[4] == '-' && line[10] == 'T' { // CRI: time, stream, F or P
		if at := bytes.Index(line[:min(len(line), 60)], []byte(" std")); at > 0 {
			if rest := line[at+1:]; opens(rest, "stdout ") || opens(rest, "stderr ") {
				if rest = rest[7:]; len(rest) > 2 && rest[1] == ' ' {
					return rest[2:]
				}
			}
		}
	}
	if at := bytes.Index(line[:min(len(line), 40)], []byte("| ")); at > 0 {
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
		return beginsWith(line, "keys")
	case c == '*':
		return false
	}
	return beginsWith(line, "levels") || syslogTime(line) || klog(line)
}

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

// normaliser removes colours, undoes escapes and reduces white space to one blank. Logs wrap the
// same message in JSON, in URLs and in terminal sequences; normalised, these look alike.
type normaliser struct {
	out    []byte
	escape escapeState
}

type escapeState int

// ordinary marks the bytes that are copied unchanged.
var ordinary = func() (t [256]bool) {
	for c := range t {
		t[c] = c > ' ' && c != 0x7f && !strings.ContainsRune(`\%&+`, rune(c))
	}
	return t
}()

const (
	plain escapeState = iota
	escaped
	control // ESC [ … letter
	command // ESC ] … BEL
)

// normal appends the normal form of raw to the emptied buffer and returns it.
func (n *normaliser) normal(raw []byte) []byte {
	n.out, n.escape = n.out[:0], plain
	for i := 0; i < len(raw); {
		if n.escape == plain {
			from := i
			for i < len(raw) && ordinary[raw[i]] {
				i++
			}
			if n.out = append(n.out, raw[from:i]...); i == len(raw) {
				break
			}
		}
		c := raw[i]
		size := 1
		switch {
		case c == '\\':
			c, size = unescaped(raw[i:])
		case c == '%':
			c, size = percent(raw[i:])
		case c == '&':
			c, size = entity(raw[i:])
		case c == '+': // a blank in a query; no term has a plus sign
			c = ' '
		}
		n.put(c)
		i += size
	}
	if k := len(n.out); k > 0 && n.out[k-1] == ' ' {
		n.out = n.out[:k-1]
	}
	return n.out
}

// uncoloured is raw without terminal escape sequences.
func (n *normaliser) uncoloured(raw []byte) []byte {
	n.out, n.escape = n.out[:0], plain
	for _, c := range raw {
		n.put(c)
	}
	return n.out
}

// put appends one byte unless it is part of a terminal escape sequence.
func (n *normaliser) put(c byte) {
	switch n.escape {
	case escaped:
		switch c {
		case '[':
			n.escape = control
		case ']':
			n.escape = command
		default:
			n.escape = plain
		}
		return
	case control:
		if c >= '@' && c <= '~' || c < ' ' {
			n.escape = plain
		}
		return
	case command:
		if c == 7 || c == '\n' {
			n.escape = plain
		} else if c == 27 {
			n.escape = escaped
		}
		return
	}
	switch {
	case c == 27:
		n.escape = escaped
	case c == 0: // UTF-16 is ASCII with zeros between
	case c <= ' ' || c == 0x7f:
		if k := len(n.out); k > 0 && n.out[k-1] != ' ' {
			n.out = append(n.out, ' ')
		}
	default:
		n.out = append(n.out, c)
	}
}

// unescaped decodes \" \n \u003c \x22 and \033 after any number of backslashes, since JSON within
// JSON doubles them. A backslash before anything else stays.
func unescaped(b []byte) (c byte, size int) {
	i := 0
	for i < len(b) && b[i] == '\\' {
		i++
	}
	if i == len(b) {
		return '\\', i
	}
	switch b[i] {
	case '"', '\'', '/':
		return b[i], i + 1
	case 'n', 'r', 't':
		return ' ', i + 1
	case 'e':
		return 27, i + 1
	case 'u', 'U':
		if v, ok := number(b, i+1, 4, 16); ok {
			return v, i + 5
		}
	case 'x':
		if v, ok := number(b, i+1, 2, 16); ok {
			return v, i + 3
		}
	case '0':
		if v, ok := number(b, i, 3, 8); ok {
			return v, i + 3
		}
	}
	return '\\', i
}

// percent decodes %3A and other percent escapes.
func percent(b []byte) (c byte, size int) {
	if v, ok := number(b, 1, 2, 16); ok {
		return v, 3
	}
	return '%', 1
}

// number reads digits of the given base as one ASCII byte.
func number(b []byte, from, digits, base int) (byte, bool) {
	if from+digits > len(b) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[from:from+digits]), base, 16)
	if err != nil || v == 0 || v > 0x7e {
		return 0, false
	}
	return byte(v), true
}

var entities = []struct {
	name string
	c    byte
}{{"&quot;", '"'}, {"&#34;", '"'}, {"&#39;", '\''}, {"&apos;", '\''}, {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}}

func entity(b []byte) (c byte, size int) {
	for _, e := range entities {
		if bytes.HasPrefix(b, []byte(e.name)) {
			return e.c, len(e.name)
		}
	}
	return '&', 1
}

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

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }

func lower(c byte) bool { return c >= 'a' && c <= 'z' }

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
