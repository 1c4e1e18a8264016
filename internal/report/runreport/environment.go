package runreport

import (
	"maps"
	"slices"

	"h2lab/internal/facts"
	"h2lab/internal/report/translations"
)

func (p *page) environment() {
	p.heading("Environment and versions")
	e := p.in.Result.Environment
	memory := dash
	if e.MemoryMB > 0 {
		memory = integer(e.MemoryMB) + " MB"
	}
	cores := dash
	if e.Cores > 0 {
		cores = integer(e.Cores)
	}
	commit := dash
	if e.Git.Commit != "" {
		commit = code(e.Git.Commit)
		if e.Git.Dirty {
			commit += p.say(", with uncommitted changes")
		}
	}
	memoryOfLab := dash
	if e.LabMaxRSSMB != nil {
		memoryOfLab = number(e.LabMaxRSSMB) + " MB"
	}
	p.printf("| | |\n|:--|:--|\n")
	for _, l := range []struct {
		name  translations.Phrase
		value string
	}{{"Processor", escape(or(e.CPU, dash))}, {"Cores", cores}, {"Memory", memory},
		{"System", escape(or(e.OS, dash))}, {"Kernel", escape(or(e.Kernel, dash))}, {"Commit of the lab", commit},
		{"Peak memory of h2lab", memoryOfLab}} {
		p.printf("| %s | %s |\n", p.say(l.name), l.value)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Versions)) {
		p.printf("| %s | %s |\n", escape(name), escape(or(e.Versions[name], dash)))
	}
	p.servers(e.Servers)
}

// servers writes the table of the servers' versions and hashes. Hashes are cut to 12 digits;
// results.json has the whole ones.
func (p *page) servers(servers []facts.ServerRecord) {
	p.printf("\n### %s\n\n", p.say("The servers"))
	if len(servers) == 0 {
		p.printPhrase("The servers' configurations were not recorded.\n")
		return
	}
	asked := p.budgetOf(p.run.CPUs)
	p.printPhrase("Processors requested for each: %s. Configurations are listed with the first digits of their SHA-256; "+
		"what each server reported about its configuration is in the run's directory.\n\n", asked)
	p.printPhrase("| Server | Version | Configuration | SHA-256 | As reported by the server | SHA-256 | Processors read " +
		"back |\n|:--|:--|:--|:--|:--|:--|--:|\n")
	for _, s := range servers {
		back := p.budgetOf(s.CPUs)
		if back != asked {
			back += p.notes.ref(p.say("server %s: %s processors were requested, %s was read back", s.Name, asked, back))
		}
		p.printf("| %s | %s | %s | %s | %s | %s | %s |\n", code(s.Name), escape(or(s.Version, dash)), code(s.Config),
			short(s.ConfigHash),
			code(s.Effective), short(s.EffectiveHash), back)
	}
}

func short(hash string) string {
	if len(hash) > 12 {
		hash = hash[:12]
	}
	return code(hash)
}
