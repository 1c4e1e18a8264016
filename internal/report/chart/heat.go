package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Heat are maps: panels of cells by two numbers that were varied, two in a row. A cell has its number
// as text, and a colour by the class of the number.
type Heat struct {
	Words
	// XLabel and YLabel name the columns and the rows.
	XLabel, YLabel string
	// Classes are the bounds between the colours, in rising order; the first colour is below the first bound,
	// the last one from the last bound on. Names are the classes' names in the legend, one more than bounds.
	Classes []float64
	Names   []string
	Panels  []HeatPanel
}

// HeatPanel is one map.
type HeatPanel struct {
	Name          string
	Columns, Rows []string
	// Cells has a line for each row.
	Cells [][]HeatCell
}

// HeatCell is one cell. Without a value it has no colour, and its text says why.
type HeatCell struct {
	Value *float64
	Text  string
	// Unsure hatches the cell: its number may be noise. Calculated frames it with dashes: it was not
	// measured.
	Unsure, Calculated bool
}

const (
	heatRow   vg.Length = 30
	heatHead  vg.Length = 24
	heatTicks vg.Length = 18
)

// steps are the colours of a theme's classes: one hue, so that a reader who sees no colours can order
// them by their lightness. They are the ends of ColorBrewer's Oranges, reversed on a dark page; a test computes the
// contrast of each text.
func (t Theme) steps() []color.NRGBA {
	if t.Name == "dark" {
		return []color.NRGBA{rgb(0x1b222b), rgb(0x4a2a10), rgb(0x7a3f0c), rgb(0xad5a15), rgb(0xf0974a), rgb(0xffd6ae)}
	}
	return []color.NRGBA{rgb(0xf6f8fa), rgb(0xfddcb8), rgb(0xfdb877), rgb(0xf08a3c), rgb(0xb84a04), rgb(0x6b2402)}
}

// step is the colour of a value's class, one of the theme's.
func (d Heat) step(t Theme, v float64) color.NRGBA {
	class := 0
	for class < len(d.Classes) && v >= d.Classes[class] {
		class++
	}
	all := t.steps()
	return all[class*(len(all)-1)/max(len(d.Classes), 1)]
}

// legible is black or white, whichever has the higher contrast.
func legible(on color.NRGBA) color.NRGBA {
	black, white := rgb(0x1f2328), rgb(0xffffff)
	if contrast(on, black) >= contrast(on, white) {
		return black
	}
	return white
}

func (d Heat) rowHeight(from int) vg.Length {
	most := 0
	for i := from; i < min(from+panelsInRow, len(d.Panels)); i++ {
		most = max(most, len(d.Panels[i].Rows))
	}
	return heatHead + heatTicks + heatRow*vg.Length(most) + heatTicks + rowGap
}

// Draw makes the picture.
func (d Heat) Draw() (Picture, error) {
	d = labelled(d)
	height := bottom + 4
	for i := 0; i < len(d.Panels); i += panelsInRow {
		height += d.rowHeight(i)
	}
	return render(d.Words, legend{d.keys(), swatch + 6, 16}, height, func(f *figure) {
		f.top += 4
		f.grid(len(d.Panels), 28, d.rowHeight, func(i int, left, wide vg.Length) { d.panel(f, d.Panels[i], left, wide) })
	})
}

