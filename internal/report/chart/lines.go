package chart

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"h2lab/internal/base/text"
)

// grid lays out n panels, two in a row, and calls panel with the left edge and the width of each. high is the height of
// the row that begins with a panel.
func (f *figure) grid(n int, gap vg.Length, high func(from int) vg.Length, panel func(i int, left, wide vg.Length)) {
	columns := vg.Length(min(n, panelsInRow))
	wide := (f.canvas.Max.X - 2*margin - gap*(columns-1)) / max(columns, 1)
	for i := range n {
		panel(i, margin+vg.Length(i%panelsInRow)*(wide+gap), wide)
		if i%panelsInRow == panelsInRow-1 {
			f.top += high(i - panelsInRow + 1)
		}
	}
}

const (
	panelsInRow           = 2
	rowGap      vg.Length = 8
)

// Lines are curves over a number that was varied, in panels of their own, two in a row.
type Lines struct {
	Words
	XLabel string
	// LogX spaces the x axis by ratio, so that its small values are legible too.
	LogX bool
	// Series are the curves' names, the same in every panel.
	Series []string
	// Panels; one without a name leaves its place empty.
	Panels []LinePanel
	// Labels are the names of percentiles, where the varied numbers are some. Then the x axis counts nines, so that the tail
	// is as wide as the middle, a number without a name has no tick and no mark, and all panels have the same y axis.
	Labels []string
}

// LinePanel has a curve for each series.
type LinePanel struct {
	Name, YLabel string
	// LogY spaces the y axis by ratio.
	LogY bool
	// X are the varied numbers in rising order; only these are labelled.
	X []float64
	// Curves have one value for each X; a value is nil if unknown.
	Curves [][]*float64
}

var lineShapes = []shape{disc, square, triangle, diamond, ring, cross, inverted}

// seriesShape varies the shape once the colours start again, so that no two series look the same.
func seriesShape(i int) shape {
	colours := len(Light().Series)
	return lineShapes[(i+i/colours)%len(lineShapes)]
}

// nines is a scale on which 90 %, 99 % and 99.9 % have the same distances.
func nines(lo, hi, v float64) float64 {
	of := func(p float64) float64 { return -math.Log10(1 - p/100) }
	return (of(v) - of(lo)) / (of(hi) - of(lo))
}

// Draw makes the picture.
func (d Lines) Draw() (Picture, error) {
	d = labelled(d)
	var keys []key
	for i, name := range d.Series {
		keys = append(keys, key{name, func(f *figure, at vg.Point) {
			f.canvas.StrokeLine2(draw.LineStyle{Color: f.theme.colour(i), Width: 2}, at.X-9, at.Y, at.X+9, at.Y)
			f.mark(seriesShape(i), seriesInk(i), at)
		}})
	}
	var all []*float64
	for _, p := range d.Panels {
		all = append(all, p.values()...)
	}
	tall, gap, end := d.sizes()
	row := panelHead + 8 + tall + axisHeight + rowGap
	rows := (len(d.Panels) + panelsInRow - 1) / panelsInRow
	return render(d.Words, legendOf(keys), row*vg.Length(rows)+end, func(f *figure) {
		f.grid(len(d.Panels), gap, func(int) vg.Length { return row }, func(i int, left, wide vg.Length) {
			p := d.Panels[i]
			y := p.axisY(p.values())
			if d.Labels != nil {
				y = p.axisY(all)
			}
			if p.Name != "" || d.Labels == nil {
				d.panel(f, p, y, left, wide)
			}
		})
	})
}

// sizes are the height of a panel's data, the space between two panels, and the space below the last row.
func (d Lines) sizes() (tall, gap, end vg.Length) {
	if d.Labels != nil {
		return 250, 16, bottom - rowGap
	}
	return 200, 20, bottom
}

