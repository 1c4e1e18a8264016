package chart

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"h2lab/internal/report/chart/plot"
)

// Percentiles are lines of latency over percentiles, in panels side by side that share a
// logarithmic y axis. The x axis counts nines, so that the tail is as wide as the middle.
type Percentiles struct {
	Words
	YLabel string
	// At are the percentiles, such as 50 and 99.9, in rising order. Those with a label have a tick, and a
	// mark on each line.
	At     []float64
	Labels []string
	// Series are the lines' names, the same in every panel.
	Series []string
	// Panels stand two in a row; one without a name leaves its place empty.
	Panels []PercentilePanel
}

// PercentilePanel has one line for each series; a value is nil if unknown.
type PercentilePanel struct {
	Name  string
	Lines [][]*float64
}

const percentilesHeight vg.Length = 250

var lineShapes = []shape{disc, square, triangle, diamond, ring, cross, inverted}

// nines maps 90 to 1, 99 to 2 and 99.9 to 3.
func nines(p float64) float64 { return -math.Log10(1 - p/100) }

// Draw makes the picture.
func (d Percentiles) Draw() (Picture, error) {
	d = labelled(d)
	keys := func(t Theme) (out []key) {
		for i, name := range d.Series {
			out = append(out, key{name: name, shape: seriesShape(i, len(t.Series)), ink: t.colour(i), line: true})
		}
		return out
	}
	rows := vg.Length((len(d.Panels) + panelsInRow - 1) / panelsInRow)
	row := panelHead + 8 + percentilesHeight + axisHeight
	height := headingHeight(d.Words) + d.legendHeight(keys(Light())) + row*rows + rowGap*max(rows-1, 0) + 10
	return render(d.Words, height, func(f *figure) {
		f.legend(keys(f.theme))
		columns := vg.Length(min(len(d.Panels), panelsInRow))
		wide := (width - 2*margin - 16*(columns-1)) / max(columns, 1)
		for i, p := range d.Panels {
			if p.Name != "" {
				d.panel(f, p, margin+vg.Length(i%panelsInRow)*(wide+16), wide)
			}
			if i%panelsInRow == panelsInRow-1 {
				f.top += row + rowGap
			}
		}
	})
}

// span is the y axis's range.
func (d Percentiles) span() (lo, hi float64) {
	lo, hi = math.Inf(1), 0
	for _, p := range d.Panels {
		for _, l := range p.Lines {
			for _, v := range l {
				if v != nil && *v > 0 {
					lo, hi = min(lo, *v), max(hi, *v)
				}
			}
		}
	}
	if hi == 0 {
		return 1, 10
	}
	lo, hi = round125(lo, hi)
	if hi <= lo {
		hi = lo * 10
	}
	return lo, hi
}

func (d Percentiles) panel(f *figure, panel PercentilePanel, left, wide vg.Length) {
	c := f.rest()
	c.Min.X, c.Max.X = left, left+wide
	name := f.bold(13)
	panel.Name = fit(panel.Name, name, wide-60)
	f.canvas.FillText(name, vg.Point{X: left, Y: c.Max.Y - 18}, panel.Name)
	used := name.Width(panel.Name) + 12
	f.canvas.FillText(f.muted(12), vg.Point{X: left + used, Y: c.Max.Y - 18}, fit(d.YLabel, f.muted(12), wide-used))
	c.Max.Y -= panelHead + 8
	c.Min.Y = c.Max.Y - percentilesHeight - axisHeight
	p := f.newPlot()
	p.Y.Min, p.Y.Max = d.span()
	p.Y.Scale, p.Y.Ticks = logOnly{}, steps125{}
	if p.Y.Max/p.Y.Min > 1000 {
		p.Y.Ticks = decades{from: decadeAbove(p.Y.Min)}
	}
	p.X.Min, p.X.Max = nines(d.At[0]), nines(d.At[len(d.At)-1])
	var ticks plot.ConstantTicks
	for i, at := range d.At {
		if d.Labels[i] != "" {
			ticks = append(ticks, plot.Tick{Value: nines(at), Label: d.Labels[i]})
		}
	}
	p.X.Padding, p.Y.Padding = 6, 8 // room for the marks at both ends
	p.X.Ticks = ticks
	data := f.drawTall(p, c, percentilesHeight)
	f.caption(data, d.say("chart.percentile-requests"))
	x, y := p.Transforms(data)
	for i, l := range panel.Lines {
		d.line(f, i, l, x, y)
	}
}

func (d Percentiles) line(f *figure, series int, values []*float64, x, y func(float64) vg.Length) {
	var pts, marks []vg.Point
	for i, v := range values {
		if v != nil && *v > 0 {
			pts = append(pts, vg.Point{X: x(nines(d.At[i])), Y: y(*v)})
			if d.Labels[i] != "" {
				marks = append(marks, pts[len(pts)-1])
			}
		}
	}
	if len(pts) == 0 {
		return
	}
	ink := f.theme.colour(series)
	f.canvas.StrokeLines(draw.LineStyle{Color: ink, Width: 2}, pts)
	for _, q := range marks {
		f.mark(f.canvas, seriesShape(series, len(f.theme.Series)), ink, q)
	}
}
