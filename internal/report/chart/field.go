package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"h2lab/internal/base/text"
	"h2lab/internal/report/chart/plot"
	"h2lab/internal/report/translations"
)

// Field is an overview of many rows: a dot on a logarithmic axis whose reference is 1, a few
// columns of counts that should be 0, and a word. The rows that differ stand out by position, mark
// and word, so that no reader depends on colour.
type Field struct {
	Words
	XLabel string
	// One labels the line at 1.
	One string
	// Columns are the heads of the counts.
	Columns []string
	Panels  []FieldPanel
}

// FieldPanel is a heading with rows.
type FieldPanel struct {
	Name string
	Rows []FieldRow
}

// FieldRow is one line of the field.
type FieldRow struct {
	Label string
	// Value is the dot's position, nil if unknown; Note is then written in its place.
	Value *float64
	Note  string
	// Counts belong to the columns; nil if unknown.
	Counts []*float64
	// Word is written at the right; Mood determines its colour.
	Word string
	Mood Mood
}

// Mood says whether a row's result is good or bad.
type Mood int

// untold names what the numbers can't decide, in legends.
const untold translations.Phrase = "sweep.cant-told"

// The moods.
const (
	Untold Mood = iota // unknown
	Well
	Ill
)

const (
	fieldHeight vg.Length = 21
	countWidth  vg.Length = 62
	wordMargin  vg.Length = 14
	fieldHeads  vg.Length = 20 // room for the columns' heads above the data
)

// ink is a mood's colour.
func (m Mood) ink(t Theme) color.NRGBA {
	switch m {
	case Well:
		return t.colour(2)
	case Ill:
		return t.colour(1)
	}
	return t.Muted
}

func (m Mood) shape() shape {
	switch m {
	case Well:
		return disc
	case Ill:
		return diamond
	}
	return ring
}

func (d Field) rows() rows {
	r := rows{height: fieldHeight, xLabel: d.XLabel}
	s := style(boldSans, 12, nil)
	for _, p := range d.Panels {
		pr := panelRows{name: p.Name}
		for _, row := range p.Rows {
			pr.labels = append(pr.labels, row.Label)
			r.gutter = max(r.gutter, s.Width(row.Word))
		}
		r.panels = append(r.panels, pr)
	}
	r.panels = append(r.panels, panelRows{}) // its space separates the last row from the axis
	r.gutter += wordMargin*2 + countWidth*vg.Length(len(d.Columns))
	return r
}

// Draw makes the picture.
func (d Field) Draw() (Picture, error) {
	d = labelled(d)
	r := d.rows()
	from, hi := d.span()
	keys := func(t Theme) []key {
		out := []key{}
		for _, k := range []struct {
			m    Mood
			name translations.Phrase
		}{{Well, "clients.sound"}, {Ill, "chart.fault"}, {Untold, untold}} {
			out = append(out, key{name: d.say(k.name), shape: k.m.shape(), ink: k.m.ink(t)})
		}
		return append(out, key{name: d.One, shape: stroke, ink: t.Text})
	}
	height := headingHeight(d.Words) + d.legendHeight(keys(Light())) + fieldHeads + r.body() + axisHeight + 10
	return render(d.Words, height, func(f *figure) {
		f.legend(keys(f.theme))
		f.top += fieldHeads
		data, x := r.draw(f, func(a *plot.Axis) {
			a.Min, a.Max = from, hi
			a.Scale = logOnly{}
			a.Ticks = fewDecades{decades{from: decadeAbove(from)}}
		})
		f.columnHeads(d, data)
		f.oneLine(r, data, x(1))
		r.each(func(i, j int, mid vg.Length) {
			f.fieldRow(d, d.Panels[i].Rows[j], x, data, data.Max.Y-mid)
		})
	})
}

// span returns the axis's range: powers of ten that include 1.
func (d Field) span() (from, hi float64) {
	from, hi = narrow, 10
	for _, p := range d.Panels {
		for _, row := range p.Rows {
			if row.Value != nil && *row.Value > 0 && !math.IsInf(*row.Value, 0) {
				from, hi = min(from, *row.Value), max(hi, *row.Value)
			}
		}
	}
	if from < narrow {
		from = max(decadeBelow(from), lowest)
	}
	return from, decadeAbove(hi)
}

