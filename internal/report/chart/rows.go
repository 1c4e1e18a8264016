package chart

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"h2lab/internal/base/text"
)

// Panel is a heading with rows.
type Panel[R any] struct {
	Name string
	Rows []R
}

// stack is the layout that bars, dots and fields share: panels with labelled rows, top to bottom. Labels are written at
// the left in full; more rows make the picture higher.
type stack[R any] struct {
	panels []Panel[R]
	label  func(R) string
	note   func(R) string // at the right of the data; may be nil
	height vg.Length      // of one row
	head   vg.Length      // room above the data
	gutter vg.Length      // room at the right of it
	xLabel string
}

const (
	panelHead   vg.Length = 28 // a panel's heading
	panelSpace  vg.Length = 8  // before the next panel
	axisHeight  vg.Length = 44 // ticks and label below the data
	bottom      vg.Length = 10 // margin of a picture
	labelMax    vg.Length = 230
	labelMargin vg.Length = 10
)

// body is the height of all panels.
func (s stack[R]) body() (h vg.Length) {
	for i, p := range s.panels {
		if p.Name != "" {
			h += panelHead
		}
		h += s.height * vg.Length(len(p.Rows))
		if i > 0 {
			h += panelSpace
		}
	}
	return h
}

// each calls visit with the middle of every row.
func (s stack[R]) each(data draw.Canvas, visit func(row R, y vg.Length)) {
	s.walk(func(_, _ int, row R, mid vg.Length) { visit(row, data.Max.Y-mid) })
}

// walk calls visit with the middle of every row, measured from the top.
func (s stack[R]) walk(visit func(panel, place int, row R, mid vg.Length)) {
	var y vg.Length
	for i, p := range s.panels {
		if i > 0 {
			y += panelSpace
		}
		if p.Name != "" {
			y += panelHead
		}
		for j, row := range p.Rows {
			visit(i, j, row, y+s.height/2)
			y += s.height
		}
	}
}

// render draws legend, axis, labels, and then the marks, which marks gets the canvas of the data and the places on its x
// axis for.
func (s stack[R]) render(w Words, keys []key, x axis, marks func(f *figure, data draw.Canvas, x func(float64) vg.Length)) (
	Picture, error) {
	return render(w, legendOf(keys), s.head+s.body()+axisHeight+bottom, func(f *figure) {
		f.top += s.head
		c := f.rest()
		c.Min.Y = c.Max.Y - s.body() - axisHeight
		var longest vg.Length
		s.each(c, func(row R, _ vg.Length) { longest = max(longest, f.plain(12).Width(s.label(row))) })
		c.Min.X += min(longest, labelMax) + labelMargin
		c.Max.X -= s.gutter
		data, place, _ := f.axes(x, axis{max: 1}, c, s.body(), nil)
		f.caption(data, s.xLabel)
		s.words(f, data)
		marks(f, data, place)
	})
}

// words writes the panels' headings, the rows' labels and their notes.
func (s stack[R]) words(f *figure, data draw.Canvas) {
	s.walk(func(i, j int, row R, mid vg.Length) {
		y := data.Max.Y - mid
		if name := s.panels[i].Name; j == 0 && name != "" {
			below := data.Max.Y - (mid - s.height/2)
			// covers the grid, so that no line crosses the name
			f.fill(rectangle(margin-2, below+2, f.canvas.Max.X-2*margin+2, panelHead-2), f.theme.Background)
			f.canvas.FillText(f.bold(13), pt(margin, below+6), name)
		}
		label := middle(right(f.plain(12)))
		f.canvas.FillText(label, pt(data.Min.X-labelMargin, y), fit(s.label(row), label, labelMax))
		if s.note != nil && s.note(row) != "" {
			f.canvas.FillText(middle(f.muted(11)), pt(data.Max.X+10, y), s.note(row))
		}
	})
}

