package runreport

import (
	"fmt"

	"h2lab/internal/judge/core"
	"h2lab/internal/report/parts"
)

// Numbers returns the sources of the report's tables, in their order.
func Numbers(in Input) []parts.Sources {
	rows := collect(in)
	groups := [][]row{rows}
	if len(rows) > manyRows {
		groups = nil
		for _, c := range clients(rows) {
			groups = append(groups, ofClient(rows, c))
		}
	}
	var out []parts.Sources
	for _, some := range groups {
		for _, t := range tables(in.Result) {
			out = append(out, in.sources(t.columns, some))
		}
	}
	if core.HasHistograms(in.Result) {
		out = append(out, in.sources(byPercentile(), rows))
	}
	return out
}

func (in Input) sources(columns []column, rows []row) parts.Sources {
	var s parts.Sources
	for _, c := range columns {
		s.Heads = append(s.Heads, in.Language.Say(c.head))
	}
	for _, r := range rows {
		var line []string
		for _, c := range columns {
			pointer := ""
			if c.raw != "" && len(r.Trials) > 0 {
				pointer = fmt.Sprintf("/cells/%d%s", core.Index(r.of, r.Cell), c.raw)
			}
			line = append(line, pointer)
		}
		s.Cells = append(s.Cells, line)
	}
	return s
}
