package main

import (
	"fmt"

	"h2lab/internal/facts"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/lab/runs"
)

type benchCmd struct {
	Trials int `env:"TRIALS" default:"10" help:"Trials of each, interleaved."`
}

// Run measures what sampling costs and how k6's shared pool compares with the Go client.
func (c *benchCmd) Run(a *app) error {
	p := newProgress(a)
	r, err := a.lab("", p).Bench(a.ctx, c.Trials)
	p.stop()
	if err != nil {
		return err
	}
	printBench(a, r)
	return nil
}

func printBench(a *app, r *facts.Result) {
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
	if mb := runs.OwnMemory(); mb != nil {
		fmt.Fprintf(a.stdout, "h2lab's largest resident size: %.0f MB\n", *mb)
	}
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
