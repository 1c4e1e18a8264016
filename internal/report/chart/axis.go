package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"h2lab/internal/base/text"
	"h2lab/internal/report/chart/plot"
)

// newPlot returns an empty plot in the theme's colours.
func (f *figure) newPlot() *plot.Plot {
	return plot.New(f.muted(11), f.hairline())
}

// drawTall draws a plot so that its data area has exactly the given height below the canvas's top
// edge; the plot itself sets only the height including the axis.
func (f *figure) drawTall(p *plot.Plot, c draw.Canvas, tall vg.Length) draw.Canvas {
	data := p.Data(c)
	c.Min.Y += (data.Max.Y - data.Min.Y) - tall
	c.Max.Y += c.Max.Y - p.Data(c).Max.Y
	p.Draw(c)
	return p.Data(c)
}

// caption writes the name of the x axis below the middle of its data.
func (f *figure) caption(data draw.Canvas, words string) {
	s := f.muted(12)
	s.XAlign = draw.XCenter
	f.canvas.FillText(s, vg.Point{X: (data.Min.X + data.Max.X) / 2, Y: data.Min.Y - 36}, words)
}

func (f *figure) hairline() draw.LineStyle {
	return draw.LineStyle{Color: f.theme.Grid, Width: vg.Length(1)}
}

// roundTicks are round numbers from 0 to hi, about n of them.
type roundTicks struct{ n float64 }

func (t roundTicks) Ticks(lo, hi float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/t.n)))
	for _, m := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(step*m) <= t.n {
			step *= m
			break
		}
	}
	var out []plot.Tick
	for i := math.Ceil(lo / step); i*step <= hi*1.0000001; i++ {
		out = append(out, plot.Tick{Value: i * step, Label: text.Number(i * step)})
	}
	return out
}

// logZero is a logarithmic scale that includes 0: values up to from are drawn in the first zeroRoom
// of the axis, with 0 at its start, and the logarithmic part begins after it. A line and a 0 mark
// the break.
type logZero struct{ from float64 }

const zeroRoom = 0.09

func (s logZero) Normalize(_, hi, x float64) float64 {
	if x <= s.from {
		return math.Max(0, x/s.from) * zeroRoom
	}
	return zeroRoom + (1-zeroRoom)*(math.Log(x)-math.Log(s.from))/(math.Log(hi)-math.Log(s.from))
}

// decades are the powers of ten from a first one up to hi, and 0 if zero is set.
type decades struct {
	from float64
	zero bool
}

func (d decades) Ticks(_, hi float64) []plot.Tick {
	var out []plot.Tick
	if d.zero {
		out = append(out, plot.Tick{Value: 0, Label: "0"})
	}
	for v := d.from; v <= hi*1.0000001; v *= 10 {
		out = append(out, plot.Tick{Value: v, Label: text.Number(v)})
	}
	return out
}

// fewDecades keeps only the even powers of ten, 1 among them, if there is no room for all.
type fewDecades struct{ decades }

const mostDecades = 6

func (d fewDecades) Ticks(lo, hi float64) []plot.Tick {
	all := d.decades.Ticks(lo, hi)
	if len(all) <= mostDecades {
		return all
	}
	return slices.DeleteFunc(all, func(t plot.Tick) bool {
		return t.Value > 0 && int(math.Round(math.Log10(t.Value)))%2 != 0
	})
}

// decadeBelow and decadeAbove are the powers of ten around a positive number.
func decadeBelow(v float64) float64 { return math.Pow(10, math.Floor(math.Log10(v)+1e-9)) }
func decadeAbove(v float64) float64 { return math.Pow(10, math.Ceil(math.Log10(v)-1e-9)) }

// steps125 are 1, 2, 5, 10, 20 … between lo and hi.
type steps125 struct{}

func (steps125) Ticks(lo, hi float64) []plot.Tick {
	var out []plot.Tick
	for decade := decadeBelow(lo); decade <= hi; decade *= 10 {
		for _, m := range []float64{1, 2, 5} {
			if v := decade * m; v >= lo*0.999999 && v <= hi*1.000001 {
				out = append(out, plot.Tick{Value: v, Label: text.Number(v)})
			}
		}
	}
	return out
}

// round125 widens a range to the nearest of these steps.
func round125(lo, hi float64) (float64, float64) {
	down, up := decadeBelow(lo), decadeAbove(hi)
	for _, m := range []float64{5, 2} {
		if decadeBelow(lo)*m <= lo {
			down = decadeBelow(lo) * m
			break
		}
	}
	for _, m := range []float64{0.2, 0.5} {
		if decadeAbove(hi)*m >= hi {
			up = decadeAbove(hi) * m
			break
		}
	}
	return down, up
}

// logOnly is a logarithmic scale for numbers that are never 0.
type logOnly struct{}

func (logOnly) Normalize(lo, hi, x float64) float64 {
	x = math.Max(x, lo)
	return (math.Log(x) - math.Log(lo)) / (math.Log(hi) - math.Log(lo))
}

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
