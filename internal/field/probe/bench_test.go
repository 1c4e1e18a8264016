//go:build integration

package probe

import (
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"h2lab/internal/base/labtest"
)

var h2loadRate = regexp.MustCompile(`finished in [\d.]+m?s, ([\d.]+) req/s`)

// BenchmarkStreamsBesideH2load compares the probe's stream rate on one connection with h2load's, in
// sequence on the same nginx: the ratio is stable even on a busy machine.
func BenchmarkStreamsBesideH2load(b *testing.B) {
	const streams = 100_000
	h2load := labtest.Program(b, "h2load")
	target := nginxAs(b, "nginx", streams)
	var ours, theirs float64
	for b.Loop() {
		got, err := Survey(b.Context(), target, Ask{MaxStreams: 2 * streams, Connections: 1})
		if err != nil || got.Budget.Least != streams {
			b.Fatalf("%v, %+v", err, got.Budget)
		}
		ours += *got.StreamsPerS
		out, err := exec.CommandContext(b.Context(), h2load, "-c1", "-m100", "-n", strconv.Itoa(streams),
			target.url).CombinedOutput()
		m := h2loadRate.FindSubmatch(out)
		if err != nil || m == nil {
			b.Fatalf("h2load: %v\n%s", err, out)
		}
		rate, _ := strconv.ParseFloat(string(m[1]), 64)
		theirs += rate
	}
	n := float64(b.N)
	b.ReportMetric(ours/n, "probe-streams/s")
	b.ReportMetric(theirs/n, "h2load-streams/s")
	b.ReportMetric(ours/theirs, "ratio")
}
