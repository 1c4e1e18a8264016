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
