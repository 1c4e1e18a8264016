package chart

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"h2lab/internal/base/text"
)

// axes are a pair of axes with a grid at their ticks. gonum.org/v1/plot has axes too, but importing it links twelve
// fonts, five more file formats and a PDF writer: 5 MB of a command that draws SVG (docs/decisions/0002-charts.md).
type axes struct{ x, y axis }

// axis has labels at its ticks and no line.
type axis struct {
	min, max float64
	padding  vg.Length // between the labels and the data
	scale    scale     // nil is linear
	ticks    []tick
	label    draw.TextStyle
}

// scale maps a range to 0 … 1.
type scale func(lo, hi, v float64) float64

// tick is a labelled place on an axis.
type tick struct {
	value float64
	label string
}

func (a axis) norm(v float64) float64 {
	if a.scale == nil {
		return (v - a.min) / (a.max - a.min)
	}
	return a.scale(a.min, a.max, v)
}

// descent is how far letters such as g reach below the line of writing.
func (a axis) descent() vg.Length { return a.label.FontExtents().Descent }

// labels is the size of the widest and of the highest label.
func (a axis) labels() (size vg.Point) {
	for _, t := range a.ticks {
		r := a.label.Rectangle(t.label).Size()
		size.X, size.Y = max(size.X, r.X), max(size.Y, r.Y)
	}
	return size
}

// labelSpace is between the labels of a vertical axis and the data.
const labelSpace vg.Length = 3

// crop leaves out the labels beside and below the data.
func (p axes) crop(c draw.Canvas, beside, below bool) draw.Canvas {
	if beside {
		if w := p.y.labels().X; w > 0 {
			c.Min.X += w + labelSpace
		}
		c.Min.X += p.y.padding
	}
	if below {
		c.Min.Y += p.x.labels().Y + p.x.padding
	}
	return c
}

// data is the part of a canvas that is left for the data.
func (p axes) data(c draw.Canvas) draw.Canvas { return p.padY(p.padX(p.crop(c, true, true))) }

// places are those of values on the canvas of the data.
func (p axes) places(data draw.Canvas) (x, y func(float64) vg.Length) {
	return func(v float64) vg.Length { return data.X(p.x.norm(v)) }, func(v float64) vg.Length { return data.Y(p.y.norm(v)) }
}

// padX makes a canvas narrower where the label that reaches furthest to the right would leave it.
func (p axes) padX(c draw.Canvas) draw.Canvas {
	reach, at := c.Max.X, 1.0
	var beyond vg.Length // how far that label reaches beyond its tick
	for _, t := range p.x.ticks {
		place, r := p.x.norm(t.value), p.x.label.Rectangle(t.label)
		if end := c.X(place) + r.Max.X; end > reach && place <= 1 {
			reach, at, beyond = end, place, r.Max.X
		}
	}
	c.Max.X = c.Min.X + (c.Max.X-beyond-c.Min.X)/vg.Length(at)
	return c
}

// padY makes a canvas lower where the highest label would leave it.
func (p axes) padY(c draw.Canvas) draw.Canvas {
	extents := p.y.label.FontExtents()
	reach, at := c.Max.Y, 1.0
	var beyond vg.Length
	for _, t := range p.y.ticks {
		place, top := p.y.norm(t.value), p.y.label.Rectangle(t.label).Max.Y+extents.Height-extents.Ascent
		if end := c.Y(place) + top; end > reach && place <= 1 {
			reach, at, beyond = end, place, top
		}
	}
	c.Max.Y = c.Min.Y + (c.Max.Y-beyond-c.Min.Y)/vg.Length(at)
	return c
}

// axes draws a pair of axes so that the data has exactly the given height below the canvas's top edge. It returns the
// canvas of the data and the places on it. below, which may be nil, is drawn before the grid.
func (f *figure) axes(x, y axis, c draw.Canvas, tall vg.Length, below func(data draw.Canvas, x func(float64) vg.Length)) (
	data draw.Canvas, placeX, placeY func(float64) vg.Length) {
	p := axes{x, y}
	p.x.label, p.y.label = f.muted(11), f.muted(11)
	p.x.label.XAlign, p.x.label.YAlign = draw.XCenter, draw.YTop
	p.y.label.XAlign, p.y.label.YAlign = draw.XRight, draw.YCenter
	data = p.data(c)
	c.Min.Y += (data.Max.Y - data.Min.Y) - tall
	c.Max.Y += c.Max.Y - p.data(c).Max.Y
	p.writeLabels(c)
	data = p.data(c)
	placeX, placeY = p.places(data)
	if below != nil {
		below(data, placeX)
	}
	p.grid(data, f.hairline())
	return data, placeX, placeY
}

// caption writes the name of the x axis below the middle of its data.
func (f *figure) caption(data draw.Canvas, name string) {
	f.canvas.FillText(centred(f.muted(12)), pt((data.Min.X+data.Max.X)/2, data.Min.Y-36), name)
}

func (p axes) writeLabels(c draw.Canvas) {
	below := p.padX(p.crop(c, true, false))
	for _, t := range p.x.ticks {
		if x := below.X(p.x.norm(t.value)); below.ContainsX(x) {
			below.FillText(p.x.label, pt(x, below.Min.Y+p.x.labels().Y+p.x.descent()), t.label)
		}
	}
	beside := p.padY(p.crop(c, false, true))
	for _, t := range p.y.ticks {
		if y := beside.Y(p.y.norm(t.value)); beside.ContainsY(y) {
			beside.FillText(p.y.label, pt(beside.Min.X+p.y.labels().X, y+p.y.descent()), t.label)
		}
	}
}