// panel draws the name, the columns' heads and the cells, below f.top.
func (d Heat) panel(f *figure, p HeatPanel, left, wide vg.Length) {
	top := f.canvas.Max.Y - f.top
	name, plain, small := f.bold(13), f.plain(12), f.muted(11)
	f.canvas.FillText(name, pt(left, top-16), fit(p.Name, name, wide))
	gutter := small.Width(d.YLabel+" ↓") + 8
	for _, r := range p.Rows {
		gutter = min(wide/3, max(gutter, plain.Width(r)+10))
	}
	cell := (wide - gutter) / vg.Length(max(len(p.Columns), 1))
	top -= heatHead
	f.canvas.FillText(small, pt(left, top-12), fit(d.YLabel+" ↓", small, gutter))
	for i, head := range p.Columns {
		f.canvas.FillText(centred(plain), pt(left+gutter+cell*(vg.Length(i)+0.5), top-12), fit(head, plain, cell-4))
	}
	top -= heatTicks
	for i, row := range p.Rows {
		y := top - heatRow*vg.Length(i)
		f.canvas.FillText(middle(right(plain)), pt(left+gutter-8, y-heatRow/2), fit(row, plain, gutter-8))
		for k := range p.Columns {
			c := HeatCell{}
			if i < len(p.Cells) && k < len(p.Cells[i]) {
				c = p.Cells[i][k]
			}
			d.cell(f, c, left+gutter+cell*vg.Length(k), y, cell)
		}
	}
	f.canvas.FillText(centred(small), pt(left+gutter+(wide-gutter)/2, top-heatRow*vg.Length(len(p.Rows))-14),
		fit(d.XLabel, small, wide-gutter))
}

// cell draws one cell, its upper left corner at x and y.
func (d Heat) cell(f *figure, c HeatCell, x, y, wide vg.Length) {
	const gap = 1.5
	fill := d.box(f, c, x+gap, y-heatRow+gap, wide-2*gap, heatRow-2*gap)
	s := middle(centred(f.bold(12)))
	s.Color = f.theme.Muted
	if c.Value != nil {
		s.Color = legible(fill)
	}
	words := fit(c.Text, s, wide-12)
	if c.Unsure { // no stripe crosses the number
		w := s.Width(words) + 8
		f.fill(rectangle(x+wide/2-w/2, y-heatRow/2-8, w, 16), fill)
	}
	f.canvas.FillText(s, pt(x+wide/2, y-heatRow/2), words)
}

// box draws a cell without its number: a line around one without a colour, and dashes around one that was not measured.
func (d Heat) box(f *figure, c HeatCell, x, y, wide, tall vg.Length) (fill color.NRGBA) {
	fill = f.theme.Background
	if c.Value != nil {
		fill = d.step(f.theme, *c.Value)
	}
	box := rectangle(x, y, wide, tall)
	f.fill(box, fill)
	if c.Unsure {
		f.hatch(x, y, wide, tall, legible(fill))
	}
	if c.Calculated {
		f.outline(box, f.theme.Text, 1, 3, 3)
	} else {
		f.outline(box, f.theme.Grid, 1)
	}
	f.canvas.SetLineDash(nil, 0)
	return fill
}

// hatch draws stripes in a box.
func (f *figure) hatch(x, y, wide, tall vg.Length, colour color.NRGBA) {
	colour.A = 0x70
	l := draw.LineStyle{Color: colour, Width: 1}
	const step = 7
	for at := step - tall; at < wide; at += step {
		from, to := max(0, -at), min(tall, wide-at)
		f.canvas.StrokeLine2(l, x+at+from, y+from, x+at+to, y+to)
	}
}

const swatch vg.Length = 26

// keys are the classes, and the marks that the panels have.
func (d Heat) keys() (out []key) {
	entry := func(name string, c HeatCell) {
		out = append(out, key{name, func(f *figure, at vg.Point) { d.box(f, c, at.X-8, at.Y-7, swatch, 14) }})
	}
	least := math.Inf(-1)
	for i, name := range d.Names {
		below := least
		if i > 0 && i-1 < len(d.Classes) {
			below = d.Classes[i-1]
		}
		entry(name, HeatCell{Value: &below})
	}
	var unsure, calculated, none bool
	for _, p := range d.Panels {
		for _, c := range slices.Concat(p.Cells...) {
			unsure, calculated, none = unsure || c.Unsure, calculated || c.Calculated, none || c.Value == nil
		}
	}
	if unsure {
		entry(d.say(untold), HeatCell{Value: &least, Unsure: true})
	}
	if calculated {
		entry(d.say("chart.extrapolated"), HeatCell{Value: &least, Calculated: true})
	}
	if none {
		entry(d.say(notMeasured), HeatCell{})
	}
	return out
}
