package clientreport

import (
	"maps"
	"slices"
	"strings"

	"h2lab/internal/judge/clientverdicts"
)

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
