// Package clientreport writes the page of the client matrix: clients.md for people, clients.json
// for tools, and the chart of the field. It uses no network, clock or file, and writes the same
// bytes for the same input.
//
// Every section is a file of its own, called by guide.go in the order of the page. Package
// clientverdicts decides the verdicts; this package judges nothing.
package clientreport

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

// Input is all data for a page.
type Input struct {
	Result *facts.Result
	// Language is that of the page.
	Language translations.Language
	// English is the name of the English page, to which a translation refers; default clients.md.
	English string
	// Unmeasured are the rows without a cell in Result, with their client and program alone.
	Unmeasured []facts.Cell
	// Charts is the path of the pictures relative to the page; default "charts/".
	Charts string
}

// Name returns the page's file name.
func Name(l translations.Language) string {
	if l == translations.Chinese {
		return "clients.zh.md"
	}
	return "clients.md"
}

// Build returns the page, its chart, and with the English page clients.json, by their names beside results.json.
func Build(in Input) (map[string][]byte, error) {
	if in.Result == nil {
		return nil, parts.NoResult("make clients")
	}
	p := newPage(in)
	for _, section := range []func(){
		p.top, p.find, p.matrix, p.libraries, p.lies, p.notCured, p.own, p.near, p.unsupported, p.unmeasured,
		p.method, p.care, p.terms,
	} {
		section()
	}
	files := map[string][]byte{Name(in.Language): tidy(p.Text.Bytes())}
	if p.Err != nil {
		return files, p.Err
	}
	picture, err := p.field().Draw()
	if err != nil {
		return nil, err
	}
	p.Keep(files, chartName, picture)
	if p.Translated() {
		return files, nil
	}
	files["clients.json"], err = p.json()
	return files, err
}

// page is the page while it is written.
type page struct {
	parts.Page
	in   Input
	run  facts.Run
	rows []clientverdicts.Row
	at   map[facts.Client]*clientverdicts.Row
	low  string // the topology with the low limit
	far  string // Envoy's with the same limit
}

// high is the topology whose limit no window reaches.
const high = "nginx-100000"

func newPage(in Input) *page {
	in.Result = text.CleanAll(in.Result) // escapes unsafe characters
	p := &page{Page: parts.Page{Result: in.Result, Language: in.Language, Charts: in.Charts}, in: in, run: in.Result.Run,
		rows: clientverdicts.Rows(in.Result), at: map[facts.Client]*clientverdicts.Row{}}
	p.low, p.far = fmt.Sprintf("nginx-%d", p.run.Limit), fmt.Sprintf("envoy-%d", p.run.Limit)
	for i := range p.rows {
		p.at[p.rows[i].Client] = &p.rows[i]
	}
	return p
}

// with returns the rows that have a verdict, as the worst or as another one.
func (p *page) with(v clientverdicts.Verdict) []*clientverdicts.Row {
	return p.where(func(r *clientverdicts.Row) bool {
		if r.Verdict == v {
			return true
		}
		return slices.Contains(r.Also, v)
	})
}

func (p *page) where(is func(*clientverdicts.Row) bool) []*clientverdicts.Row {
	var out []*clientverdicts.Row
	for i := range p.rows {
		if is(&p.rows[i]) {
			out = append(out, &p.rows[i])
		}
	}
	return out
}

// tidy reduces several empty lines to one, except in code blocks, and removes those at the end.
func tidy(md []byte) []byte {
	var out []string
	fence := ""
	for _, line := range strings.Split(strings.TrimSpace(string(md)), "\n") {
		if ticks := leading(strings.TrimSpace(line), '`'); len(ticks) >= 3 {
			switch {
			case fence == "":
				fence = ticks
			case strings.TrimSpace(line) == fence:
				fence = ""
			}
		}
		if line == "" && fence == "" && len(out) > 0 && out[len(out)-1] == "" {
			continue
		}
		out = append(out, line)
	}
	return []byte(strings.Join(out, "\n") + "\n")
}

func leading(s string, c byte) string {
	i := 0
	for i < len(s) && s[i] == c {
		i++
	}
	return s[:i]
}

// top writes the first screen: what was measured, the picture, the tallies.
func (p *page) top() {
	p.Print("clients.how-http-clients-behave")
	p.Printf("%s\n\n%s\n\n", p.what(), p.circumstances())
	p.Print("clients.repeat-run", code(or(p.run.Repeat, "make clients")), code(or(p.run.ID, "unknown")), p.when())
	for _, w := range p.Language.AllIn(Warnings(p.in.Result)) {
		p.Print("clients.note", escape(w))
	}
	if rows := p.later(); len(rows) > 0 {
		p.Print("clients.note", p.Say("clients.measured-later", p.links(clientsOf(rows))))
	}
	p.AboutLanguage(parts.Or(p.in.English, Name(translations.English)))
	p.summary()
	if len(p.rows) > 0 {
		p.Print("clients.find-your-error-message-find")
	}
	p.Printf("\n")
	p.Picture(chartName, p.Say("clients.chart-every-client-accepted", p.spoken()))
}

