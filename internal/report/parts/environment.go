package parts

import (
	"maps"
	"slices"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/report/translations"
)

// Environment writes the section of the machine, the programs and the servers.
func (p *Page) Environment() {
	p.Heading("page.environment-versions")
	e := p.Result.Environment
	memory := Dash
	if e.MemoryMB > 0 {
		memory = text.Count(e.MemoryMB) + " MB"
	}
	cores := Dash
	if e.Cores > 0 {
		cores = text.Count(e.Cores)
	}
	commit := Dash
	if e.Git.Commit != "" {
		commit = Code(e.Git.Commit)
		if e.Git.Dirty {
			commit += p.Say("page.uncommitted-changes")
		}
	}
	memoryOfLab := Dash
	if e.LabMaxRSSMB != nil {
		memoryOfLab = Number(e.LabMaxRSSMB) + " MB"
	}
	p.Printf("| | |\n|:--|:--|\n")
	for _, l := range []struct {
		name  translations.Phrase
		value string
	}{{"run.processor", Escape(Or(e.CPU, Dash))}, {"run.cores", cores}, {"run.memory", memory},
		{"run.system", Escape(Or(e.OS, Dash))}, {"run.kernel", Escape(Or(e.Kernel, Dash))}, {"run.commit-lab", commit},
		{"run.peak-memory-h2lab", memoryOfLab}} {
		p.Printf("| %s | %s |\n", p.Say(l.name), l.value)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Versions)) {
		p.Printf("| %s | %s |\n", Escape(name), Escape(Or(e.Versions[name], Dash)))
	}
	p.servers(e.Servers)
}

// servers writes the table of the servers' versions and hashes. Hashes are cut to 12 digits;
// results.json has the whole ones.
func (p *Page) servers(servers []facts.ServerRecord) {
	p.Printf("\n### %s\n\n", p.Say("page.servers"))
	if len(servers) == 0 {
		p.Print("page.servers-configurations-not")
		return
	}
	asked := p.BudgetOf(p.Result.Run.CPUs)
	p.Print("page.processors-requested", asked)
	p.Print("run.server-version")
	for _, s := range servers {
		back := p.BudgetOf(s.CPUs)
		if back != asked && !core.Application(p.Result, s.Name) {
			back += p.Notes.Ref(p.Say("page.server-processors-requested", s.Name, asked, back))
		}
		p.Printf("| %s | %s | %s | %s | %s | %s | %s |\n", Code(s.Name), Escape(Or(s.Version, Dash)), Code(s.Config),
			short(s.ConfigHash),
			Code(s.Effective), short(s.EffectiveHash), back)
	}
}

func short(hash string) string {
	if len(hash) > 12 {
		hash = hash[:12]
	}
	return Code(hash)
}

// BudgetOf writes a server's CPU budget.
func (p *Page) BudgetOf(cpus *float64) string {
	if cpus == nil {
		return p.Say("page.unlimited")
	}
	return Number(cpus)
}

// Budget describes the servers' CPU budget, as read back.
func (p *Page) Budget() string {
	asked := p.Say("page.none-requested")
	if p.Result.Run.CPUs != nil {
		asked = p.Say("page.requested", Number(p.Result.Run.CPUs))
	}
	values := map[string]bool{}
	for _, s := range p.Result.Environment.Servers {
		if !core.Application(p.Result, s.Name) {
			values[p.BudgetOf(s.CPUs)] = true
		}
	}
	if len(values) != 1 {
		return p.Say("page.read-back-below", asked)
	}
	for v := range values {
		return p.Say("page.read-back", asked, v)
	}
	return asked
}
