package runverdicts

import (
	"testing"

	"h2lab/internal/facts"
)

func limit(l facts.Limit) run {
	return aRepro().edit("nginx-1000", facts.H2, facts.GoOnce, func(c *facts.Cell) { c.Limit = l })
}

func TestTheLimitInEffectIsCompared(t *testing.T) {
	n := func(v int) *int { return &v }
	unlimited := func(l facts.Limit) run {
		return aRepro().edit("direct", facts.H2, facts.K6SharedPool, func(c *facts.Cell) { c.Limit = l })
	}
	judgeEach(t, "limit-in-effect", []fact{
		{"as named", aRepro(), run{}, facts.Reproduced,
			"direct over h1 no limit, direct over h2 no limit, nginx-1000 over h1 1,000"},
		{"lower", limit(facts.Limit{Configured: n(1000), Effective: n(100), ProbedRequests: 101}), run{},
			facts.NotReproduced, "shows 100 instead of 1,000"},
		{"limit not reached", limit(facts.Limit{Configured: n(1000), ProbedRequests: 1100}), run{}, facts.NotReproduced,
			"shows no limit instead of 1,000"},
		{"an unexpected one", unlimited(facts.Limit{Effective: n(1000), ProbedRequests: 1001}), run{},
			facts.NotReproduced, "shows 1,000 instead of no limit"},
		{"a drain serves what is in flight",
			limit(facts.Limit{Configured: n(1000), Effective: n(1100), ProbedRequests: 1100,
				Closing: "goaway-two-stage"}), run{}, facts.Reproduced, "1,100"},
		{"a drain serves no more than that",
			limit(facts.Limit{Configured: n(1000), Effective: n(1101), ProbedRequests: 1101,
				Closing: "goaway-two-stage"}), run{}, facts.NotReproduced, "1,101"},
		{"one stage is exact", limit(facts.Limit{Configured: n(1000), Effective: n(1001), ProbedRequests: 1001,
			Closing: "goaway"}), run{}, facts.NotReproduced, "1,001"},
		{"not probed", limit(facts.Limit{Configured: n(1000)}), run{}, facts.Inconclusive,
			"not probed: nginx-1000 over h2"},
		{"probed too little", limit(facts.Limit{Configured: n(1000), ProbedRequests: 999}), run{}, facts.Inconclusive,
			"not probed"},
		{"no cells", newRun(repro), run{}, facts.Inconclusive, "no cell"},
	})
}

func TestTheBudgetIsReadBack(t *testing.T) {
	budget := func(asked, got *float64) run {
		return aRepro().with(func(r *facts.Result) {
			r.Run.CPUs, r.Environment.Servers[0].CPUs, r.Environment.Servers[1].CPUs = asked, got, got
		})
	}
	judgeEach(t, "cpu-budget", []fact{
		{"as asked", aRepro(), run{}, facts.Reproduced, "CPUS=0.5 on all 2 servers"},
		{"none asked, none there", budget(nil, nil), run{}, facts.Reproduced, "CPUS=none"},
		{"asked and not there", budget(new(0.5), nil), run{}, facts.NotReproduced,
			"CPUS=0.5 was requested; unlimited: nginx-1000, backend"},
		{"another", budget(new(0.5), new(1.0)), run{}, facts.NotReproduced, "nginx-1000 has 1"},
		{"there and not asked", budget(nil, new(0.5)), run{}, facts.NotReproduced,
			"CPUS=none was requested; nginx-1000 has 0.5"},
		{"rounded by the kernel", budget(new(0.333), new(0.33)), run{}, facts.Reproduced, "CPUS=0.333"},
		{"no servers", aRepro().with(func(r *facts.Result) { r.Environment.Servers = nil }), run{}, facts.Inconclusive,
			"no server"},
	})
}

func TestAStrainedMachineIsAWarning(t *testing.T) {
	cpu := func(c facts.CPU, more ...func(*facts.Cell)) run {
		return shared(append(more, eachTrial(func(t *facts.Trial) { t.CPU = c }))...)
	}
	judgeEach(t, "machine-trust", []fact{
		{"at ease", aRepro(), run{}, facts.NotReproduced,
			"48 of 48 trials have CPU times, and none was strained"},
		{"k6 out of breath", cpu(facts.CPU{Client: new(4.8)}), run{}, facts.Reproduced, "k6 used a core or more"},
		{"two VUs have two threads", cpu(facts.CPU{Client: new(4.8)}, load(func(w *facts.Workload) { w.Pools = 2 })),
			run{}, facts.NotReproduced, "none was strained"},
		{"all cores busy", cpu(facts.CPU{Client: new(4.0), Proxy: new(20.0), Backend: new(15.0)}), run{},
			facts.Reproduced, "all 8 cores were busy"},
		{"a noisy neighbour", cpu(facts.CPU{Client: new(1.0), Stolen: new(1.1)}), run{}, facts.Reproduced,
			"the hypervisor took"},
		{"bystanders", cpu(facts.CPU{Client: new(1.0), Other: new(1.1)}), run{}, facts.Reproduced, "other programs"},
		{"an outlier is marked", shared(uneven(6500, 6510, 6520, 6500, 6510, 900)), run{}, facts.NotReproduced,
			"marked and kept: nginx-1000.h2.k6-shared-pool (1)"},
		{"not known", aRepro().with(func(r *facts.Result) {
			for i := range r.Cells {
				eachTrial(func(t *facts.Trial) { t.CPU = facts.CPU{} })(&r.Cells[i])
			}
		}), run{}, facts.Inconclusive, "no trial has CPU times"},
	})
}

func TestWhatRanTwiceOrUnansweredIsFound(t *testing.T) {
	backend := func(executed, duplicates int64) run {
		return once(func(c *facts.Cell) {
			b := &c.Trials[1].Backend
			b.Executed, b.Duplicates = new(*b.Executed+executed), new(duplicates)
		})
	}
	status := func(r run) run {
		return r.edit("nginx-1000", facts.H2, facts.GoOnce, func(c *facts.Cell) {
			c.Trials[1].Errors = append(c.Trials[1].Errors,
				facts.Error{Class: facts.ErrHTTPStatus, Count: 3, Message: "502"})
		})
	}
	judgeEach(t, "exactly-once", []fact{
		{"as measured", aRepro(), run{}, facts.NotReproduced,
			"0 requests executed again, 0 executed without an answer, in 8 cells"},
		{"twice", backend(1, 1), run{}, facts.Reproduced,
			"1 request executed again, 0 executed without an answer, in 8 cells: nginx-1000.h2.go-once"},
		{"without an answer", backend(3, 0), run{}, facts.Reproduced, "3 executed without an answer"},
		{"a wrong status is an answer", status(backend(3, 0)), run{}, facts.NotReproduced,
			"0 executed without an answer"},
		{"answered and not counted", backend(-2, 0), run{}, facts.Inconclusive,
			"2 requests answered but not counted"},
		{"not known", once(eachTrial(func(t *facts.Trial) { t.Backend.Duplicates = nil })), run{}, facts.Inconclusive,
			"is not known in nginx-1000.h2.go-once"},
		{"found although one isn't known", backend(1, 1).edit("direct", facts.H1, facts.K6SharedPool,
			eachTrial(func(t *facts.Trial) { t.Backend = facts.BackendDelta{} })), run{}, facts.Reproduced,
			"not known in direct.h1.k6-shared-pool"},
	})
}
