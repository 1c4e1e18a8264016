//go:build integration && linux

package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/lab/results"
)

// Over a distance of 20 ms no answer comes earlier, k6 and Go alike, and the host's devices are those
// of before.
func TestARunOverADistance(t *testing.T) {
	before, err := net.Interfaces()
	labtest.Check(t, err)
	p := start(t, "repro", "RTT=20ms", "TOPOLOGY=nginx-100", "CLIENT=k6-shared-pool,go-once")
	p.until("1/4")
	if during, err := net.Interfaces(); err != nil || len(during) != len(before) {
		t.Errorf("%v: %+v, before %+v", err, during, before)
	}
	p.end(0)
	dir := p.run()
	r, err := results.Read(dir)
	if err != nil || r.Run.Command != "repro" {
		t.Fatal(r, err)
	}
	for _, c := range r.Cells {
		if len(c.Trials) != 1 || c.Workload.Distance.RTTMS != 20 {
			t.Errorf("%s: %d trials, %+v", c.ID(), len(c.Trials), c.Workload)
			continue
		}
		if p50 := c.Trials[0].LatencyMS.P50; p50 == nil || *p50 < 20 {
			t.Errorf("%s: p50 is %v ms", c.ID(), p50)
		}
	}
	if !strings.Contains(r.Run.Repeat, " RTT=20ms") {
		t.Errorf("repeat: %s", r.Run.Repeat)
	}
	for page, says := range map[string]string{"report.md": "round trip of 20 ms", "report.zh.md": "往返时间为 20 ms"} {
		text, err := os.ReadFile(filepath.Join(dir, page))
		if err != nil || !strings.Contains(string(text), says) {
			t.Errorf("%s doesn't say %q: %v", page, says, err)
		}
	}
}
