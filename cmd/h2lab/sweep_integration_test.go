//go:build integration

package main

import (
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/results"
)

// One service of async, its corners, directly and through the limit.
func TestASmallSweepIsMeasuredAndLeavesNothing(t *testing.T) {
	p := start(t, "sweep", "SWEEP=async", "QUICK=1", "TRIALS=", "CLIENT=server-sync", "TOPOLOGY=direct,nginx-100")
	p.end(statusDone)
	r, err := results.Read(p.run())
	labtest.Check(t, err)
	if r.Run.Command != "sweep" || r.Run.Sweep != "async" || r.Environment.Versions["ab"] == "" || len(r.Cells) != 8 {
		t.Fatalf("command %q, sweep %q, versions %v, %d cells", r.Run.Command, r.Run.Sweep, r.Environment.Versions,
			len(r.Cells))
	}
	for _, c := range r.Cells {
		if !c.Unsupported.IsZero() || len(c.Trials) != 1 || c.Users != facts.Ab || c.Trials[0].Fault != nil {
			t.Errorf("%s: %q, trials %+v", c.ID(), c.Unsupported, c.Trials)
			continue
		}
		trial := c.Trials[0]
		if trial.Failed == 0 && (trial.LatencyMS.Mean == nil || *trial.LatencyMS.Mean < float64(c.Workload.DelayMS)) {
			t.Errorf("%s: %+v", c.ID(), trial.LatencyMS)
		}
		if trial.CPU.Client == nil || trial.CPU.Service == nil || trial.Service == nil {
			t.Errorf("%s: CPU %+v, service %+v", c.ID(), trial.CPU, trial.Service)
		}
		if through := c.Topology != "direct"; through != (trial.Connections.Expected != nil) {
			t.Errorf("%s: connections %+v", c.ID(), trial.Connections)
		}
	}
}
