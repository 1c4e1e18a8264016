package runreport

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/parts"
)

// Short returns the report for a terminal.
func Short(in Input, colour bool) string {
	if in.Result == nil {
		return "there is no result to report on\n"
	}
	p := newPage(in)
	ratio := "h2/h1"
	if core.OpenLoop(in.Result) {
		ratio = "p99/h1"
	}
	return p.Page.Short(p.headline(), parts.ShortTable{
		Heads:  []string{"client", "topology", "", "req/s", ratio, "p99 ms", "accepted", "expected", "failed"},
		Widths: []int{20, 22, 2, 8, 7, 7, 9, 9, 8}, Left: 3,
		Rows: func(room int) (out []parts.ShortRow, omitted int) {
			rows, omitted := p.shortList(room)
			for _, r := range rows {
				out = append(out, parts.ShortRow{Cells: shortCells(r), Ill: ill(r),
					Well: r.Protocol == facts.H2 && r.Summary.Accepted.Median != nil})
			}
			return out, omitted
		}}, or(p.in.Path, "results/"+p.run.ID+"/report.md"), colour)
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
	c := r.againstH1()
	if core.OpenLoop(r.of) {
		c = r.tailAgainstH1()
	}
	if r.Protocol == facts.H2 && c != nil && c.Ratio != nil {
		ratio = c.Mark() + twoDigits(c.Ratio)
	}
	return []string{string(r.Client), r.Topology, string(r.Protocol), whole(s.GoodputRPS.Median), ratio,
		measure(core.P99Of(s)), whole(s.Accepted.Median), whole(s.Expected.Median), whole(s.Failed.Median)}
}

// ill reports whether a row has failures or many more accepted connections than expected.
func ill(r row) bool {
	a, e, f := r.Summary.Accepted.Median, r.Summary.Expected.Median, r.Summary.Failed.Median
	return f != nil && *f > 0 || a != nil && e != nil && *a > 20 && *a >= 5*max(*e, 1)
}
