package runverdicts

import (
	"fmt"

	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

const (
	// jsFull is the share of one core from which k6 may be the bottleneck: a VU's JavaScript runs
	// on one thread, so one VU can't use more than one core.
	jsFull = 0.95
)

var machineTrust = Rule{
	ID:        "machine-trust",
	Title:     facts.T("rule.machine-trust"),
	Reference: "docs/variability.md; k6 internal/js/runner.go (one goja runtime, and so one thread, for each VU)",
	Care:      facts.T("rule.machine-trust-care"),
	Commands:  []string{repro, fixed, matrix},
	Group:     core.Trust,
	Good:      facts.NotReproduced,
	Judge:     judgeMachine,
}

func judgeMachine(f runFacts) finding {
	a := finding{Status: facts.NotReproduced,
		Expected: facts.T("verdict.k6-least-core-each", core.Fixed(jsFull, 2), core.Fixed(facts.MachineFull*100, 0),
			core.Fixed(facts.Bystanders, 1)),
		Next: facts.T("verdict.nothing-do")}
	seen, trials, strained := 0, 0, 0
	cells := f.Cells()
	for _, c := range cells {
		var reasons []facts.Text
		worst := -1
		for i, t := range c.Trials {
			trials++
			if t.ElapsedS <= 0 || t.CPU.Client == nil && t.CPU.Other == nil {
				continue
			}
			seen++
			if why := strain(c, t, f.Result.Environment.Cores); why != nil {
				reasons, worst = append(reasons, why...), i
			}
		}
		if reasons != nil {
			a.Status = facts.Reproduced
			strained++
			a.Warnings = append(a.Warnings, facts.T("verdict.cell", c.ID(), facts.Join("join.list", core.Unique(reasons)...)))
			a.Evidence = append(a.Evidence, f.Evidence(c.See(fmt.Sprintf("/trials/%d/cpu_s", worst))...)...)
		}
	}
	if outliers := f.outlierCells(cells); !outliers.IsZero() {
		a.Warnings = append(a.Warnings, outliers)
	}
	switch {
	case a.Status == facts.Reproduced:
		a.Actual = facts.T("verdict.cells-strained-their-requests", strained,
			len(cells))
		if core.OpenLoop(f.Result) {
			a.Actual = facts.T("verdict.cells-strained-their-latencies", strained, len(cells))
		}
		a.Next = facts.T("verdict.run-idle-machine-more")
	case seen == 0:
		a.Status, a.Actual, a.Next = facts.Inconclusive, facts.T("verdict.no-trial-cpu-times"),
			facts.T("verdict.run-where-h2lab-may-read-proc")
	default:
		a.Actual = facts.T("verdict.trials-cpu-times-none", seen, trials)
		a.Evidence = f.Evidence(cells[0].See("/trials/0/cpu_s")...)
	}
	return a
}

// strain names the resources that were exhausted in a trial.
func strain(c found, t facts.Trial, cores int) []facts.Text {
	var out []facts.Text
	threads := float64(max(c.Workload.Pools, 1))
	if c.Client == facts.K6SharedPool && t.CPU.Client != nil && *t.CPU.Client/t.ElapsedS >= jsFull*threads {
		out = append(out, facts.T("verdict.k6-used-core-or"))
	}
	if t.AllCoresBusy(cores) {
		out = append(out, facts.T("verdict.all-cores-busy", cores))
	}
	if t.CPU.Other != nil && *t.CPU.Other/t.ElapsedS > facts.Bystanders {
		out = append(out, facts.T("verdict.other-programs-took-more"))
	}
	if t.CPU.Stolen != nil && *t.CPU.Stolen/t.ElapsedS > facts.Bystanders {
		out = append(out, facts.T("verdict.hypervisor-took-more-than"))
	}
	return out
}

func (f runFacts) outlierCells(cells []found) facts.Text {
	var out []facts.Text
	for _, c := range cells {
		if n := len(c.Summary.Outliers); n > 0 {
			out = append(out, facts.T("verdict.outliers-of", c.ID(), n))
		}
	}
	if out == nil {
		return facts.Text{}
	}
	return facts.T("verdict.trials-far-others-marked", facts.Join("join.list", out...))
}
