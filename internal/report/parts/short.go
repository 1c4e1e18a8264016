package parts

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"h2lab/internal/base/numfmt"
	"h2lab/internal/base/textwrap"
)

// The terminal's version fits a small window. These are the lines besides the sentence, the rows
// and the warnings: the table's head, the count of omitted rows, the report's path and two empty
// lines.
const (
	shortWidth  = 100
	shortLines  = 25
	linesBeside = 5
	fewestRows  = 3
	mostRows    = 14
)

const (
	bold  = "\x1b[1m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	plain = "\x1b[0m"
)

// ShortTable is the table of a report's version for a terminal.
type ShortTable struct {
	Heads  []string
	Widths []int
	Left   int // columns aligned left
	// Rows returns as many rows as there is room for, and the number of omitted ones.
	Rows func(room int) (rows []ShortRow, omitted int)
}

// ShortRow is one row. Ill marks a fault, Well its absence.
type ShortRow struct {
	Cells     []string
	Ill, Well bool
}

// Short returns a report for a terminal: the verdict, its numbers, the warnings of the whole run,
// and the report's path. It has at most 25 lines of 100 characters, unless the warnings alone need
// more.
func (p *Page) Short(headline string, t ShortTable, path string, colour bool) string {
	paint := func(code, s string) string {
		if !colour || code == "" {
			return s
		}
		return code + s + plain
	}
	var b strings.Builder
	sentence := textwrap.Wrap(headline, shortWidth)
	if len(sentence) > 5 {
		sentence = append(sentence[:4], sentence[4]+" …")
	}
	for _, l := range sentence {
		b.WriteString(paint(bold, clip(l, shortWidth)) + "\n")
	}
	b.WriteString("\n")
	below := p.shortWarnings()
	t.write(&b, paint, min(max(shortLines-len(sentence)-len(below)-linesBeside, fewestRows), mostRows))
	for _, l := range below {
		b.WriteString(l + "\n")
	}
	fmt.Fprintf(&b, "\nreport: %s\n", path)
	return b.String()
}

// shortWarnings returns the report's list of warnings. It cuts no sentence; the table gets fewer
// lines instead.
func (p *Page) shortWarnings() []string {
	warnings := p.Warnings()
	if len(warnings) == 0 {
		return nil
	}
	out := []string{"", p.Say(WarningsHead)}
	for _, w := range warnings {
		for i, l := range textwrap.Wrap(w, shortWidth-2) {
			out = append(out, map[bool]string{true: "- ", false: "  "}[i == 0]+l)
		}
	}
	return out
}

func (t ShortTable) write(b *strings.Builder, paint func(string, string) string, room int) {
	b.WriteString(t.line(t.Heads) + "\n")
	rows, omitted := t.Rows(room)
	for _, r := range rows {
		ink := map[bool]string{true: green}[r.Well]
		if r.Ill {
			ink = red
		}
		b.WriteString(paint(ink, t.line(r.Cells)) + "\n")
	}
	if omitted > 0 {
		fmt.Fprintf(b, "and %s in the report\n", numfmt.Counted(omitted, "row more", "rows more"))
	}
	if len(rows) == 0 {
		b.WriteString("nothing was measured\n")
	}
}

func (t ShortTable) line(cells []string) string {
	var line strings.Builder
	for i, c := range cells {
		c = clip(c, t.Widths[i])
		pad := strings.Repeat(" ", t.Widths[i]-utf8.RuneCountInString(c))
		if i < t.Left {
			line.WriteString(c + pad)
		} else {
			line.WriteString(pad + c)
		}
		if i < len(cells)-1 {
			line.WriteString(" ")
		}
	}
	return strings.TrimRight(line.String(), " ")
}

func clip(s string, width int) string {
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	return string(r[:width-1]) + "…"
}
