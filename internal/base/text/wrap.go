package text

import (
	"bytes"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"golang.org/x/text/width"
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

// ClipLine makes untrusted text fit for a terminal: one line, escapes for what a terminal would obey, and
// at most most characters.
func ClipLine(s string, most int) string { return Clip(Line(s), most) }

// filler takes a column beside each wide character while the table is laid out: text/tabwriter counts characters. It is
// of Unicode's private use area, which no text here uses.
const filler = "\ue000"

// Table aligns cells that end with a tab, as text/tabwriter, and counts a Chinese character as two columns.
type Table struct{ tab *tabwriter.Writer }

// NewTable makes a table with two spaces between columns.
func NewTable(to io.Writer) Table { return newTable(to, 0) }

// RightTable is NewTable with cells that end at the same column.
func RightTable(to io.Writer) Table { return newTable(to, tabwriter.AlignRight) }

func newTable(to io.Writer, flags uint) Table {
	return Table{tabwriter.NewWriter(unfilled{to}, 0, 8, 2, ' ', flags)}
}

// Write implements io.Writer. A call has whole characters.
func (t Table) Write(b []byte) (int, error) {
	var s strings.Builder
	for _, r := range string(b) {
		s.WriteRune(r)
		if Wide(r) {
			s.WriteString(filler)
		}
	}
	if _, err := io.WriteString(t.tab, s.String()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush writes the table.
func (t Table) Flush() error { return t.tab.Flush() }

type unfilled struct{ to io.Writer }

func (u unfilled) Write(b []byte) (int, error) {
	if _, err := u.to.Write(bytes.ReplaceAll(b, []byte(filler), nil)); err != nil {
		return 0, err
	}
	return len(b), nil
}
