package chart

import (
	"image/color"
	"math"

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
	heatGap   vg.Length = 28
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

// step is the colour of a value, and the colour of text on it.
func (d Heat) step(t Theme, v float64) (fill, text color.NRGBA) {
	class := 0
	for class < len(d.Classes) && v >= d.Classes[class] {
		class++
	}
	fill = t.step(class, len(d.Classes)+1)
	return fill, legible(fill)
}

// step spreads the classes over the colours.
func (t Theme) step(class, classes int) color.NRGBA {
	all := t.steps()
	if classes <= 1 {
		return all[0]
	}
	return all[class*(len(all)-1)/(classes-1)]
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
	height := headingHeight(d.Words) + d.heatLegendHeight() + 10
	for i := 0; i < len(d.Panels); i += panelsInRow {
		height += d.rowHeight(i)
	}
	return render(d.Words, height, func(f *figure) {
		d.heatLegend(f)
		columns := vg.Length(min(len(d.Panels), panelsInRow))
		wide := (d.wide() - 2*margin - heatGap*(columns-1)) / max(columns, 1)
		for i, p := range d.Panels {
			d.panel(f, p, margin+vg.Length(i%panelsInRow)*(wide+heatGap), wide)
			if i%panelsInRow == panelsInRow-1 {
				f.top += d.rowHeight(i - panelsInRow + 1)
			}
		}
	})
}

// panel draws the name, the columns' heads and the cells, below f.top.
func (d Heat) panel(f *figure, p HeatPanel, left, wide vg.Length) {
	top := f.canvas.Max.Y - f.top
	name := f.bold(13)
	f.canvas.FillText(name, vg.Point{X: left, Y: top - 16}, fit(p.Name, name, wide))
	small := f.muted(11)
	gutter := small.Width(d.YLabel+" ↓") + 8
	for _, r := range p.Rows {
		gutter = min(wide/3, max(gutter, f.plain(12).Width(r)+10))
	}
	cell := (wide - gutter) / vg.Length(max(len(p.Columns), 1))
	top -= heatHead
	f.canvas.FillText(small, vg.Point{X: left, Y: top - 12}, fit(d.YLabel+" ↓", small, gutter))
	for i, head := range p.Columns {
		f.canvas.FillText(centred(f.plain(12)), vg.Point{X: left + gutter + cell*(vg.Length(i)+0.5), Y: top - 12},
			fit(head, f.plain(12), cell-4))
	}
	top -= heatTicks
	for i, row := range p.Rows {
		y := top - heatRow*vg.Length(i)
		f.canvas.FillText(middle(right(f.plain(12))), vg.Point{X: left + gutter - 8, Y: y - heatRow/2},
			fit(row, f.plain(12), gutter-8))
		for k := range p.Columns {
			c := HeatCell{}
			if i < len(p.Cells) && k < len(p.Cells[i]) {
				c = p.Cells[i][k]
			}
			d.cell(f, c, left+gutter+cell*vg.Length(k), y, cell)
		}
	}
	f.canvas.FillText(centred(small), vg.Point{X: left + gutter + (wide-gutter)/2, Y: top -
		heatRow*vg.Length(len(p.Rows)) - 14}, fit(d.XLabel, small, wide-gutter))
}

func centred(s draw.TextStyle) draw.TextStyle { s.XAlign = draw.XCenter; return s }

// cell draws one cell, its upper left corner at x and y.
func (d Heat) cell(f *figure, c HeatCell, x, y, wide vg.Length) {
	const gap = 1.5
	box := rectangle(x+gap, y-heatRow+gap, wide-2*gap, heatRow-2*gap)
	ink := f.theme.Muted
	fill := f.theme.Background
	if c.Value != nil {
		fill, ink = d.step(f.theme, *c.Value)
	}
	f.canvas.SetColor(fill)
	f.canvas.Fill(box)
	if c.Unsure {
		f.hatch(x+gap, y-heatRow+gap, wide-2*gap, heatRow-2*gap, fill)
	}
	f.frame(box, c)
	s := middle(centred(f.bold(12)))
	s.Color = ink
	words := fit(c.Text, s, wide-12)
	if c.Unsure { // no stripe crosses the number
		w := s.Width(words) + 8
		f.canvas.SetColor(fill)
		f.canvas.Fill(rectangle(x+wide/2-w/2, y-heatRow/2-8, w, 16))
	}
	f.canvas.FillText(s, vg.Point{X: x + wide/2, Y: y - heatRow/2}, words)
}

// frame draws a line around a cell without a colour, and dashes around one that was not measured.
func (f *figure) frame(box vg.Path, c HeatCell) {
	f.canvas.SetLineWidth(1)
	f.canvas.SetColor(f.theme.Grid)
	f.canvas.SetLineDash(nil, 0)
	if c.Calculated {
		f.canvas.SetColor(f.theme.Text)
		f.canvas.SetLineDash([]vg.Length{3, 3}, 0)
	}
	f.canvas.Stroke(box)
	f.canvas.SetLineDash(nil, 0)
}

// hatch draws stripes in a box, in the colour of text on its fill.
func (f *figure) hatch(x, y, wide, tall vg.Length, fill color.NRGBA) {
	ink := legible(fill)
	ink.A = 0x70
	l := draw.LineStyle{Color: ink, Width: 1}
	const step = 7
	for at := step - tall; at < wide; at += step {
		x1, y1, x2, y2 := at, vg.Length(0), at+tall, tall
		if x1 < 0 {
			x1, y1 = 0, -at
		}
		if x2 > wide {
			x2, y2 = wide, wide-at
		}
		f.canvas.StrokeLine2(l, x+x1, y+y1, x+x2, y+y2)
	}
}

func rectangle(x, y, wide, tall vg.Length) (p vg.Path) {
	p.Move(vg.Point{X: x, Y: y})
	p.Line(vg.Point{X: x + wide, Y: y})
	p.Line(vg.Point{X: x + wide, Y: y + tall})
	p.Line(vg.Point{X: x, Y: y + tall})
	p.Close()
	return p
}

// heatEntry is one entry of a map's legend.
type heatEntry struct {
	name string
	cell HeatCell
}

// entries are the classes, and the marks that the panels have.
func (d Heat) entries() (out []heatEntry) {
	for i, name := range d.Names {
		below := math.Inf(-1)
		if i > 0 && i-1 < len(d.Classes) {
			below = d.Classes[i-1]
		}
		out = append(out, heatEntry{name, HeatCell{Value: &below}})
	}
	var unsure, calculated, none bool
	for _, p := range d.Panels {
		for _, row := range p.Cells {
			for _, c := range row {
				unsure, calculated, none = unsure || c.Unsure, calculated || c.Calculated, none || c.Value == nil
			}
		}
	}
	least := math.Inf(-1)
	if unsure {
		out = append(out, heatEntry{d.say(untold), HeatCell{Value: &least, Unsure: true}})
	}
	if calculated {
		out = append(out, heatEntry{d.say("chart.extrapolated"), HeatCell{Value: &least, Calculated: true}})
	}
	if none {
		out = append(out, heatEntry{d.say(notMeasured), HeatCell{}})
	}
	return out
}

const swatch vg.Length = 26

// heatRows splits the legend into rows that fit.
func (d Heat) heatRows() (rows [][]heatEntry) {
	s := style(sans, 12, color.Black)
	var x vg.Length
	for _, e := range d.entries() {
		w := s.Width(e.name) + swatch + 22
		if len(rows) == 0 || x+w > d.wide()-2*margin {
			rows, x = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		x += w
	}
	return rows
}

func (d Heat) heatLegendHeight() vg.Length { return legendLine*vg.Length(len(d.heatRows())) + 8 }

func (d Heat) heatLegend(f *figure) {
	s := f.plain(12)
	for _, row := range d.heatRows() {
		x := margin
		for _, e := range row {
			y := f.canvas.Max.Y - f.top - 16
			box := rectangle(x, y, swatch, 14)
			fill := f.theme.Background
			if e.cell.Value != nil {
				fill, _ = d.step(f.theme, *e.cell.Value)
			}
			f.canvas.SetColor(fill)
			f.canvas.Fill(box)
			if e.cell.Unsure {
				f.hatch(x, y, swatch, 14, fill)
			}
			f.frame(box, e.cell)
			f.text(s, x+swatch+6, f.top+13, e.name)
			x += s.Width(e.name) + swatch + 22
		}
		f.top += legendLine
	}
	f.top += 8
}
