package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"h2lab/internal/report/chart/plot"
)

// Dots are rows of marks on a logarithmic axis, joined by a line: the distance between the measured
// and the expected value. 0 has no logarithm, so it is drawn left of a break in the axis.
type Dots struct {
	Words
	XLabel string
	// Series are the names of the marks; the others are compared with the last.
	Series []string
	Panels []DotPanel
}

// DotPanel is a heading with rows.
type DotPanel struct {
	Name string
	Rows []DotRow
}

// DotRow has one value for each series, nil if unknown, and a note at the right edge.
type DotRow struct {
	Label  string
	Values []*float64
	Note   string
}

const dotHeight vg.Length = 24

var dotShapes = []shape{disc, diamond, stroke, square, triangle}

func (d Dots) rows() rows {
	r := rows{height: dotHeight, xLabel: d.XLabel}
	s := style(sans, 11, nil)
	for _, p := range d.Panels {
		pr := panelRows{name: p.Name}
		for _, row := range p.Rows {
			pr.labels = append(pr.labels, row.Label)
			pr.notes = append(pr.notes, row.Note)
			r.gutter = max(r.gutter, s.Width(row.Note)+14)
		}
		r.panels = append(r.panels, pr)
	}
	r.gutter = max(r.gutter, 24)
	return r
}

// Draw makes the picture.
func (d Dots) Draw() (Picture, error) {
	d = labelled(d)
	r := d.rows()
	keys := func(t Theme) (out []key) {
		for i, name := range d.Series {
			out = append(out, key{name: name, shape: dotShapes[i%len(dotShapes)], ink: d.ink(t, i)})
		}
		return out
	}
	height := headingHeight(d.Words) + d.legendHeight(keys(Light())) + r.body() + axisHeight + 10
	from, hi, zero := d.span()
	return render(d.Words, height, func(f *figure) {
		f.legend(keys(f.theme))
		data, x := r.draw(f, func(a *plot.Axis) {
			a.Min, a.Max = 0, hi
			a.Scale = logOnly{}
			if zero {
				a.Scale = logZero{from: from}
			} else {
				a.Min = from
			}
			a.Ticks = fewDecades{decades{from: from, zero: zero}}
		})
		if zero {
			f.axisBreak(data)
		}
		r.each(func(i, j int, mid vg.Length) {
			f.dots(d, d.Panels[i].Rows[j], x, data.Max.Y-mid)
		})
	})
}

// ink returns a series' colour: the first series is the finding, the last the reference.
func (d Dots) ink(t Theme, i int) color.NRGBA {
	if i == len(d.Series)-1 && len(d.Series) > 1 {
		return t.Text
	}
	return t.colour((i + 1) % 2)
}

// span returns the axis's first and last power of ten, and whether there is a 0.
func (d Dots) span() (from, hi float64, zero bool) {
	from, hi = math.Inf(1), 0
	for _, p := range d.Panels {
		for _, row := range p.Rows {
			for _, v := range row.Values {
				switch {
				case v == nil:
				case *v <= 0:
					zero = true
				default:
					from, hi = min(from, *v), max(hi, *v)
				}
			}
		}
	}
	if hi == 0 {
		return 1, 10, zero
	}
	from, hi = decadeBelow(from), decadeAbove(hi)
	if hi <= from {
		hi = from * 10
	}
	return from, hi, zero
}

// axisBreak draws two slanted strokes where the logarithmic part begins.
func (f *figure) axisBreak(c draw.Canvas) {
	x := c.Min.X + (c.Max.X-c.Min.X)*zeroRoom/2
	l := draw.LineStyle{Color: f.theme.Muted, Width: 1}
	for _, dx := range []vg.Length{-2, 2} {
		f.canvas.StrokeLine2(l, x+dx-2, c.Min.Y-5, x+dx+2, c.Min.Y+5)
	}
}

func (f *figure) dots(d Dots, row DotRow, x func(float64) vg.Length, y vg.Length) {
	lo, hi := vg.Length(math.Inf(1)), vg.Length(math.Inf(-1))
	for _, v := range row.Values {
		if v != nil {
			lo, hi = min(lo, x(*v)), max(hi, x(*v))
		}
	}
	if lo > hi {
		f.canvas.FillText(middle(f.muted(11)), vg.Point{X: x(0) + 4, Y: y}, d.say(notMeasured))
		return
	}
	f.canvas.StrokeLine2(draw.LineStyle{Color: f.theme.Grid, Width: 5}, lo, y, hi, y)
	// The reference is drawn first and is taller, so that it is visible even if all marks have the
	// same position.
	for n := range row.Values {
		i := (n + len(row.Values) - 1) % len(row.Values)
		if v := row.Values[i]; v != nil {
			f.mark(f.canvas, dotShapes[i%len(dotShapes)], d.ink(f.theme, i), vg.Point{X: x(*v), Y: y})
		}
	}
}
