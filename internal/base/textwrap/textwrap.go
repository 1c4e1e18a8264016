// Package textwrap fits text to a terminal: it wraps the project's own text, in both languages, and
// cuts and cleans other text.
package textwrap

import (
	"strings"
	"unicode/utf8"

	"h2lab/internal/base/text"
)

// longestWord bounds the length of a word that Wrap keeps whole.
const longestWord = 300

// Wrap breaks prose at a width in columns: between words, and in Chinese
// between characters, of which each takes two columns. A word longer than a
// line stays whole, up to a bound.
func Wrap(s string, width int) []string { return wrap(s, width, width) }

// Hanging is Wrap with a prefix before the first line and another before each further line.
func Hanging(first, rest, s string, width int) string {
	lines := wrap(s, width-Columns(first), width-Columns(rest))
	if len(lines) == 0 {
		return strings.TrimRight(first, " ")
	}
	return first + strings.Join(lines, "\n"+rest)
}

// wrap has a width for the first line and one for the others.
func wrap(s string, first, width int) []string {
	var out []string
	line, columns, most := "", 0, first
	for _, w := range strings.Fields(s) {
		for i, piece := range pieces(cut(w, longestWord)) {
			gap := ""
			if i == 0 && line != "" {
				gap = " "
			}
			n := Columns(piece)
			if line != "" && columns+len(gap)+n > most {
				out = append(out, line)
				line, columns, gap, most = "", 0, "", width
			}
			line, columns = line+gap+piece, columns+len(gap)+n
		}
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

// pieces splits a word where a line may break. A punctuation mark that ends a phrase stays with the
// preceding character.
func pieces(word string) []string {
	if !strings.ContainsFunc(word, wide) {
		return []string{word}
	}
	var out []string
	alone := true // the next rune begins a piece
	for _, r := range word {
		closing := strings.ContainsRune("，。；：、？！）」”", r)
		if !closing && (alone || wide(r)) || len(out) == 0 {
			out = append(out, "")
		}
		out[len(out)-1] += string(r)
		alone = wide(r) && r != '（' && r != '“'
	}
	return out
}

// wide is a rune of East Asian width: ideographs, their marks and full-width forms.
func wide(r rune) bool { return r >= 0x2e80 && r < 0xfffd }

// Columns is how many terminal columns a line takes.
func Columns(s string) int {
	n := utf8.RuneCountInString(s)
	for _, r := range s {
		if wide(r) {
			n++
		}
	}
	return n
}

// Pad adds spaces up to a number of columns.
func Pad(s string, columns int) string { return s + strings.Repeat(" ", max(0, columns-Columns(s))) }

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Clip makes untrusted text fit for a terminal: one line, escapes for what a terminal would obey, and
// at most most characters.
func Clip(s string, most int) string { return text.Clip(text.Line(s), most) }
