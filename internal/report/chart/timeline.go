package chart

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"h2lab/internal/report/chart/plot"
)

// Timeline has one panel per line, stacked, all on the same two axes, so that a reader sees bursts
// in one and none in the next.
type Timeline struct {
	Words
	XLabel string
	Lines  []TimeLine
	// WarmupTo is the end of the shaded part.
	WarmupTo float64
	// Height is that of a line's panel; 0 stands for that of reports.
	Height vg.Length
}

// TimeLine is a line with the text beside its name.
type TimeLine struct {
	Name  string
	Note  string
	Alarm bool // drawn in the finding's colour
	Points
}

const (
	lineHead   vg.Length = 31
	lineHeight vg.Length = 74 // in reports
)

// Draw makes the picture.
func (t Timeline) Draw() (Picture, error) {
	t = labelled(t)
	if t.Height == 0 {
		t.Height = lineHeight
	}
	height := headingHeight(t.Words) + vg.Length(len(t.Lines))*(lineHead+t.Height) + axisHeight + 10
	return render(t.Words, height, func(f *figure) {
		for i, l := range t.Lines {
			name := f.bold(12)
			f.text(name, margin, f.top+23, l.Name)
			f.text(right(f.muted(11)), f.canvas.Max.X-margin, f.top+23, l.Note)
			f.top += lineHead
			t.panel(f, l, i == len(t.Lines)-1)
			f.top += t.Height
		}
	})
}

// span is the range of both axes over all lines.
func (t Timeline) span() (x0, x1, y1 float64) {
	first := true
	for _, l := range t.Lines {
		for i, x := range l.X {
			if first {
				x0, x1, first = x, x, false
			}
			x0, x1, y1 = min(x0, x), max(x1, x), max(y1, l.Y[i])
		}
	}
	if x1 <= x0 {
		x1 = x0 + 1
	}
	if y1 == 0 {
		y1 = 1
	}
	return x0, x1, y1
}

func (t Timeline) panel(f *figure, l TimeLine, last bool) {
	x0, x1, y1 := t.span()
	c := f.rest()
	c.Max.Y = f.canvas.Max.Y - f.top
	c.Min.Y = c.Max.Y - t.Height - axisHeight
	p := f.newPlot()
	// A little more than the data; otherwise the last label would make the last panel narrower.
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x0, x1+(x1-x0)*0.012, 0, y1*1.05
	p.Y.Ticks = roundTicks{n: 4}
	p.X.Ticks = bare{roundTicks{n: 10}}
	if last {
		p.X.Padding = 6 // keeps the first tick's label clear of the other axis's 0
		p.X.Ticks = roundTicks{n: 10}
	}
	ink := f.theme.colour(0)
	if l.Alarm {
		ink = f.theme.colour(1)
	}
	p.Below = func(c draw.Canvas) { t.shadeWarmup(f, c, p, x0) }
	p.Above = func(c draw.Canvas) { l.steps(c, p, ink) }
	data := f.drawTall(p, c, t.Height)
	if last {
		f.caption(data, t.XLabel)
	}
}

// bare ticks have no labels.
type bare struct{ plot.Ticker }

func (b bare) Ticks(lo, hi float64) []plot.Tick {
	ticks := b.Ticker.Ticks(lo, hi)
	for i := range ticks {
		ticks[i].Label = " "
	}
	return ticks
}

// shadeWarmup shades the warm-up.
func (t Timeline) shadeWarmup(f *figure, c draw.Canvas, p *plot.Plot, from float64) {
	if from >= t.WarmupTo {
		return
	}
	x, _ := p.Transforms(c)
	var path vg.Path
	path.Move(vg.Point{X: x(from), Y: c.Min.Y})
	path.Line(vg.Point{X: x(t.WarmupTo), Y: c.Min.Y})
	path.Line(vg.Point{X: x(t.WarmupTo), Y: c.Max.Y})
	path.Line(vg.Point{X: x(from), Y: c.Max.Y})
	path.Close()
	c.SetColor(f.theme.Shade)
	c.Fill(path)
}

// steps draws a filled stepped line: each rate applies to its whole bin.
func (s Points) steps(c draw.Canvas, p *plot.Plot, ink color.NRGBA) {
	if len(s.X) < 2 {
		return
	}
	x, y := p.Transforms(c)
	var line []vg.Point
	for i := range s.X {
		if i > 0 {
			line = append(line, vg.Point{X: x(s.X[i]), Y: y(s.Y[i-1])})
		}
		if n := len(line); n == 0 || line[n-1].Y != y(s.Y[i]) {
			line = append(line, vg.Point{X: x(s.X[i]), Y: y(s.Y[i])})
		}
	}
	area := vg.Path{}
	area.Move(vg.Point{X: line[0].X, Y: y(0)})
	for _, q := range line {
		area.Line(q)
	}
	area.Line(vg.Point{X: line[len(line)-1].X, Y: y(0)})
	area.Close()
	fill := ink
	fill.A = 0x59
	c.SetColor(fill)
	c.Fill(area)
	c.StrokeLines(draw.LineStyle{Color: ink, Width: 1.2}, line)
}
