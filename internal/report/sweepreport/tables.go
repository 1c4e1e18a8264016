package sweepreport

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"h2lab/internal/base/text"
	"h2lab/internal/facts"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/report/markdown"
	"h2lab/internal/report/parts"
)

// strainedMark is written beside numbers of a cell in which all cores were busy.
const strainedMark = "†"

// faultMark is written where the service or its load generator failed in a trial.
const faultMark = "✗"

// direct writes the sweep's numbers without a proxy: one row for each caller and place where the
// sweep has many measures, one column for each caller otherwise.
func (p *sheet) direct(v sweepverdicts.Voice) {
	places := v.Places(sweepverdicts.Direct)
	if len(places) == 0 {
		p.Print("page.nothing-measured")
		return
	}
	if v.Sweep == sweepverdicts.Callers {
		p.long(v, places)
	} else {
		p.pivot(v, places)
	}
	p.absent(v)
}

// absent says which places of the whole table the run was not planned for.
func (p *sheet) absent(v sweepverdicts.Voice) {
	places := v.Absent(sweepverdicts.Direct)
	if len(places) == 0 {
		return
	}
	var groups []string
	for _, g := range v.Groups(places) {
		var names []string
		for _, at := range places {
			if v.Group(at) == g {
				names = append(names, v.Short(at))
			}
		}
		all := p.Language.List(names)
		if v.Grouped {
			all = p.Say("page.labelled", p.group(v, g), all)
		}
		groups = append(groups, all)
	}
	p.Print("sweep.not-part-run", strings.Join(groups, p.Say("join.semicolon")), p.axisHead(v))
}

// axisHead is the head of the column with the varied number.
func (p *sheet) axisHead(v sweepverdicts.Voice) string {
	switch {
	case v.Sweep == sweepverdicts.Burst:
		return p.Say("sweep.wait-ms")
	case v.ByDelay:
		return p.Say("sweep.delay-ms")
	}
	return p.Say("sweep.users")
}

// long writes one row for each caller and place.
func (p *sheet) long(v sweepverdicts.Voice, places []sweepverdicts.Place) {
	g := parts.Grid{Left: 1, Heads: []string{p.axisHead(v)}}
	for _, m := range v.Measures {
		g.Heads = append(g.Heads, p.In(m.Head))
	}
	for _, l := range v.Lines(sweepverdicts.Direct) {
		g.Add(parts.Plain(parts.Escape(v.Name(sweepverdicts.Direct, l)))...)
		for _, at := range places {
			c := v.Cell(sweepverdicts.Direct, l, at)
			row := parts.Plain(text.Count(v.Along(at)) + p.marks(v, c))
			for _, m := range v.Measures {
				row = append(row, parts.Cell{Text: p.value(m, c), Raw: rawOf(v.Table, c, m)})
			}
			g.Add(row...)
		}
	}
	p.Table(g)
	p.explain(v)
}

// value writes a measure of a cell; failures with the names of their errors.
func (p *sheet) value(m sweepverdicts.Measure, c *facts.Cell) string {
	if c == nil || len(c.Trials) == 0 {
		return parts.Dash
	}
	s := m.Text(c)
	if failed, _ := sweepverdicts.Failures(c); failed == 0 || m.ID != sweepverdicts.Failed.ID {
		return s
	}
	var names []string
	for _, n := range sweepverdicts.Errors(c) {
		names = append(names, parts.Code(n.Name))
	}
	if len(names) == 0 {
		return s
	}
	return s + " " + strings.Join(names[:min(len(names), 2)], ", ")
}

// marks are written beside a place's number.
func (p *sheet) marks(v sweepverdicts.Voice, c *facts.Cell) string {
	switch {
	case sweepverdicts.Faults(c) > 0:
		return " " + faultMark
	case v.Strained(c):
		return " " + strainedMark
	}
	return ""
}

// explain says what the marks beside the numbers mean, where the sweep has one.
func (p *sheet) explain(v sweepverdicts.Voice) {
	if slices.ContainsFunc(v.Cells(), v.Strained) {
		p.Print("sweep.all-cores-busy-most", strainedMark)
	}
	if slices.ContainsFunc(v.Cells(), func(c *facts.Cell) bool { return sweepverdicts.Faults(c) > 0 }) {
		p.Print("sweep.service-load-generator", faultMark)
	}
	p.Print("sweep.unknown-number-cell-not", parts.Dash)
}

// pivot writes one column for each caller; a sweep with groups has one table for each.
func (p *sheet) pivot(v sweepverdicts.Voice, places []sweepverdicts.Place) {
	lines := v.Lines(sweepverdicts.Direct)
	var heads []string
	for _, m := range v.Measures {
		heads = append(heads, p.In(m.Head))
	}
	p.Print("sweep.cell", strings.Join(heads, " / "))
	for _, group := range v.Groups(places) {
		if v.Grouped {
			p.Printf("**%s**\n\n", p.group(v, group))
		}
		g := parts.Grid{Left: 1, Heads: []string{p.axisHead(v)}}
		for _, l := range lines {
			g.Heads = append(g.Heads, p.named(v, l))
		}
		for _, at := range places {
			if v.Group(at) != group {
				continue
			}
			row := parts.Plain(text.Count(v.Along(at)))
			for _, l := range lines {
				c := v.Cell(sweepverdicts.Direct, l, at)
				row = append(row, parts.Cell{Text: p.pivotCell(v, c), Raw: rawOf(v.Table, c, v.Measures[0])})
			}
			g.Add(row...)
		}
		p.Table(g)
	}
	p.explain(v)
}

// named is a caller's name in a head; the load without a service has none.
func (p *sheet) named(v sweepverdicts.Voice, l sweepverdicts.Line) string {
	if l.Bare {
		return p.Say("sweep.no-service")
	}
	return v.Name(sweepverdicts.Direct, l)
}

