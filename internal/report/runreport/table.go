package runreport

import (
	"h2lab/internal/base/text"
	"h2lab/internal/facts"
)

// manyRows is the number of rows from which the report has one table per client.
const manyRows = 30

func (p *page) numbers() {
	p.heading("The numbers")
	if len(p.rows) == 0 {
		p.printPhrase("Nothing was measured.\n")
		return
	}
	p.printPhrase("Medians over the trials; the columns are explained [below](#columns). %s means unknown.\n",
		dash)
	if len(p.rows) <= manyRows {
		p.both("###", p.rows, true)
		return
	}
	for _, c := range clients(p.rows) {
		p.printf("\n### %s\n", escape(titled(p.in.Language, c)))
		p.both("####", ofClient(p.rows, c), false)
	}
}

// both writes the two tables of some rows.
func (p *page) both(level string, rows []row, grouped bool) {
	p.printf("\n%s %s\n\n", level, p.say("Results for the callers"))
	p.table(callers(), rows, grouped)
	p.printf("\n%s %s\n\n", level, p.say("Cost"))
	p.table(servers(), rows, grouped)
}

// table writes rows; if grouped, with a line for each client above its rows.
func (p *page) table(columns []column, rows []row, grouped bool) {
	for _, c := range columns {
		p.printf("| %s ", p.say(c.head))
	}
	p.printf("|\n")
	for _, c := range columns {
		if c.left {
			p.printf("|:--")
		} else {
			p.printf("|--:")
		}
	}
	p.printf("|\n")
	var last facts.Client
	for i, r := range rows {
		if grouped && (i == 0 || r.Client != last) {
			p.printf("| **%s** |", escape(string(r.Client)))
			for range columns[1:] {
				p.printf(" |")
			}
			p.printf("\n")
		}
		last = r.Client
		for _, c := range columns {
			p.printf("| %s ", c.cell(p, r))
		}
		p.printf("|\n")
	}
}

// longestMessage is how much of a message a cell shows; results.json has all of it.
const longestMessage = 2000

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
	p.printf("\n### %s\n\n", p.say("Failure messages"))
	p.printPhrase("| Where | Cause | In all trials | Message |\n|:--|:--|--:|:--|\n")
	for _, l := range lines {
		p.printf("| %s | %s | %s | %s |\n", l.where, escape(l.class), integer(counts[l]),
			code(text.Clip(l.message, longestMessage)))
	}
}

// gaps lists the cells that were planned and not measured.
func (p *page) gaps() {
	missing, unsupported := p.gapsOf(p.in.Result)
	if len(missing) > 0 {
		p.printf("\n### %s\n\n", p.say("Missing"))
		for _, m := range missing {
			p.printf("- %s\n", escape(m))
		}
	}
	if len(unsupported) > 0 {
		p.printf("\n### %s\n\n", p.say("Unsupported here"))
		for _, u := range unsupported {
			p.printf("- %s\n", escape(u))
		}
	}
}

func (p *page) gapsOf(r *facts.Result) (missing, unsupported []string) {
	present, named := map[string]bool{}, map[string]bool{}
	for i := range r.Cells {
		c := &r.Cells[i]
		present[c.ID()] = true
		if c.Unsupported != "" {
			if !named[c.Topology] {
				unsupported = append(unsupported, p.say("%s can't run here: %s", c.Topology, p.recorded(c.Unsupported)))
			}
			named[c.Topology] = true
			continue
		}
		if n := len(c.Trials); n < r.Run.Trials {
			missing = append(missing, p.say("%s has %s of %s", c.ID(), integer(n), p.plural(r.Run.Trials, trials)))
		}
	}
	for _, id := range r.Run.Planned {
		if !present[id] {
			missing = append(missing, p.say("%s was planned and is missing", id))
		}
	}
	return missing, unsupported
}
