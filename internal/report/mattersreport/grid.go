package mattersreport

import (
	"strings"

	"h2lab/internal/report/parts"
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

// write writes a table.
func (p *sheet) write(g grid) {
	p.Printf("| %s |\n", strings.Join(g.heads, " | "))
	for i := range g.heads {
		p.Printf("%s", map[bool]string{true: "|:--", false: "|--:"}[i < g.left])
	}
	p.Printf("|\n")
	numbers := parts.Sources{Heads: g.heads}
	for _, row := range g.rows {
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
