package chart

import (
	"fmt"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"h2lab/internal/report/translations"
)

// Picture is one chart, drawn for a light and a dark page.
type Picture struct{ Light, Dark []byte }

// Words are the texts of every chart.
type Words struct {
	Title    string // what the chart shows, with its unit
	Subtitle string // how to read it; may be empty
	// Desc is the whole message as text, for screen readers.
	Desc string
	// Width is the picture's width in CSS pixels; 0 stands for that of reports. A slide shows a narrow
	// picture larger than a report does.
	Width vg.Length
	// Bare leaves out the heading, where the text around the picture has it.
	Bare bool
	// Language is that of all texts of the chart; the zero value is English.
	Language translations.Language
}

// say returns one of the chart's own texts, as notMeasured, in its language.
func (w Words) say(p translations.Phrase) string { return w.Language.Say(p) }

// notMeasured stands in place of a mark without a value.
const notMeasured translations.Phrase = "chart.not-measured"

// dashed is a note in place of a mark; notMeasured if there is none.
func (w Words) dashed(note string) string {
	if note == "" {
		return w.say(notMeasured)
	}
	return "– " + note
}

// width is the width of a picture in a report, in CSS pixels. A point of the canvas is one pixel.
const (
	width  vg.Length = 800
	margin vg.Length = 16
)

func (w Words) wide() vg.Length {
	if w.Width > 0 {
		return w.Width
	}
	return width
}

// figure is one version of one chart while it is drawn.
type figure struct {
	canvas draw.Canvas
	theme  Theme
	top    vg.Length // the next free line, measured from the top edge
}

// render draws both versions. height is that of the whole picture.
func render(w Words, height vg.Length, body func(*figure)) (p Picture, err error) {
	// gonum reports errors with fonts and sizes by panicking.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("drawing the chart %q: %v", w.Title, r)
		}
	}()
	one := func(t Theme) []byte {
		c := vgsvg.NewWith(vgsvg.UseWH(w.wide(), height))
		f := &figure{canvas: draw.New(c), theme: t, top: margin}
		f.canvas.SetColor(t.Background)
		f.canvas.Fill(f.canvas.Path())
		f.heading(w)
		body(f)
		return finish(c, w, height)
	}
	return Picture{Light: one(Light()), Dark: one(Dark())}, nil
}

// headingHeight is the height that heading takes at the top, including its margin.
func headingHeight(w Words) vg.Length {
	if w.Bare {
		return margin
	}
	h := margin + 24*vg.Length(len(wrap(w.Title, titleSize, boldSans, w.wide()-2*margin)))
	h += 17 * vg.Length(len(subtitleLines(w)))
	return h + 6
}

func subtitleLines(w Words) []string {
	if w.Subtitle == "" {
		return nil
	}
	return wrap(w.Subtitle, 12, font.Font{}, w.wide()-2*margin)
}

func (f *figure) heading(w Words) {
	if w.Bare {
		return
	}
	for _, line := range wrap(w.Title, titleSize, boldSans, w.wide()-2*margin) {
		f.text(f.bold(titleSize), margin, f.top+18, line)
		f.top += 24
	}
	for _, line := range subtitleLines(w) {
		f.text(f.muted(12), margin, f.top+12, line)
		f.top += 17
	}
	f.top += 6
}

// text writes on a baseline that is y below the top edge.
func (f *figure) text(s draw.TextStyle, x, y vg.Length, words string) {
	f.canvas.FillText(s, vg.Point{X: x, Y: f.canvas.Max.Y - y}, words)
}

// rest returns the canvas below what is already drawn, except a bottom margin.
func (f *figure) rest() draw.Canvas {
	c := f.canvas
	c.Max.Y -= f.top
	c.Min.Y += 10
	c.Min.X += margin
	c.Max.X -= margin
	return c
}
