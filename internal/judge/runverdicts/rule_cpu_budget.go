package runverdicts

import (
	"fmt"
	"math"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// budgetSlack is how much a budget may differ after rounding: the kernel's period and quota are
// whole microseconds.
const budgetSlack = 0.01

var cpuBudget = Rule{
	ID:        "cpu-budget",
	Title:     facts.T("rule.cpu-budget"),
	Reference: "kernel cgroup v2 cpu.max, cgroup v1 cpu.cfs_quota_us; the original demonstration gave each server 0.5",
	Care:      facts.T("rule.cpu-budget-care"),
	Commands:  []string{repro, fixed, matrix},
	Group:     core.Trust,
	Good:      facts.Reproduced,
	Judge: func(f runFacts) finding {
		asked, servers := f.Result.Run.CPUs, f.Result.Environment.Servers
		a := finding{Status: facts.Reproduced, Expected: facts.T("verdict.every-servers-budget-as"),
			Evidence: f.Evidence(core.InResults + "/run/cpus")}
		var unlimited []string
		var other []facts.Text
		budgeted := 0
		for i, s := range servers {
			if core.Application(f.Result, s.Name) {
				continue
			}
			budgeted++
			a.Evidence = append(a.Evidence, f.Evidence(fmt.Sprintf(core.InResults+"/environment/servers/%d/cpus", i))...)
			switch {
			case s.CPUs == nil && asked != nil:
				unlimited = append(unlimited, s.Name)
			case s.CPUs != nil && (asked == nil || math.Abs(*s.CPUs-*asked) > budgetSlack):
				other = append(other, facts.T("verdict.has", s.Name, fmt.Sprint(*s.CPUs)))
			}
		}
		switch {
		case budgeted == 0:
			a.Status, a.Actual, a.Next = facts.Inconclusive, facts.T("verdict.no-servers-budget-recorded"),
				facts.T("verdict.run-command-again")
		case unlimited != nil || other != nil:
			a.Status = facts.NotReproduced
			text := facts.Join("join.list", other...)
			if unlimited != nil {
				text = facts.Join("join.semicolon", facts.T("verdict.unlimited", core.List(unlimited)), text)
			}
			a.Actual = facts.T("verdict.cpus-requested", f.budgetWord(asked), text)
			a.Warnings = []facts.Text{a.Actual}
			a.Next = facts.T("verdict.run-where-h2lab-may")
		default:
			a.Actual = facts.T("verdict.cpus-all-servers", f.budgetWord(asked), budgeted)
		}
		return a
	},
}

func (f runFacts) budgetWord(p *float64) facts.Text {
	if p == nil {
		return facts.T("verdict.none")
	}
	return facts.Verbatim(fmt.Sprint(*p))
}
