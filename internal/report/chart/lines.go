package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"h2lab/internal/base/text"
	"h2lab/internal/report/chart/plot"
)

// Lines are curves over a number that was varied, in panels of their own, two in a row.
type Lines struct {
	Words
	XLabel string
	// LogX spaces the x axis by ratio, so that its small values are legible too.
	LogX bool
	// Series are the curves' names, the same in every panel.
	Series []string
	Panels []LinePanel
}

// LinePanel has a curve for each series.
type LinePanel struct {
	Name, YLabel string
	// LogY spaces the y axis by ratio.
	LogY bool
	// X are the varied numbers in rising order; only these are labelled.
	X []float64
	// Curves have one value for each X; a value is nil if unknown.
	Curves [][]*float64
}

const (
	linesHeight vg.Length = 200
	linesGap    vg.Length = 20
	rowGap      vg.Length = 8
	panelsInRow           = 2
)

// seriesShape varies the shape once the colours start again, so that no two series look the same.
func seriesShape(i int, colours int) shape {
	return lineShapes[(i+i/colours)%len(lineShapes)]
}

func (d Lines) keys(t Theme) (out []key) {
	for i, name := range d.Series {
		out = append(out, key{name: name, shape: seriesShape(i, len(t.Series)), ink: t.colour(i), line: true})
	}
	return out
}

// Draw makes the picture.
func (d Lines) Draw() (Picture, error) {
	d = labelled(d)
	rows := (len(d.Panels) + panelsInRow - 1) / panelsInRow
	row := panelHead + 8 + linesHeight + axisHeight + rowGap
	height := headingHeight(d.Words) + d.legendHeight(d.keys(Light())) + row*vg.Length(rows) + 10
	return render(d.Words, height, func(f *figure) {
		f.legend(d.keys(f.theme))
		columns := vg.Length(min(len(d.Panels), panelsInRow))
		wide := (width - 2*margin - linesGap*(columns-1)) / max(columns, 1)
		for i, p := range d.Panels {
			d.panel(f, p, margin+vg.Length(i%panelsInRow)*(wide+linesGap), wide)
			if i%panelsInRow == panelsInRow-1 {
				f.top += row
			}
		}
	})
}

func (d Lines) panel(f *figure, panel LinePanel, left, wide vg.Length) {
	c := f.rest()
	c.Min.X, c.Max.X = left, left+wide
	name := f.bold(13)
	head := fit(panel.Name, name, wide)
	f.canvas.FillText(name, vg.Point{X: left, Y: c.Max.Y - 18}, head)
	used := name.Width(head) + 12
	if room := wide - used; room > 40 {
		f.canvas.FillText(f.muted(12), vg.Point{X: left + used, Y: c.Max.Y - 18}, fit(panel.YLabel, f.muted(12), room))
	}
	c.Max.Y -= panelHead + 8
	c.Min.Y = c.Max.Y - linesHeight - axisHeight
	p := f.newPlot()
	panel.scaleY(&p.Y)
	ends := 6 + f.plain(11).Width(text.Number(last(panel.X)))/2 // half a label, so that it isn't cut off
	p.X.Padding, p.Y.Padding = 6, 8
	d.scaleX(&p.X, panel.X, f.plain(11), wide-80)
	c.Max.X -= ends - 6
	data := f.drawTall(p, c, linesHeight)
	f.caption(data, d.XLabel)
	x, y := p.Transforms(data)
	for i, values := range panel.Curves {
		f.curve(seriesShape(i, len(f.theme.Series)), f.theme.colour(i), panel.points(values, x, y))
	}
}

func last(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return x[len(x)-1]
}

// scaleX labels the varied numbers as far as they have room.
func (d Lines) scaleX(a *plot.Axis, x []float64, s draw.TextStyle, room vg.Length) {
	a.Min, a.Max = 0, 1
	if len(x) > 0 {
		a.Min, a.Max = x[0], last(x)
	}
	if a.Max <= a.Min {
		a.Min, a.Max = a.Min/2, a.Max*2+1
	}
	place := func(v float64) float64 { return (v - a.Min) / (a.Max - a.Min) }
	if d.LogX && a.Min > 0 {
		a.Scale = logOnly{}
		place = func(v float64) float64 { return logOnly{}.Normalize(a.Min, a.Max, v) }
	}
	a.Ticks = varied(x, place, s, room)
}

// varied are ticks at each number; one whose label would touch another has none. The last number
// keeps its label.
func varied(x []float64, place func(float64) float64, s draw.TextStyle, room vg.Length) plot.ConstantTicks {
	out := make(plot.ConstantTicks, len(x))
	free := room * 2 // where the label at the right begins
	for i := len(x) - 1; i >= 0; i-- {
		label := text.Number(x[i])
		half, at := s.Width(label)/2, room*vg.Length(place(x[i]))
		out[i] = plot.Tick{Value: x[i], Label: " "}
		if at+half+8 <= free {
			out[i].Label, free = label, at-half
		}
	}
	return out
}

func (p LinePanel) scaleY(a *plot.Axis) {
	lo, hi := math.Inf(1), 0.0
	for _, values := range p.Curves {
		for _, v := range values {
			if v != nil && *v > 0 {
				lo, hi = min(lo, *v), max(hi, *v)
			}
		}
	}
	switch {
	case hi == 0:
		a.Min, a.Max = 0, 1
	case p.LogY:
		if a.Min, a.Max = round125(lo, hi); a.Max <= a.Min {
			a.Max = a.Min * 10
		}
		a.Scale, a.Ticks = logOnly{}, steps125{}
		if a.Max/a.Min > 1000 {
			a.Ticks = decades{from: decadeAbove(a.Min)}
		}
		return
	default:
		a.Min, a.Max = 0, hi*1.05
	}
	a.Ticks = roundTicks{n: 5}
}

// points are the known values on the canvas. A gap stays a gap: nil separates runs of points.
func (p LinePanel) points(values []*float64, x, y func(float64) vg.Length) (runs [][]vg.Point) {
	var run []vg.Point
	for i, v := range values {
		if i < len(p.X) && v != nil && (*v > 0 || !p.LogY) && *v >= 0 {
			run = append(run, vg.Point{X: x(p.X[i]), Y: y(*v)})
			continue
		}
		if run != nil {
			runs, run = append(runs, run), nil
		}
	}
	if run != nil {
		runs = append(runs, run)
	}
	return runs
}

func (f *figure) curve(s shape, ink color.NRGBA, runs [][]vg.Point) {
	for _, run := range runs {
		f.canvas.StrokeLines(draw.LineStyle{Color: ink, Width: 2}, run)
		for _, q := range run {
			f.mark(f.canvas, s, ink, q)
		}
	}
}