// chartName is the name of the page's chart.
const chartName = "clients"

// what describes in one sentence what was measured and how.
func (p *page) what() string {
	measured := p.where(func(r *clientverdicts.Row) bool { return r.At != nil })
	if len(measured) == 0 {
		return p.Say("clients.no-client-program-measured")
	}
	w, ok := p.workload()
	load := p.Say("clients.requests-flight", whole(p.run.Concurrency))
	if ok {
		load = p.Say("clients.requests-flight-body", whole(w.Concurrency), escape(w.Method),
			p.Plural(w.BodyBytes, "page.bytes"))
	}
	if ok && p.run.Rate != nil {
		load = p.Say("clients.requests-second-body", whole(int(p.run.Rate.PerS)), escape(w.Method),
			p.Plural(w.BodyBytes, "page.bytes"))
	}
	return p.Say("clients.kept-ordinary-client-object",
		p.Plural(len(measured), "clients.client-programs"), load, p.lasting(), p.run.Limit, whole(p.run.Limit))
}

// circumstances lists the versions, TLS, the machine and the seed.
func (p *page) circumstances() string {
	e := p.in.Result.Environment
	var out []string
	for _, name := range []string{"nginx", "envoy"} {
		if v := e.Versions[name]; v != "" {
			out = append(out, name+" "+escape(v))
		}
	}
	if v := p.tls(); v != "" {
		out = append(out, "TLS "+v)
	}
	if e.Cores > 0 {
		out = append(out, p.Plural(e.Cores, "clients.cores"))
	}
	if p.run.CPUs != nil {
		out = append(out, p.Say("clients.processor-server", strconv.FormatFloat(*p.run.CPUs, 'g', 3, 64)))
	}
	out = append(out, p.Say("clients.seed", p.run.Seed))
	return strings.Join(out, " · ")
}

// tls lists the negotiated versions.
func (p *page) tls() string {
	var seen []string
	for _, r := range p.rows {
		for _, c := range []*facts.Cell{r.Low, r.High, r.Envoy} {
			if c == nil {
				continue
			}
			for _, t := range c.Trials {
				if v := t.TLS.Version; v != "" && !slices.Contains(seen, v) {
					seen = append(seen, v)
				}
			}
		}
	}
	slices.Sort(seen)
	return escape(strings.Join(seen, p.Say("join.and")))
}

func (p *page) workload() (facts.Workload, bool) {
	for _, r := range p.rows {
		if r.Low != nil {
			return r.Low.Workload, true
		}
	}
	return facts.Workload{}, false
}

func (p *page) when() string {
	if p.run.Started.IsZero() {
		return p.Say("clients.date-unknown")
	}
	return p.run.Started.UTC().Format("2006-01-02 15:04 UTC")
}

// lasting describes the length of a window. Runs recorded before windows were measured in renewals
// had one length.
func (p *page) lasting() string {
	if p.byRenewals() {
		return p.Say("clients.until-least-connections-renewed", clientverdicts.FewestRenewals)
	}
	return p.Say("clients.for-2", seconds(p.run.DurationS))
}

// byRenewals reports whether the windows were measured in renewals.
func (p *page) byRenewals() bool {
	return slices.ContainsFunc(p.rows, func(r clientverdicts.Row) bool { return r.At != nil && r.At.Counted })
}

// summary counts the verdicts, the best first. The libraries with default settings have a column of
// their own, since nobody gets a cure or another variant by default.
func (p *page) summary() {
	defaults, others := clientverdicts.AsTheyCome(p.rows)
	tallies := clientverdicts.Count(p.rows)
	if len(tallies) == 0 {
		return
	}
	rows := func(of []clientverdicts.Row, v clientverdicts.Verdict) int {
		for _, t := range clientverdicts.Count(of) {
			if t.Verdict == v {
				return t.Rows
			}
		}
		return 0
	}
	p.Print("clients.verdict-come", p.Plural(len(defaults), "clients.libraries"), p.Plural(len(others), "clients.variants-cures"))
	for _, sure := range []bool{true, false} { // inconclusive and unsupported come last
		for _, t := range slices.Backward(tallies) {
			if sure == (t.Verdict.Faulty() || t.Verdict == clientverdicts.Sound) {
				p.Printf("| %s | %d | %d | %s |\n", p.verdict(t.Verdict), rows(defaults, t.Verdict),
					rows(others, t.Verdict), p.Say(meanings[t.Verdict]))
			}
		}
	}
}

