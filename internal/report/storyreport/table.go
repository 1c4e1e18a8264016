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
	goodputColumn  = column{"run.goodput-req-s", "story.successful-requests-per", goodput, parts.Whole, "/trials/*/goodput_rps"}
	p50Column      = column{"run.p50-ms", "story.median-latency-successful", p50, parts.Measure, "/trials/*/latency_ms/p50"}
	p99Column      = column{"run.p99-ms", "story.99th-percentile-same", p99, parts.Measure, "/trials/*/latency_ms/p99"}
	failedColumn   = column{"run.failed", "story.share-users-requests-failed", failedShare, parts.Percent, "/trials/*/errors"}
	twiceColumn    = column{"story.ran-again", "story.executions-requests-api-run", twice, parts.Whole, "/trials/*/backend/duplicates"}
	acceptedColumn = column{"run.accepted", "story.connections-topologys-front",
		accepted, parts.Whole, "/trials/*/connections/accepted"}
	usedColumn     = column{"run.used", "story.connections-carried-first", used, parts.Whole, "/trials/*/connections/used"}
	expectedColumn = column{"run.expected", "story.connections-many-requests", expected, parts.Whole, "/trials/*/connections/expected"}
	usedUpColumn   = column{"story.used-up", "story.connections-carried-many", usedUp, parts.Whole, "/trials/*/connections/used_up"}
	per1000Column  = column{"run.accepted-per-1000", "run.accepted-connections-per", per1000, parts.Measure,
		"/trials/*/connections/accepted"}
	threadsColumn = column{"story.threads", "story.largest-number-services", threads, parts.Whole, "/trials/*/service/threads"}
	heapColumn    = column{"story.heap-mb", "story.services-largest-used-heap", heap, parts.Whole, "/trials/*/service/heap_mb"}
	apiP50Column  = column{"story.api-p50-ms", "story.median-apis-own-time", apiP50, parts.Measure, "/trials/*/backend/handled_ms/p50"}
	apiP99Column  = column{"story.api-p99-ms", "story.99th-percentile-same-time", apiP99, parts.Measure,
		"/trials/*/backend/handled_ms/p99"}
	rowP50Column = column{"story.row-p50-ms", "story.median-time-reading-row", rowP50,
		parts.Measure, "/trials/*/service/row_ms/p50"}
	rowP99Column = column{"story.row-p99-ms", "story.99th-percentile-same-time", rowP99, parts.Measure,
		"/trials/*/service/row_ms/p99"}
	proxyMSColumn = column{"run.proxy-cpu-ms-per", "story.processor-time-reverse", proxyMS, parts.Measure, "/trials/*/cpu_s/proxy"}
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
	heads := []string{p.Say("story.where")}
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
	out, notes := c.write(r.middle(c.of)), p.Language.AllIn(e.Warnings)
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
		return "run.median-latency-successful-requests-all"
	case c.head == p99Column.head:
		return "run.99th-percentile-same"
	}
	return c.meaning
}

// glossary explains every column once.
func (p *page) glossary() {
	p.Heading("page.columns")
	p.Print("run.column-meaning")
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
