package sweepreport

import (
	"fmt"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

// grid is a table with the places of its numbers in results.json.
type grid struct {
	heads []string
	// left is how many columns at the left hold text.
	left int
	rows [][]cell
}

type cell struct{ text, raw string }

func text1(s string) cell { return cell{text: s} }

func (g *grid) add(cells ...cell) { g.rows = append(g.rows, cells) }

// say translates the heads of a table.
func (p *sheet) say(heads ...translations.Phrase) (out []string) {
	for _, h := range heads {
		out = append(out, p.Say(h))
	}
	return out
}

// write writes a table. A row of one cell is a heading between rows.
func (p *sheet) write(g grid) {
	p.Printf("| %s |\n", strings.Join(g.heads, " | "))
	for i := range g.heads {
		if g.left == 0 || i < g.left {
			p.Printf("|:--")
		} else {
			p.Printf("|--:")
		}
	}
	p.Printf("|\n")
	numbers := parts.Sources{Heads: g.heads}
	for _, row := range g.rows {
		if len(row) == 1 {
			p.Printf("| **%s** |%s\n", row[0].text, strings.Repeat(" |", len(g.heads)-1))
			continue
		}
		var raws []string
		for _, c := range row {
			p.Printf("| %s ", c.text)
			raws = append(raws, c.raw)
		}
		p.Printf("|\n")
		numbers.Cells = append(numbers.Cells, raws)
	}
	p.Printf("\n")
	p.numbers = append(p.numbers, numbers)
}

// rawOf is the place of a measure in all trials of a cell.
func rawOf(t sweepverdicts.Table, c *facts.Cell, m sweepverdicts.Measure) string {
	if c == nil || len(c.Trials) == 0 || m.Raw == "" {
		return ""
	}
	return fmt.Sprintf("/cells/%d/trials/*%s", t.Index(c), m.Raw)
}
