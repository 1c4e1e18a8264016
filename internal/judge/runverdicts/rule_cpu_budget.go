package runverdicts

import (
	"fmt"
	"math"

	"h2lab/internal/facts"
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
	Group:     Trust,
	Good:      facts.Reproduced,
	judge: func(f runFacts) finding {
		asked, servers := f.run.Run.CPUs, f.run.Environment.Servers
		a := finding{status: facts.Reproduced, expected: f.say("every server's budget as read back = CPUS"),
			evidence: f.see(inResults + "/run/cpus")}
		var unlimited, other []string
		for i, s := range servers {
			a.evidence = append(a.evidence, f.see(fmt.Sprintf(inResults+"/environment/servers/%d/cpus", i))...)
			switch {
			case s.CPUs == nil && asked != nil:
				unlimited = append(unlimited, s.Name)
			case s.CPUs != nil && (asked == nil || math.Abs(*s.CPUs-*asked) > budgetSlack):
				other = append(other, f.say("%s has %g", s.Name, *s.CPUs))
			}
		}
		switch {
		case len(servers) == 0:
			a.status, a.actual, a.next = facts.Inconclusive, f.say("no server's budget is recorded"),
				f.say("Run the command again.")
		case unlimited != nil || other != nil:
			a.status = facts.NotReproduced
			text := f.list(other)
			if unlimited != nil {
				text = f.sentence(f.say("unlimited: %s", f.list(unlimited)), text)
			}
			a.actual = f.say("CPUS=%s was requested; %s", f.budgetWord(asked), text)
			a.warnings = []string{a.actual}
			a.next = f.say("Run where h2lab may write to the cpu cgroup (as root, or with RUNTIME=docker), or " +
				"set CPUS=none.")
		default:
			a.actual = f.say("CPUS=%s on all %d servers", f.budgetWord(asked), len(servers))
		}
		return a
	},
}

func (f runFacts) budgetWord(p *float64) string {
	if p == nil {
		return f.say("none")
	}
	return fmt.Sprintf("%g", *p)
}
