package sweepverdicts

import (
	"fmt"

	"h2lab/internal/facts"
)

// one is an invented cell: its numbers in each trial.
type one struct {
	topology, client, point string
	users, delay            int
	rps, ms                 []float64
	failed                  int64
	message                 string
	renewals                *int64
	bare                    bool
}

func (o one) cell() facts.Cell {
	c := facts.Cell{Topology: o.topology, Protocol: facts.H1, Client: facts.Client(o.client), Point: o.point,
		Users:    facts.K6ConnectionPerVU,
		Workload: facts.Workload{Concurrency: o.users, DelayMS: o.delay, DurationS: 10}}
	if o.bare {
		c.Users = ""
	}
	for i := range o.ms {
		rps := 100.0
		if i < len(o.rps) {
			rps = o.rps[i]
		}
		t := facts.Trial{Index: i + 1, ElapsedS: 10, Attempts: 1000, Succeeded: 1000 - o.failed, Failed: o.failed,
			GoodputRPS: rps, LatencyMS: facts.Latency{P95: &o.ms[i], P99: &o.ms[i]},
			Connections: facts.Connections{UsedUp: o.renewals}, Service: &facts.ServiceView{Threads: new(int64(rps))}}
		if o.failed > 0 {
			t.Service.Errors = []facts.Error{{Count: o.failed, Message: o.message}}
		}
		c.Trials = append(c.Trials, t)
	}
	return c
}

func run(cells ...one) *facts.Result {
	r := &facts.Result{Run: facts.Run{Command: Command, Limit: 1000, Trials: 3}, Environment: facts.Environment{Cores: 2}}
	for _, o := range cells {
		r.Cells = append(r.Cells, o.cell())
	}
	return r
}

// behind is a caller behind both limits: low are its times at each number of users behind the low
// one; behind the high one they are 100 ms.
func behind(low [][]float64, failed, failedHigh int64, renewals *int64) *facts.Result {
	var cells []one
	for i, times := range low {
		users := 100 * (i + 1)
		a := one{topology: "nginx-1000", client: "caller", point: fmt.Sprintf("%d-users", users), users: users, delay: 100,
			renewals: renewals, message: "java.io.IOException: reset", ms: times, failed: failed}
		b := a
		b.topology, b.failed, b.ms = High, failedHigh, nil
		for range times {
			b.ms = append(b.ms, 100)
		}
		cells = append(cells, a, b)
	}
	return run(cells...)
}
