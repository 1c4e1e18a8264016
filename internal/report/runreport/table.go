package runreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/report/parts"
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
		p.Printf("\n### %s\n", escape(titled(p.Language, c)))
		p.each("####", ofClient(p.rows, c), false)
	}
}

// tabled is a table with its heading.
type tabled struct {
	title   string
	columns []column
}

// tables returns the tables that a run has numbers for.
func (p *page) tables() []tabled {
	out := []tabled{{"page.results-callers", p.callers()}, {"page.cost", servers()}}
	if core.OpenLoop(p.Result) {
		out = append(out, tabled{"run.schedule", schedules()})
	}
	if p.timed() {
		out = append(out, tabled{"run.connects-tls-handshakes", connects()})
	}
	return out
}

// each writes all tables of some rows; if grouped, with a line for each client above its rows.
func (p *page) each(level string, rows []row, grouped bool) {
	for _, t := range p.tables() {
		p.Printf("\n%s %s\n\n", level, p.Say(t.title))
		p.table(t.columns, rows, grouped)
	}
}

func (p *page) table(columns []column, rows []row, grouped bool) {
	group := func(r row) string { return escape(string(r.Client)) }
	if !grouped {
		group = nil
	}
	p.Table(parts.Rows(&p.Page, columns, rows, group, func(r row) int {
		if len(r.Trials) == 0 {
			return -1
		}
		return core.Index(p.Result, r.Cell)
	}))
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

// column is one column of the tables.
type column = parts.Column[row]

// The columns that each table begins with.
var (
	where    = parts.Label("run.topology", "run.path-backend-number-name", topologyCell)
	protocol = parts.Label("run.protocol", "run.protocol-between-client", func(r row) string { return escape(string(r.Protocol)) })
)

// callers returns the columns of what the callers of a run received.
func (p *page) callers() []column {
	out := []column{
		where, protocol,
		parts.Figure("run.goodput-req-s", "run.successful-requests-per", "/trials/*/goodput_rps", goodputCell),
		parts.Figure("run.h2-h1", "run.rows-goodput-divided-same", "/trials/*/goodput_rps", ratioCell),
		parts.Figure("run.p50-ms", "run.median-latency-successful", "/trials/*/latency_ms/p50",
			latencyCell(core.P50Of, func(s *facts.Summary) facts.Estimate { return s.P50MS })),
		parts.Figure("run.p99-ms", "run.99th-percentile-latency", "/trials/*/latency_ms/p99",
			latencyCell(core.P99Of, func(s *facts.Summary) facts.Estimate { return s.P99MS })),
		parts.Figure("run.failed", "run.requests-failed-trial", "/trials/*/errors", failedCell),
		parts.Figure("run.duplicates", "run.requests-backend-executed", "/trials/*/backend/duplicates",
			estimateCell(func(s *facts.Summary) facts.Estimate { return s.Duplicates }, whole)),
	}
	if core.HasHistograms(p.Result) {
		out[4].Meaning = "run.median-latency-successful-requests"
		out[5].Meaning = "run.99th-percentile-latency-successful"
	}
	if core.OpenLoop(p.Result) {
		out[3] = parts.Figure("run.p99-h2-h1", "run.rows-p99-divided-same", "/trials/*/latency_ms/p99", tailRatioCell)
	}
	return out
}

// servers returns the columns of what the servers spent.
func servers() []column {
	estimate := func(of func(*facts.Summary) facts.Estimate) func(row) string { return estimateCell(of, whole) }
	return []column{
		where, protocol,
		parts.Figure("run.accepted", "run.connections-front-accepted", "/trials/*/connections/accepted",
			estimate(func(s *facts.Summary) facts.Estimate { return s.Accepted })),
		parts.Figure("run.used", "run.connections-carried-first", "/trials/*/connections/used", usedCell),
		parts.Figure("run.expected", "run.connections-many-requests", "/trials/*/connections/expected",
			estimate(func(s *facts.Summary) facts.Estimate { return s.Expected })),
		parts.Figure("run.waste", "run.1-used-accepted-over", "/trials/*/connections",
			func(r row) string { return percent(r.Summary.Waste) }),
		parts.Figure("run.accepted-per-1000", "run.accepted-connections-per", "/trials/*/connections/accepted",
			func(r row) string { return measure(median(r.sample(per1000(accepted)))) }),
		parts.Figure("run.client-saw", "run.new-connections-client", "/trials/*/connections", clientSaw),
		parts.Figure("run.cold-start", "run.connections-accepted-warm", "/trials/*/cold_start",
			estimate(func(s *facts.Summary) facts.Estimate { return s.ColdAccepted })),
		parts.Figure("run.proxy-cpu-ms-per", "run.processor-time-all-proxies", "/trials/*/cpu_s/proxy", proxyCPU),
	}
}

func topologyCell(r row) string {
	p := r.p
	name := code(r.Topology)
	var warn []string
	if c, e := r.Limit.Configured, r.Limit.Effective; c != nil && e != nil && *c != *e {
		warn = append(warn, p.Say("run.over-requests-connection", r.Topology, r.Protocol, text.Count(*c), text.Count(*e)))
	}
	return name + p.Notes.Ref(warn...)
}

func goodputCell(r row) string {
	p := r.p
	if !r.Unsupported.IsZero() {
		return p.Say("verdict.unsupported") + p.Notes.Ref(p.Say("run.cant-run-here", r.Topology, p.In(r.Unsupported)))
	}
	e := r.Summary.GoodputRPS
	if len(r.Trials) == 0 {
		return dash + p.Notes.Ref(p.Say("run.planned-but-no-trial", r.ID()))
	}
	return stacked(whole(e.Median)+interval(e.Lo, e.Hi, whole)) +
		p.Notes.Ref(append(p.Language.AllIn(e.Warnings), p.TrialWarnings(r.Cell, r.Summary.Outliers)...)...)
}

func ratioCell(r row) string { return r.ratioTo(r.againstH1()) }

func tailRatioCell(r row) string { return r.ratioTo(r.tailAgainstH1()) }

func (r row) ratioTo(c *statistics.Comparison) string {
	if r.Protocol == facts.H1 {
		return "1"
	}
	if c == nil {
		return dash
	}
	return stacked(times(c)) + r.p.Note(c.Warnings)
}

// latencyCell writes a percentile of all requests. Without histograms it is the median of the trials'
// percentiles, with its warnings.
func latencyCell(all func(facts.Summary) *float64, of func(*facts.Summary) facts.Estimate) func(row) string {
	return func(r row) string {
		p := r.p
		if r.Summary.MergedMS == nil {
			return estimateCell(of, measure)(r) + p.Notes.Ref(append(p.LateTrials(r.Cell), p.notMerged(r))...)
		}
		return measure(all(r.Summary)) + p.Notes.Ref(append(p.LateTrials(r.Cell), p.Unsent(r.Cell))...)
	}
}

// estimateCell writes a median with its warnings.
func estimateCell(of func(*facts.Summary) facts.Estimate, write func(*float64) string) func(row) string {
	return func(r row) string {
		p := r.p
		e := of(&r.Summary)
		if e.Median == nil {
			return dash
		}
		return write(e.Median) + p.Note(e.Warnings)
	}
}

// used is the number of connections that carried their first request in the window. An HTTP/1.1
// pool may open many connections in the warm-up and first use them in the window. Then used exceeds
// accepted and says nothing, so it is nil.
func (r row) used() *float64 {
	a, u := r.Summary.Accepted.Median, r.Summary.Used.Median
	if r.Protocol == facts.H1 && a != nil && u != nil && *u > *a {
		return nil
	}
	return u
}

func usedCell(r row) string {
	p := r.p
	if r.used() == nil {
		return dash
	}
	return whole(r.used()) + p.Note(r.Summary.Used.Warnings)
}

func proxyCPU(r row) string {
	p := r.p
	e := r.Summary.ProxyCPUMSPerRequest
	if e.Median == nil {
		return dash
	}
	v := *e.Median * 1000
	return measure(&v) + p.Note(e.Warnings)
}

// classes returns the causes of a cell's failures in the order of lab.ErrorClasses, with their
// counts over all trials.
func classes(c *facts.Cell) (names []string, counts map[string]int64) {
	counts = map[string]int64{}
	for _, t := range c.Trials {
		for _, e := range t.Errors {
			if !slices.Contains(facts.ErrorClasses, e.Class) && counts[e.Class] == 0 {
				names = append(names, e.Class)
			}
			counts[e.Class] += e.Count
		}
	}
	var known []string
	for _, class := range facts.ErrorClasses {
		if counts[class] > 0 {
			known = append(known, class)
		}
	}
	return append(known, names...), counts
}

func failedCell(r row) string {
	p := r.p
	e := r.Summary.Failed
	if e.Median == nil {
		return dash
	}
	names, counts := classes(r.Cell)
	out := whole(e.Median)
	if len(names) == 1 {
		return out + "<br>" + escape(names[0]) + p.Note(e.Warnings)
	}
	var total int64
	for _, n := range counts {
		total += n
	}
	var parts []string
	for _, n := range names {
		share := float64(counts[n]) / float64(total)
		parts = append(parts, escape(n)+" "+percent(&share))
	}
	if len(parts) > 0 {
		out += "<br>" + strings.Join(parts, "<br>")
	}
	return out + p.Note(e.Warnings)
}

func clientSaw(r row) string {
	p := r.p
	toFloat := func(of func(facts.Trial) *int64) func(facts.Trial) *float64 {
		return func(t facts.Trial) *float64 {
			if n := of(t); n != nil {
				return new(float64(*n))
			}
			return nil
		}
	}
	if v := median(r.sample(toFloat(func(t facts.Trial) *int64 { return t.Connections.Dialled }))); v != nil {
		return p.Say("run.dialled", whole(v))
	}
	if v := median(r.sample(toFloat(func(t facts.Trial) *int64 { return t.Connections.ClientReported }))); v != nil {
		return p.Say("run.reported", whole(v))
	}
	return dash
}

// row is a cell in the table, with its summary and the page that it is on.
type row struct {
	*facts.Cell
	Summary facts.Summary
	p       *page
}

// collect returns the cells in the order of the table: by client, then as planned.
func (p *page) collect() (all []row) {
	for i := range p.Result.Cells {
		c := &p.Result.Cells[i]
		all = append(all, row{c, core.Summarise(c), p})
	}
	rank := func(c facts.Client) int {
		if i := slices.Index(facts.Clients, c); i >= 0 {
			return i
		}
		return len(facts.Clients) // the clients of clients/ follow the lab's own
	}
	slices.SortStableFunc(all, func(a, b row) int {
		if d := rank(a.Client) - rank(b.Client); d != 0 || rank(a.Client) < len(facts.Clients) {
			return d
		}
		return cmp.Compare(a.Client, b.Client)
	})
	return all
}

// clients returns the clients of the rows, in order.
func clients(rows []row) []facts.Client {
	var out []facts.Client
	for _, r := range rows {
		if !slices.Contains(out, r.Client) {
			out = append(out, r.Client)
		}
	}
	return out
}

// ofClient returns one client's rows.
func ofClient(rows []row, c facts.Client) (out []row) {
	for _, r := range rows {
		if r.Client == c {
			out = append(out, r)
		}
	}
	return out
}

// find returns the row of a cell; nil if there is none with trials.
func (p *page) find(topology string, protocol facts.Protocol, c facts.Client) *row {
	for i := range p.rows {
		r := &p.rows[i]
		if r.Topology == topology && r.Protocol == protocol && r.Client == c && len(r.Trials) > 0 {
			return r
		}
	}
	return nil
}

// low and high are the two nginx topologies that the report compares.
func (p *page) low() string { return fmt.Sprintf("nginx-%d", p.Run.Limit) }

const high = "nginx-100000"

// sample returns one number of each counted trial that has it.
func (r row) sample(of func(facts.Trial) *float64) []float64 { return core.Sample(r.Trials, of) }

func goodput(t facts.Trial) *float64 { return &t.GoodputRPS }

// per1000 is a count per 1,000 attempted requests.
func per1000(count func(facts.Trial) *int64) func(facts.Trial) *float64 {
	return func(t facts.Trial) *float64 {
		n := count(t)
		if n == nil || t.Attempts == 0 {
			return nil
		}
		return new(float64(*n) * 1000 / float64(t.Attempts))
	}
}

func accepted(t facts.Trial) *int64 { return t.Connections.Accepted }
func failed(t facts.Trial) *int64   { return &t.Failed }

// median returns a sample's median; nil if it is empty.
func median(sample []float64) *float64 { return statistics.Median(sample).Median }

// sibling returns the same cell over HTTP/1.1; nil if it has no trials.
func (r row) sibling() *row {
	return r.p.find(r.Topology, facts.H1, r.Client)
}

// againstH1 compares a cell's goodput with HTTP/1.1's, tailAgainstH1 its p99; nil if one of them is missing.
func (r row) againstH1() *statistics.Comparison { return r.compared(goodput) }

func (r row) tailAgainstH1() *statistics.Comparison { return r.compared(core.P99) }

func (r row) compared(of func(facts.Trial) *float64) *statistics.Comparison {
	h1 := r.sibling()
	if h1 == nil || len(r.Trials) == 0 {
		return nil
	}
	return new(statistics.Compare(r.sample(of), h1.sample(of)))
}

// spoken is a protocol's name in prose and pictures.
func spoken(p facts.Protocol) string {
	switch p {
	case facts.H1:
		return "HTTP/1.1"
	case facts.H2:
		return "HTTP/2"
	}
	return string(p)
}

var clientTitles = map[facts.Client]string{
	facts.K6SharedPool:      "run.connection-pool-all",
	facts.K6ConnectionPerVU: "run.usual-script-connection",
	facts.GoReplayable:      "run.gos-net-http-bodies",
	facts.GoOnce:            "run.gos-net-http-body",
	facts.GoSingleDial:      "run.gos-net-http",
}

// titled returns a client's name with its description.
func titled(l texts.Language, c facts.Client) string {
	if t := clientTitles[c]; t != "" {
		return l.Say("page.labelled", string(c), l.Say(t))
	}
	return string(c)
}

// The formats of numbers and texts that all reports share.
var (
	number, measure, whole      = parts.Number, parts.Measure, parts.Whole
	percent, twoDigits, seconds = parts.Percent, parts.TwoDigits, parts.Seconds
	interval, stacked, times    = parts.Interval, parts.Stacked, parts.Times
	escape, code, or            = parts.Escape, parts.Code, parts.Or
)

const (
	dash  = parts.Dash
	space = parts.Space
)

// Short returns the report for a terminal.
func Short(in parts.Input, colour bool) string {
	p := newPage(in)
	ratio := "h2/h1"
	if core.OpenLoop(p.Result) {
		ratio = "p99/h1"
	}
	return p.Page.Short(p.headline(), parts.ShortTable{
		Heads: []string{p.Say("command.client"), p.Say("command.topology"), "", "req/s", ratio, "p99 ms", p.Say("chart.accepted"),
			p.Say("chart.expected"), p.Say("chart.failed")},
		Widths: []int{20, 22, 2, 8, 7, 7, 9, 9, 8}, Left: 3,
		Rows: func(room int) (out []parts.ShortRow, omitted int) {
			rows, omitted := p.shortList(room)
			for _, r := range rows {
				out = append(out, parts.ShortRow{Cells: shortCells(r), Ill: ill(r),
					Well: r.Protocol == facts.H2 && r.Summary.Accepted.Median != nil})
			}
			return out, omitted
		}}, colour)
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
	if core.OpenLoop(r.p.Result) {
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