func (d Lines) panel(f *figure, p LinePanel, y axis, left, wide vg.Length) {
	c := f.rest()
	c.Min.X, c.Max.X = left, left+wide
	tall, _, _ := d.sizes()
	name := f.bold(13)
	head := fit(p.Name, name, wide)
	f.canvas.FillText(name, pt(left, c.Max.Y-18), head)
	used := name.Width(head) + 12
	if room := wide - used; room > 40 {
		f.canvas.FillText(f.muted(12), pt(left+used, c.Max.Y-18), fit(p.YLabel, f.muted(12), room))
	}
	c.Max.Y -= panelHead + 8
	c.Min.Y = c.Max.Y - tall - axisHeight
	x := d.axisX(p.X, f.plain(11), wide-80)
	if n := len(x.ticks); n > 0 && d.Labels == nil {
		c.Max.X -= f.plain(11).Width(text.Number(x.ticks[n-1].value)) / 2 // half a label, so that it isn't cut off
	}
	x.padding, y.padding = 6, 8 // room for the marks at both ends
	data, placeX, placeY := f.axes(x, y, c, tall, nil)
	f.caption(data, d.XLabel)
	for i, values := range p.Curves {
		d.curve(f, i, p, values, placeX, placeY)
	}
}

// axisX labels the varied numbers as far as they have room.
func (d Lines) axisX(x []float64, s draw.TextStyle, room vg.Length) axis {
	a := axis{max: 1}
	if n := len(x); n > 0 {
		a.min, a.max = x[0], x[n-1]
	}
	if a.max <= a.min {
		a.min, a.max = a.min/2, a.max*2+1
	}
	switch {
	case d.Labels != nil:
		a.scale = nines
		for i, v := range x {
			if d.Labels[i] != "" {
				a.ticks = append(a.ticks, tick{v, d.Labels[i]})
			}
		}
		return a
	case d.LogX && a.min > 0:
		a.scale = logOnly
	}
	a.ticks = varied(x, a.norm, s, room)
	return a
}

func (p LinePanel) values() (out []*float64) { return slices.Concat(p.Curves...) }

func (p LinePanel) axisY(values []*float64) axis {
	lo, hi, _ := span(values)
	if p.LogY {
		return logarithmic(lo, hi)
	}
	return fromZero(hi, 1.05, 5)
}

// curve draws the known values. A gap stays a gap.
func (d Lines) curve(f *figure, series int, p LinePanel, values []*float64, x, y func(float64) vg.Length) {
	var run, marks []vg.Point
	end := func() {
		if run != nil {
			f.canvas.StrokeLines(draw.LineStyle{Color: f.theme.colour(series), Width: 2}, run)
		}
		for _, at := range marks {
			f.mark(seriesShape(series), seriesInk(series), at)
		}
		run, marks = nil, nil
	}
	for i, v := range values {
		if i >= len(p.X) || v == nil || *v < 0 || *v == 0 && p.LogY {
			end()
			continue
		}
		run = append(run, pt(x(p.X[i]), y(*v)))
		if d.Labels == nil || d.Labels[i] != "" {
			marks = append(marks, run[len(run)-1])
		}
	}
	end()
}

// Points are a line's points in order.
type Points struct{ X, Y []float64 }

// Rate turns a cumulative counter, read at the times tMS, into its rate per second in bins of equal
// width from the first reading to the last. It assumes that the counter rises evenly between two
// readings, so that a late reading doesn't look like a burst. X is the beginning of each bin in
// seconds; a last point repeats the last rate at the end.
func Rate(tMS []float64, counter []int64, binMS float64) Points {
	n := min(len(tMS), len(counter))
	if n < 2 || binMS <= 0 || tMS[n-1] <= tMS[0] {
		return Points{}
	}
	at := func(t float64) float64 {
		i := sort.SearchFloat64s(tMS[:n], t)
		if i == 0 {
			return float64(counter[0])
		}
		if i >= n {
			return float64(counter[n-1])
		}
		span := tMS[i] - tMS[i-1]
		if span <= 0 {
			return float64(counter[i])
		}
		return float64(counter[i-1]) + float64(counter[i]-counter[i-1])*(t-tMS[i-1])/span
	}
	var p Points
	// Bins are counted from 0, when the window opened, not from the first reading.
	b := math.Ceil(tMS[0] / binMS)
	for ; (b+1)*binMS <= tMS[n-1]; b++ {
		p.X = append(p.X, b*binMS/1000)
		p.Y = append(p.Y, (at((b+1)*binMS)-at(b*binMS))/(binMS/1000))
	}
	if k := len(p.X); k > 0 {
		p.X = append(p.X, b*binMS/1000)
		p.Y = append(p.Y, p.Y[k-1])
	}
	return p
}

