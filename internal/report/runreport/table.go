package runreport

import (
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

// manyRows is the number of rows from which the report has one table per client.
const manyRows = 30

func (p *page) numbers() {
	p.Heading("page.numbers")
	if len(p.rows) == 0 {
		p.Print("page.nothing-measured")
		return
	}
	p.Print("page.medians-over-trials-columns", dash)
	if len(p.rows) <= manyRows {
		p.each("###", p.rows, true)
		return
	}
	for _, c := range clients(p.rows) {
		p.Printf("\n### %s\n", escape(titled(p.in.Language, c)))
		p.each("####", ofClient(p.rows, c), false)
	}
}

// tabled is a table with its heading.
type tabled struct {
	title   translations.Phrase
	columns []column
}

// tables returns the tables that a run has numbers for.
func tables(run *facts.Result) []tabled {
	out := []tabled{{"page.results-callers", callers(run)}, {"page.cost", servers()}}
	if core.OpenLoop(run) {
		out = append(out, tabled{"run.schedule", schedules()})
	}
	if timed(run) {
		out = append(out, tabled{"run.connects-tls-handshakes", connects()})
	}
	return out
}

// each writes all tables of some rows.
func (p *page) each(level string, rows []row, grouped bool) {
	for _, t := range tables(p.in.Result) {
		p.Printf("\n%s %s\n\n", level, p.Say(t.title))
		p.table(t.columns, rows, grouped)
	}
}

// table writes rows; if grouped, with a line for each client above its rows.
func (p *page) table(columns []column, rows []row, grouped bool) {
	for _, c := range columns {
		p.Printf("| %s ", p.Say(c.head))
	}
	p.Printf("|\n")
	for _, c := range columns {
		if c.left {
			p.Printf("|:--")
		} else {
			p.Printf("|--:")
		}
	}
	p.Printf("|\n")
	var last facts.Client
	for i, r := range rows {
		if grouped && (i == 0 || r.Client != last) {
			p.Printf("| **%s** |", escape(string(r.Client)))
			for range columns[1:] {
				p.Printf(" |")
			}
			p.Printf("\n")
		}
		last = r.Client
		for _, c := range columns {
			p.Printf("| %s ", c.cell(p, r))
		}
		p.Printf("|\n")
	}
}

// failures writes each message verbatim, once for each cell.
func (p *page) failures() {
	type line struct{ where, class, message string }
	var lines []line
	counts := map[line]int64{}
	for _, r := range p.rows {
		for _, t := range r.Trials {
			for _, e := range t.Errors {
				l := line{code(r.Topology + ", " + string(r.Protocol) + ", " + string(r.Client)), e.Class, e.Message}
				if counts[l] == 0 {
					lines = append(lines, l)
				}
				counts[l] += e.Count
			}
		}
	}
	if len(lines) == 0 {
		return
	}
	p.Printf("\n### %s\n\n", p.Say("page.failure-messages"))
	p.Print("run.where-cause-all-trials")
	for _, l := range lines {
		p.Printf("| %s | %s | %s | %s |\n", l.where, escape(l.class), text.Count(counts[l]),
			parts.Message(l.message))
	}
}
