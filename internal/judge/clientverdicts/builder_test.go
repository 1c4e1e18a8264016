package clientverdicts

import (
	"fmt"

	"h2lab/internal/facts"
)

// numbers are one trial's, as a test table writes them. A 0 is a known 0 unless without says that
// the trial lacks the number.
type numbers struct {
	attempts, failed, hung, accepted, used, duplicates int64
	// executed is the number of executions beyond the successes.
	executed int64
	// usedUp and replaced are the server's counts; if both are 0, the server doesn't count.
	usedUp, replaced int64
	fault            string
	without          string // "everything", "ids" or "accepted"
}

func (n numbers) trial(topology string, limit int, p facts.Protocol) facts.Trial {
	if n.fault != "" {
		return facts.Trial{Fault: &facts.Fault{Kind: n.fault, Message: "panic: it broke\n\tat line 7"},
			Errors: []facts.Error{}}
	}
	w := facts.Workload{Concurrency: 100, Pools: 1}
	warm := n.attempts / 4
	need := facts.Expected(p, "x", w, limit, warm+n.attempts) - facts.Expected(p, "x", w, limit, warm)
	ok := n.attempts - n.failed
	executed := ok + n.executed + n.duplicates
	distinct := executed - n.duplicates
	t := facts.Trial{Index: 1, ElapsedS: 4, Attempts: n.attempts, Succeeded: ok, Failed: n.failed,
		GoodputRPS: float64(ok) / 4, Hung: &n.hung,
		Connections: facts.Connections{Accepted: &n.accepted, Used: &n.used, Expected: &need},
		ColdStart:   facts.ColdStart{Requests: &warm},
		Backend:     facts.BackendDelta{Executed: &executed, Distinct: &distinct, Duplicates: &n.duplicates}}
	if n.usedUp+n.replaced > 0 {
		t.Connections.UsedUp, t.Connections.Replaced = &n.usedUp, &n.replaced
	}
	if n.failed > 0 {
		t.Errors = []facts.Error{{Class: facts.ErrOther, Count: n.failed, Message: "it failed at " + topology}}
	}
	switch n.without {
	case "everything":
		t.Hung, t.Connections, t.ColdStart, t.Backend = nil, facts.Connections{}, facts.ColdStart{},
			facts.BackendDelta{}
	case "accepted":
		t.Connections.Accepted, t.Connections.Used = nil, nil
	}
	return t
}

// run is a result under construction.
type run struct{ *facts.Result }

func newRun() run { return run{&facts.Result{Run: facts.Run{Limit: 1000, Command: "clients"}}} }

func (r run) cell(topology string, limit int, p facts.Protocol, c facts.Client, cures facts.Client,
	trials ...numbers) run {
	cell := facts.Cell{Topology: topology, Protocol: p, Client: c,
		Program:  &facts.Program{Ecosystem: "eco", Library: "Lib 1", Cures: cures, IDs: true},
		Workload: facts.Workload{Concurrency: 100, Pools: 1}, Limit: facts.Limit{Configured: &limit, Effective: &limit}}
	for _, n := range trials {
		cell.Program.IDs = n.without != "ids"
		cell.Trials = append(cell.Trials, n.trial(topology, limit, p))
	}
	r.Cells = append(r.Cells, cell)
	r.Run.Planned = append(r.Run.Planned, cell.ID())
	return r
}

// client adds the cells of one client: at the low limit, at the high one, and at Envoy.
func (r run) client(c, cures facts.Client, p facts.Protocol, low, high, envoy *numbers) run {
	for _, x := range []struct {
		topology string
		limit    int
		n        *numbers
	}{{"nginx-1000", 1000, low}, {"nginx-100000", 100000, high}, {"envoy-1000", 1000, envoy}} {
		if x.n != nil {
			r.cell(x.topology, x.limit, p, c, cures, *x.n)
		}
	}
	return r
}

func (r run) row(c facts.Client) Row {
	for _, row := range Rows(r.Result) {
		if row.Client == c {
			return row
		}
	}
	panic(fmt.Sprintf("no row %s", c))
}

// Figures of typical clients.
var (
	well     = numbers{attempts: 40000, accepted: 41, used: 41}
	steady   = numbers{attempts: 60000}
	stampede = numbers{attempts: 26000, accepted: 2880, used: 27}
)
