package storyreport

import (
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/judge/storyverdicts"
	"h2lab/internal/report/parts"
)

// column is one column of the tables: its number, and where it stands in a cell of results.json, a JSON pointer in which *
// stands for each trial.
type column struct {
	head, meaning string
	of            of
	write         func(*float64) string
	raw           string
}

var (
	goodputColumn = column{"run.goodput-req-s", "story.successful-requests-per", goodput, parts.Whole,
		"/trials/*/goodput_rps"}
	p50Column    = column{"run.p50-ms", "story.median-latency-successful", p50, parts.Measure, "/trials/*/latency_ms/p50"}
	p99Column    = column{"run.p99-ms", "story.99th-percentile-same", p99, parts.Measure, "/trials/*/latency_ms/p99"}
	failedColumn = column{"run.failed", "story.share-users-requests-failed", failedShare, parts.Percent,
		"/trials/*/errors"}
	twiceColumn = column{"story.ran-again", "story.executions-requests-api-run", twice, parts.Whole,
		"/trials/*/backend/duplicates"}
	acceptedColumn = column{"run.accepted", "story.connections-topologys-front", accepted, parts.Whole,
		"/trials/*/connections/accepted"}
	usedColumn     = column{"run.used", "story.connections-carried-first", used, parts.Whole, "/trials/*/connections/used"}
	expectedColumn = column{"run.expected", "story.connections-many-requests", expected, parts.Whole,
		"/trials/*/connections/expected"}
	usedUpColumn = column{"story.used-up", "story.connections-carried-many", usedUp, parts.Whole,
		"/trials/*/connections/used_up"}
	per1000Column = column{"run.accepted-per-1000", "run.accepted-connections-per", per1000, parts.Measure,
		"/trials/*/connections/accepted"}
	threadsColumn = column{"story.threads", "story.largest-number-services", threads, parts.Whole,
		"/trials/*/service/threads"}
	heapColumn = column{"story.heap-mb", "story.services-largest-used-heap", heap, parts.Whole,
		"/trials/*/service/heap_mb"}
	apiP50Column = column{"story.api-p50-ms", "story.median-apis-own-time", apiP50, parts.Measure,
		"/trials/*/backend/handled_ms/p50"}
	apiP99Column = column{"story.api-p99-ms", "story.99th-percentile-same-time", apiP99, parts.Measure,
		"/trials/*/backend/handled_ms/p99"}
	rowP50Column = column{"story.row-p50-ms", "story.median-time-reading-row", rowP50, parts.Measure,
		"/trials/*/service/row_ms/p50"}
	rowP99Column = column{"story.row-p99-ms", "story.99th-percentile-same-time", rowP99, parts.Measure,
		"/trials/*/service/row_ms/p99"}
	proxyMSColumn = column{"run.proxy-cpu-ms-per", "story.processor-time-reverse", proxyMS, parts.Measure,
		"/trials/*/cpu_s/proxy"}
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

// table writes rows; more is a row of texts below them.
func (p *page) table(columns []column, rows []row, more ...string) {
	g := parts.Rows(&p.Page, append([]parts.Column[row]{{Head: "story.where", Left: true, Cell: func(r row) string {
		return p.Say(r.label) + "<br>" + parts.Code(r.at.ID())
	}}}, p.columns(columns)...), rows, nil, func(r row) int {
		if !r.measured() {
			return -1
		}
		return r.index
	})
	if more != nil {
		g.Add(parts.Plain(more...)...)
	}
	p.Table(g)
}

// columns are columns as tables have them.
func (p *page) columns(columns []column) (out []parts.Column[row]) {
	for _, c := range columns {
		out = append(out, parts.Column[row]{Head: c.head, Meaning: p.meaning(c), Raw: c.raw,
			Cell: func(r row) string { return p.cell(c, r) }})
	}
	return out
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
func (p *page) meaning(c column) string {
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
	parts.Explain(&p.Page, p.columns(slices.Concat(usersColumns(), apiColumns(), connectionColumns()))...)
}

// row is a cell of the story, measured or not, with its name in the story.
type row struct {
	at          storyverdicts.Place
	*facts.Cell // nil where the run doesn't have it
	index       int
	label       string
}

func (p *page) row(at storyverdicts.Place, label string) row {
	r := row{at: at, label: label}
	for i := range p.Result.Cells {
		c := &p.Result.Cells[i]
		if c.Topology == at.Topology && c.Protocol == at.Protocol && c.Client == at.Caller {
			r.Cell, r.index = c, i
		}
	}
	return r
}

func (r row) measured() bool { return r.Cell != nil && len(r.Trials) > 0 }

// The rows of the story.
func (p *page) incident() row { return p.row(p.chain.Incident(), "story.incident") }
func (p *page) pool() row     { return p.row(p.chain.Pool(), "story.pool-100") }
func (p *page) noRetry() row  { return p.row(p.chain.NoRetry(), "story.retry-off") }
func (p *page) alone() row    { return p.row(p.chain.Cut(), "story.gateway-alone") }

// cureLabels are the cures' names in tables and charts, by storyverdicts.Cure.Name.
var cureLabels = map[string]string{
	"keepalive-requests":          "story.keepalive-requests-100000",
	"other-proxy":                 "story.envoy-proxy",
	"http1":                       "story.http-11",
	"newer-okhttp":                "story.newer-okhttp",
	"one-dial":                    "story.dial-time",
	"keepalive-requests-no-retry": "story.retry-off-keepalive",
}

func (p *page) cured() (out []row) {
	for _, c := range p.chain.Cures() {
		out = append(out, p.row(c.After, cureLabels[c.Name]))
	}
	return out
}

// every returns all rows, each once, in the order of the story.
func (p *page) every() []row {
	return append([]row{p.incident(), p.pool(), p.alone(), p.noRetry()}, p.cured()...)
}

// need reports whether all of the rows were measured; for each that wasn't it writes why.
func (p *page) need(rows ...row) bool {
	all := true
	for _, r := range rows {
		if !r.measured() {
			p.Printf("%s\n\n", p.why(r))
			all = false
		}
	}
	return all
}

// why says why a row has no numbers.
func (p *page) why(r row) string {
	name := parts.Code(r.at.ID())
	switch {
	case r.Cell == nil:
		return p.Say("story.run-doesnt-cell-part", name)
	case !r.Unsupported.IsZero():
		return p.Say("story.cell-cant-run-here", name, parts.Escape(p.In(r.Unsupported)))
	}
	return p.Say("story.cell-no-trial-run", name)
}

type of = func(facts.Trial) *float64

func (r row) sample(f of) []float64 {
	if r.Cell == nil {
		return nil
	}
	return core.Sample(r.Trials, f)
}

// middle is a percentile of all requests, or the median of the trials.
func (r row) middle(f of) *float64 { return core.Middle(r.Cell, f) }

// shown is a median and its interval as the prose writes them; R is empty without an interval.
type shown struct{ V, R string }

func (p *page) show(r row, f of, write func(*float64) string) shown {
	m := statistics.Median(r.sample(f))
	interval := parts.Interval(m.Lo, m.Hi, write)
	if p.Translated() { // Chinese has its own parentheses, which take no spaces
		interval = strings.NewReplacer(" (", "（", ")", "）").Replace(interval)
	}
	if core.Pooled(r.Cell, f) != nil {
		interval = "" // that is the trials'
	}
	return shown{write(r.middle(f)), interval}
}

func (r row) compare(other row, f of) *statistics.Comparison {
	return new(statistics.Compare(r.sample(f), other.sample(f)))
}

// times writes the ratio of one row's number to another's.
func (p *page) times(a, b row, f of) string {
	c := a.compare(b, f)
	return parts.Escape(p.In(core.Ratio(*c)))
}

// sum adds up a count over a row's trials; nil if one of them doesn't know it.
func (r row) sum(f func(facts.Trial) *int64) *int64 {
	if !r.measured() {
		return nil
	}
	return core.Sum(r.Trials, f)
}

// share is one sum divided by another.
func share(n, all *int64) *float64 {
	if n == nil || all == nil || *all == 0 {
		return nil
	}
	return new(float64(*n) / float64(*all))
}

func count(n *int64) string { return text.Maybe(n, text.Count[int64]) }

// The numbers of a trial that the story tells.
var (
	goodput of = func(t facts.Trial) *float64 { return &t.GoodputRPS }
	p50     of = func(t facts.Trial) *float64 { return t.LatencyMS.P50 }
	p99     of = storyverdicts.P99
	apiP99  of = storyverdicts.APIP99
	rowP99  of = storyverdicts.RowP99
	apiP50  of = func(t facts.Trial) *float64 {
		if t.Backend.HandledMS == nil {
			return nil
		}
		return t.Backend.HandledMS.P50
	}
	rowP50  = ofService(func(s *facts.ServiceView) *float64 { return s.RowMS.P50 })
	callP50 = ofService(func(s *facts.ServiceView) *float64 { return s.CallMS.P50 })
	callP99 = ofService(func(s *facts.ServiceView) *float64 { return s.CallMS.P99 })
	threads = ofService(func(s *facts.ServiceView) *float64 { return core.Number(s.Threads) })
	heap    = ofService(func(s *facts.ServiceView) *float64 { return s.HeapMB })

	failedShare of = func(t facts.Trial) *float64 { return share(&t.Failed, &t.Attempts) }
	twice       of = func(t facts.Trial) *float64 { return core.Number(t.Backend.Duplicates) }
	accepted    of = func(t facts.Trial) *float64 { return core.Number(t.Connections.Accepted) }
	used        of = func(t facts.Trial) *float64 { return core.Number(t.Connections.Used) }
	expected    of = func(t facts.Trial) *float64 { return core.Number(t.Connections.Expected) }
	usedUp      of = func(t facts.Trial) *float64 { return core.Number(t.Connections.UsedUp) }
	per1000     of = func(t facts.Trial) *float64 {
		if t.Connections.Accepted == nil || t.Attempts == 0 {
			return nil
		}
		return new(float64(*t.Connections.Accepted) * 1000 / float64(t.Attempts))
	}
)

func ofService(f func(*facts.ServiceView) *float64) of {
	return func(t facts.Trial) *float64 {
		if t.Service == nil {
			return nil
		}
		return f(t.Service)
	}
}

// cores is a share of processor time, in cores, in the window.
func cores(f func(facts.CPU) *float64) of {
	return func(t facts.Trial) *float64 {
		s := f(t.CPU)
		if s == nil || t.ElapsedS <= 0 {
			return nil
		}
		return new(*s / t.ElapsedS)
	}
}

var (
	proxyCores   = cores(func(c facts.CPU) *float64 { return c.Proxy })
	serviceCores = cores(func(c facts.CPU) *float64 { return c.Service })
	apiCores     = cores(func(c facts.CPU) *float64 { return c.Backend })
	usersCores   = cores(func(c facts.CPU) *float64 { return c.Client })
	// chainCores is what users, service, proxies and API used together.
	chainCores = cores(func(c facts.CPU) *float64 {
		if c.Proxy == nil || c.Service == nil || c.Backend == nil || c.Client == nil {
			return nil
		}
		return new(*c.Proxy + *c.Service + *c.Backend + *c.Client)
	})
	// allCores is what all programs used together, with the time that other machines took.
	allCores = cores(func(c facts.CPU) *float64 {
		return new(c.Busy())
	})
	proxyMS of = func(t facts.Trial) *float64 {
		if t.CPU.Proxy == nil || t.Succeeded == 0 {
			return nil
		}
		return new(*t.CPU.Proxy * 1e6 / float64(t.Succeeded)) // ms for 1,000 requests
	}
)

// service is part 1: what the service's team sees.
func (p *page) service() {
	p.Heading("story.1-what-service-sees")
	r := p.incident()
	if !p.need(r) {
		return
	}
	calls := r.sum(func(t facts.Trial) *int64 { return called(t, func(s *facts.ServiceView) int64 { return s.Calls }) })
	failed := r.sum(func(t facts.Trial) *int64 { return called(t, func(s *facts.ServiceView) int64 { return s.Failed }) })
	duplicates := r.sum(func(t facts.Trial) *int64 { return t.Backend.Duplicates })
	message, _ := storyverdicts.Exception(r.Cell)
	p.prose("service.md", map[string]any{
		"Caller": parts.Code(string(r.at.Caller)), "About": p.about(r), "Users": text.Count(r.Workload.Concurrency),
		"Method": parts.Escape(r.Workload.Method), "Window": parts.Seconds(p.Run.DurationS), "Trials": p.trials(r),
		"Goodput": p.show(r, goodput, parts.Whole), "P50": p.show(r, p50, parts.Measure), "P99": p.show(r, p99, parts.Measure),
		"CallP50": parts.Measure(r.middle(callP50)), "CallP99": parts.Measure(r.middle(callP99)),
		"Calls": count(calls), "Failed": count(failed), "FailedShare": parts.Percent(share(failed, calls)),
		"AnyFailed": failed != nil && *failed > 0, "Known": failed != nil,
		"Message": parts.Block("", parts.Or(message, parts.Dash)), "Duplicates": count(duplicates),
		"Hidden": duplicates != nil && *duplicates > 0, "Threads": parts.Whole(r.middle(threads)),
		"Heap": parts.Whole(r.middle(heap)),
	})
	rows := []row{r, p.pool()}
	p.table(usersColumns(), rows, p.Say("story.original"), p.Say("story.under-500"), p.Say("story.over-500"), parts.Dash,
		p.Say("story.about-10"), parts.Dash, parts.Dash, parts.Dash)
	p.poolOf100(rows[0], rows[1])
}

// poolOf100 compares the two pools.
func (p *page) poolOf100(small, large row) {
	if !p.need(large) {
		return
	}
	rps, wait := large.compare(small, goodput), large.compare(small, p99)
	p.prose("pool.md", map[string]any{"Goodput": p.times(large, small, goodput), "P99": p.times(large, small, p99),
		"Same": !rps.Significant && !wait.Significant, "Decided": rps.Lo != nil && wait.Lo != nil})
}

// about describes a caller in the words of its manifest.
func (p *page) about(r row) string {
	if r.Program == nil || r.Program.Says == "" {
		return ""
	}
	return p.Say("page.labelled", parts.Escape(parts.Or(r.Program.Library, parts.Dash)), parts.Escape(p.Worded(r.Program.Says)))
}

// trials is the number of a row's trials.
func (p *page) trials(r row) string { return p.Plural(len(r.Trials), "page.trials") }

// called returns a count of the service's own view.
func called(t facts.Trial, of func(*facts.ServiceView) int64) *int64 {
	if t.Service == nil {
		return nil
	}
	return new(of(t.Service))
}

// Short returns the story for a terminal.
func Short(in parts.Input, colour bool) string {
	p := newPage(in)
	return p.Page.Short(p.headline(), parts.ShortTable{
		Heads: []string{"", "req/s", "p50 ms", "p99 ms", p.Say("chart.failed"), p.Say("command.ran-again"), p.Say("chart.accepted"),
			p.Say("chart.expected")},
		Widths: []int{36, 7, 7, 7, 8, 9, 8, 8}, Left: 1,
		Rows: func(room int) (out []parts.ShortRow, omitted int) {
			for _, r := range p.every() {
				switch {
				case !r.measured():
				case len(out) == room:
					omitted++
				default:
					out = append(out, p.shortRow(r))
				}
			}
			return out, omitted
		}}, colour)
}

// shortRow marks a row with failures or repeated requests.
func (p *page) shortRow(r row) parts.ShortRow {
	failed, again := r.middle(failedShare), r.middle(twice)
	ill := failed != nil && *failed > 0 || again != nil && *again > 0
	return parts.ShortRow{Ill: ill, Well: !ill && again != nil,
		Cells: []string{p.Say(r.label), parts.Whole(r.middle(goodput)), parts.Measure(r.middle(p50)),
			parts.Measure(r.middle(p99)), parts.Percent(failed), parts.Whole(again), parts.Whole(r.middle(accepted)),
			parts.Whole(r.middle(expected))}}
}