// spoken is the summary as text.
func (p *page) spoken() string {
	var out []string
	for _, t := range clientverdicts.Count(p.rows) {
		out = append(out, p.Say("clients.numbered", t.Rows, p.In(t.Verdict.Words())))
	}
	if len(out) == 0 {
		return p.Say("clients.nothing-measured")
	}
	return p.Say("verdict.sentence", p.Language.List(out))
}

// meanings explain the verdicts briefly.
var meanings = map[clientverdicts.Verdict]translations.Phrase{
	clientverdicts.Sound:        "clients.least-five-connections",
	clientverdicts.Stampedes:    "clients.opens-many-more-connections",
	clientverdicts.Loses:        "clients.requests-fail-not-fail",
	clientverdicts.Duplicates:   "clients.backend-executes-request",
	clientverdicts.Hangs:        "clients.calls-never-settle",
	clientverdicts.Crashes:      "clients.program-exits-during-trial",
	clientverdicts.Lies:         "clients.reports-successes-backend",
	clientverdicts.Inconclusive: "clients.too-few-renewals-fails",
	clientverdicts.Unsupported:  "clients.could-not-run-where",
}

// lies warns of clients whose numbers can't be trusted.
func (p *page) lies() {
	rows := p.with(clientverdicts.Lies)
	if len(rows) == 0 {
		return
	}
	p.Heading("clients.lies")
	p.Print("clients.report-more-successes")
	for _, r := range rows {
		p.Print("clients.item", link(r.Client), prose(p.sentence(p.In(r.Reasons[0]))))
	}
}

// notCured lists the cures that didn't work.
func (p *page) notCured() {
	var out []string
	for _, r := range p.rows {
		for _, c := range r.Cures {
			if c.Outcome != clientverdicts.Cured {
				out = append(out, p.Say("clients.for", link(c.Client), link(r.Client), prose(p.sentence(p.In(c.Words)))))
			}
		}
	}
	if len(out) == 0 {
		return
	}
	p.Heading("clients.variants-did-not-cure")
	p.Print("clients.variants-meant-cures-but", strings.Join(out, "\n"))
}

// own lists the clients that fail without the limit too.
func (p *page) own() {
	rows := p.where(func(r *clientverdicts.Row) bool { return r.FailsAnyway })
	if len(rows) == 0 {
		return
	}
	p.Heading("clients.faults-without-limit")
	p.Print("clients.show-some-faults-too", code(high), p.links(clientsOf(rows)))
}

// near lists the rows for which another run may give a different verdict.
func (p *page) near() {
	rows := p.where(func(r *clientverdicts.Row) bool { return len(r.Near) > 0 })
	if len(rows) == 0 {
		return
	}
	p.Heading("clients.near-threshold-2")
	p.Print("clients.number-near-threshold")
	for _, r := range rows {
		p.Print("clients.item", link(r.Client), prose(p.sentence(p.In(facts.Join("join.semicolon", r.Near...)))))
	}
}

// unsupported lists the programs that could not run, with the reason.
func (p *page) unsupported() {
	var reasons []string
	by := map[string][]*clientverdicts.Row{}
	for _, r := range p.where(func(r *clientverdicts.Row) bool { return r.Verdict == clientverdicts.Unsupported }) {
		reason := p.In(facts.Join("join.semicolon", r.Reasons...))
		if by[reason] == nil {
			reasons = append(reasons, reason)
		}
		by[reason] = append(by[reason], r)
	}
	if len(reasons) == 0 {
		return
	}
	p.Heading("page.unsupported-here")
	p.Print("clients.could-not-run-measured")
	for _, reason := range reasons {
		p.Print("clients.item", p.links(clientsOf(by[reason])), escape(reason))
	}
}

// unmeasured lists the rows that have no measurement yet.
func (p *page) unmeasured() {
	if len(p.in.Unmeasured) == 0 {
		return
	}
	p.Heading("clients.not-yet-measured")
	p.Print("clients.no-measurement-yet")
	for _, c := range p.in.Unmeasured {
		p.Print("clients.item", code(string(c.Client)), strings.Join([]string{escape(p.Language.Worded(c.Program.Library)),
			escape(p.Language.Worded(c.Program.Says))}, p.Say("join.semicolon")))
	}
}

// later are the rows that were measured by themselves, after the run whose other rows the page shows.
func (p *page) later() []*clientverdicts.Row {
	return p.where(func(r *clientverdicts.Row) bool {
		return r.High != nil && slices.ContainsFunc(r.High.Trials, func(t facts.Trial) bool {
			return !p.run.Finished.IsZero() && t.Started.After(p.run.Finished)
		})
	})
}

