package runverdicts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
)

// run is a result under construction. Its cells have six trials that differ a little, as real ones
// do, unless a change sets them otherwise.
type run struct{ *facts.Result }

func newRun(command string) run {
	return run{&facts.Result{SchemaVersion: facts.SchemaVersion,
		Run: facts.Run{ID: command + "-1", Command: command, Trials: 6, Limit: 1000, DurationS: 5, WarmupS: 1,
			Concurrency: 100, CPUs: new(0.5), Key: "rsa"},
		Environment: facts.Environment{Cores: 8, Servers: []facts.ServerRecord{
			{Name: "nginx-1000", CPUs: new(0.5)}, {Name: "backend", CPUs: new(0.5)}}}}}
}

// factsOf is what a cell's trials have in common.
type factsOf struct {
	rps, accepted, used, expected float64 // before the jitter of trials
	lost                          int64
	proxy                         float64 // seconds of CPU
	cold                          int64
}

const lostMessage = "http2: Transport: cannot retry err [http2: Transport received Server's graceful shutdown " +
	"GOAWAY] after Request.Body was written"

// cell adds a measured cell and applies the changes to it and to every trial.
func (r run) cell(topology string, p facts.Protocol, c facts.Client, v factsOf, changes ...func(*facts.Cell)) run {
	cell := facts.Cell{Topology: topology, Protocol: p, Client: c,
		Workload: facts.Workload{Method: "POST", BodyBytes: 1, Concurrency: 100, Pools: 1, WarmupS: 1, DurationS: 5,
			MaxTLS: "1.3"}}
	if n, err := strconv.Atoi(topology[strings.LastIndex(topology, "-")+1:]); err == nil {
		cell.Limit = facts.Limit{Configured: &n, Effective: &n, ProbedRequests: n, Closing: "goaway"}
	} else {
		cell.Limit = facts.Limit{ProbedRequests: 2000, Closing: "none"}
	}
	for i := 1; i <= r.Run.Trials; i++ {
		cell.Trials = append(cell.Trials, v.trial(i))
	}
	for _, change := range changes {
		change(&cell)
	}
	r.Cells = append(r.Cells, cell)
	return r
}

func (v factsOf) trial(i int) facts.Trial {
	wobble := 1 + 0.01*float64(i-3)
	succeeded := int64(v.rps * 5 * wobble)
	whole := func(f float64) *int64 { return new(int64(f * wobble)) }
	if v.accepted < 20 {
		whole = func(f float64) *int64 { return new(int64(f)) }
	}
	t := facts.Trial{Index: i, Order: i, ElapsedS: 5, Attempts: succeeded + v.lost, Succeeded: succeeded,
		Failed:     v.lost,
		GoodputRPS: float64(succeeded) / 5, LatencyMS: facts.Latency{P50: new(8.0), P99: new(20.0)},
		Connections: facts.Connections{Accepted: whole(v.accepted), Used: new(int64(v.used)),
			Expected: new(int64(v.expected)), ClientReported: new(int64(v.accepted / 50))},
		ColdStart: facts.ColdStart{Accepted: new(v.cold)},
		Backend:   facts.BackendDelta{Executed: &succeeded, Distinct: &succeeded, Duplicates: new(int64(0))},
		CPU: facts.CPU{Proxy: new(v.proxy * wobble), Backend: new(0.5), Client: new(2.0), Lab: new(0.1),
			Other: new(0.1)}}
	if v.lost > 0 {
		t.Errors = []facts.Error{{Class: facts.ErrGoawayNotReplayable, Count: v.lost, Message: lostMessage}}
	}
	return t
}

// Changes to a cell.
func eachTrial(f func(*facts.Trial)) func(*facts.Cell) {
	return func(c *facts.Cell) {
		for i := range c.Trials {
			f(&c.Trials[i])
		}
	}
}

func load(f func(*facts.Workload)) func(*facts.Cell) { return func(c *facts.Cell) { f(&c.Workload) } }

