package chart

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"h2lab/internal/report/chart/plot"
)

// rows is the layout that bars and dots share: panels with a heading, each with labelled rows, top
// to bottom. Labels are written at the left in full; more rows make the picture higher.
type rows struct {
	panels []panelRows
	height vg.Length // of one row
	gutter vg.Length // room at the right for notes
	xLabel string
}

type panelRows struct {
	name   string
	labels []string
	notes  []string
}

const (
	panelHead   vg.Length = 28 // a panel's heading
	panelSpace  vg.Length = 8  // before the next panel
	axisHeight  vg.Length = 44 // ticks and label below the data
	labelMax    vg.Length = 230
	labelMargin vg.Length = 10
)

// body is the height of all panels.
func (r rows) body() vg.Length {
	var h vg.Length
	for i, p := range r.panels {
		if p.name != "" {
			h += panelHead
		}
		h += r.height * vg.Length(len(p.labels))
		if i > 0 {
			h += panelSpace
		}
	}
	return h
}

// labelWidth is the width of the longest label.
func (r rows) labelWidth(s draw.TextStyle) vg.Length {
	var w vg.Length
	for _, p := range r.panels {
		for _, l := range p.labels {
			w = max(w, s.Width(l))
		}
	}
	return min(w, labelMax) + labelMargin
}

// each calls visit with the middle of every row, measured from the top.
func (r rows) each(visit func(panel, row int, middle vg.Length)) {
	var y vg.Length
	for i, p := range r.panels {
		if i > 0 {
			y += panelSpace
		}
		if p.name != "" {
			y += panelHead
		}
		for j := range p.labels {
			visit(i, j, y+r.height/2)
			y += r.height
		}
	}
}

// draw writes labels, axis and grid. It returns the canvas of the data and the transformation of
// its x axis. prepare sets the axis's range and scale.
func (r rows) draw(f *figure, prepare func(*plot.Axis)) (draw.Canvas, func(float64) vg.Length) {
	c := f.rest()
	c.Max.Y = f.canvas.Max.Y - f.top
	c.Min.Y = c.Max.Y - r.body() - axisHeight
	c.Min.X += r.labelWidth(f.plain(12))
	c.Max.X -= r.gutter

	p := f.newPlot()
	p.Y.Min, p.Y.Max = 0, 1
	p.Y.Ticks = plot.ConstantTicks(nil)
	prepare(&p.X)
	data := f.drawTall(p, c, r.body())
	f.caption(data, r.xLabel)
	x, _ := p.Transforms(data)
	r.words(f, data)
	return data, x
}

// words writes the panels' headings, the rows' labels and their notes.
func (r rows) words(f *figure, data draw.Canvas) {
	last := -1
	r.each(func(i, j int, mid vg.Length) {
		p := r.panels[i]
		y := data.Max.Y - mid
		if i != last && p.name != "" {
			r.heading(f, data, i, data.Max.Y-(mid-r.height/2))
		}
		last = i
		s := middle(right(f.plain(12)))
		f.canvas.FillText(s, vg.Point{X: data.Min.X - labelMargin, Y: y}, fit(p.labels[j], s, labelMax))
		if j < len(p.notes) && p.notes[j] != "" {
			f.canvas.FillText(middle(f.muted(11)), vg.Point{X: data.Max.X + 10, Y: y}, p.notes[j])
		}
	})
}

// heading covers the grid behind a panel's name, so that no line crosses it.
func (r rows) heading(f *figure, data draw.Canvas, i int, below vg.Length) {
	var p vg.Path
	left, top := margin-2, below+panelHead
	p.Move(vg.Point{X: left, Y: below + 2})
	p.Line(vg.Point{X: f.canvas.Max.X - margin, Y: below + 2})
	p.Line(vg.Point{X: f.canvas.Max.X - margin, Y: top})
	p.Line(vg.Point{X: left, Y: top})
	p.Close()
	f.canvas.SetColor(f.theme.Background)
	f.canvas.Fill(p)
	f.canvas.FillText(f.bold(13), vg.Point{X: margin, Y: below + 6}, r.panels[i].name)
}
