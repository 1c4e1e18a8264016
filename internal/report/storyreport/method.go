package storyreport

import (
	"fmt"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/report/parts"
)

func (p *page) method() {
	p.Heading("page.how-measured")
	w, users := facts.Workload{Method: parts.Dash, Concurrency: p.run.Concurrency}, facts.Client("")
	var cells []*facts.Cell
	for i := range p.in.Result.Cells {
		c := &p.in.Result.Cells[i]
		cells = append(cells, c)
		if i == 0 {
			w, users = c.Workload, c.Users
		}
	}
	p.prose("method.md", map[string]any{
		"Users": text.Count(w.Concurrency), "Program": parts.Code(parts.Or(string(users), parts.Dash)),
		"Method": parts.Escape(w.Method), "Body": p.Plural(w.BodyBytes, "page.bytes"),
		"Delay": text.Count(w.DelayMS), "Trials": p.Plural(p.run.Trials, "page.trials"),
		"Window": parts.Seconds(p.run.DurationS), "Warmup": parts.Seconds(p.run.WarmupS), "Seed": fmt.Sprint(p.run.Seed),
		"Gateway": parts.Code(p.chain.Gateway), "CPUs": p.Budget(), "Limits": p.Limits(cells),
		"Key": parts.Escape(parts.Or(strings.ToUpper(p.run.Key), p.Say("verdict.unknown"))),
	})
	p.Order()
}
