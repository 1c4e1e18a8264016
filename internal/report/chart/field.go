package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"h2lab/internal/base/numfmt"
)

// Field is many rows at a glance: a dot on a logarithmic axis that is held
// against 1, a few columns of counts that should be 0, and a word. The reader
// finds the rows that stand out; each says the same by its place, its mark and
// its word, so that nobody depends on colour.
type Field struct {
	Words
	XLabel string
	// One says what the line at 1 is.
	One string
	// Columns head the counts.
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
	// Value is where the dot stands, nil where that isn't known; Note is
	// written in the dot's place then.
	Value *float64
	Note  string
	// Counts belong to the columns, nil where not known.
	Counts []*float64
	// Word stands at the right; Mood says how it is meant.
	Word string
	Mood Mood
}

// Mood is how a row is meant.
type Mood int

// The moods.
const (
	Untold Mood = iota // it isn't known how it is
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
	r.panels = append(r.panels, panelRows{}) // the space of one parts the last row from the axis
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
			name string
		}{{Well, "sound"}, {Ill, "with a fault"}, {Untold, "can't be told"}} {
			out = append(out, key{name: k.name, shape: k.m.shape(), ink: k.m.ink(t)})
		}
		return append(out, key{name: d.One, shape: stroke, ink: t.Text})
	}
	height := headingHeight(d.Words) + legendHeight(keys(Light())) + fieldHeads + r.body() + axisHeight + 10
	return render(d.Words, height, func(f *figure) {
		f.legend(keys(f.theme))
		f.top += fieldHeads
		data, x := r.draw(f, func(a *plot.Axis) {
			a.Min, a.Max = from, hi
			a.Scale = logOnly{}
			a.Tick.Marker = fewDecades{decades{from: decadeAbove(from)}}
		})
		f.columnHeads(d, data)
		f.oneLine(r, data, x(1))
		r.each(func(i, j int, mid vg.Length) {
			f.fieldRow(d, d.Panels[i].Rows[j], x, data, data.Max.Y-mid)
		})
	})
}

// span is the axis' range, powers of ten with 1 among them.
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

// narrow is where the axis begins as long as nothing lies below, lowest where
// it begins at the latest; what lies lower is drawn there.
const (
	narrow = 0.5
	lowest = 0.01
)

// columnHeads are written above the data, at the right edge of their columns.
func (f *figure) columnHeads(d Field, data draw.Canvas) {
	y := data.Max.Y + 8
	for i, name := range d.Columns {
		f.canvas.FillText(right(f.muted(11)), vg.Point{X: data.Max.X + countWidth*vg.Length(i+1) - 4, Y: y}, name)
	}
}

// oneLine marks what everything is held against, panel by panel, so that it
// crosses no heading.
func (f *figure) oneLine(r rows, data draw.Canvas, x vg.Length) {
	r.each(func(_, _ int, mid vg.Length) {
		y := data.Max.Y - mid
		f.canvas.StrokeLine2(draw.LineStyle{Color: f.theme.Text, Width: 1.3}, x, y-r.height/2, x, y+r.height/2)
	})
}

// leads are dotted lines that lead the eye from the label to the dot and on to
// the counts. They leave out the stretch from 1 to the dot.
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
		note := row.Note
		if note == "" {
			note = "not measured"
		}
		note = fit("– "+note, s, data.Max.X-x(1)-12)
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

// blank covers the grid behind words, so that no line crosses them.
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

// fieldCount writes a count that should be 0: a faint 0, a cross before what
// isn't, a dash for what isn't known.
func (f *figure) fieldCount(v *float64, at vg.Point) {
	switch {
	case v == nil:
		f.canvas.FillText(middle(right(f.muted(11))), at, "–")
	case *v == 0:
		f.canvas.FillText(middle(right(f.muted(11))), at, "0")
	default:
		s := middle(right(f.bold(11)))
		words := numfmt.Number(*v)
		f.canvas.FillText(s, at, words)
		f.mark(f.canvas, cross, Ill.ink(f.theme), vg.Point{X: at.X - s.Width(words) - 8, Y: at.Y})
	}
}
