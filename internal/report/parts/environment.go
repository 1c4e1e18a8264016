package parts

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// Environment writes the section of the machine, the programs and the servers.
func (p *Page) Environment() {
	p.Heading("page.environment-versions")
	p.Machine()
	p.servers(p.Result.Environment.Servers)
}

// Machine writes the table of the machine and the programs, without one of its lines.
func (p *Page) Machine(without ...string) {
	e := p.Result.Environment
	known := func(v int64, unit string) string {
		if v == 0 {
			return Dash
		}
		return text.Count(v) + unit
	}
	commit := Code(e.Git.Commit)
	if e.Git.Dirty {
		commit += p.Say("page.uncommitted-changes")
	}
	lab := Dash
	if e.LabMaxRSSMB != nil {
		lab = Number(e.LabMaxRSSMB) + " MB"
	}
	p.Printf("| | |\n|:--|:--|\n")
	for _, l := range []struct {
		name  string
		value string
	}{{"run.processor", Escape(Or(e.CPU, Dash))}, {"run.cores", known(int64(e.Cores), "")}, {"run.memory", known(e.MemoryMB, " MB")},
		{"run.system", Escape(Or(e.OS, Dash))}, {"run.kernel", Escape(Or(e.Kernel, Dash))}, {"run.commit-lab", commit},
		{"run.peak-memory-h2lab", lab}} {
		if !slices.Contains(without, l.name) {
			p.Printf("| %s | %s |\n", p.Say(l.name), l.value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Versions)) {
		p.Printf("| %s | %s |\n", Escape(name), Escape(Or(e.Versions[name], Dash)))
	}
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

// LateTrials returns the note of trials whose load generator fell behind its schedule, for the numbers
// of a cell; none without such a trial.
func (p *Page) LateTrials(c *facts.Cell) []string {
	which, worst := core.LateTrials(c)
	switch {
	case which == nil:
		return nil
	case len(which) == len(c.Trials):
		return []string{p.Say("run.every-trial-load-generator", text.Measured(worst))}
	}
	return []string{p.Say("run.trial-load-generator-fell", p.Language.List(which), text.Measured(worst))}
}

// Unsent returns the note of requests that were never sent because as many as allowed were in flight;
// empty without any.
func (p *Page) Unsent(c *facts.Cell) string {
	left, due := core.Unsent(c)
	if left == 0 {
		return ""
	}
	return p.Say("run.requests-due-never-sent", text.Count(left), text.Count(due))
}

// Limits returns the probed limits of each topology, in order.
func (p *Page) Limits(cells []*facts.Cell) string {
	var out []string
	for _, r := range cells {
		effective := p.Say("page.limit-not-reached")
		switch l := r.Limit; {
		case !r.Unsupported.IsZero():
			continue
		case l.Effective != nil:
			effective = p.Say("verdict.requests", text.Count(*l.Effective))
			if l.Closing != "" {
				effective += p.Say("page.then", Escape(l.Closing))
			}
		case l.ProbedRequests == 0:
			effective = p.Say("page.not-probed")
		default:
			effective += p.Say("page.requests", text.Count(l.ProbedRequests))
		}
		s := p.Say("page.over", Code(r.Topology), Escape(string(r.Protocol)), effective)
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return Or(strings.Join(out, p.Say("join.semicolon")), p.Say("page.nothing-probed"))
}

// WrongLimits are topologies whose probed limit is not the configured one.
func (p *Page) WrongLimits() (out []string) {
	for i := range p.Result.Cells {
		c := &p.Result.Cells[i]
		l := c.Limit
		if len(c.Trials) == 0 || l.Configured == nil || l.Effective == nil || *l.Configured == *l.Effective {
			continue
		}
		w := p.Say("run.over-requests-connection", c.Topology,
			string(c.Protocol), fmt.Sprint(*l.Configured), fmt.Sprint(*l.Effective))
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// TLSVersions returns the negotiated versions of all trials.
func (p *Page) TLSVersions(cells []*facts.Cell) string {
	var seen []string
	for _, r := range cells {
		for _, t := range r.Trials {
			if v := t.TLS.Version; v != "" && !slices.Contains(seen, Escape(v)) {
				seen = append(seen, Escape(v))
			}
		}
	}
	slices.Sort(seen)
	return Or(strings.Join(seen, p.Say("join.and")), Dash)
}

// TLS describes what was negotiated, with the resumed sessions.
func (p *Page) TLS(w facts.Workload, cells []*facts.Cell) string {
	var resumed, known int64
	for _, r := range cells {
		for _, t := range r.Trials {
			if t.TLS.Resumed != nil {
				known++
				resumed += *t.TLS.Resumed
			}
		}
	}
	s := p.Say("page.negotiated-clients-offer-up", p.TLSVersions(cells), Escape(Or(w.MaxTLS, Dash)))
	if known > 0 {
		s += p.Say("page.resumed-far-clients-report", p.Plural(int(resumed), "page.sessions"))
	}
	return s
}

// Order lists the trials in the order of measurement, a line for each round.
func (p *Page) Order() {
	type turn struct {
		round, order int
		id           string
	}
	var turns []turn
	for i := range p.Result.Cells {
		c := &p.Result.Cells[i]
		for _, t := range c.Trials {
			turns = append(turns, turn{t.Index, t.Order, Code(c.ID())})
		}
	}
	if len(turns) == 0 {
		return
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return a.order - b.order })
	p.Printf("\n<details><summary>%s</summary>\n\n", p.Say("page.order-trials"))
	for i, t := range turns {
		switch {
		case i == 0:
			p.Print("page.round", t.round)
		case t.round != turns[i-1].round:
			p.Printf("\n")
			p.Print("page.round", t.round)
		default:
			p.Print("join.list")
		}
		p.Printf("%s", t.id)
	}
	p.Printf("\n\n</details>\n")
}

// Unmeasured are the cells that a reason kept from being measured.
type Unmeasured struct {
	Why   string
	Cells []string
}

// Missing returns the cells without all their trials, the trials that failed, and the cells that could not be
// measured, by their reasons in the order of the first.
func (p *Page) Missing() (missing []string, unmeasured []Unmeasured) {
	r := p.Result
	present, at := map[string]bool{}, map[string]int{}
	for i := range r.Cells {
		c := &r.Cells[i]
		present[c.ID()] = true
		switch n := len(c.Trials); {
		case !c.Unsupported.IsZero():
			why := p.In(core.Unmeasured(c))
			if _, known := at[why]; !known {
				at[why] = len(unmeasured)
				unmeasured = append(unmeasured, Unmeasured{Why: why})
			}
			u := &unmeasured[at[why]]
			u.Cells = append(u.Cells, c.ID())
		case n < r.Run.Trials:
			missing = append(missing, p.Say("page.has-of", c.ID(), text.Count(n), p.Plural(r.Run.Trials, "page.trials")))
		}
		for _, t := range c.Trials {
			if t.Fault != nil {
				missing = append(missing, p.Say("sweep.trial-failed", text.Count(t.Index), c.ID(), t.Fault.Message))
			}
		}
	}
	return append(missing, p.absent(present)...), unmeasured
}

// absent are the planned cells that the result doesn't have.
func (p *Page) absent(present map[string]bool) (out []string) {
	for _, id := range p.Result.Run.Planned {
		if !present[id] {
			out = append(out, p.Say("page.planned-missing", id))
		}
	}
	return out
}

// SweepGaps lists what is missing, with its reason.
func (p *Page) SweepGaps(missing []string, unmeasured []Unmeasured) {
	if len(missing)+len(unmeasured) == 0 {
		return
	}
	p.Heading("page.missing")
	for _, m := range missing {
		p.Printf("- %s\n", Escape(m))
	}
	for _, u := range unmeasured {
		p.Printf("- %s\n", Escape(p.Say("sweep.not-measured-reason", p.Language.List(u.Cells), u.Why)))
	}
}

// Incomplete is the warning of cells that are missing; the section Missing lists them.
func (p *Page) Incomplete(missing []string) []string {
	if len(missing) == 0 {
		return nil
	}
	return []string{p.Say("sweep.planned-cells-incomplete", text.Count(len(missing)), text.Count(p.planned()))}
}

// planned is how many cells the run was to have.
func (p *Page) planned() int { return max(len(p.Result.Run.Planned), len(p.Result.Cells)) }

// Settings lists what each service reported about itself, without the flag that names it: first what all of them have.
func (p *Page) Settings() {
	of, having := map[string][]string{}, map[string]int{}
	for _, c := range p.Cells() {
		for _, t := range c.Trials {
			if name := string(c.Client); t.Service != nil && len(t.Service.Settings) > 0 && of[name] == nil {
				for _, k := range slices.Sorted(maps.Keys(t.Service.Settings)) {
					value := strings.Replace(t.Service.Settings[k], " -Dh2lab.service="+name, "", 1)
					of[name] = append(of[name], Code(k+"="+value))
					having[Code(k+"="+value)]++
				}
			}
		}
	}
	if len(of) == 0 {
		return
	}
	p.Printf("\n### %s\n\n", p.Say("sweep.services-settings"))
	for _, setting := range slices.Sorted(maps.Keys(having)) {
		if having[setting] == len(of) {
			p.Printf("- %s\n", setting)
		}
	}
	p.Printf("\n")
	g := Grid{Heads: p.Says("sweep.service-head", "sweep.settings-head")}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		own := slices.DeleteFunc(of[name], func(setting string) bool { return having[setting] == len(of) })
		g.Add(Plain(Code(name), Or(strings.Join(own, " "), Dash))...)
	}
	p.Table(g)
}
