package diagnose

import (
	"testing"

	"h2lab/internal/lab"
)

func limit(l lab.Limit) run {
	return aRepro().edit("nginx-1000", lab.H2, lab.GoOnce, func(c *lab.Cell) { c.Limit = l })
}

func TestTheLimitInEffectIsCompared(t *testing.T) {
	n := func(v int) *int { return &v }
	unlimited := func(l lab.Limit) run {
		return aRepro().edit("direct", lab.H2, lab.K6SharedPool, func(c *lab.Cell) { c.Limit = l })
	}
	judgeEach(t, "limit-in-effect", []fact{
		{"as named", aRepro(), run{}, lab.Reproduced, "direct over h1 no limit, direct over h2 no limit, nginx-1000 over h1 1,000"},
		{"lower", limit(lab.Limit{Configured: n(1000), Effective: n(100), ProbedRequests: 101}), run{}, lab.NotReproduced, "shows 100 instead of 1,000"},
		{"none met", limit(lab.Limit{Configured: n(1000), ProbedRequests: 1100}), run{}, lab.NotReproduced, "shows no limit instead of 1,000"},
		{"an unexpected one", unlimited(lab.Limit{Effective: n(1000), ProbedRequests: 1001}), run{}, lab.NotReproduced, "shows 1,000 instead of no limit"},
		{"a drain serves what is in flight", limit(lab.Limit{Configured: n(1000), Effective: n(1100), ProbedRequests: 1100, Closing: "goaway-two-stage"}), run{}, lab.Reproduced, "1,100"},
		{"a drain serves no more than that", limit(lab.Limit{Configured: n(1000), Effective: n(1101), ProbedRequests: 1101, Closing: "goaway-two-stage"}), run{}, lab.NotReproduced, "1,101"},
		{"one stage is exact", limit(lab.Limit{Configured: n(1000), Effective: n(1001), ProbedRequests: 1001, Closing: "goaway"}), run{}, lab.NotReproduced, "1,001"},
		{"not probed", limit(lab.Limit{Configured: n(1000)}), run{}, lab.Inconclusive, "not probed: nginx-1000 over h2"},
		{"probed too little", limit(lab.Limit{Configured: n(1000), ProbedRequests: 999}), run{}, lab.Inconclusive, "not probed"},
		{"no cells", newRun(repro), run{}, lab.Inconclusive, "no cell"},
	})
}

func TestTheBudgetIsReadBack(t *testing.T) {
	budget := func(asked, got *float64) run {
		return aRepro().with(func(r *lab.Result) {
			r.Run.CPUs, r.Environment.Servers[0].CPUs, r.Environment.Servers[1].CPUs = asked, got, got
		})
	}
	judgeEach(t, "cpu-budget", []fact{
		{"as asked", aRepro(), run{}, lab.Reproduced, "CPUS=0.5 on all 2 servers"},
		{"none asked, none there", budget(nil, nil), run{}, lab.Reproduced, "CPUS=none"},
		{"asked and not there", budget(ptr(0.5), nil), run{}, lab.NotReproduced, "CPUS=0.5 was asked for; unlimited: nginx-1000, backend"},
		{"another", budget(ptr(0.5), ptr(1.0)), run{}, lab.NotReproduced, "nginx-1000 has 1"},
		{"there and not asked", budget(nil, ptr(0.5)), run{}, lab.NotReproduced, "CPUS=none was asked for; nginx-1000 has 0.5"},
		{"rounded by the kernel", budget(ptr(0.333), ptr(0.33)), run{}, lab.Reproduced, "CPUS=0.333"},
		{"no servers", aRepro().with(func(r *lab.Result) { r.Environment.Servers = nil }), run{}, lab.Inconclusive, "no server"},
	})
}

func TestAStrainedMachineIsAWarning(t *testing.T) {
	cpu := func(c lab.CPU, more ...func(*lab.Cell)) run {
		return shared(append(more, eachTrial(func(t *lab.Trial) { t.CPU = c }))...)
	}
	judgeEach(t, "machine-trust", []fact{
		{"at ease", aRepro(), run{}, lab.NotReproduced, "48 of 48 trials know their CPU times, and none was strained"},
		{"k6 out of breath", cpu(lab.CPU{Client: ptr(4.8)}), run{}, lab.Reproduced, "k6 used a core or more"},
		{"two VUs have two threads", cpu(lab.CPU{Client: ptr(4.8)}, load(func(w *lab.Workload) { w.Pools = 2 })), run{}, lab.NotReproduced, "none was strained"},
		{"all cores busy", cpu(lab.CPU{Client: ptr(4.0), Proxy: ptr(20.0), Backend: ptr(15.0)}), run{}, lab.Reproduced, "all 8 cores were busy"},
		{"a noisy neighbour", cpu(lab.CPU{Client: ptr(1.0), Stolen: ptr(1.1)}), run{}, lab.Reproduced, "the hypervisor took"},
		{"bystanders", cpu(lab.CPU{Client: ptr(1.0), Other: ptr(1.1)}), run{}, lab.Reproduced, "other programs"},
		{"an outlier is marked", shared(uneven(6500, 6510, 6520, 6500, 6510, 900)), run{}, lab.NotReproduced, "marked and kept: nginx-1000.h2.k6-shared-pool (1)"},
		{"not known", aRepro().with(func(r *lab.Result) {
			for i := range r.Cells {
				eachTrial(func(t *lab.Trial) { t.CPU = lab.CPU{} })(&r.Cells[i])
			}
		}), run{}, lab.Inconclusive, "no trial knows"},
	})
}

func TestWhatRanTwiceOrUnansweredIsFound(t *testing.T) {
	backend := func(executed, duplicates int64) run {
		return once(func(c *lab.Cell) {
			b := &c.Trials[1].Backend
			b.Executed, b.Duplicates = ptr(*b.Executed+executed), ptr(duplicates)
		})
	}
	status := func(r run) run {
		return r.edit("nginx-1000", lab.H2, lab.GoOnce, func(c *lab.Cell) {
			c.Trials[1].Errors = append(c.Trials[1].Errors, lab.Error{Class: lab.ErrHTTPStatus, Count: 3, Message: "502"})
		})
	}
	judgeEach(t, "exactly-once", []fact{
		{"as measured", aRepro(), run{}, lab.NotReproduced, "0 requests executed again, 0 executed without an answer, in 8 cells"},
		{"twice", backend(1, 1), run{}, lab.Reproduced, "1 request executed again, 0 executed without an answer, in 8 cells: nginx-1000.h2.go-once"},
		{"without an answer", backend(3, 0), run{}, lab.Reproduced, "3 executed without an answer"},
		{"a wrong status is an answer", status(backend(3, 0)), run{}, lab.NotReproduced, "0 executed without an answer"},
		{"answered and not counted", backend(-2, 0), run{}, lab.Inconclusive, "2 requests answered without being counted"},
		{"not known", once(eachTrial(func(t *lab.Trial) { t.Backend.Duplicates = nil })), run{}, lab.Inconclusive, "is not known in nginx-1000.h2.go-once"},
		{"found although one isn't known", backend(1, 1).edit("direct", lab.H1, lab.K6SharedPool,
			eachTrial(func(t *lab.Trial) { t.Backend = lab.BackendDelta{} })), run{}, lab.Reproduced, "not known in direct.h1.k6-shared-pool"},
	})
}
