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
	Title:     "Each server had the requested processor budget",
	Reference: "kernel cgroup v2 cpu.max, cgroup v1 cpu.cfs_quota_us; the original demonstration gave each server 0.5",
	Care:      "The budget decides whether handshakes cost throughput: a proxy with a spare core hides them.",
	Commands:  []string{repro, fixed, matrix},
	Group:     core.Trust,
	Good:      facts.Reproduced,
	Judge: func(f runFacts) finding {
		asked, servers := f.Result.Run.CPUs, f.Result.Environment.Servers
		a := finding{Status: facts.Reproduced, Expected: f.Say("every server's budget as read back = CPUS"),
			Evidence: f.Evidence(core.InResults + "/run/cpus")}
		var unlimited, other []string
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
				other = append(other, f.Say("%s has %g", s.Name, *s.CPUs))
			}
		}
		switch {
		case budgeted == 0:
			a.Status, a.Actual, a.Next = facts.Inconclusive, f.Say("no server's budget is recorded"),
				f.Say("Run the command again.")
		case unlimited != nil || other != nil:
			a.Status = facts.NotReproduced
			text := f.List(other)
			if unlimited != nil {
				text = f.Sentence(f.Say("unlimited: %s", f.List(unlimited)), text)
			}
			a.Actual = f.Say("CPUS=%s was requested; %s", f.budgetWord(asked), text)
			a.Warnings = []string{a.Actual}
			a.Next = f.Say("Run where h2lab may write to the cpu cgroup (as root, or with RUNTIME=docker), or " +
				"set CPUS=none.")
		default:
			a.Actual = f.Say("CPUS=%s on all %d servers", f.budgetWord(asked), budgeted)
		}
		return a
	},
}

func (f runFacts) budgetWord(p *float64) string {
	if p == nil {
		return f.Say("none")
	}
	return fmt.Sprintf("%g", *p)
}
