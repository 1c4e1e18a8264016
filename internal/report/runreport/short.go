package runreport

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"h2lab/internal/facts"
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

// Short returns the report for a terminal: the verdict, its numbers, the warnings of the whole run,
// and the report's path. It has at most 25 lines of 100 characters, unless the warnings alone need
// more.
func Short(in Input, colour bool) string {
	if in.Result == nil {
		return "there is no result to report on\n"
	}
	p := newPage(in)
	paint := func(code, s string) string {
		if !colour || code == "" {
			return s
		}
		return code + s + plain
	}
	var b strings.Builder
	sentence := wrap(p.headline(), shortWidth)
	if len(sentence) > 5 {
		sentence = append(sentence[:4], sentence[4]+" …")
	}
	for _, l := range sentence {
		b.WriteString(paint(bold, clip(l, shortWidth)) + "\n")
	}
	b.WriteString("\n")
	below := p.shortWarnings()
	p.shortTable(&b, paint, shortLines-len(sentence)-len(below)-linesBeside)
	for _, l := range below {
		b.WriteString(l + "\n")
	}
	path := p.in.Path
	if path == "" {
		path = "results/" + p.run.ID + "/report.md"
	}
	fmt.Fprintf(&b, "\nreport: %s\n", path)
	return b.String()
}

// shortWarnings returns the report's list of warnings. It cuts no sentence; the table gets fewer
// lines instead.
func (p *page) shortWarnings() []string {
	warnings := p.warnings()
	if len(warnings) == 0 {
		return nil
	}
	out := []string{"", p.say(warningsHead)}
	for _, w := range warnings {
		for i, l := range wrap(w, shortWidth-2) {
			out = append(out, map[bool]string{true: "- ", false: "  "}[i == 0]+l)
		}
	}
	return out
}

// shortTable writes as many rows as there is room for, in the report's order.
func (p *page) shortTable(b *strings.Builder, paint func(string, string) string, room int) {
	heads := []string{"client", "topology", "", "req/s", "h2/h1", "p99 ms", "accepted", "expected", "failed"}
	widths := []int{20, 22, 2, 8, 7, 7, 9, 9, 8}
	write := func(ink string, cells []string) {
		var line strings.Builder
		for i, c := range cells {
			c = clip(c, widths[i])
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
			if i < 3 {
				line.WriteString(c + pad)
			} else {
				line.WriteString(pad + c)
			}
			if i < len(cells)-1 {
				line.WriteString(" ")
			}
		}
		done := strings.TrimRight(line.String(), " ")
		b.WriteString(paint(ink, done) + "\n")
	}
	write("", heads)
	rows, left := p.shortList(min(max(room, fewestRows), mostRows))
	for _, r := range rows {
		write(ink(r), shortCells(r))
	}
	if left > 0 {
		fmt.Fprintf(b, "and %s in the report\n", counted(left, "row more", "rows more"))
	}
	if len(rows) == 0 {
		b.WriteString("nothing was measured\n")
	}
}

// shortList returns the rows that fit: all rows, or those of HTTP/2, whose ratio includes HTTP/1.1,
// or the first of these; and the number of omitted rows.
func (p *page) shortList(room int) (rows []row, left int) {
	var measured, h2 []row
	for _, r := range p.rows {
		if len(r.Trials) > 0 {
			measured = append(measured, r)
			if r.Protocol == facts.H2 {
				h2 = append(h2, r)
			}
		}
	}
	rows = measured
	if len(rows) > room {
		rows = h2
	}
	rows = rows[:min(len(rows), room)]
	return rows, len(measured) - len(rows)
}

func shortCells(r row) []string {
	s, ratio := r.Summary, dash
	if r.Protocol == facts.H1 {
		ratio = ""
	}
	if c := r.againstH1(); r.Protocol == facts.H2 && c != nil && c.Ratio != nil {
		ratio = c.Mark() + twoDigits(c.Ratio)
	}
	return []string{string(r.Client), r.Topology, string(r.Protocol), whole(s.GoodputRPS.Median), ratio,
		measure(s.P99MS.Median), whole(s.Accepted.Median), whole(s.Expected.Median), whole(s.Failed.Median)}
}

// ink marks a row with failures or with many more accepted connections than expected.
func ink(r row) string {
	a, e, f := r.Summary.Accepted.Median, r.Summary.Expected.Median, r.Summary.Failed.Median
	if f != nil && *f > 0 || a != nil && e != nil && *a > 20 && *a >= 5*max(*e, 1) {
		return red
	}
	if r.Protocol == facts.H2 && a != nil {
		return green
	}
	return ""
}

func clip(s string, width int) string {
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	return string(r[:width-1]) + "…"
}

// counted is for the terminal, whose output is English.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return integer(n) + " " + many
}
