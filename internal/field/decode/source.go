package decode

import (
	"bytes"
	"strings"
)

// Programs print lines of source beside a failure: Python and test tools below a frame, Ruby, Node, Elixir and compilers above a
// caret, patches everywhere. Such a line says what code can do or was to do, and an argument in it is not what happened.

// ofPatch are the beginnings of a patch and of its parts.
var ofPatch = prefixes("diff --git ", "@@ -", "--- a/", "+++ b/")

// inPatch are the beginnings of the lines of a patch.
var inPatch = append(prefixes("+", "-", " ", "index ", `\ No newline`, "new file mode", "deleted file mode", "similarity index",
	"rename "), ofPatch...)

var (
	frameAt = []byte("File ")
	// lineEnd matches the ends of lines, escaped ones too.
	lineEnd = lazily(`\n|\\+n`)
	// sourceLine matches lines that are source by themselves: of a patch, whose code is indented, of pytest, RSpec and ExUnit.
	sourceLine = lazily(`^(?:\+(?:\t|  )|-(?:\t|    )|>   )|^ *(?:Failure/Error: |code: +assert )`)
	// pointer matches the line that points at a place in the line above it, gutter the numbers beside source.
	pointer = lazily(`^\s*[|│]?\s*(?:\^[\^~]*|~{2,}\^*)\s*$|^\s*\d*\s*[|│]\s*[\^~]+(?:\s|$)`)
	gutter  = lazily(`^\s*>?\s*\d+ [|│](?: |$)`)
)

// maySource reports whether a text can have lines of source: most texts have neither a caret nor one of these beginnings.
func maySource(raw []byte) bool {
	return bytes.IndexByte(raw, '^') >= 0 || bytes.Contains(raw, frameAt) || bytes.Contains(raw, []byte("~~")) ||
		bytes.Contains(raw, []byte("Failure/Error")) || bytes.Contains(raw, []byte("assert ")) ||
		bytes.IndexByte([]byte("+->@d"), raw[0]) >= 0 || endsFrame(string(raw[:min(len(raw), firstFrame)])) ||
		bytes.Contains(raw, []byte("\n+")) || bytes.Contains(raw, []byte("\n-")) || bytes.Contains(raw, []byte("\n>"))
}

// firstFrame is how much of a text is searched for the end of a frame.
const firstFrame = 200

// endsFrame reports whether a line has the end of a frame of Python.
func endsFrame(line string) bool {
	_, after, ok := strings.Cut(line, "line ")
	return ok && strings.Contains(after, ", in ")
}

// withoutSource is a text without the source that it quotes. What it was called with is not changed.
func withoutSource(raw []byte) []byte {
	switch {
	case len(raw) == 0 || !maySource(raw):
		return raw
	case beginsWith(raw, ofPatch):
		return nil
	}
	lines := lineEnd().Split(string(raw), -1)
	drop := make([]bool, len(lines))
	column, less := -1, false // where the last frame of Python began
	for i, line := range lines {
		switch at := strings.Index(line, "File "); {
		case at >= 0 && strings.Contains(line[at:], ", line "):
			column = at
			if between := flattened(line); between != line {
				lines[i], less = between, true
			}
			continue
		case i == 0 && endsFrame(line): // its beginning is cut off
			column = 0
			continue
		case column >= 0 && column < len(line) && line[column] == ' ':
			lines[i], less = thrownBy(line), true
		case strings.TrimSpace(line) != "":
			column = -1
		}
		if sourceLine().MatchString(line) {
			drop[i], less = true, true
			if i == 0 && line[0] != ' ' { // what follows, indented, is the rest of a patch
				column = 0
			}
		}
		if i > 0 && strings.ContainsAny(line, "^~") && pointer().MatchString(line) {
			less = pointed(lines[:i], drop) || less
		}
	}
	if !less {
		return raw
	}
	return joined(lines, drop)
}

func joined(lines []string, drop []bool) []byte {
	var b bytes.Buffer
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		if !drop[i] {
			b.WriteString(line)
		}
	}
	return b.Bytes()
}

// thrownBy is what a line of source says that happened: the exception that it raised, without its arguments.
func thrownBy(line string) string {
	if code, ok := strings.CutPrefix(strings.TrimSpace(line), "raise "); ok {
		return line[:len(line)-len(strings.TrimLeft(line, " "))] + "raise " + code[:nameEnd(code)]
	}
	return ""
}

// nameEnd is where the qualified name ends that a text begins with.
func nameEnd(s string) int {
	n := 0
	for n < len(s) && (wordByte(s[n]) || s[n] == '.') {
		n++
	}
	return n
}

// flattened is a traceback in one line without the source between its frames.
func flattened(line string) string {
	parts := strings.Split(line, "File \"")
	for i := 1; i < len(parts)-1; i++ {
		if _, after, ok := strings.Cut(parts[i], ", in "); ok {
			name := len(parts[i]) - len(after) + nameEnd(after)
			parts[i] = parts[i][:name] + " "
		}
	}
	return strings.Join(parts, "File \"")
}

// pointed drops the line of source above a pointer and its neighbours in the same frame. Data that a parser rejects, and shows so, are
// what happened.
func pointed(above []string, drop []bool) bool {
	last := len(above) - 1
	code := strings.TrimSpace(above[last])
	if code == "" || strings.IndexByte("{[<\"'`", code[0]) >= 0 || strings.HasPrefix(code, "b'") || strings.HasPrefix(code, `b"`) {
		return false
	}
	drop[last] = true
	for i := last - 1; i >= 0 && gutter().MatchString(above[last]) && gutter().MatchString(above[i]); i-- {
		drop[i] = true
	}
	return true
}
