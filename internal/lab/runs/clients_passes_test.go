package runs

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h2lab/internal/facts"
	"h2lab/internal/judge/clientverdicts"
	"h2lab/internal/lab/plan"
)

// measured is a cell with one trial of a client that met its limit a number of times.
func measured(topology string, limit int, client facts.Client, renewals, lost int64) facts.Cell {
	attempts, accepted := int64(limit)*max(renewals, 1), renewals
	ok := attempts - lost
	return facts.Cell{Topology: topology, Protocol: facts.H2, Client: client, Program: &facts.Program{},
		Limit: facts.Limit{Configured: &limit}, Workload: facts.Workload{Concurrency: 100},
		Trials: []facts.Trial{{Attempts: attempts, Succeeded: ok, Failed: lost, ElapsedS: 2,
			Backend:     facts.BackendDelta{Executed: &ok, Distinct: &ok},
			Connections: facts.Connections{Accepted: &accepted, Used: &accepted, UsedUp: &renewals}}}}
}

func TestEachPassMeasuresWhatTheOnesBeforeItLeaveOpen(t *testing.T) {
	m := &clientsRun{Request: Request{Knobs: plan.UsualFor(plan.Clients)}}
	for _, c := range []facts.Client{"sound", "loses", "slow", "slow-loses"} {
		m.rows = append(m.rows, plan.Row{Client: c, Protocol: facts.H2, Program: &facts.Program{}})
	}
	r := &facts.Result{Run: facts.Run{Limit: m.Knobs.Limit}}
	answers := []facts.Cell{
		measured("nginx-1000", 1000, "sound", 10, 0), measured("nginx-1000", 1000, "loses", 10, 50),
		measured("nginx-1000", 1000, "slow", 1, 0), measured("nginx-1000", 1000, "slow-loses", 0, 0),
		measured("nginx-100", 100, "slow", 10, 0), measured("nginx-100", 100, "slow-loses", 10, 50),
	}
	var got []string
	for _, cells := range m.passes(r) {
		words := ""
		for _, c := range cells() {
			words += fmt.Sprintf(" %s.%s(%d)", c.Topology.Name, c.Client, c.Workload.Concurrency)
			for _, a := range answers {
				if a.Topology == c.Topology.Name && a.Client == c.Client {
					r.Cells = append(r.Cells, a)
				}
			}
		}
		got = append(got, words)
	}
	want := []string{
		" nginx-100000.sound(100) nginx-100000.loses(100) nginx-100000.slow(100) nginx-100000.slow-loses(100)",
		" nginx-1000.sound(100) nginx-1000.loses(100) nginx-1000.slow(100) nginx-1000.slow-loses(100)",
		" nginx-100.slow(10) nginx-100.slow-loses(10)",
		" envoy-1000.loses(100)",
		" envoy-100.slow-loses(10)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestThePlanAndTheVerdictsMeanTheSameServers(t *testing.T) {
	if plan.LowerLimit != clientverdicts.LowerLimit {
		t.Errorf("the plan's lower limit is %d, that of the verdicts %d", plan.LowerLimit, clientverdicts.LowerLimit)
	}
}
