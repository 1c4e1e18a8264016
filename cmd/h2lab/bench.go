package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"h2lab/internal/base/exitstatus"
	"h2lab/internal/facts"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/conduct"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

type benchCmd struct {
	Trials int `env:"TRIALS" default:"10" help:"Trials of each, interleaved."`
}

// blind marks the cells that are measured without sampling a timeline.
const blind = " without timeline"

// Run measures what sampling costs and how k6's shared pool compares with the Go client: three
// cells on nginx-100000 over h2, in interleaved rounds.
func (c *benchCmd) Run(a *app) error {
	k := plan.Usual()
	k.Trials, k.Topologies, k.Protocols = c.Trials, []string{"nginx-100000"}, []string{"h2"}
	if err := k.Validate(); err != nil {
		return exitstatus.WrongUsage(err)
	}
	k.Clients = []string{string(facts.K6SharedPool), string(facts.GoReplayable)}
	cells, err := plan.Cells(plan.Fixed, k)
	if err != nil {
		return err
	}
	without := cells[1] // the Go client: it uses the least processor time, so the cost of sampling shows best
	without.Topology.Name += blind
	cells = append(cells, without)
	r, err := c.measure(a, k, cells)
	if err != nil {
		return err
	}
	return c.tell(a, r)
}

func (c *benchCmd) measure(a *app, k plan.Knobs, cells []facts.Planned) (r *facts.Result, err error) {
	unlock, err := native.Lock(a.root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	s, err := openSite(a, runtimeNative, k, plan.TopologiesOf(cells[:1]), plan.ClientsOf(cells), attached)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close(a)) }()
	bench := &conduct.Bench{Root: a.root, CA: caFile(a.root), RunID: "bench", K6: s.tools.K6,
		Programs: goPrograms(s.tools), Env: clients.Env(a.root),
		Site: s, Sampling: samplingInterval, SaveSeries: func(string, facts.Series) error { return nil }}
	r = &facts.Result{Run: facts.Run{Command: "bench", Seed: rand.Uint64(), Trials: k.Trials}}
	p := newProgress(a)
	defer p.stop()
	return r, conduct.Run(a.ctx,
		conduct.Score{Result: r, Cells: cells, Unsupported: s.lacks, Instruments: &blindfold{bench}, Site: s,
			Save: func(*facts.Result) error { return nil }, Progress: p.step})
}

// blindfold is a Bench that doesn't sample the cells marked with blind.
type blindfold struct{ *conduct.Bench }

// Measure implements conduct.Instruments.
func (b *blindfold) Measure(ctx context.Context, cell facts.Planned, index int) (facts.Trial, error) {
	name, marked := strings.CutSuffix(cell.Topology.Name, blind)
	if !marked {
		return b.Bench.Measure(ctx, cell, index)
	}
	cell.Topology.Name = name
	bench := *b.Bench
	bench.Sampling = 0
	return bench.Measure(ctx, cell, index)
}

func (c *benchCmd) tell(a *app, r *facts.Result) error {
	goodput := func(i int) (out []float64) {
		for _, t := range r.Cells[i].Trials {
			out = append(out, t.GoodputRPS)
		}
		return out
	}
	k6, goClient, goBlind := goodput(0), goodput(1), goodput(2)
	fmt.Fprintf(a.stdout, "k6-shared-pool / go-replayable goodput on nginx-100000, h2: %s\n", ratio(k6, goClient))
	fmt.Fprintf(a.stdout, "go-replayable with / without the 20 Hz timeline: %s\n", ratio(goClient, goBlind))
	fmt.Fprintf(a.stdout, "nginx's processor time a request, with / without: %s\n",
		ratio(proxyCost(r.Cells[1]), proxyCost(r.Cells[2])))
	fmt.Fprintf(a.stdout, "h2lab's own processor time, share of one core: %s with, %s without the timeline\n",
		ownShare(r.Cells[1]), ownShare(r.Cells[2]))
	if mb := ownMemory(); mb != nil {
		fmt.Fprintf(a.stdout, "h2lab's largest resident size: %.0f MB\n", *mb)
	}
	return nil
}

// proxyCost returns the proxy's processor time for each request, by trial. It limits goodput under
// a CPU budget and, unlike goodput, doesn't vary with other load on the host.
func proxyCost(c facts.Cell) (out []float64) {
	for _, t := range c.Trials {
		if t.CPU.Proxy != nil && t.Attempts > 0 {
			out = append(out, *t.CPU.Proxy/float64(t.Attempts))
		}
	}
	return out
}

// ratio formats a comparison.
func ratio(a, b []float64) string {
	c := statistics.Compare(a, b)
	if c.Ratio == nil {
		return "–"
	}
	if c.Lo == nil || c.Hi == nil {
		return fmt.Sprintf("%.3f (too few trials for an interval)", *c.Ratio)
	}
	return fmt.Sprintf("%.3f [%.3f, %.3f] %s", *c.Ratio, *c.Lo, *c.Hi, c.Mark())
}

func ownShare(c facts.Cell) string {
	var spent, elapsed float64
	for _, t := range c.Trials {
		if t.CPU.Lab != nil {
			spent += *t.CPU.Lab
			elapsed += t.ElapsedS
		}
	}
	if elapsed == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f %%", 100*spent/elapsed)
}
