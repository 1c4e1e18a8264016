// Package plot lays out the axes of a chart and draws its ticks and its grid on gonum's canvas.
//
// gonum.org/v1/plot has axes too, but importing it links twelve fonts, five more file formats and a PDF
// writer: 5 MB of a command that draws SVG (docs/decisions/0002-charts.md).
package plot

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot is a pair of axes, the grid at their ticks, and what is drawn over it.
type Plot struct {
	X, Y Axis
	// Grid is the style of its lines.
	Grid draw.LineStyle
	// Below is drawn before the grid, Above after it; both may be nil. They get the canvas of the data.
	Below, Above func(draw.Canvas)
}

// New makes a plot whose labels have a style.
func New(label draw.TextStyle, grid draw.LineStyle) *Plot {
	below, beside := label, label
	below.XAlign, below.YAlign = draw.XCenter, draw.YTop
	beside.XAlign, beside.YAlign = draw.XRight, draw.YCenter
	return &Plot{
		X:    Axis{Scale: Linear{}, Ticks: ConstantTicks(nil), Label: below},
		Y:    Axis{Scale: Linear{}, Ticks: ConstantTicks(nil), Label: beside},
		Grid: grid,
	}
}

// Data is the part of a canvas that is left for the data.
func (p *Plot) Data(c draw.Canvas) draw.Canvas {
	return p.padY(p.padX(draw.Crop(c, p.Y.width(), 0, p.X.height(), 0)))
}

// Draw draws the plot on a canvas.
func (p *Plot) Draw(c draw.Canvas) {
	left, below := p.Y.width(), p.X.height()
	p.X.drawBelow(p.padX(draw.Crop(c, left, 0, 0, 0)))
	p.Y.drawBeside(p.padY(draw.Crop(c, 0, 0, below, 0)))
	data := p.Data(c)
	if p.Below != nil {
		p.Below(data)
	}
	p.grid(data)
	if p.Above != nil {
		p.Above(data)
	}
}

// Transforms are the places of values on the canvas of the data.
func (p *Plot) Transforms(data draw.Canvas) (x, y func(float64) vg.Length) {
	x = func(v float64) vg.Length { return data.X(p.X.norm(v)) }
	y = func(v float64) vg.Length { return data.Y(p.Y.norm(v)) }
	return x, y
}

func (p *Plot) grid(c draw.Canvas) {
	x, y := p.Transforms(c)
	for _, t := range p.X.ticks() {
		if at := x(t.Value); at >= c.Min.X && at <= c.Max.X {
			c.StrokeLine2(p.Grid, at, c.Min.Y, at, c.Max.Y)
		}
	}
	for _, t := range p.Y.ticks() {
		if at := y(t.Value); at >= c.Min.Y && at <= c.Max.Y {
			c.StrokeLine2(p.Grid, c.Min.X, at, c.Max.X, at)
		}
	}
}

// padX makes a canvas narrower where the label that reaches furthest to the right would leave it.
func (p *Plot) padX(c draw.Canvas) draw.Canvas {
	reach, at := c.Max.X, 1.0
	var beyond vg.Length // how far that label reaches beyond its tick
	for _, t := range p.X.ticks() {
		place, r := p.X.norm(t.Value), p.X.Label.Rectangle(t.Label)
		if end := c.X(place) + r.Max.X; end > reach && place <= 1 {
			reach, at, beyond = end, place, r.Max.X
		}
	}
	c.Max.X = c.Min.X + (c.Max.X-beyond-c.Min.X)/vg.Length(at)
	return c
}

// padY makes a canvas lower where the highest label would leave it.
func (p *Plot) padY(c draw.Canvas) draw.Canvas {
	extents := p.Y.Label.FontExtents()
	reach, at := c.Max.Y, 1.0
	var beyond vg.Length
	for _, t := range p.Y.ticks() {
		place, top := p.Y.norm(t.Value), p.Y.Label.Rectangle(t.Label).Max.Y+extents.Height-extents.Ascent
		if end := c.Y(place) + top; end > reach && place <= 1 {
			reach, at, beyond = end, place, top
		}
	}
	c.Max.Y = c.Min.Y + (c.Max.Y-beyond-c.Min.Y)/vg.Length(at)
	return c
}

// Tick is a labelled place on an axis.
type Tick struct {
	Value float64
	Label string
}

// Ticker makes the ticks of a range.
type Ticker interface {
	Ticks(lo, hi float64) []Tick
}

// ConstantTicks are the same in every range.
type ConstantTicks []Tick

// Ticks implements Ticker.
func (t ConstantTicks) Ticks(_, _ float64) []Tick { return t }

// Scale maps a range to 0 … 1.
type Scale interface {
	Normalize(lo, hi, x float64) float64
}

// Linear is the usual scale.
type Linear struct{}

// Normalize implements Scale.
func (Linear) Normalize(lo, hi, x float64) float64 { return (x - lo) / (hi - lo) }

// Axis is one axis of a plot. It has labels at its ticks and no line.
type Axis struct {
	Min, Max float64
	// Padding is between the labels and the data.
	Padding vg.Length
	Scale   Scale
	Ticks   Ticker
	Label   draw.TextStyle
}

func (a Axis) norm(x float64) float64 { return a.Scale.Normalize(a.Min, a.Max, x) }

func (a Axis) ticks() []Tick { return a.Ticks.Ticks(a.Min, a.Max) }

// descent is how far letters such as g reach below the line of writing.
func (a Axis) descent() vg.Length { return a.Label.FontExtents().Descent }

// labels is the size of the widest and of the highest label.
func (a Axis) labels() (size vg.Point) {
	for _, t := range a.ticks() {
		r := a.Label.Rectangle(t.Label).Size()
		size.X, size.Y = max(size.X, r.X), max(size.Y, r.Y)
	}
	return size
}

// labelSpace is between the labels of a vertical axis and the data.
const labelSpace vg.Length = 3

// height is that of a horizontal axis, width that of a vertical one.
func (a Axis) height() vg.Length { return a.labels().Y + a.Padding }

func (a Axis) width() vg.Length {
	w := a.labels().X
	if w > 0 {
		w += labelSpace
	}
	return w + a.Padding
}

// drawBelow writes the labels of a horizontal axis at the bottom of a canvas that is as wide as the data.
func (a Axis) drawBelow(c draw.Canvas) {
	y := c.Min.Y + a.labels().Y + a.descent()
	for _, t := range a.ticks() {
		if x := c.X(a.norm(t.Value)); c.ContainsX(x) {
			c.FillText(a.Label, vg.Point{X: x, Y: y}, t.Label)
		}
	}
}

// drawBeside writes the labels of a vertical axis at the left of a canvas that is as high as the data.
func (a Axis) drawBeside(c draw.Canvas) {
	x := c.Min.X + a.labels().X
	for _, t := range a.ticks() {
		if y := c.Y(a.norm(t.Value)); c.ContainsY(y) {
			c.FillText(a.Label, vg.Point{X: x, Y: y + a.descent()}, t.Label)
		}
	}
}
