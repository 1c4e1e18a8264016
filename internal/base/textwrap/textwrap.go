// Package textwrap fits text to a terminal: it wraps the project's own text, in both languages, and
// cuts and cleans other text.
package textwrap

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/width"

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
	words := strings.Fields(s)
	for i, w := range words {
		words[i] = cut(w, longestWord)
	}
	return Fit(strings.Join(words, " "), func(n int, line string) bool {
		if n == 0 {
			return Columns(line) <= first
		}
		return Columns(line) <= width
	})
}

// Fit breaks prose as Wrap does, whatever its lines are measured in: fits reports whether a text has room in line n,
// counted from 0. A word that has no room in a line of its own stays whole.
func Fit(s string, fits func(n int, line string) bool) []string {
	var out []string
	line := ""
	for _, w := range strings.Fields(s) {
		for i, piece := range pieces(w) {
			longer := line + piece
			if i == 0 && line != "" {
				longer = line + " " + piece
			}
			if line != "" && !fits(len(out), longer) {
				out, longer = append(out, line), piece
			}
			line = longer
		}
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

// closing are marks that begin no line, opening those that end none (W3C, Requirements for Chinese Text Layout, 3.1.2).
const (
	closing = "，。；：、？！％…）」』”’》】〉·" + ",.;:?!%)]"
	opening = "（「『“‘《【〈" + "(["
)

// pieces splits a word where a line may break. A mark that ends a phrase stays with the preceding character, one that
// begins a phrase with the following.
func pieces(word string) []string {
	if !strings.ContainsFunc(word, Wide) {
		return []string{word}
	}
	var out []string
	alone, opened := true, false // the last rune is wide, or begins a phrase
	for _, r := range word {
		if !strings.ContainsRune(closing, r) && (alone || Wide(r)) && !opened || len(out) == 0 {
			out = append(out, "")
		}
		out[len(out)-1] += string(r)
		alone, opened = Wide(r), strings.ContainsRune(opening, r)
	}
	return out
}

// Wide reports whether a character is as wide as high: ideographs, their marks and full-width forms (Unicode, Standard
// Annex 11). A terminal gives it two columns, a font the square of its size.
func Wide(r rune) bool {
	k := width.LookupRune(r).Kind()
	return k == width.EastAsianWide || k == width.EastAsianFullwidth
}

// Columns is how many terminal columns a line takes.
func Columns(s string) int {
	n := utf8.RuneCountInString(s)
	for _, r := range s {
		if Wide(r) {
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
