package sweepreport

import (
	"fmt"

	"h2lab/internal/facts"
	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

// say translates the heads of a table.
func (p *sheet) say(heads ...translations.Phrase) (out []string) {
	for _, h := range heads {
		out = append(out, p.Say(h))
	}
	return out
}

// write writes a table and keeps the places of its numbers.
func (p *sheet) write(g parts.Grid) { p.numbers = append(p.numbers, p.Table(g)) }

// rawOf is the place of a measure in all trials of a cell.
func rawOf(t sweepverdicts.Table, c *facts.Cell, m sweepverdicts.Measure) string {
	if c == nil || len(c.Trials) == 0 || m.Raw == "" {
		return ""
	}
	return fmt.Sprintf("/cells/%d/trials/*%s", t.Index(c), m.Raw)
}