// Bars are grouped horizontal bars with whiskers for their intervals.
type Bars struct {
	Words
	XLabel string
	Series []string // names of the bars in each group, in the order of their colours
	Panels []Panel[BarGroup]
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
	s := stack[BarGroup]{panels: b.Panels, height: barHeight*vg.Length(len(b.Series)) + groupGap, xLabel: b.XLabel, gutter: 8,
		label: func(g BarGroup) string { return g.Label }}
	var keys []key
	for i, name := range b.Series {
		keys = append(keys, keyOf(name, block, seriesInk(i)))
	}
	var all []*float64
	s.each(draw.Canvas{}, func(g BarGroup, _ vg.Length) {
		for _, bar := range g.Bars {
			all = append(all, bar.Value, bar.Hi)
		}
	})
	_, hi, _ := span(all)
	// The value is written behind its bar, so the axis is 14 % longer.
	return s.render(b.Words, keys, fromZero(hi, 1.14, 6), func(f *figure, data draw.Canvas, x func(float64) vg.Length) {
		s.each(data, func(g BarGroup, y vg.Length) {
			y += barHeight * vg.Length(len(b.Series)-1) / 2
			for k, bar := range g.Bars {
				f.bar(data, b.Words, bar, k, x, y-barHeight*vg.Length(k))
			}
		})
	})
}

func (f *figure) bar(c draw.Canvas, w Words, b Bar, series int, x func(float64) vg.Length, y vg.Length) {
	if b.Value == nil {
		s := middle(f.muted(11))
		f.canvas.FillText(s, pt(x(0)+4, y), fit(w.dashed(b.Note), s, c.Max.X-x(0)-8))
		return
	}
	const half = barHeight/2 - 1
	end := x(*b.Value)
	f.fill(rectangle(x(0), y-half, end-x(0), 2*half), f.theme.colour(series))
	if b.Lo != nil && b.Hi != nil {
		f.whisker(x(*b.Lo), x(*b.Hi), y)
		end = max(end, x(*b.Hi))
	}
	f.canvas.FillText(middle(f.plain(11)), pt(end+6, y), text.Number(*b.Value))
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
	Panels []Panel[DotRow]
}

// DotRow has one value for each series, nil if unknown, and a note at the right edge.
type DotRow struct {
	Label  string
	Values []*float64
	Note   string
}

var dotShapes = []shape{disc, diamond, stroke, square, triangle}

// Draw makes the picture.
func (d Dots) Draw() (Picture, error) {
	d = labelled(d)
	s := stack[DotRow]{panels: d.Panels, height: 24, xLabel: d.XLabel, gutter: 24,
		label: func(r DotRow) string { return r.Label }, note: func(r DotRow) string { return r.Note }}
	var all []*float64
	small := style(sans, 11, nil)
	s.each(draw.Canvas{}, func(r DotRow, _ vg.Length) {
		all = append(all, r.Values...)
		s.gutter = max(s.gutter, small.Width(r.Note)+14)
	})
	var keys []key
	for i, name := range d.Series {
		keys = append(keys, keyOf(name, dotShapes[i%len(dotShapes)], d.ink(i)))
	}
	from, hi, zero := span(all)
	if hi == 0 {
		from, hi = 1, 10
	}
	from, hi = decadeBelow(from), decadeAbove(hi)
	if hi <= from {
		hi = from * 10
	}
	x := axis{min: from, max: hi, scale: logOnly, ticks: decades(from, hi)}
	if zero {
		x.min, x.scale, x.ticks = 0, logZero(from), append([]tick{{0, "0"}}, x.ticks...)
	}
	x.ticks = few(x.ticks)
	return s.render(d.Words, keys, x, func(f *figure, data draw.Canvas, x func(float64) vg.Length) {
		if zero {
			f.axisBreak(data)
		}
		s.each(data, func(r DotRow, y vg.Length) { f.dots(d, r, x, y) })
	})
}

// ink returns a series' colour: the first series is the finding, the last the reference.
func (d Dots) ink(i int) ink {
	if i == len(d.Series)-1 && len(d.Series) > 1 {
		return textInk
	}
	return seriesInk((i + 1) % 2)
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
		f.canvas.FillText(middle(f.muted(11)), pt(x(0)+4, y), d.say(notMeasured))
		return
	}
	f.canvas.StrokeLine2(draw.LineStyle{Color: f.theme.Grid, Width: 5}, lo, y, hi, y)
	// The reference is drawn first and is taller, so that it is visible even if all marks have the
	// same position.
	for n := range row.Values {
		i := (n + len(row.Values) - 1) % len(row.Values)
		if v := row.Values[i]; v != nil {
			f.mark(dotShapes[i%len(dotShapes)], d.ink(i), pt(x(*v), y))
		}
	}
}

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
	Panels  []Panel[FieldRow]
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

// The moods.
const (
	Untold Mood = iota // unknown
	Well
	Ill
)

// untold names what the numbers can't decide, in legends.
const untold string = "sweep.cant-told"

