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
	p.Heading("Environment and versions")
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
			commit += p.Say(", with uncommitted changes")
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
	}{{"Processor", Escape(Or(e.CPU, Dash))}, {"Cores", cores}, {"Memory", memory},
		{"System", Escape(Or(e.OS, Dash))}, {"Kernel", Escape(Or(e.Kernel, Dash))}, {"Commit of the lab", commit},
		{"Peak memory of h2lab", memoryOfLab}} {
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
	p.Printf("\n### %s\n\n", p.Say("The servers"))
	if len(servers) == 0 {
		p.PrintPhrase("The servers' configurations were not recorded.\n")
		return
	}
	asked := p.BudgetOf(p.Result.Run.CPUs)
	p.PrintPhrase("Processors requested for each: %s. Configurations are listed with the first digits of their SHA-256; "+
		"what each server reported about its configuration is in the run's directory.\n\n", asked)
	p.PrintPhrase("| Server | Version | Configuration | SHA-256 | As reported by the server | SHA-256 | Processors read " +
		"back |\n|:--|:--|:--|:--|:--|:--|--:|\n")
	for _, s := range servers {
		back := p.BudgetOf(s.CPUs)
		if back != asked && !core.Application(p.Result, s.Name) {
			back += p.Notes.Ref(p.Say("server %s: %s processors were requested, %s was read back", s.Name, asked, back))
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
		return p.Say("unlimited")
	}
	return Number(cpus)
}

// Budget describes the servers' CPU budget, as read back.
func (p *Page) Budget() string {
	asked := p.Say("none was requested")
	if p.Result.Run.CPUs != nil {
		asked = p.Say("%s was requested", Number(p.Result.Run.CPUs))
	}
	values := map[string]bool{}
	for _, s := range p.Result.Environment.Servers {
		if !core.Application(p.Result, s.Name) {
			values[p.BudgetOf(s.CPUs)] = true
		}
	}
	if len(values) != 1 {
		return p.Say("%s (read back below)", asked)
	}
	for v := range values {
		return p.Say("%s and %s was read back", asked, v)
	}
	return asked
}
