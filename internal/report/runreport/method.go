package runreport

import (
	"fmt"
	"strings"

	"h2lab/internal/base/numfmt"
	"h2lab/internal/facts"
	"h2lab/internal/report/parts"
)

func (p *page) method() {
	p.Heading("How it was measured")
	w := facts.Workload{Method: dash, Concurrency: p.run.Concurrency, Pools: 1}
	if cells := p.in.Result.Cells; len(cells) > 0 {
		w = cells[0].Workload
	}
	timeline := p.Say("were not recorded")
	if p.run.Observed {
		timeline = p.Say("are the front's counters, sampled during the load; `make bench` measures the cost of " +
			"sampling")
	}
	p.prose("method.md", map[string]any{
		"Concurrency": numfmt.Count(p.run.Concurrency), "Method": escape(w.Method),
		"Body":  p.Plural(w.BodyBytes, parts.BytesOfBody),
		"Pools": p.Plural(w.Pools, pools), "Delay": numfmt.Count(w.DelayMS) + " ms",
		"Trials": p.Plural(p.run.Trials, trials), "Window": seconds(p.run.DurationS), "Warmup": seconds(p.run.WarmupS),
		"Seed": fmt.Sprint(p.run.Seed), "Limits": p.Limits(p.cells()), "TLS": p.TLS(w, p.cells()),
		"Key": escape(or(strings.ToUpper(p.run.Key), p.Say("unknown"))), "Timeline": timeline,
	})
	p.Order()
}

// cells returns the cells in the order of the tables.
func (p *page) cells() (out []*facts.Cell) {
	for _, r := range p.rows {
		out = append(out, r.Cell)
	}
	return out
}
