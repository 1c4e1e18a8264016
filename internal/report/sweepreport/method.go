package sweepreport

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/report/parts"
)

//go:embed text/*.md text/zh/*.md
var texts embed.FS

// glossary explains the measures of the run's sweeps, each once.
func (p *sheet) glossary() {
	if len(p.tables) == 0 {
		return
	}
	p.Heading("page.columns")
	p.Print("run.column-meaning")
	var seen []string
	for _, t := range p.tables {
		for _, m := range append(slices.Clone(t.Measures), sweepverdicts.Goodput, sweepverdicts.Accepted,
			sweepverdicts.Expected) {
			if !slices.Contains(seen, m.ID) {
				seen = append(seen, m.ID)
				p.Printf("| %s | %s |\n", p.In(m.Head), p.In(m.Meaning))
			}
		}
	}
	p.Printf("\n")
	if core.HasHistograms(p.Result) {
		p.Print("run.percentiles-latency-all")
	}
}

// method says how the run was measured.
func (p *sheet) method() {
	p.Heading("page.how-measured")
	var cells []*facts.Cell
	var w facts.Workload
	for _, t := range p.tables {
		for _, c := range t.Cells() {
			if cells = append(cells, c); w.MaxTLS == "" {
				w = c.Workload
			}
		}
	}
	p.Prose(texts, "method.md", map[string]any{"Trials": p.Plural(p.run.Trials, "page.trials"),
		"Seed": fmt.Sprint(p.run.Seed), "Limits": p.Limits(cells), "TLS": p.TLS(w, cells), "Budget": p.Budget(),
		"Low": parts.Code(p.lowName()), "High": parts.Code(sweepverdicts.High)})
}

func (p *sheet) lowName() string {
	if len(p.tables) == 0 {
		return fmt.Sprintf("nginx-%d", p.run.Limit)
	}
	return p.tables[0].Low()
}

// settings lists what each service reported about itself.
func (p *sheet) settings() {
	of := map[string]map[string]string{}
	for i := range p.Result.Cells {
		for _, t := range p.Result.Cells[i].Trials {
			if t.Service != nil && len(t.Service.Settings) > 0 {
				of[string(p.Result.Cells[i].Client)] = t.Service.Settings
			}
		}
	}
	if len(of) == 0 {
		return
	}
	p.Printf("\n### %s\n\n", p.Say("sweep.services-settings"))
	p.Print("sweep.service-settings")
	for _, name := range slices.Sorted(maps.Keys(of)) {
		var all []string
		for _, k := range slices.Sorted(maps.Keys(of[name])) {
			all = append(all, parts.Code(k+"="+of[name][k]))
		}
		p.Printf("| %s | %s |\n", parts.Code(name), strings.Join(all, " "))
	}
}