func (p axes) grid(c draw.Canvas, l draw.LineStyle) {
	x, y := p.places(c)
	for _, t := range p.x.ticks {
		if at := x(t.value); at >= c.Min.X && at <= c.Max.X {
			c.StrokeLine2(l, at, c.Min.Y, at, c.Max.Y)
		}
	}
	for _, t := range p.y.ticks {
		if at := y(t.value); at >= c.Min.Y && at <= c.Max.Y {
			c.StrokeLine2(l, c.Min.X, at, c.Max.X, at)
		}
	}
}

// span is the range of the known positive numbers, and whether there is another one; hi is 0 without any.
func span(values []*float64) (lo, hi float64, zero bool) {
	lo = math.Inf(1)
	for _, v := range values {
		switch {
		case v == nil || math.IsInf(*v, 0):
		case *v <= 0:
			zero = true
		default:
			lo, hi = min(lo, *v), max(hi, *v)
		}
	}
	return lo, hi, zero
}

// fromZero is an axis from 0 on, with about n round numbers. room is its length in terms of the highest number.
func fromZero(hi, room, n float64) axis {
	hi = cmp.Or(hi, 1) * room
	return axis{max: hi, ticks: roundTicks(0, hi, n)}
}

// logarithmic is an axis over positive numbers, from a step 1, 2, 5 of a decade to another.
func logarithmic(lo, hi float64) axis {
	if hi == 0 {
		lo, hi = 1, 10
	}
	if lo, hi = round125(lo, hi); hi <= lo {
		hi = lo * 10
	}
	a := axis{min: lo, max: hi, scale: logOnly, ticks: steps125(lo, hi)}
	if hi/lo > 1000 {
		a.ticks = decades(decadeAbove(lo), hi)
	}
	return a
}

// roundTicks are round numbers from lo to hi, about n of them.
func roundTicks(lo, hi, n float64) (out []tick) {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/n)))
	for _, m := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(step*m) <= n {
			step *= m
			break
		}
	}
	for i := math.Ceil(lo / step); i*step <= hi*1.0000001; i++ {
		out = append(out, tick{i * step, text.Number(i * step)})
	}
	return out
}

// logOnly is a logarithmic scale for numbers that are never 0.
func logOnly(lo, hi, v float64) float64 {
	return (math.Log(max(v, lo)) - math.Log(lo)) / (math.Log(hi) - math.Log(lo))
}

// logZero is a logarithmic scale that includes 0: values up to from are drawn in the first zeroRoom
// of the axis, with 0 at its start, and the logarithmic part begins after it. A line and a 0 mark
// the break.
func logZero(from float64) scale {
	return func(_, hi, v float64) float64 {
		if v <= from {
			return max(0, v/from) * zeroRoom
		}
		return zeroRoom + (1-zeroRoom)*(math.Log(v)-math.Log(from))/(math.Log(hi)-math.Log(from))
	}
}

const zeroRoom = 0.09

// decades are the powers of ten from a first one up to hi.
func decades(from, hi float64) (out []tick) {
	for v := from; v <= hi*1.0000001; v *= 10 {
		out = append(out, tick{v, text.Number(v)})
	}
	return out
}

// few keeps only the even powers of ten, 1 among them, if there is no room for all.
func few(ticks []tick) []tick {
	const most = 6
	if len(ticks) <= most {
		return ticks
	}
	return slices.DeleteFunc(ticks, func(t tick) bool {
		return t.value > 0 && int(math.Round(math.Log10(t.value)))%2 != 0
	})
}

// decadeBelow and decadeAbove are the powers of ten around a positive number.
func decadeBelow(v float64) float64 { return math.Pow(10, math.Floor(math.Log10(v)+1e-9)) }
func decadeAbove(v float64) float64 { return math.Pow(10, math.Ceil(math.Log10(v)-1e-9)) }

// steps125 are 1, 2, 5, 10, 20 … between lo and hi.
func steps125(lo, hi float64) (out []tick) {
	for decade := decadeBelow(lo); decade <= hi; decade *= 10 {
		for _, m := range []float64{1, 2, 5} {
			if v := decade * m; v >= lo*0.999999 && v <= hi*1.000001 {
				out = append(out, tick{v, text.Number(v)})
			}
		}
	}
	return out
}

// round125 widens a range to the nearest of these steps.
func round125(lo, hi float64) (down, up float64) {
	down, up = decadeBelow(lo), decadeAbove(hi)
	for _, m := range []float64{2, 5} {
		if v := decadeBelow(lo) * m; v <= lo {
			down = v
		}
		if v := decadeAbove(hi) / 10 * m; v >= hi && v < up {
			up = v
		}
	}
	return down, up
}

// varied are ticks at each number; one whose label would touch another has none. The last number
// keeps its label.
func varied(x []float64, place func(float64) float64, s draw.TextStyle, room vg.Length) []tick {
	out := make([]tick, len(x))
	free := room * 2 // where the label at the right begins
	for i := len(x) - 1; i >= 0; i-- {
		label := text.Number(x[i])
		half, at := s.Width(label)/2, room*vg.Length(place(x[i]))
		out[i] = tick{x[i], " "}
		if at+half+8 <= free {
			out[i].label, free = label, at-half
		}
	}
	return out
}
