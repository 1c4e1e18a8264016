package chart

import (
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