// moods are the marks of the moods and their names in the legend.
var moods = map[Mood]struct {
	shape shape
	ink   ink
	name  string
}{
	Well: {disc, seriesInk(2), "clients.sound"}, Ill: {diamond, seriesInk(1), "chart.fault"}, Untold: {ring, mutedInk, untold},
}

const (
	countWidth vg.Length = 62
	wordMargin vg.Length = 14
)

// Draw makes the picture.
func (d Field) Draw() (Picture, error) {
	d = labelled(d)
	s := stack[FieldRow]{panels: append(d.Panels, Panel[FieldRow]{}), // its space separates the last row from the axis
		height: 21, head: 20, xLabel: d.XLabel, label: func(r FieldRow) string { return r.Label }}
	var all []*float64
	words := style(boldSans, 12, nil)
	s.each(draw.Canvas{}, func(r FieldRow, _ vg.Length) {
		all = append(all, r.Value)
		s.gutter = max(s.gutter, words.Width(r.Word))
	})
	s.gutter += wordMargin*2 + countWidth*vg.Length(len(d.Columns))
	keys := []key{}
	for _, m := range []Mood{Well, Ill, Untold} {
		keys = append(keys, keyOf(d.say(moods[m].name), moods[m].shape, moods[m].ink))
	}
	keys = append(keys, keyOf(d.One, stroke, textInk))
	const narrow, lowest = 0.5, 0.01 // the start of the axis if no value is lower, and its lowest start
	from, hi, _ := span(all)
	if from = min(from, narrow); from < narrow {
		from = max(decadeBelow(from), lowest)
	}
	hi = decadeAbove(max(hi, 10))
	x := axis{min: from, max: hi, scale: logOnly, ticks: few(decades(decadeAbove(from), hi))}
	return s.render(d.Words, keys, x, func(f *figure, data draw.Canvas, x func(float64) vg.Length) {
		for i, name := range d.Columns {
			f.canvas.FillText(right(f.muted(11)), pt(countEnd(data, i), data.Max.Y+8), name)
		}
		// The reference is drawn row by row, so that it crosses no heading.
		one := draw.LineStyle{Color: f.theme.Text, Width: 1.3}
		s.each(data, func(_ FieldRow, y vg.Length) {
			f.canvas.StrokeLine2(one, x(1), y-s.height/2, x(1), y+s.height/2)
		})
		s.each(data, func(r FieldRow, y vg.Length) { f.fieldRow(d, r, x, data, y) })
	})
}

// countEnd is the right edge of a column of counts.
func countEnd(data draw.Canvas, column int) vg.Length {
	return data.Max.X + countWidth*vg.Length(column+1) - 4
}

func (f *figure) fieldRow(d Field, row FieldRow, x func(float64) vg.Length, data draw.Canvas, y vg.Length) {
	mood := moods[row.Mood]
	colour := mood.ink(f.theme)
	if row.Value == nil {
		s := middle(f.muted(11))
		note := fit(d.dashed(row.Note), s, data.Max.X-x(1)-12)
		f.fill(rectangle(x(1)+5, y-7, s.Width(note)+6, 14), f.theme.Background) // so that no line of the grid crosses it
		f.canvas.FillText(s, pt(x(1)+8, y), note)
	} else {
		at := x(*row.Value)
		f.leads(data, x(1), at, y)
		f.canvas.StrokeLine2(draw.LineStyle{Color: colour, Width: 2.5}, x(1), y, at, y)
		f.mark(mood.shape, mood.ink, pt(at, y))
	}
	for i := range d.Columns {
		var v *float64
		if i < len(row.Counts) {
			v = row.Counts[i]
		}
		f.fieldCount(v, pt(countEnd(data, i), y))
	}
	s := middle(f.bold(12))
	s.Color = colour
	f.canvas.FillText(s, pt(data.Max.X+countWidth*vg.Length(len(d.Columns))+wordMargin, y), row.Word)
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

// fieldCount writes a count that should be 0: a faint 0, a cross before any other count, a dash if
// it is unknown.
func (f *figure) fieldCount(v *float64, at vg.Point) {
	words, s := "–", middle(right(f.muted(11)))
	if v != nil {
		words = text.Number(*v)
	}
	if v != nil && *v != 0 {
		s = middle(right(f.bold(11)))
		defer f.mark(cross, moods[Ill].ink, pt(at.X-s.Width(words)-8, at.Y))
	}
	f.canvas.FillText(s, at, words)
}