// group names what is the same in one panel or table.
func (p *sheet) group(v sweepverdicts.Voice, group int) string {
	if v.ByDelay {
		return p.Say("sweep.threads", text.Count(group))
	}
	return p.Say("sweep.wait-ms-2", text.Count(group))
}

func (p *sheet) pivotCell(v sweepverdicts.Voice, c *facts.Cell) string {
	if c == nil || len(c.Trials) == sweepverdicts.Faults(c) {
		return parts.Dash + p.marks(v, c)
	}
	var values []string
	for _, m := range v.Measures {
		values = append(values, m.Text(c))
	}
	s := strings.Join(values, " / ")
	failed, _ := sweepverdicts.Failures(c)
	if failed > 0 && v.Sweep != sweepverdicts.Burst {
		s += " " + p.Say("sweep.failed", text.Count(failed))
	}
	return s + p.marks(v, c)
}

// rawOf is the place of a measure in all trials of a cell.
func rawOf(t sweepverdicts.Table, c *facts.Cell, m sweepverdicts.Measure) string {
	if c == nil || len(c.Trials) == 0 || m.Raw == "" {
		return ""
	}
	return fmt.Sprintf("/cells/%d/trials/*%s", t.Index(c), m.Raw)
}

// behind writes what the limit does to each caller: the chart, a sentence each, and the numbers.
func (p *sheet) behind(v sweepverdicts.Voice) {
	effects := v.Effects()
	if len(effects) == 0 {
		p.Print("sweep.no-cell-sweep-measured", parts.Code(v.Low()))
		return
	}
	p.charted(v.ID+"-limit", p.limitChart(v, effects), "sweep.line-charts-caller-without")
	for _, e := range effects {
		p.Printf("- %s\n", markdown.Prose(p.In(v.Effect(e))))
	}
	p.Printf("\n<details><summary>%s</summary>\n\n", p.Say("sweep.numbers-behind-limits"))
	p.limits(v, effects)
	p.Printf("</details>\n")
}

// limits writes the sweep's table over the topologies.
func (p *sheet) limits(v sweepverdicts.Voice, effects []sweepverdicts.Effect) {
	low, high := v.Low(), sweepverdicts.High
	columns := []struct {
		m     sweepverdicts.Measure
		where string
	}{{v.Slow, sweepverdicts.Direct}, {v.Slow, high}, {v.Slow, low}, {sweepverdicts.Goodput, high}, {sweepverdicts.Goodput, low},
		{sweepverdicts.Failed, high}, {sweepverdicts.Failed, low}, {sweepverdicts.Accepted, low}, {sweepverdicts.Expected, low}}
	g := parts.Grid{Left: 1, Heads: []string{p.placeHead(v)}}
	for _, c := range columns {
		g.Heads = append(g.Heads, p.Say("sweep.pair", p.In(c.m.Head), c.where))
	}
	for _, e := range effects {
		g.Add(parts.Plain(parts.Escape(e.Name))...)
		for _, at := range v.Places(low) {
			row := parts.Plain(p.placed(v, at) + p.marks(v, v.Cell(low, e.Line, at)))
			for _, c := range columns {
				of := v.Cell(c.where, e.Line, at)
				row = append(row, parts.Cell{Text: c.m.Text(of), Raw: rawOf(v.Table, of, c.m)})
			}
			g.Add(row...)
		}
	}
	p.Table(g)
	p.explain(v)
}

// placed is a place in such a column.
func (p *sheet) placed(v sweepverdicts.Voice, at sweepverdicts.Place) string {
	if v.Grouped {
		return p.In(v.Named(at))
	}
	return v.Short(at)
}

// placeHead is the head of a column of whole places.
func (p *sheet) placeHead(v sweepverdicts.Voice) string {
	if v.Grouped {
		return p.Say("sweep.place")
	}
	return p.axisHead(v)
}

//go:embed text/*.md text/zh/*.md
var written embed.FS

// glossary explains the measures of the run's sweeps, each once.
func (p *sheet) glossary() {
	if len(p.tables) == 0 {
		return
	}
	p.Heading("page.columns")
	p.Print("run.column-meaning")
	var seen []string
	for _, t := range p.tables {
		for _, m := range append(slices.Clone(t.Measures), sweepverdicts.Goodput, sweepverdicts.Accepted,
			sweepverdicts.Expected) {
			if !slices.Contains(seen, m.ID) {
				seen = append(seen, m.ID)
				p.Printf("| %s | %s |\n", p.In(m.Head), p.In(m.Meaning))
			}
		}
	}
	p.Printf("\n")
	if core.HasHistograms(p.Result) {
		p.Print("run.percentiles-latency-all")
	}
}

// method says how the run was measured.
func (p *sheet) method() {
	p.Heading("page.how-measured")
	var cells []*facts.Cell
	var w facts.Workload
	for _, t := range p.tables {
		for _, c := range t.Cells() {
			if cells = append(cells, c); w.MaxTLS == "" {
				w = c.Workload
			}
		}
	}
	p.Prose(written, "method.md", map[string]any{"Trials": p.Plural(p.Run.Trials, "page.trials"),
		"Seed": fmt.Sprint(p.Run.Seed), "Limits": p.Limits(cells), "TLS": p.TLS(w, cells), "Budget": p.Budget(),
		"Low": parts.Code(p.lowName()), "High": parts.Code(sweepverdicts.High)})
}

func (p *sheet) lowName() string {
	if len(p.tables) == 0 {
		return fmt.Sprintf("nginx-%d", p.Run.Limit)
	}
	return p.tables[0].Low()
}
