package plot

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