// narrow is the start of the axis if no value is lower, lowest the lowest start; values below
// lowest are drawn there.
const (
	narrow = 0.5
	lowest = 0.01
)

// columnHeads writes the heads above the data, at the right edge of their columns.
func (f *figure) columnHeads(d Field, data draw.Canvas) {
	y := data.Max.Y + 8
	for i, name := range d.Columns {
		f.canvas.FillText(right(f.muted(11)), vg.Point{X: data.Max.X + countWidth*vg.Length(i+1) - 4, Y: y}, name)
	}
}

// oneLine marks the reference, panel by panel, so that it crosses no heading.
func (f *figure) oneLine(r rows, data draw.Canvas, x vg.Length) {
	r.each(func(_, _ int, mid vg.Length) {
		y := data.Max.Y - mid
		f.canvas.StrokeLine2(draw.LineStyle{Color: f.theme.Text, Width: 1.3}, x, y-r.height/2, x, y+r.height/2)
	})
}

// leads draws dotted lines from the label to the dot and on to the counts. They leave out the
// stretch from 1 to the dot.
func (f *figure) leads(data draw.Canvas, from, to, y vg.Length) {
	l := f.hairline()
	l.Dashes = []vg.Length{1, 3}
	if end := min(from, to) - 10; end > data.Min.X {
		f.canvas.StrokeLine2(l, data.Min.X, y, end, y)
	}
	if begin := max(from, to) + 10; begin < data.Max.X {
		f.canvas.StrokeLine2(l, begin, y, data.Max.X, y)
	}
}

func (f *figure) fieldRow(d Field, row FieldRow, x func(float64) vg.Length, data draw.Canvas, y vg.Length) {
	ink := row.Mood.ink(f.theme)
	switch {
	case row.Value == nil:
		s := middle(f.muted(11))
		note := fit(d.dashed(row.Note), s, data.Max.X-x(1)-12)
		f.blank(x(1)+5, y, s.Width(note)+6)
		f.canvas.FillText(s, vg.Point{X: x(1) + 8, Y: y}, note)
	default:
		at := x(*row.Value)
		f.leads(data, x(1), at, y)
		f.canvas.StrokeLine2(draw.LineStyle{Color: ink, Width: 2.5}, x(1), y, at, y)
		f.mark(f.canvas, row.Mood.shape(), ink, vg.Point{X: at, Y: y})
	}
	for i := range d.Columns {
		var v *float64
		if i < len(row.Counts) {
			v = row.Counts[i]
		}
		f.fieldCount(v, vg.Point{X: data.Max.X + countWidth*vg.Length(i+1) - 4, Y: y})
	}
	s := middle(f.bold(12))
	s.Color = ink
	f.canvas.FillText(s, vg.Point{X: data.Max.X + countWidth*vg.Length(len(d.Columns)) + wordMargin, Y: y}, row.Word)
}

// blank covers the grid behind text, so that no line crosses it.
func (f *figure) blank(x, y, wide vg.Length) {
	var p vg.Path
	p.Move(vg.Point{X: x, Y: y - 7})
	p.Line(vg.Point{X: x + wide, Y: y - 7})
	p.Line(vg.Point{X: x + wide, Y: y + 7})
	p.Line(vg.Point{X: x, Y: y + 7})
	p.Close()
	f.canvas.SetColor(f.theme.Background)
	f.canvas.Fill(p)
}

// fieldCount writes a count that should be 0: a faint 0, a cross before any other count, a dash if
// it is unknown.
func (f *figure) fieldCount(v *float64, at vg.Point) {
	switch {
	case v == nil:
		f.canvas.FillText(middle(right(f.muted(11))), at, "–")
	case *v == 0:
		f.canvas.FillText(middle(right(f.muted(11))), at, "0")
	default:
		s := middle(right(f.bold(11)))
		words := text.Number(*v)
		f.canvas.FillText(s, at, words)
		f.mark(f.canvas, cross, Ill.ink(f.theme), vg.Point{X: at.X - s.Width(words) - 8, Y: at.Y})
	}
}
