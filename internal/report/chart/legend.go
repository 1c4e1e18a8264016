package chart

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// shape distinguishes a series in addition to its colour, so that no reader depends on colour
// alone.
type shape int

const (
	block shape = iota // a bar
	disc
	diamond
	stroke // an upright line, for an expected value
	square
	triangle
	ring
	cross
	inverted
)

// key is one entry of a legend.
type key struct {
	name  string
	shape shape
	ink   color.NRGBA
	line  bool // a line goes through the mark
}

const legendLine vg.Length = 22

// legendRows splits the keys into rows that fit the width.
func legendRows(keys []key, room vg.Length) [][]key {
	s := style(sans, 12, color.Black)
	var rows [][]key
	var x vg.Length
	for _, k := range keys {
		w := s.Width(k.name) + 44
		if len(rows) == 0 || x+w > room {
			rows, x = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
		x += w
	}
	return rows
}

func (w Words) legendHeight(keys []key) vg.Length {
	return legendLine*vg.Length(len(legendRows(keys, w.wide()-2*margin))) + 4
}

// legend draws the legend above the data, where nothing overlaps it.
func (f *figure) legend(keys []key) {
	s := f.plain(12)
	for _, row := range legendRows(keys, f.canvas.Max.X-2*margin) {
		x := margin
		for _, k := range row {
			at := vg.Point{X: x + 8, Y: f.canvas.Max.Y - f.top - 9}
			if k.line {
				f.canvas.StrokeLine2(draw.LineStyle{Color: k.ink, Width: 2}, at.X-9, at.Y, at.X+9, at.Y)
			}
			f.mark(f.canvas, k.shape, k.ink, at)
			f.text(s, x+24, f.top+13, k.name)
			x += s.Width(k.name) + 44
		}
		f.top += legendLine
	}
	f.top += 4
}

// mark draws one mark. Marks have an edge in the background's colour, so that two marks at one
// position can be distinguished.
func (f *figure) mark(c draw.Canvas, s shape, ink color.NRGBA, at vg.Point) {
	path := func(pts ...vg.Point) {
		var p vg.Path
		for i, d := range pts {
			q := vg.Point{X: at.X + d.X, Y: at.Y + d.Y}
			if i == 0 {
				p.Move(q)
			} else {
				p.Line(q)
			}
		}
		p.Close()
		f.fillEdged(c, p, ink)
	}
	switch s {
	case block:
		path(vg.Point{X: -8, Y: -5}, vg.Point{X: 8, Y: -5}, vg.Point{X: 8, Y: 5}, vg.Point{X: -8, Y: 5})
	case square:
		path(vg.Point{X: -4.5, Y: -4.5}, vg.Point{X: 4.5, Y: -4.5}, vg.Point{X: 4.5, Y: 4.5}, vg.Point{X: -4.5, Y: 4.5})
	case diamond:
		path(vg.Point{X: -5}, vg.Point{Y: -5}, vg.Point{X: 5}, vg.Point{Y: 5})
	case triangle:
		path(vg.Point{X: -5.5, Y: -4.5}, vg.Point{X: 5.5, Y: -4.5}, vg.Point{Y: 5.5})
	case stroke:
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: 2.5}, at.X, at.Y-10, at.X, at.Y+10)
	case cross:
		l := draw.LineStyle{Color: ink, Width: 2}
		c.StrokeLine2(l, at.X-4, at.Y-4, at.X+4, at.Y+4)
		c.StrokeLine2(l, at.X-4, at.Y+4, at.X+4, at.Y-4)
	case ring:
		f.fillEdged(c, circle(at, 5.5), ink)
		f.fillEdged(c, circle(at, 2.5), f.theme.Background)
	case inverted:
		path(vg.Point{X: -5.5, Y: 4.5}, vg.Point{X: 5.5, Y: 4.5}, vg.Point{Y: -5.5})
	default:
		f.fillEdged(c, circle(at, 6), ink)
	}
}

func (f *figure) fillEdged(c draw.Canvas, p vg.Path, ink color.NRGBA) {
	c.SetColor(ink)
	c.Fill(p)
	c.SetColor(f.theme.Background)
	c.SetLineWidth(1)
	c.SetLineDash(nil, 0)
	c.Stroke(p)
}

func circle(at vg.Point, r vg.Length) vg.Path {
	var p vg.Path
	p.Move(vg.Point{X: at.X + r, Y: at.Y})
	p.Arc(at, r, 0, 6.283185307179586)
	p.Close()
	return p
}