func unsupported(c *facts.Cell) {
	c.Trials, c.Unsupported = nil, facts.T("verdict.recorded", "nginx 1.22.1 is older than 1.29.4")
}

func (r run) with(f func(*facts.Result)) run { f(r.Result); return r }

// Measured facts (half a CPU for the proxy).
var (
	slow   = factsOf{rps: 6500, accepted: 2880, used: 33, expected: 32, proxy: 2.5, cold: 99}
	fast   = factsOf{rps: 15300, proxy: 2.5, cold: 100}
	loser  = factsOf{rps: 6500, accepted: 2880, used: 33, expected: 32, lost: 1505, proxy: 2.5, cold: 99}
	perVU  = factsOf{rps: 12100, accepted: 80, used: 80, expected: 0, cold: 100}
	single = factsOf{rps: 15200, accepted: 77, used: 77, expected: 76, cold: 1}
)

// aRepro is a run that shows the whole fault.
func aRepro() run {
	return newRun(repro).
		cell("direct", facts.H1, facts.K6SharedPool, fast).cell("direct", facts.H2, facts.K6SharedPool, fast).
		cell("nginx-1000", facts.H1, facts.K6SharedPool, fast).cell("nginx-1000", facts.H2, facts.K6SharedPool, slow).
		cell("nginx-1000", facts.H1, facts.K6ConnectionPerVU, fast).
		cell("nginx-1000", facts.H2, facts.K6ConnectionPerVU, perVU).
		cell("nginx-1000", facts.H1, facts.GoOnce, fast).cell("nginx-1000", facts.H2, facts.GoOnce, loser)
}

// aFixed has the cured cells of a fixed run; its uncured cells are those of aRepro.
func aFixed() run {
	r := newRun(fixed)
	for _, topology := range []string{"nginx-100000", "envoy"} {
		for _, c := range []facts.Client{facts.K6SharedPool, facts.K6ConnectionPerVU, facts.GoOnce} {
			r.cell(topology, facts.H1, c, fast).cell(topology, facts.H2, c, fast)
		}
	}
	return r.cell("nginx-1000", facts.H2, facts.GoReplayable, slow).
		cell("nginx-1000", facts.H2, facts.GoSingleDial, single)
}

// edit changes one cell of a run.
func (r run) edit(topology string, p facts.Protocol, c facts.Client, changes ...func(*facts.Cell)) run {
	cell := r.Cell(topology, p, c)
	if cell == nil {
		panic(fmt.Sprintf("no cell %s %s %s", topology, p, c))
	}
	for _, change := range changes {
		change(cell)
	}
	return r
}

// drop removes a cell.
func (r run) drop(topology string, p facts.Protocol, c facts.Client) run {
	for i := range r.Cells {
		if x := r.Cells[i]; x.Topology == topology && x.Protocol == p && x.Client == c {
			r.Cells = append(r.Cells[:i:i], r.Cells[i+1:]...)
			return r
		}
	}
	panic("no such cell")
}

// become gives a cell other facts.
func become(v factsOf) func(*facts.Cell) {
	return func(c *facts.Cell) {
		n := len(c.Trials)
		c.Trials = nil
		for i := 1; i <= n; i++ {
			c.Trials = append(c.Trials, v.trial(i))
		}
	}
}

// beside returns the run with the cells of another that it lacks.
func (r run) beside(other run) run {
	whole := *r.Result
	whole.Cells = slices.Clone(r.Cells)
	for _, c := range other.Cells {
		if r.Cell(c.Topology, c.Protocol, c.Client) == nil {
			whole.Cells = append(whole.Cells, c)
		}
	}
	return run{&whole}
}

// files returns the run's files as a reader parses them from JSON.
func files(t *testing.T, r *facts.Result) map[string][]byte {
	t.Helper()
	return labtest.Documents(t, r, Judge(r))
}
