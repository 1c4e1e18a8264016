//go:build integration

package runs

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"h2lab/internal/base/labtest"
	"h2lab/internal/facts"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/plan"
	"h2lab/internal/lab/results"
)

// shortPlaces are two limits of three places: the base, another key with resumption, and a distance.
func shortPlaces(k plan.Knobs) (out [][]facts.Planned) {
	for _, p := range plan.MattersPlaces(k, nil) {
		if !slices.Contains([]string{"100-in-flight-0ms-rtt0", "100-in-flight-0ms-rtt0-ecdsa-resumed",
			"100-in-flight-0ms-rtt20"}, p[0].Point) || p[0].Client != facts.GoReplayable {
			continue
		}
		p = slices.DeleteFunc(p, func(c facts.Planned) bool { return c.Topology.Limit > 1000 })
		for i := range p {
			p[i].Workload.WarmupS, p[i].Workload.DurationS = 0.2, 0.5
		}
		out = append(out, p)
	}
	return out
}

// This process is in the machine's own network namespace, where the lab makes no line.
func TestPlacesAreMeasuredWithBothKeysAndAfterAProxyDied(t *testing.T) {
	f := labtest.NewFaults(t, labtest.Programs)
	f.Try("nginx is killed in a trial of SWEEP=matters", func(t *testing.T) {
		l, said := lab(t), &strings.Builder{}
		l.Messages = said
		k := plan.UsualFor(plan.Sweep)
		k.Sweep, k.Seed, k.CPUs = plan.Matters, 1, "none"
		m := &mattersRun{Request: Request{Command: plan.Sweep, Knobs: k, Runtime: Native}, places: shortPlaces(k),
			okhttp: &clientsRun{lacks: map[facts.Client]string{}}}
		killed := ""
		l.Progress = func(s conduct.Step) {
			if s.What == "trial" && killed == "" {
				killed = s.Cell
				server, _, _ := strings.Cut(s.Cell, ".")
				text, _ := os.ReadFile(filepath.Join(l.Root, "var", server+".pid"))
				pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
				if err == nil {
					err = syscall.Kill(pid, syscall.SIGKILL)
				}
				if err != nil {
					t.Error(err)
				}
			}
		}
		dir, err := m.measure(t.Context(), l)
		if err != nil {
			t.Fatal(err, said)
		}
		nothingRuns(t, l, slices.Concat(m.places...))
		r, err := results.Read(dir)
		labtest.Check(t, err)
		for _, c := range r.Cells {
			measuredAs(t, c, c.ID() == killed)
		}
		if len(r.Cells) != 6 || !strings.Contains(said.String(), "starting the servers again with a certificate of the key") {
			t.Errorf("%d cells, %s", len(r.Cells), said)
		}
	})
}

// measuredAs checks a cell of shortPlaces.
func measuredAs(t *testing.T, c facts.Cell, killed bool) {
	t.Helper()
	w := c.Workload
	switch {
	case w.Distance.Any():
		if !strings.Contains(c.Unsupported, "not measured: a delay line must not change the host's own network namespace") {
			t.Errorf("%s: %q, %d trials", c.ID(), c.Unsupported, len(c.Trials))
		}
	case len(c.Trials) != 1:
		t.Errorf("%s has %d trials, %q", c.ID(), len(c.Trials), c.Unsupported)
	case killed:
		if x := c.Trials[0]; x.Fault == nil || x.Fault.Kind != facts.FaultCrashed {
			t.Errorf("%s: %+v", c.ID(), x)
		}
	default:
		x := c.Trials[0]
		if x.Fault != nil || x.Connections.Dialled == nil || *x.Connections.Dialled == 0 || *x.Connections.UsedUp == 0 {
			t.Errorf("%s: %+v", c.ID(), x)
			return
		}
		if n := *x.TLS.Resumed; w.Resume != (n == *x.Connections.Dialled) {
			t.Errorf("%s: %d of %d handshakes resumed", c.ID(), n, *x.Connections.Dialled)
		}
	}
}
