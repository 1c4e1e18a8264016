package facts

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Note is an observation of a measurement, as a code and its arguments: "goaway-limit requests=1000
// stream=1999". The texts are in internal/base/notes and internal/report/translations. Files of
// earlier versions hold English sentences instead.
type Note string

// NewNote makes a note from a code and pairs of a name and a value.
func NewNote(code string, pairs ...any) Note {
	var b strings.Builder
	b.WriteString(code)
	for i := 0; i+1 < len(pairs); i += 2 {
		fmt.Fprintf(&b, " %v=%s", pairs[i], noteValue(fmt.Sprint(pairs[i+1])))
	}
	return Note(b.String())
}

var (
	plainValue = regexp.MustCompile(`^[^\s"=;\\]+$`)
	noteForm   = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*( [a-z]+=([^\s"=;\\]+|"([^"\\]|\\.)*"))*$`)
	notePair   = regexp.MustCompile(` ([a-z]+)=("(?:[^"\\]|\\.)*"|\S+)`)
)

// noteValue quotes a value that would break the syntax. "; " separates Notes.
func noteValue(s string) string {
	if plainValue.MatchString(s) {
		return s
	}
	return strings.ReplaceAll(strconv.Quote(s), ";", `\x3b`)
}

// Read splits a note into code and arguments; ok is false for an earlier version's sentence.
func (n Note) Read() (code string, args map[string]string, ok bool) {
	if !noteForm.MatchString(string(n)) {
		return "", nil, false
	}
	code, _, _ = strings.Cut(string(n), " ")
	args = map[string]string{}
	for _, m := range notePair.FindAllStringSubmatch(string(n), -1) {
		value := m[2]
		if text, err := strconv.Unquote(value); err == nil && value[0] == '"' {
			value = text
		}
		args[m[1]] = value
	}
	return code, args, true
}

// Notes are notes in their order, separated by "; ", or an earlier version's sentence.
type Notes string

// JoinNotes joins notes.
func JoinNotes(all ...Note) Notes {
	var out []string
	for _, n := range all {
		out = append(out, string(n))
	}
	return Notes(strings.Join(out, "; "))
}

// Split splits notes; ok is false for an earlier version's sentence.
func (s Notes) Split() (all []Note, ok bool) {
	for part := range strings.SplitSeq(string(s), "; ") {
		if _, _, ok := Note(part).Read(); !ok {
			return nil, false
		}
		all = append(all, Note(part))
	}
	return all, true
}
