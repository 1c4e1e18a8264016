package runreport

import (
	"strings"
	"unicode/utf8"
)

// wrap breaks prose at a width in columns: between words, and in Chinese
// between characters, of which each takes two columns.
func wrap(s string, width int) []string {
	var out []string
	line, columns := "", 0
	for _, w := range strings.Fields(s) {
		for i, piece := range pieces(w) {
			gap := ""
			if i == 0 && line != "" {
				gap = " "
			}
			n := columnsOf(piece)
			if line != "" && columns+len(gap)+n > width {
				out = append(out, line)
				line, columns, gap = "", 0, ""
			}
			line, columns = line+gap+piece, columns+len(gap)+n
		}
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

// pieces are the parts of a word between which a line may be broken. A mark
// that ends a phrase stays with what it follows.
func pieces(word string) []string {
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

func columnsOf(s string) int {
	n := utf8.RuneCountInString(s)
	for _, r := range s {
		if wide(r) {
			n++
		}
	}
	return n
}
