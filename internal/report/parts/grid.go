package parts

import "strings"

// Grid is a table with the places of its numbers in results.json.
type Grid struct {
	Heads []string
	// Left is how many columns at the left hold text; 0 is all.
	Left int
	rows [][]Cell
}

// Cell is a text and the place of its number, which may be empty.
type Cell struct{ Text, Raw string }

// Plain is a cell whose text has no place in results.json.
func Plain(s string) Cell { return Cell{Text: s} }

// Add adds a row. A row of one cell is a heading between rows.
func (g *Grid) Add(cells ...Cell) { g.rows = append(g.rows, cells) }

// Empty reports whether a table has no rows.
func (g *Grid) Empty() bool { return len(g.rows) == 0 }

// Table writes a table and returns the places of its numbers.
func (p *Page) Table(g Grid) Sources {
	p.Printf("| %s |\n", strings.Join(g.Heads, " | "))
	for i := range g.Heads {
		p.Printf("%s", map[bool]string{true: "|:--", false: "|--:"}[g.Left == 0 || i < g.Left])
	}
	p.Printf("|\n")
	numbers := Sources{Heads: g.Heads}
	for _, row := range g.rows {
		if len(row) == 1 {
			p.Printf("| **%s** |%s\n", row[0].Text, strings.Repeat(" |", len(g.Heads)-1))
			continue
		}
		var raws []string
		for _, c := range row {
			p.Printf("| %s ", c.Text)
			raws = append(raws, c.Raw)
		}
		p.Printf("|\n")
		numbers.Cells = append(numbers.Cells, raws)
	}
	p.Printf("\n")
	return numbers
}
