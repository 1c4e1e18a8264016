// Package clientreport writes the page of the client matrix: clients.md for people, clients.json
// for tools, and the chart of the field. It uses no network, clock or file, and writes the same
// bytes for the same input.
//
// Every section is a file of its own, called by guide.go in the order of the page. Package
// clientverdicts decides the verdicts; this package judges nothing.
package clientreport

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/parts"
)

// Build returns the page, its chart, and with the English page clients.json, by their names beside results.json.
func Build(in parts.Input) (parts.Built, error) {
	p := newPage(in)
	built, err := p.Build(p.top, p.find, p.matrix, p.libraries, p.lies, p.notCured, p.own, p.near, p.unsupported, p.unmeasured,
		p.method, p.care, p.terms)
	if err == nil && !p.Translated() {
		built.Files["clients.json"], err = p.json()
	}
	return built, err
}

// page is the page while it is written.
type page struct {
	parts.Page
	rows []clientverdicts.Row
	at   map[facts.Client]*clientverdicts.Row
	low  string // the topology with the low limit
	far  string // Envoy's with the same limit
}

// high is the topology whose limit no window reaches.
const high = "nginx-100000"

func newPage(in parts.Input) *page {
	p := &page{Page: parts.New("clients", in), at: map[facts.Client]*clientverdicts.Row{}}
	p.rows = clientverdicts.Rows(p.Result)
	p.low, p.far = fmt.Sprintf("nginx-%d", p.Run.Limit), fmt.Sprintf("envoy-%d", p.Run.Limit)
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

// top writes the first screen: what was measured, the picture, the tallies.
func (p *page) top() {
	p.Print("clients.how-http-clients-behave")
	p.Printf("%s\n\n%s\n\n", p.what(), p.circumstances())
	p.Print("clients.repeat-run", code(or(p.Run.Repeat, "make clients")), code(or(p.Run.ID, "unknown")), p.when())
	for _, w := range p.Language.AllIn(Warnings(p.Result)) {
		p.Print("clients.note", escape(w))
	}
	if rows := p.later(); len(rows) > 0 {
		p.Print("clients.note", p.Say("clients.measured-later", p.links(clientsOf(rows))))
	}
	p.AboutLanguage()
	p.summary()
	if len(p.rows) > 0 {
		p.Print("clients.find-your-error-message-find")
	}
	p.Printf("\n")
	p.Chart("clients", p.Say("clients.chart-every-client-accepted", p.spoken()), p.field())
}

// what describes in one sentence what was measured and how.
func (p *page) what() string {
	measured := p.where(func(r *clientverdicts.Row) bool { return r.At != nil })
	if len(measured) == 0 {
		return p.Say("clients.no-client-program-measured")
	}
	w, ok := p.workload()
	load := p.Say("clients.requests-flight", whole(p.Run.Concurrency))
	if ok {
		load = p.Say("clients.requests-flight-body", whole(w.Concurrency), escape(w.Method),
			p.Plural(w.BodyBytes, "page.bytes"))
	}
	if ok && p.Run.Rate != nil {
		load = p.Say("clients.requests-second-body", whole(int(p.Run.Rate.PerS)), escape(w.Method),
			p.Plural(w.BodyBytes, "page.bytes"))
	}
	return p.Say("clients.kept-ordinary-client-object",
		p.Plural(len(measured), "clients.client-programs"), load, p.lasting(), p.Run.Limit, whole(p.Run.Limit))
}

// circumstances lists the versions, TLS, the machine and the seed.
func (p *page) circumstances() string {
	e := p.Result.Environment
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
	if p.Run.CPUs != nil {
		out = append(out, p.Say("clients.processor-server", strconv.FormatFloat(*p.Run.CPUs, 'g', 3, 64)))
	}
	out = append(out, p.Say("clients.seed", p.Run.Seed))
	return strings.Join(out, " · ")
}

// tls lists the negotiated versions; empty without any.
func (p *page) tls() string { return strings.TrimPrefix(p.TLSVersions(p.Cells()), dash) }

func (p *page) workload() (facts.Workload, bool) {
	for _, r := range p.rows {
		if r.Low != nil {
			return r.Low.Workload, true
		}
	}
	return facts.Workload{}, false
}

func (p *page) when() string {
	if p.Run.Started.IsZero() {
		return p.Say("clients.date-unknown")
	}
	return p.Run.Started.UTC().Format("2006-01-02 15:04 UTC")
}

// lasting describes the length of a window. Runs recorded before windows were measured in renewals
// had one length.
func (p *page) lasting() string {
	if p.byRenewals() {
		return p.Say("clients.until-least-connections-renewed", clientverdicts.FewestRenewals)
	}
	return p.Say("clients.for-2", seconds(p.Run.DurationS))
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
var meanings = map[clientverdicts.Verdict]string{
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
	if len(p.Unmeasured) == 0 {
		return
	}
	p.Heading("clients.not-yet-measured")
	p.Print("clients.no-measurement-yet")
	for _, c := range p.Unmeasured {
		p.Print("clients.item", code(string(c.Client)), strings.Join([]string{escape(p.Worded(c.Program.Library)),
			escape(p.Worded(c.Program.Says))}, p.Say("join.semicolon")))
	}
}

// later are the rows that were measured by themselves, after the run whose other rows the page shows.
func (p *page) later() []*clientverdicts.Row {
	return p.where(func(r *clientverdicts.Row) bool {
		return r.High != nil && slices.ContainsFunc(r.High.Trials, func(t facts.Trial) bool {
			return !p.Run.Finished.IsZero() && t.Started.After(p.Run.Finished)
		})
	})
}

func (p *page) method() {
	p.Heading("page.how-measured")
	p.load()
	p.Print("clients.servers-nginx-keepalive", p.Run.Limit, code(p.low), code(high), p.Run.Limit, code(p.far))
	if p.byRenewals() {
		p.Print("clients.client-used-up-too", clientverdicts.LowerLimit)
	}
	p.Print("clients.server-counts-connections")
	p.Print("clients.verdict-needs-difference", code(high))
	p.Print("clients.call-hung-if-did")
	p.Print("clients.snippet-code-variant-runs")
	p.Print("clients.trials-every-cell-order",
		p.Plural(p.Run.Trials, "page.trials"), p.Run.Seed, or(p.tls(), p.Say("clients.unknown-version")),
		or(strings.ToUpper(escape(p.Run.Key)), p.Say("verdict.unknown")))
	p.Machine("run.memory", "run.peak-memory-h2lab")
}

// windows describes the length of the windows.
func (p *page) windows() string {
	if !p.byRenewals() {
		return seconds(p.Run.DurationS)
	}
	return p.Say("clients.until-least-connections", clientverdicts.FewestRenewals, seconds(p.Run.DurationS))
}

func (p *page) care() {
	p.Heading("clients.limitations")
	trials := p.Say("clients.row-short-window-trial")
	if p.Run.Trials > 1 {
		trials = p.Say("clients.row-short-windows", p.Run.Trials)
	}
	p.Print("clients.counts-connections-failures", trials)
	if c := p.Result.Environment.Cores; c > 0 && c <= 4 {
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
	parts.Explain(&p.Page, p.columns()...)
	p.Print("clients.renewal-replacement")
}

// load says what the programs send: a closed loop, or requests at a rate.
func (p *page) load() {
	if p.Run.Rate == nil {
		p.Print("clients.all-programs-take-same", whole(p.Run.Concurrency), seconds(p.Run.WarmupS), p.windows())
		return
	}
	p.Print("clients.all-programs-take-same-flags", whole(int(p.Run.Rate.PerS)), seconds(p.Run.WarmupS), p.windows())
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
