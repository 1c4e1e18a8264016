package survive

import (
	"fmt"

	"h2lab/internal/lab"
)

// numbers are one trial's, as a table writes them. What is 0 is known to be 0,
// unless without says that the trial doesn't know it.
type numbers struct {
	attempts, failed, hung, accepted, used, duplicates int64
	// executed is what the backend executed beyond the successes.
	executed int64
	fault    string
	without  string // "everything", "ids" or "accepted"
}

func (n numbers) trial(topology string, limit int, p lab.Protocol) lab.Trial {
	if n.fault != "" {
		return lab.Trial{Fault: &lab.Fault{Kind: n.fault, Message: "panic: it broke\n\tat line 7"}, Errors: []lab.Error{}}
	}
	w := lab.Workload{Concurrency: 100, Pools: 1}
	warm := n.attempts / 4
	need := lab.Expected(p, "x", w, limit, warm+n.attempts) - lab.Expected(p, "x", w, limit, warm)
	ok := n.attempts - n.failed
	executed := ok + n.executed + n.duplicates
	distinct := executed - n.duplicates
	t := lab.Trial{Index: 1, ElapsedS: 4, Attempts: n.attempts, Succeeded: ok, Failed: n.failed, GoodputRPS: float64(ok) / 4, Hung: &n.hung,
		Connections: lab.Connections{Accepted: &n.accepted, Used: &n.used, Expected: &need},
		ColdStart:   lab.ColdStart{Requests: &warm}, Backend: lab.BackendDelta{Executed: &executed, Distinct: &distinct, Duplicates: &n.duplicates}}
	if n.failed > 0 {
		t.Errors = []lab.Error{{Class: lab.ErrOther, Count: n.failed, Message: "it failed at " + topology}}
	}
	switch n.without {
	case "everything":
		t.Hung, t.Connections, t.ColdStart, t.Backend = nil, lab.Connections{}, lab.ColdStart{}, lab.BackendDelta{}
	case "accepted":
		t.Connections.Accepted, t.Connections.Used = nil, nil
	}
	return t
}

// run is a result under construction.
type run struct{ *lab.Result }

func newRun() run { return run{&lab.Result{Run: lab.Run{Limit: 1000, Command: "clients"}}} }

func (r run) cell(topology string, limit int, p lab.Protocol, c lab.Client, cures lab.Client, trials ...numbers) run {
	cell := lab.Cell{Topology: topology, Protocol: p, Client: c, Program: &lab.Program{Ecosystem: "eco", Library: "Lib 1", Cures: cures, IDs: true},
		Workload: lab.Workload{Concurrency: 100, Pools: 1}, Limit: lab.Limit{Configured: &limit, Effective: &limit}}
	for _, n := range trials {
		cell.Program.IDs = n.without != "ids"
		cell.Trials = append(cell.Trials, n.trial(topology, limit, p))
	}
	r.Cells = append(r.Cells, cell)
	r.Run.Planned = append(r.Run.Planned, cell.ID())
	return r
}

// client adds the cells of one client: at the low limit, at the high one, and at Envoy.
func (r run) client(c, cures lab.Client, p lab.Protocol, low, high, envoy *numbers) run {
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

func (r run) row(c lab.Client) Row {
	for _, row := range Rows(r.Result) {
		if row.Client == c {
			return row
		}
	}
	panic(fmt.Sprintf("no row %s", c))
}

// The figures of clients as they come.
var (
	well  = numbers{attempts: 40000, accepted: 41, used: 41}
	calm  = numbers{attempts: 60000}
	storm = numbers{attempts: 26000, accepted: 2880, used: 27}
)
