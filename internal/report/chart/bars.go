package chart

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/font"
	labels "gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"h2lab/internal/base/text"
	"h2lab/internal/report/chart/plot"
)

// Bars are grouped horizontal bars with whiskers for their intervals.
type Bars struct {
	Words
	XLabel string
	Series []string // names of the bars in each group, in the order of their colours
	Panels []BarPanel
}

// BarPanel is a heading with groups of bars.
type BarPanel struct {
	Name   string
	Groups []BarGroup
}

// BarGroup has one bar for each series.
type BarGroup struct {
	Label string
	Bars  []Bar
}

// Bar is a value with its interval; unknown numbers are nil. Note is written in place of a bar
// without a value.
type Bar struct {
	Value, Lo, Hi *float64
	Note          string
}

const (
	barHeight vg.Length = 14
	groupGap  vg.Length = 10
)

// Draw makes the picture.
func (b Bars) Draw() (Picture, error) {
	b = labelled(b)
	r := rows{height: barHeight*vg.Length(len(b.Series)) + groupGap, xLabel: b.XLabel, gutter: 8}
	for _, p := range b.Panels {
		pr := panelRows{name: p.Name}
		for _, g := range p.Groups {
			pr.labels = append(pr.labels, g.Label)
		}
		r.panels = append(r.panels, pr)
	}
	keys := func(t Theme) (out []key) {
		for i, name := range b.Series {
			out = append(out, key{name: name, shape: block, ink: t.colour(i)})
		}
		return out
	}
	height := headingHeight(b.Words) + b.legendHeight(keys(Light())) + r.body() + axisHeight + 10
	return render(b.Words, height, func(f *figure) {
		f.legend(keys(f.theme))
		data, x := r.draw(f, func(a *plot.Axis) {
			// The value is written behind its bar, so the axis is 14 % longer.
			a.Min, a.Max = 0, b.highest()*1.14
			a.Ticks = roundTicks{n: 6}
		})
		r.each(func(i, j int, mid vg.Length) {
			y := data.Max.Y - mid + barHeight*vg.Length(len(b.Series)-1)/2
			for k, bar := range b.Panels[i].Groups[j].Bars {
				f.bar(data, b.Words, bar, k, x, y-barHeight*vg.Length(k))
			}
		})
	})
}

// highest returns the largest number drawn, or 1 if there is none.
func (b Bars) highest() float64 {
	top := 0.0
	for _, p := range b.Panels {
		for _, g := range p.Groups {
			for _, bar := range g.Bars {
				for _, v := range []*float64{bar.Value, bar.Hi} {
					if v != nil {
						top = max(top, *v)
					}
				}
			}
		}
	}
	if top == 0 {
		return 1
	}
	return top
}

func (f *figure) bar(c draw.Canvas, w Words, b Bar, series int, x func(float64) vg.Length, y vg.Length) {
	if b.Value == nil {
		s := middle(f.muted(11))
		f.canvas.FillText(s, vg.Point{X: x(0) + 4, Y: y}, fit(w.dashed(b.Note), s, c.Max.X-x(0)-8))
		return
	}
	half := barHeight/2 - 1
	var p vg.Path
	p.Move(vg.Point{X: x(0), Y: y - half})
	p.Line(vg.Point{X: x(*b.Value), Y: y - half})
	p.Line(vg.Point{X: x(*b.Value), Y: y + half})
	p.Line(vg.Point{X: x(0), Y: y + half})
	p.Close()
	f.canvas.SetColor(f.theme.colour(series))
	f.canvas.Fill(p)
	end := x(*b.Value)
	if b.Lo != nil && b.Hi != nil {
		f.whisker(x(*b.Lo), x(*b.Hi), y)
		end = max(end, x(*b.Hi))
	}
	f.canvas.FillText(middle(f.plain(11)), vg.Point{X: end + 6, Y: y}, text.Number(*b.Value))
}

// whisker draws a line in the text's colour over a wider line in the background's, so that it is
// visible on its bar and beyond it.
func (f *figure) whisker(lo, hi, y vg.Length) {
	for _, l := range []draw.LineStyle{{Color: f.theme.Background, Width: 3.5}, {Color: f.theme.Text, Width: 1.3}} {
		f.canvas.StrokeLine2(l, lo, y, hi, y)
		f.canvas.StrokeLine2(l, lo, y-3.5, lo, y+3.5)
		f.canvas.StrokeLine2(l, hi, y-3.5, hi, y+3.5)
	}
}

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

// mixed measures texts that have Chinese words too. Liberation Sans has no Han characters, so gonum
// measures each as its sign for a missing one. Every Chinese font draws a Han character and a
// full-width sign in a square of the font's size (W3C, Requirements for Chinese Text Layout, 2.1).
type mixed struct{ labels.Plain }

// Box implements labels.Handler.
func (m mixed) Box(words string, f font.Font) (width, height, depth vg.Length) {
	squares := 0
	rest := strings.Map(func(r rune) rune {
		if text.Wide(r) {
			squares++
			return -1
		}
		return r
	}, words)
	width, height, depth = m.Plain.Box(rest, f)
	return width + vg.Length(squares)*f.Size, height, depth
}

// Draw implements labels.Handler. gonum aligns with the font's own width, so the difference is added here.
func (m mixed) Draw(c vg.Canvas, words string, s labels.Style, at vg.Point) {
	ours, _, _ := m.Box(words, s.Font)
	gonums, _, _ := m.Plain.Box(words, s.Font)
	at.X += (ours - gonums) * vg.Length(s.XAlign)
	m.Plain.Draw(c, words, s, at)
}
