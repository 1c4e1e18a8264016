package runverdicts

import (
	"fmt"
	"math"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
)

// drains is the probe's result if a front ends a connection gracefully: it still serves requests
// that arrive after the limit for a while.
const drains = "goaway-two-stage"

// limitInEffect: the probed limit is the one in the topology's name.
func limitInEffect(f runFacts) finding {
	a := finding{Status: facts.Reproduced,
		Expected: facts.T("verdict.effective-configured-every-measured")}
	var agree, wrong, unprobed []facts.Text
	for _, c := range f.Cells() {
		what := facts.T("verdict.over", c.Topology, string(c.Protocol))
		switch ok, probed := limitAgrees(c); {
		case !probed:
			unprobed = append(unprobed, what)
		case ok:
			agree = append(agree, facts.T("verdict.limit-of", what, f.limitWord(c.Limit.Effective)))
		default:
			wrong = append(wrong, facts.T("verdict.shows-instead", what, f.limitWord(c.Limit.Effective),
				f.limitWord(c.Limit.Configured)))
		}
		a.Evidence = append(a.Evidence, f.Evidence(c.See("/limit/configured", "/limit/effective")...)...)
	}
	a.Actual = facts.Join("join.list", core.Unique(agree)...)
	switch {
	case wrong != nil:
		a.Status, a.Actual = facts.NotReproduced, facts.Join("join.list", core.Unique(wrong)...)
		a.Next = facts.T("verdict.look-effective-configuration-runs")
	case unprobed != nil:
		a.Status, a.Actual = facts.Inconclusive, facts.T("verdict.not-probed", facts.Join("join.list", core.Unique(unprobed)...))
		a.Next = facts.T("verdict.measure-again-h2lab-probes")
	case agree == nil:
		a.Status, a.Actual, a.Next = facts.Inconclusive, facts.T("verdict.no-cell-measured"),
			facts.T("verdict.run-command-again")
	}
	return a
}

// limitAgrees compares a cell's probed limit with its name. A probe that ended before it reached a
// limit proves nothing.
func limitAgrees(c found) (ok, probed bool) {
	want, got := c.Limit.Configured, c.Limit.Effective
	switch {
	case got == nil && (c.Limit.ProbedRequests == 0 || want != nil && c.Limit.ProbedRequests < *want):
		return false, false
	case want == nil || got == nil:
		return want == nil && got == nil, true
	case c.Limit.Closing == drains:
		return *want <= *got && *got <= *want+c.Workload.Concurrency, true
	}
	return *want == *got, true
}

func (f runFacts) limitWord(n *int) facts.Text {
	if n == nil {
		return facts.T("verdict.no-limit")
	}
	return facts.Verbatim(core.Count(float64(*n)))
}

// scheduleKept: the load generator sent the requests when they were due. A late generator is its own fault: the trial had
// another load than the one that was asked for. Requests that were never sent because the pools were full are a result: the
// servers did not keep up.
func scheduleKept(f runFacts) finding {
	a := finding{Status: facts.Reproduced, Next: facts.T("verdict.nothing-do"),
		Expected: facts.T("verdict.99-percent-each-trials", text.Number(facts.MostLateMS))}
	var scheduled, late int
	var left, due int64
	worst := 0.0
	for _, c := range f.Cells() {
		for i, t := range c.Trials {
			if t.Schedule == nil || t.Schedule.LateMS.P99 == nil {
				continue
			}
			scheduled++
			if t.Schedule.Behind() {
				late++
			}
			if p99 := *t.Schedule.LateMS.P99; a.Evidence == nil || p99 > worst {
				worst, a.Evidence = p99, f.Evidence(c.See(fmt.Sprintf("/trials/%d/schedule/late_ms/p99", i))...)
			}
		}
		if why := c.Late(); !why.IsZero() {
			a.Warnings = append(a.Warnings, why)
		}
		l, d := core.Unsent(c.Cell)
		left, due = left+l, due+d
	}
	switch {
	case scheduled == 0:
		a.Status, a.Actual, a.Next = facts.Inconclusive, facts.T("verdict.no-trial-says-how"),
			facts.T("verdict.look-trials-warnings")
	case late > 0:
		a.Status = facts.NotReproduced
		a.Actual = facts.T("verdict.trials-load-generator-fell", late, scheduled, text.Measured(worst))
		a.Next = facts.T("verdict.lower-rate-or-run")
	default:
		a.Actual = facts.T("verdict.trials-p99-most-ms", scheduled, text.Measured(worst))
	}
	if left > 0 {
		a.Actual.Add(facts.T("verdict.requests-due-never-sent", core.Count(float64(left)), core.Count(float64(due))))
	}
	return a
}

// budgetSlack is how much a budget may differ after rounding: the kernel's period and quota are
// whole microseconds.
const budgetSlack = 0.01

// cpuBudget: each server had the requested processor budget.
func cpuBudget(f runFacts) finding {
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
		said := facts.Join("join.list", other...)
		if unlimited != nil {
			said = facts.Join("join.semicolon", facts.T("verdict.unlimited", core.List(unlimited)), said)
		}
		a.Actual = facts.T("verdict.cpus-requested", f.budgetWord(asked), said)
		a.Warnings = []facts.Text{a.Actual}
		a.Next = facts.T("verdict.run-where-h2lab-may")
	default:
		a.Actual = facts.T("verdict.cpus-all-servers", f.budgetWord(asked), budgeted)
	}
	return a
}

func (f runFacts) budgetWord(p *float64) facts.Text {
	if p == nil {
		return facts.T("verdict.none")
	}
	return facts.Verbatim(fmt.Sprint(*p))
}

const (
	// jsFull is the share of one core from which k6 may be the bottleneck: a VU's JavaScript runs
	// on one thread, so one VU can't use more than one core.
	jsFull = 0.95
)

// machineTrust: the load generator or the machine was at its limit, so the numbers don't show the servers' capacity.
func machineTrust(f runFacts) finding {
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
		a.Actual = facts.T("verdict.cells-strained-their-requests", strained, len(cells))
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