// Bin returns a bin width for some readings: the smallest round one that covers a typical interval
// between them, but at least 20 ms.
func Bin(tMS []float64) float64 {
	var gaps []float64
	for i := 1; i < len(tMS); i++ {
		gaps = append(gaps, tMS[i]-tMS[i-1])
	}
	if len(gaps) == 0 {
		return 100
	}
	sort.Float64s(gaps)
	typical := gaps[len(gaps)/2]
	for _, w := range []float64{20, 25, 50, 100, 200, 500, 1000} {
		if w >= typical*0.98 {
			return w
		}
	}
	return math.Ceil(typical/1000) * 1000
}

// Timeline has one panel per line, stacked, all on the same two axes, so that a reader sees bursts
// in one and none in the next.
type Timeline struct {
	Words
	XLabel string
	Lines  []TimeLine
	// WarmupTo is the end of the shaded part.
	WarmupTo float64
	// Height is that of a line's panel; 0 stands for that of reports.
	Height vg.Length
}

// TimeLine is a line with the text beside its name.
type TimeLine struct {
	Name  string
	Note  string
	Alarm bool // drawn in the finding's colour
	Points
}

// Draw makes the picture.
func (t Timeline) Draw() (Picture, error) {
	t = labelled(t)
	const head vg.Length = 31
	t.Height = cmp.Or(t.Height, 74)
	return render(t.Words, legend{}, vg.Length(len(t.Lines))*(head+t.Height)+axisHeight+bottom, func(f *figure) {
		for i, l := range t.Lines {
			f.text(f.bold(12), margin, f.top+23, l.Name)
			f.text(right(f.muted(11)), f.canvas.Max.X-margin, f.top+23, l.Note)
			f.top += head
			t.panel(f, l, i == len(t.Lines)-1)
			f.top += t.Height
		}
	})
}

// span is the range of both axes over all lines.
func (t Timeline) span() (x0, x1, y1 float64) {
	var x []float64
	for _, l := range t.Lines {
		x = append(x, l.X...)
		y1 = max(y1, slices.Max(append(l.Y, 0)))
	}
	if x == nil {
		return 0, 1, y1
	}
	if x0, x1 = slices.Min(x), slices.Max(x); x1 <= x0 {
		x1 = x0 + 1
	}
	return x0, x1, y1
}

func (t Timeline) panel(f *figure, l TimeLine, last bool) {
	x0, x1, y1 := t.span()
	c := f.rest()
	c.Min.Y = c.Max.Y - t.Height - axisHeight
	x := axis{min: x0, max: x1 + (x1-x0)*0.012} // a little more, so that the last label doesn't make its panel narrower
	x.ticks = roundTicks(x.min, x.max, 10)
	if last {
		x.padding = 6 // keeps the first tick's label clear of the other axis's 0
	}
	for i := range x.ticks {
		if !last {
			x.ticks[i].label = " "
		}
	}
	data, placeX, placeY := f.axes(x, fromZero(y1, 1.05, 4), c, t.Height, func(data draw.Canvas, x func(float64) vg.Length) {
		if x0 < t.WarmupTo {
			f.fill(rectangle(x(x0), data.Min.Y, x(t.WarmupTo)-x(x0), data.Max.Y-data.Min.Y), f.theme.Shade)
		}
	})
	colour := f.theme.colour(0)
	if l.Alarm {
		colour = f.theme.colour(1)
	}
	f.steps(l.Points, placeX, placeY, colour)
	if last {
		f.caption(data, t.XLabel)
	}
}

// steps draws a filled stepped line: each rate applies to its whole bin.
func (f *figure) steps(s Points, x, y func(float64) vg.Length, colour color.NRGBA) {
	if len(s.X) < 2 {
		return
	}
	var line []vg.Point
	for i := range s.X {
		if i > 0 {
			line = append(line, pt(x(s.X[i]), y(s.Y[i-1])))
		}
		if n := len(line); n == 0 || line[n-1].Y != y(s.Y[i]) {
			line = append(line, pt(x(s.X[i]), y(s.Y[i])))
		}
	}
	fill := colour
	fill.A = 0x59
	f.fill(polygon(slices.Concat([]vg.Point{pt(line[0].X, y(0))}, line, []vg.Point{pt(line[len(line)-1].X, y(0))})...), fill)
	f.canvas.StrokeLines(draw.LineStyle{Color: colour, Width: 1.2}, line)
}
