package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Diagram is a drawing of boxes, arrows and texts. Places are CSS pixels from the top left corner.
type Diagram struct {
	Words
	Height float64
	Boxes  []Box
	Arrows []Arrow
	Texts  []Text
}

// Ink is what a mark means; the theme has its colour.
type Ink string

// The inks of a diagram; without one a mark is neutral.
const (
	Quiet  Ink = "quiet"  // what explains, and what isn't in question
	Served Ink = "served" // what does its work
	Wasted Ink = "wasted" // what is lost, wasted or ended
)

// Box is a rectangle with a name and lines of text below it, in its middle. Fill is the part of it
// that is filled from the left, from 0 to 1.
type Box struct {
	X, Y, Wide, Tall float64
	Name             string
	Lines            []string
	Ink              Ink
	Fill             float64
}

// Arrow is a line with a head at its end, and a text above its middle.
type Arrow struct {
	X1, Y1, X2, Y2 float64
	Label          string
	Ink            Ink
	Dashed         bool
	Headless       bool
}

// Text is a line of text with its middle at X, or its left edge if Left; Y is its middle.
type Text struct {
	X, Y  float64
	Line  string
	Ink   Ink
	Large bool
	Left  bool
}

// The sizes of a diagram's texts. A slide of 1280 × 720 shows a diagram 1160 pixels wide, so its
// smallest text has 24 pixels there.
const (
	diagramText vg.Length = 17
	diagramName vg.Length = 19
	diagramLine vg.Length = 22
)

// Draw makes the picture.
func (d Diagram) Draw() (Picture, error) {
	d = labelled(d)
	d.Bare = true
	return render(d.Words, legend{}, vg.Length(d.Height)-margin, func(f *figure) {
		for _, b := range d.Boxes {
			f.box(b)
		}
		for _, a := range d.Arrows {
			f.arrow(a)
		}
		for _, t := range d.Texts {
			// Text has the theme's two colours of texts only: those of marks have too little contrast for letters
			// (WCAG 2.2, 1.4.3).
			s := f.plain(diagramText)
			switch {
			case t.Large:
				s = f.bold(diagramName)
			case t.Ink == Quiet:
				s = f.muted(diagramText)
			}
			if !t.Left {
				s = centred(s)
			}
			f.canvas.FillText(middle(s), f.at(t.X, t.Y), t.Line)
		}
	})
}

// at is a place on the canvas, whose origin is the bottom left corner.
func (f *figure) at(x, y float64) vg.Point { return pt(vg.Length(x), f.canvas.Max.Y-vg.Length(y)) }

func (f *figure) ink(i Ink) color.NRGBA {
	return map[Ink]color.NRGBA{"": f.theme.Text, Quiet: f.theme.Muted, Served: f.theme.colour(0), Wasted: f.theme.colour(1)}[i]
}

func (f *figure) box(b Box) {
	part := func(share float64) vg.Path {
		at := f.at(b.X, b.Y)
		return rectangle(at.X, at.Y, vg.Length(b.Wide*share), -vg.Length(b.Tall))
	}
	fill := f.ink(b.Ink)
	fill.A = 0x40
	f.fill(part(b.Fill), fill)
	f.outline(part(1), f.ink(b.Ink), 2)

	at := f.at(b.X+b.Wide/2, b.Y+b.Tall/2)
	at.Y += vg.Length(len(b.Lines)) * diagramLine / 2
	if b.Name == "" {
		at.Y += diagramLine / 2
	} else {
		f.canvas.FillText(middle(centred(f.bold(diagramName))), at, b.Name)
	}
	for _, line := range b.Lines {
		at.Y -= diagramLine
		f.canvas.FillText(middle(centred(f.plain(diagramText))), at, line)
	}
}

func (f *figure) arrow(a Arrow) {
	line := draw.LineStyle{Color: f.ink(a.Ink), Width: 2.5}
	if a.Dashed {
		line.Dashes = []vg.Length{7, 5}
	}
	const head = 13.0
	long := math.Hypot(a.X2-a.X1, a.Y2-a.Y1)
	if long == 0 {
		return
	}
	dx, dy := (a.X2-a.X1)/long, (a.Y2-a.Y1)/long
	endX, endY := a.X2, a.Y2
	if !a.Headless {
		endX, endY = a.X2-dx*head, a.Y2-dy*head
		f.fill(polygon(f.at(a.X2, a.Y2), f.at(endX-dy*head/2, endY+dx*head/2), f.at(endX+dy*head/2, endY-dx*head/2)),
			f.ink(a.Ink))
	}
	from, to := f.at(a.X1, a.Y1), f.at(endX, endY)
	f.canvas.StrokeLine2(line, from.X, from.Y, to.X, to.Y)
	if a.Label != "" {
		f.canvas.FillText(middle(centred(f.plain(diagramText))), f.at((a.X1+a.X2)/2, (a.Y1+a.Y2)/2-15), a.Label)
	}
}
