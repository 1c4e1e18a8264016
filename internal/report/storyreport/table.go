package storyreport

import (
	"fmt"

	"h2lab/internal/judge/core"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

// column is one column of the tables. The glossary explains it from the same list.
type column struct {
	head    translations.Phrase
	meaning translations.Phrase
	of      of
	write   func(*float64) string
	// raw is the place of the numbers within a cell of results.json: a JSON pointer in which * stands for each trial.
	raw string
}

var (
	goodputColumn = column{"Goodput, req/s", "Successful requests per second, as the users count them: the median of " +
		"the trials, with its 95 % interval in parentheses where six trials or more give one.", goodput, parts.Whole,
		"/trials/*/goodput_rps"}
	p50Column = column{"p50, ms", "The median latency of successful requests, as the users see it. Median of the trials.",
		p50, parts.Measure, "/trials/*/latency_ms/p50"}
	p99Column = column{"p99, ms", "The 99th percentile of the same latency. Median of the trials.", p99, parts.Measure,
		"/trials/*/latency_ms/p99"}
	failedColumn = column{"Failed", "The share of the users' requests that failed (median). The messages are below, " +
		"verbatim.", failedShare, parts.Percent, "/trials/*/errors"}
	twiceColumn = column{"Ran again", "Executions of requests that the API had run before (median of a trial), counted by id.", twice,
		parts.Whole, "/trials/*/backend/duplicates"}
	acceptedColumn = column{"Accepted", "Connections that the topology's front accepted in a trial's window (median).",
		accepted, parts.Whole, "/trials/*/connections/accepted"}
	usedColumn = column{"Used", "Connections that carried their first request in the window (median).", used, parts.Whole,
		"/trials/*/connections/used"}
	expectedColumn = column{"Expected", "The connections that this many requests take (median): over h2 requests ÷ " +
		"limit, over h1 one for each request in flight.", expected, parts.Whole, "/trials/*/connections/expected"}
	usedUpColumn = column{"Used up", "Connections that carried as many requests as the limit allows (median).", usedUp,
		parts.Whole, "/trials/*/connections/used_up"}
	per1000Column = column{"Accepted per 1,000", "Accepted connections per 1,000 requests attempted (median). It " +
		"doesn't depend on the machine's speed.", per1000, parts.Measure, "/trials/*/connections/accepted"}
	threadsColumn = column{"Threads", "The largest number of the service's live threads (median).", threads, parts.Whole,
		"/trials/*/service/threads"}
	heapColumn = column{"Heap, MB", "The service's largest used heap (median).", heap, parts.Whole,
		"/trials/*/service/heap_mb"}
	apiP50Column = column{"API p50, ms", "The median of the API's own time, from a request's headers to its written answer " +
		"(median of the trials).", apiP50, parts.Measure, "/trials/*/backend/handled_ms/p50"}
	apiP99Column = column{"API p99, ms", "The 99th percentile of the same time.", apiP99, parts.Measure,
		"/trials/*/backend/handled_ms/p99"}
	rowP50Column = column{"Row p50, ms", "The median time of reading a row from the service's database.", rowP50,
		parts.Measure, "/trials/*/service/row_ms/p50"}
	rowP99Column = column{"Row p99, ms", "The 99th percentile of the same time.", rowP99, parts.Measure,
		"/trials/*/service/row_ms/p99"}
	proxyMSColumn = column{"Proxy CPU, ms per 1,000", "Processor time of reverse proxy and gateway for 1,000 requests, " +
		"in milliseconds (median).", proxyMS, parts.Measure, "/trials/*/cpu_s/proxy"}
)

// usersColumns are those of the first table, which the cures are compared with.
func usersColumns() []column {
	return []column{goodputColumn, p50Column, p99Column, failedColumn, twiceColumn, threadsColumn, heapColumn}
}

func connectionColumns() []column {
	return []column{acceptedColumn, usedColumn, expectedColumn, usedUpColumn, per1000Column, proxyMSColumn}
}

func apiColumns() []column {
	return []column{apiP50Column, apiP99Column, rowP50Column, rowP99Column, p99Column, twiceColumn}
}

// table writes rows; more is a row of texts below them, or nil.
func (p *page) table(columns []column, rows []row, more []string) {
	heads := []string{p.Say("Where")}
	for _, c := range columns {
		heads = append(heads, p.Say(c.head))
	}
	s := parts.Sources{Heads: heads}
	for _, h := range heads {
		p.Printf("| %s ", h)
	}
	p.Printf("|\n|:--")
	for range columns {
		p.Printf("|--:")
	}
	p.Printf("|\n")
	for _, r := range rows {
		p.Printf("| %s<br>%s", p.Say(r.label), parts.Code(r.at.ID()))
		line := []string{""}
		for _, c := range columns {
			p.Printf(" | %s", p.cell(c, r))
			pointer := ""
			if r.measured() {
				pointer = fmt.Sprintf("/cells/%d%s", r.index, c.raw)
			}
			line = append(line, pointer)
		}
		p.Printf(" |\n")
		s.Cells = append(s.Cells, line)
	}
	if more != nil {
		for _, m := range more {
			p.Printf("| %s ", m)
		}
		p.Printf("|\n")
	}
	p.Printf("\n")
	p.sources = append(p.sources, s)
}

func (p *page) cell(c column, r row) string {
	if !r.measured() {
		return parts.Dash
	}
	e := core.Estimate(r.Trials, c.of)
	if e.Median == nil {
		return parts.Dash
	}
	out, notes := c.write(r.middle(c.of)), p.in.Language.Recorded(e.Warnings)
	if c.head == goodputColumn.head {
		out = parts.Stacked(out + parts.Interval(e.Lo, e.Hi, c.write))
		notes = append(notes, p.TrialWarnings(r.Cell, core.Summarise(r.Cell).Outliers)...)
	}
	return out + p.Notes.Ref(notes...)
}

// meaning explains a column in a run with histograms, or in an earlier recording.
func (p *page) meaning(c column) translations.Phrase {
	switch {
	case !core.HasHistograms(p.Result):
	case c.head == p50Column.head:
		return "The median latency of successful requests of all trials, as the users see it, from merged histograms."
	case c.head == p99Column.head:
		return "The 99th percentile of the same latency. Comparisons rest on the trials' own percentiles."
	}
	return c.meaning
}

// glossary explains every column once.
func (p *page) glossary() {
	p.Heading("Columns")
	p.PrintPhrase("| Column | Meaning |\n|:--|:--|\n")
	seen := map[translations.Phrase]bool{}
	for _, columns := range [][]column{usersColumns(), apiColumns(), connectionColumns()} {
		for _, c := range columns {
			if !seen[c.head] {
				p.Printf("| %s | %s |\n", p.Say(c.head), p.Say(p.meaning(c)))
			}
			seen[c.head] = true
		}
	}
}
