//go:build e2e

package e2e_test

import (
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/results"
)

// Runs the command of the native runtime with programs in separate images: one that fails because
// of its library, and one in another language that doesn't fail. Both are at a distance.
func TestMakeClientsThroughThePodMeasuresProgramsOfTwoImages(t *testing.T) {
	clean(t)
	before := runs(t)
	if status := run(t, "make", "clients", "RUNTIME=docker", "ONLY=go-once,httpx-h1", "TOPOLOGY=nginx-100",
		"LIMIT=100", "DURATION=1s", "WARMUP=400ms", "CPUS=0.5", "CONCURRENCY=20", "RTT=20ms"); status != 0 {
		t.Fatalf("make clients: exit status %d", status)
	}
	nothingIsLeft(t)
	r, err := results.Read(newRun(t, before))
	labtest.Check(t, err)
	if r.Run.Runtime != "docker" || r.Run.Command != "clients" || len(r.Cells) != 2 {
		t.Fatalf("runtime %q, command %q, %d cells", r.Run.Runtime, r.Run.Command, len(r.Cells))
	}
	for _, c := range r.Cells {
		if c.Unsupported != "" || len(c.Trials) != 1 || c.Trials[0].Fault != nil {
			t.Errorf("%s: unsupported %q, trials %+v", c.Client, c.Unsupported, c.Trials)
			continue
		}
		x := c.Trials[0]
		if x.Succeeded == 0 || x.CPU.Client == nil || *x.CPU.Client <= 0 {
			t.Errorf("%s: %d succeeded, the client's processor time %v", c.Client, x.Succeeded, x.CPU.Client)
		}
		if p50 := x.LatencyMS.P50; p50 == nil || *p50 < 20 {
			t.Errorf("%s: p50 is %v ms over a distance of 20 ms", c.Client, p50)
		}
		if lost := x.Failed > 0; lost != (c.Client == facts.GoOnce) {
			t.Errorf("%s: %d of %d failed", c.Client, x.Failed, x.Attempts)
		}
	}
}
