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
	Title:     "The load generator or the machine was at its limit, so the numbers don't show the servers' capacity",
	Reference: "docs/variability.md; k6 internal/js/runner.go (one goja runtime, and so one thread, for each VU)",
	Care:      "Connections and failures stay exact on a busy machine; requests per second and latencies don't.",
	Commands:  []string{repro, fixed, matrix},
	Group:     core.Trust,
	Good:      facts.NotReproduced,
	Judge:     judgeMachine,
}

func judgeMachine(f runFacts) finding {
	a := finding{Status: facts.NotReproduced,
		Expected: f.Say("k6 at ≥ %.2f of a core for each of its VUs' threads, all cores ≥ %.0f %% busy, or other "+
			"programs, or other machines of the same host, at > %.1f of a core", jsFull, facts.MachineFull*100, facts.Bystanders),
		Next: f.Say("Nothing to do.")}
	seen, trials, strained := 0, 0, 0
	cells := f.Cells()
	for _, c := range cells {
		var reasons []string
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
			a.Warnings = append(a.Warnings, f.Say("cell %s: %s", c.ID(), f.List(core.Unique(reasons))))
			a.Evidence = append(a.Evidence, f.Evidence(c.See(fmt.Sprintf("/trials/%d/cpu_s", worst))...)...)
		}
	}
	if outliers := f.outlierCells(cells); outliers != "" {
		a.Warnings = append(a.Warnings, outliers)
	}
	switch {
	case a.Status == facts.Reproduced:
		a.Actual = f.Say("%d of %d cells were strained: their requests per second are a lower bound", strained,
			len(cells))
		if core.OpenLoop(f.Result) {
			a.Actual = f.Say("%d of %d cells were strained: their latencies are an upper bound", strained, len(cells))
		}
		a.Next = f.Say("Run on an idle machine with more cores, or lower CONCURRENCY.")
	case seen == 0:
		a.Status, a.Actual, a.Next = facts.Inconclusive, f.Say("no trial has CPU times"),
			f.Say("Run where h2lab may read /proc.")
	default:
		a.Actual = f.Say("%d of %d trials have CPU times, and none was strained", seen, trials)
		a.Evidence = f.Evidence(cells[0].See("/trials/0/cpu_s")...)
	}
	return a
}

// strain names the resources that were exhausted in a trial.
func strain(c found, t facts.Trial, cores int) []string {
	var out []string
	threads := float64(max(c.Workload.Pools, 1))
	if c.Client == facts.K6SharedPool && t.CPU.Client != nil && *t.CPU.Client/t.ElapsedS >= jsFull*threads {
		out = append(out, c.Say("k6 used a core or more and may be saturated"))
	}
	if t.AllCoresBusy(cores) {
		out = append(out, c.Say("all %d cores were busy", cores))
	}
	if t.CPU.Other != nil && *t.CPU.Other/t.ElapsedS > facts.Bystanders {
		out = append(out, c.Say("other programs took more than a fifth of a core"))
	}
	if t.CPU.Stolen != nil && *t.CPU.Stolen/t.ElapsedS > facts.Bystanders {
		out = append(out, c.Say("the hypervisor took more than a fifth of a core"))
	}
	return out
}

func (f runFacts) outlierCells(cells []found) string {
	var out []string
	for _, c := range cells {
		if n := len(c.Summary.Outliers); n > 0 {
			out = append(out, f.Say("%s (%d)", c.ID(), n))
		}
	}
	if out == nil {
		return ""
	}
	return f.Say("trials far from the others, marked and kept: %s", f.List(out))
}
