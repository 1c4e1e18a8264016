package clientreport

import (
	"slices"
	"strconv"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/report/parts"
	"h2lab/internal/report/translations"
)

// top writes the first screen: what was measured, the picture, the tallies.
func (p *page) top() {
	p.Print("clients.how-http-clients-behave")
	p.Printf("%s\n\n%s\n\n", p.what(), p.circumstances())
	p.Print("clients.repeat-run", code(or(p.run.Repeat, "make clients")), code(or(p.run.ID, "unknown")), p.when())
	for _, w := range p.Language.Recorded(Warnings(p.in.Result)) {
		p.Print("clients.note", escape(w))
	}
	p.AboutLanguage(parts.Or(p.in.English, Name(translations.English)), "clients.json")
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