func (p *page) method() {
	p.Heading("page.how-measured")
	p.load()
	p.Print("clients.servers-nginx-keepalive", p.run.Limit, code(p.low), code(high), p.run.Limit, code(p.far))
	if p.byRenewals() {
		p.Print("clients.client-used-up-too", clientverdicts.LowerLimit)
	}
	p.Print("clients.server-counts-connections")
	p.Print("clients.verdict-needs-difference", code(high))
	p.Print("clients.call-hung-if-did")
	p.Print("clients.snippet-code-variant-runs")
	p.Print("clients.trials-every-cell-order",
		p.Plural(p.run.Trials, "page.trials"), p.run.Seed, or(p.tls(), p.Say("clients.unknown-version")),
		or(strings.ToUpper(escape(p.run.Key)), p.Say("verdict.unknown")))
	p.environment()
}

// windows describes the length of the windows.
func (p *page) windows() string {
	if !p.byRenewals() {
		return seconds(p.run.DurationS)
	}
	return p.Say("clients.until-least-connections", clientverdicts.FewestRenewals, seconds(p.run.DurationS))
}

func (p *page) environment() {
	e := p.in.Result.Environment
	p.Printf("| | |\n|:--|:--|\n")
	row := func(name, value string) { p.Printf("| %s | %s |\n", escape(name), value) }
	processors := dash
	if e.Cores > 0 {
		processors = whole(e.Cores)
	}
	row(p.Say("run.processor"), escape(or(e.CPU, dash)))
	row(p.Say("run.cores"), processors)
	row(p.Say("run.system"), escape(or(e.OS, dash)))
	row(p.Say("run.kernel"), escape(or(e.Kernel, dash)))
	commit := dash
	if e.Git.Commit != "" {
		commit = code(e.Git.Commit)
		if e.Git.Dirty {
			commit += p.Say("page.uncommitted-changes")
		}
	}
	row(p.Say("run.commit-lab"), commit)
	for _, name := range slices.Sorted(maps.Keys(e.Versions)) {
		row(name, escape(or(e.Versions[name], dash)))
	}
}

func (p *page) care() {
	p.Heading("clients.limitations")
	trials := p.Say("clients.row-short-window-trial")
	if p.run.Trials > 1 {
		trials = p.Say("clients.row-short-windows", p.run.Trials)
	}
	p.Print("clients.counts-connections-failures", trials)
	if c := p.in.Result.Environment.Cores; c > 0 && c <= 4 {
		p.Print("clients.client-proxy-backend-shared", p.Plural(c, "clients.cores"))
	}
	p.Print("clients.another-version-may-differ")
	p.Print("clients.sound-means-load-byte")
	p.Print("clients.request-failed-without")
}

// terms writes the glossary.
func (p *page) terms() {
	p.Heading("clients.terms")
	p.Print("clients.verdict-2")
	for _, v := range clientverdicts.Verdicts {
		p.Printf("| %s | %s |\n", p.verdict(v), p.Say(meanings[v]))
	}
	p.Print("clients.columns")
	for _, c := range p.columns() {
		p.Printf("| %s | %s |\n", p.Say(c.head), p.Say(c.meaning))
	}
	p.Print("clients.renewal-replacement")
}

// load says what the programs send: a closed loop, or requests at a rate.
func (p *page) load() {
	if p.run.Rate == nil {
		p.Print("clients.all-programs-take-same", whole(p.run.Concurrency), seconds(p.run.WarmupS), p.windows())
		return
	}
	p.Print("clients.all-programs-take-same-flags", whole(int(p.run.Rate.PerS)), seconds(p.run.WarmupS), p.windows())
}

// Warnings apply to the whole run. The page and the terminal print exactly this list before the
// first number.
func Warnings(r *facts.Result) []facts.Text {
	var out []facts.Text
	if r.Run.Interrupted {
		out = append(out, facts.T("lab.interrupted"))
	}
	return append(append(out, r.Run.Warnings...), late(r)...)
}

// late warns of load generators that fell behind their schedule.
func late(r *facts.Result) []facts.Text {
	behind, trials, most := 0, 0, 0.0
	for i := range r.Cells {
		which, worst := core.LateTrials(&r.Cells[i])
		behind, trials, most = behind+len(which), trials+len(r.Cells[i].Trials), max(most, worst)
	}
	if behind == 0 {
		return nil
	}
	return []facts.Text{facts.T("lab.generators-late", fmt.Sprint(behind), fmt.Sprint(trials), text.Measured(most))}
}
