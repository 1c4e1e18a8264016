package report

import (
	"maps"
	"slices"

	"h2lab/internal/lab"
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
			commit += ", with changes that are not committed"
		}
	}
	lab := dash
	if e.LabMaxRSSMB != nil {
		lab = number(e.LabMaxRSSMB) + " MB"
	}
	p.printf("| | |\n|:--|:--|\n")
	for _, l := range [][2]string{{"Processor", escape(or(e.CPU, dash))}, {"Cores", cores}, {"Memory", memory},
		{"System", escape(or(e.OS, dash))}, {"Kernel", escape(or(e.Kernel, dash))}, {"Commit of the lab", commit}, {"h2lab's own memory, at most", lab}} {
		p.printf("| %s | %s |\n", l[0], l[1])
	}
	for _, name := range slices.Sorted(maps.Keys(e.Versions)) {
		p.printf("| %s | %s |\n", escape(name), escape(or(e.Versions[name], dash)))
	}
	p.servers(e.Servers)
}

// servers is the table of what each ran with. Hashes are cut to twelve digits;
// the whole ones are in results.json.
func (p *page) servers(servers []lab.ServerRecord) {
	p.printf("\n### The servers\n\n")
	if len(servers) == 0 {
		p.printf("What the servers ran with was not recorded.\n")
		return
	}
	asked := budgetOf(p.run.CPUs)
	p.printf("Processors asked for each: %s. Configurations are named with the first digits of their SHA-256; the server's own account of what it read is kept beside `results.json`.\n\n", asked)
	p.printf("| Server | Version | Configuration | SHA-256 | Own account | SHA-256 | Processors read back |\n|:--|:--|:--|:--|:--|:--|--:|\n")
	for _, s := range servers {
		back := budgetOf(s.CPUs)
		if back != asked {
			back += p.notes.ref("server " + s.Name + ": " + asked + " processors were asked for, " + back + " was read back")
		}
		p.printf("| %s | %s | %s | %s | %s | %s | %s |\n", code(s.Name), escape(or(s.Version, dash)), code(s.Config), short(s.ConfigHash),
			code(s.Effective), short(s.EffectiveHash), back)
	}
}

func short(hash string) string {
	if len(hash) > 12 {
		hash = hash[:12]
	}
	return code(hash)
}
