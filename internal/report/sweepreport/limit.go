package sweepreport

import (
	"h2lab/internal/facts"
	"h2lab/internal/judge/sweepverdicts"
	"h2lab/internal/report/markdown"
	"h2lab/internal/report/parts"
)

// behind writes what the limit does to each caller: the chart, a sentence each, and the numbers.
func (p *sheet) behind(v sweepverdicts.Voice) {
	effects := v.Effects()
	if len(effects) == 0 {
		p.Print("sweep.no-cell-sweep-measured", parts.Code(v.Low()))
		return
	}
	p.charted(v.ID+"-limit", p.limitChart(v, effects))
	for _, e := range effects {
		p.Printf("- %s\n", markdown.Prose(p.In(v.Effect(e))))
	}
	p.Printf("\n<details><summary>%s</summary>\n\n", p.Say("sweep.numbers-behind-limits"))
	p.limits(v, effects)
	p.Printf("</details>\n")
}

// limits writes the sweep's table over the topologies.
func (p *sheet) limits(v sweepverdicts.Voice, effects []sweepverdicts.Effect) {
	slow := p.In(v.Slow.Head)
	low, high := v.Low(), sweepverdicts.High
	g := parts.Grid{Left: 1, Heads: []string{p.placeHead(v)}}
	for _, h := range []struct{ what, where string }{{slow, sweepverdicts.Direct}, {slow, high}, {slow, low},
		{p.In(sweepverdicts.Goodput.Head), high}, {p.In(sweepverdicts.Goodput.Head), low},
		{p.In(sweepverdicts.Failed.Head), high}, {p.In(sweepverdicts.Failed.Head), low},
		{p.In(sweepverdicts.Accepted.Head), low}, {p.In(sweepverdicts.Expected.Head), low}} {
		g.Heads = append(g.Heads, p.Say("sweep.pair", h.what, h.where))
	}
	for _, e := range effects {
		g.Add(parts.Plain(parts.Escape(e.Name)))
		for _, at := range v.Places(low) {
			a, b := v.Cell(low, e.Line, at), v.Cell(high, e.Line, at)
			number := func(m sweepverdicts.Measure, c *facts.Cell) parts.Cell {
				return parts.Cell{Text: m.Text(c), Raw: rawOf(v.Table, c, m)}
			}
			g.Add(parts.Plain(p.placed(v, at)+p.marks(v, a)), number(v.Slow, v.Cell(sweepverdicts.Direct, e.Line, at)),
				number(v.Slow, b), number(v.Slow, a), number(sweepverdicts.Goodput, b), number(sweepverdicts.Goodput, a),
				number(sweepverdicts.Failed, b), number(sweepverdicts.Failed, a), number(sweepverdicts.Accepted, a),
				number(sweepverdicts.Expected, a))
		}
	}
	p.write(g)
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
