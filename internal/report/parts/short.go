package parts

import (
	"slices"
	"strings"

	"h2lab/internal/base/text"
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
func (p *Page) Short(headline string, t ShortTable, colour bool) string {
	paint := func(code, s string) string {
		if !colour || code == "" {
			return s
		}
		return code + s + plain
	}
	var b strings.Builder
	sentence := text.Wrap(headline, shortWidth)
	if len(sentence) > 5 {
		sentence = append(sentence[:4], sentence[4]+" …")
	}
	for _, l := range sentence {
		b.WriteString(paint(bold, clip(l, shortWidth)) + "\n")
	}
	b.WriteString("\n")
	below := p.shortWarnings()
	t.write(p, &b, paint, min(max(shortLines-len(sentence)-len(below)-linesBeside, fewestRows), mostRows))
	for _, l := range below {
		b.WriteString(l + "\n")
	}
	b.WriteString("\n" + p.Say("command.report", p.Path) + "\n")
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
		out = append(out, shortItem(w)...)
	}
	return out
}

// shortItem is a sentence of a list.
func shortItem(s string) (out []string) {
	for i, l := range text.Wrap(s, shortWidth-2) {
		out = append(out, map[bool]string{true: "- ", false: "  "}[i == 0]+l)
	}
	return out
}

// ShortItem is a sentence of a page's list for a terminal, which shows no code marks.
func ShortItem(s string) []string { return shortItem(strings.ReplaceAll(s, "`", "")) }

// ShortList returns a page for a terminal that has sentences instead of a table: the headline, the warnings, a
// list, and the page's path. list gets the number of lines that there is room for.
func (p *Page) ShortList(headline string, warnings []string, list func(room int) []string, colour bool) string {
	var out []string
	for _, l := range text.Wrap(strings.ReplaceAll(headline, "`", ""), shortWidth) {
		if colour {
			l = bold + l + plain
		}
		out = append(out, l)
	}
	for i, w := range warnings {
		if i == 0 {
			out = append(out, "", p.Say(WarningsHead))
		}
		out = append(out, ShortItem(w)...)
	}
	const beside = 3 // the path and two empty lines
	items := list(shortLines - len(out) - beside)
	return strings.Join(slices.Concat(out, []string{""}, items, []string{"", p.Say("command.report", p.Path), ""}), "\n")
}

func (t ShortTable) write(p *Page, b *strings.Builder, paint func(string, string) string, room int) {
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
		b.WriteString(p.Plural(omitted, "command.rows-more-report") + "\n")
	}
	if len(rows) == 0 {
		b.WriteString(p.Say("command.nothing-measured") + "\n")
	}
}

func (t ShortTable) line(cells []string) string {
	var line strings.Builder
	for i, c := range cells {
		c = clip(c, t.Widths[i])
		pad := strings.Repeat(" ", max(t.Widths[i]-text.Columns(c), 0))
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
	if text.Columns(s) <= width {
		return s
	}
	r := []rune(s)
	for len(r) > 0 && text.Columns(string(r)) > width-1 {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}
