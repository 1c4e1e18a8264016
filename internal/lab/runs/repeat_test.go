package runs

import (
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
)

// The schema accepts the command line that a report tells its reader to paste, for all values of
// the knobs.
func TestEveryRepeatIsOneThatTheSchemaTakes(t *testing.T) {
	usual := Request{Knobs: plan.UsualFor(plan.Repro), Runtime: "native", Timeline: true}
	all := Request{Knobs: plan.Knobs{Concurrency: 7, Trials: 2, Limit: 100, Pools: 2, Delay: 3, Body: 4,
		Duration: 1500 * time.Millisecond,
		Warmup:   90 * time.Second, CPUs: "0.25", Method: "PUT", TLS: "1.2", Key: "ecdsa", Seed: 18446744073709551615,
		Topologies: []string{"nginx-100", "envoy-100"}, Protocols: []string{"h1", "h2"},
		Clients:  []string{"k6-shared-pool", "go-once"},
		Only:     []string{"okhttp-3.4.2", "node"},
		OpenLoop: plan.OpenLoop{Rate: "70%", Arrivals: "poisson"}}}
	quick := usual
	quick.Knobs.Quick, quick.Knobs.CPUs = true, "none"
	story := Request{Knobs: plan.UsualFor(plan.Story), Runtime: "native"}
	story.Knobs.Gateway, story.Knobs.Clients = "scg", []string{"resttemplate-okhttp3"}
	for _, c := range []Request{usual, all, quick, story} {
		for _, command := range []string{plan.Repro, plan.Fixed, plan.Matrix, plan.Clients, plan.Story} {
			c.Command, c.Runtime = command, Native
			r := &facts.Result{Run: c.header(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}
			dir := t.TempDir()
			labtest.Check(t, results.Write(dir, r))
			if got, err := results.Read(dir); err != nil ||
				!strings.HasPrefix(got.Run.Repeat, "make "+command+" SEED=") {
				t.Errorf("%s: %v", r.Run.Repeat, err)
			}
		}
	}
}
