package runverdicts

import (
	"fmt"

	"h2lab/internal/facts"
)

const (
	// jsFull is the share of one core from which k6 may be the bottleneck: a VU's JavaScript runs
	// on one thread, so one VU can't use more than one core.
	jsFull = 0.95
	// machineFull is the share of all cores from which the measurement can't tell which process
	// limits which.
	machineFull = 0.97
	// bystanders is the number of cores from which other programs on the machine disturb the
	// measurement.
	bystanders = 0.2
)

var machineTrust = Rule{
	ID:        "machine-trust",
	Title:     "The load generator or the machine was at its limit, so the numbers don't show the servers' capacity",
	Reference: "docs/variability.md; k6 internal/js/runner.go (one goja runtime, and so one thread, for each VU)",
	Care:      "Connections and failures stay exact on a busy machine; requests per second and latencies don't.",
	Commands:  []string{repro, fixed, matrix},
	Group:     Trust,
	Good:      facts.NotReproduced,
	judge:     judgeMachine,
}

func judgeMachine(f runFacts) finding {
	a := finding{status: facts.NotReproduced,
		expected: f.say("k6 at ≥ %.2f of a core for each of its VUs' threads, all cores ≥ %.0f %% busy, or other "+
			"programs, or other machines of the same host, at > %.1f of a core", jsFull, machineFull*100, bystanders),
		next: f.say("Nothing to do.")}
	seen, trials, strained := 0, 0, 0
	cells := f.cells()
	for _, c := range cells {
		var reasons []string
		worst := -1
		for i, t := range c.Trials {
			trials++
			if t.ElapsedS <= 0 || t.CPU.Client == nil && t.CPU.Other == nil {
				continue
			}
			seen++
			if why := strain(c, t, f.run.Environment.Cores); why != nil {
				reasons, worst = append(reasons, why...), i
			}
		}
		if reasons != nil {
			a.status = facts.Reproduced
			strained++
			a.warnings = append(a.warnings, f.say("cell %s: %s", c.ID(), f.list(unique(reasons))))
			a.evidence = append(a.evidence, f.see(c.see(fmt.Sprintf("/trials/%d/cpu_s", worst))...)...)
		}
	}
	if outliers := f.outlierCells(cells); outliers != "" {
		a.warnings = append(a.warnings, outliers)
	}
	switch {
	case a.status == facts.Reproduced:
		a.actual = f.say("%d of %d cells were strained: their requests per second are a lower bound", strained,
			len(cells))
		a.next = f.say("Run on an idle machine with more cores, or lower CONCURRENCY.")
	case seen == 0:
		a.status, a.actual, a.next = facts.Inconclusive, f.say("no trial has CPU times"),
			f.say("Run where h2lab may read /proc.")
	default:
		a.actual = f.say("%d of %d trials have CPU times, and none was strained", seen, trials)
		a.evidence = f.see(cells[0].see("/trials/0/cpu_s")...)
	}
	return a
}

// strain names the resources that were exhausted in a trial.
func strain(c found, t facts.Trial, cores int) []string {
	var out []string
	threads := float64(max(c.Workload.Pools, 1))
	if c.Client == facts.K6SharedPool && t.CPU.Client != nil && *t.CPU.Client/t.ElapsedS >= jsFull*threads {
		out = append(out, c.say("k6 used a core or more and may be saturated"))
	}
	busy := 0.0
	for _, p := range []*float64{t.CPU.Proxy, t.CPU.Backend, t.CPU.Client, t.CPU.Lab, t.CPU.Other, t.CPU.Stolen} {
		if p != nil {
			busy += *p
		}
	}
	if cores > 0 && busy/t.ElapsedS >= machineFull*float64(cores) {
		out = append(out, c.say("all %d cores were busy", cores))
	}
	if t.CPU.Other != nil && *t.CPU.Other/t.ElapsedS > bystanders {
		out = append(out, c.say("other programs took more than a fifth of a core"))
	}
	if t.CPU.Stolen != nil && *t.CPU.Stolen/t.ElapsedS > bystanders {
		out = append(out, c.say("the hypervisor took more than a fifth of a core"))
	}
	return out
}

func (f runFacts) outlierCells(cells []found) string {
	var out []string
	for _, c := range cells {
		if n := len(c.Summary.Outliers); n > 0 {
			out = append(out, f.say("%s (%d)", c.ID(), n))
		}
	}
	if out == nil {
		return ""
	}
	return f.say("trials far from the others, marked and kept: %s", f.list(out))
}
