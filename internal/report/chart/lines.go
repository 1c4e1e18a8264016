package chart

import (
	"image/color"
	"math"
	"sort"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"h2lab/internal/base/text"
	"h2lab/internal/report/chart/plot"
)

// Lines are curves over a number that was varied, in panels of their own, two in a row.
type Lines struct {
	Words
	XLabel string
	// LogX spaces the x axis by ratio, so that its small values are legible too.
	LogX bool
	// Series are the curves' names, the same in every panel.
	Series []string
	Panels []LinePanel
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

const (
	linesHeight vg.Length = 200
	linesGap    vg.Length = 20
	rowGap      vg.Length = 8
	panelsInRow           = 2
)

// seriesShape varies the shape once the colours start again, so that no two series look the same.
func seriesShape(i int, colours int) shape {
	return lineShapes[(i+i/colours)%len(lineShapes)]
}

func (d Lines) keys(t Theme) (out []key) {
	for i, name := range d.Series {
		out = append(out, key{name: name, shape: seriesShape(i, len(t.Series)), ink: t.colour(i), line: true})
	}
	return out
}

// Draw makes the picture.
func (d Lines) Draw() (Picture, error) {
	d = labelled(d)
	rows := (len(d.Panels) + panelsInRow - 1) / panelsInRow
	row := panelHead + 8 + linesHeight + axisHeight + rowGap
	height := headingHeight(d.Words) + d.legendHeight(d.keys(Light())) + row*vg.Length(rows) + 10
	return render(d.Words, height, func(f *figure) {
		f.legend(d.keys(f.theme))
		columns := vg.Length(min(len(d.Panels), panelsInRow))
		wide := (width - 2*margin - linesGap*(columns-1)) / max(columns, 1)
		for i, p := range d.Panels {
			d.panel(f, p, margin+vg.Length(i%panelsInRow)*(wide+linesGap), wide)
			if i%panelsInRow == panelsInRow-1 {
				f.top += row
			}
		}
	})
}

func (d Lines) panel(f *figure, panel LinePanel, left, wide vg.Length) {
	c := f.rest()
	c.Min.X, c.Max.X = left, left+wide
	name := f.bold(13)
	head := fit(panel.Name, name, wide)
	f.canvas.FillText(name, vg.Point{X: left, Y: c.Max.Y - 18}, head)
	used := name.Width(head) + 12
	if room := wide - used; room > 40 {
		f.canvas.FillText(f.muted(12), vg.Point{X: left + used, Y: c.Max.Y - 18}, fit(panel.YLabel, f.muted(12), room))
	}
	c.Max.Y -= panelHead + 8
	c.Min.Y = c.Max.Y - linesHeight - axisHeight
	p := f.newPlot()
	panel.scaleY(&p.Y)
	ends := 6 + f.plain(11).Width(text.Number(last(panel.X)))/2 // half a label, so that it isn't cut off
	p.X.Padding, p.Y.Padding = 6, 8
	d.scaleX(&p.X, panel.X, f.plain(11), wide-80)
	c.Max.X -= ends - 6
	data := f.drawTall(p, c, linesHeight)
	f.caption(data, d.XLabel)
	x, y := p.Transforms(data)
	for i, values := range panel.Curves {
		f.curve(seriesShape(i, len(f.theme.Series)), f.theme.colour(i), panel.points(values, x, y))
	}
}

func last(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return x[len(x)-1]
}

// scaleX labels the varied numbers as far as they have room.
func (d Lines) scaleX(a *plot.Axis, x []float64, s draw.TextStyle, room vg.Length) {
	a.Min, a.Max = 0, 1
	if len(x) > 0 {
		a.Min, a.Max = x[0], last(x)
	}
	if a.Max <= a.Min {
		a.Min, a.Max = a.Min/2, a.Max*2+1
	}
	place := func(v float64) float64 { return (v - a.Min) / (a.Max - a.Min) }
	if d.LogX && a.Min > 0 {
		a.Scale = logOnly{}
		place = func(v float64) float64 { return logOnly{}.Normalize(a.Min, a.Max, v) }
	}
	a.Ticks = varied(x, place, s, room)
}

// varied are ticks at each number; one whose label would touch another has none. The last number
// keeps its label.
func varied(x []float64, place func(float64) float64, s draw.TextStyle, room vg.Length) plot.ConstantTicks {
	out := make(plot.ConstantTicks, len(x))
	free := room * 2 // where the label at the right begins
	for i := len(x) - 1; i >= 0; i-- {
		label := text.Number(x[i])
		half, at := s.Width(label)/2, room*vg.Length(place(x[i]))
		out[i] = plot.Tick{Value: x[i], Label: " "}
		if at+half+8 <= free {
			out[i].Label, free = label, at-half
		}
	}
	return out
}

func (p LinePanel) scaleY(a *plot.Axis) {
	lo, hi := math.Inf(1), 0.0
	for _, values := range p.Curves {
		for _, v := range values {
			if v != nil && *v > 0 {
				lo, hi = min(lo, *v), max(hi, *v)
			}
		}
	}
	switch {
	case hi == 0:
		a.Min, a.Max = 0, 1
	case p.LogY:
		if a.Min, a.Max = round125(lo, hi); a.Max <= a.Min {
			a.Max = a.Min * 10
		}
		a.Scale, a.Ticks = logOnly{}, steps125{}
		if a.Max/a.Min > 1000 {
			a.Ticks = decades{from: decadeAbove(a.Min)}
		}
		return
	default:
		a.Min, a.Max = 0, hi*1.05
	}
	a.Ticks = roundTicks{n: 5}
}

// points are the known values on the canvas. A gap stays a gap: nil separates runs of points.
func (p LinePanel) points(values []*float64, x, y func(float64) vg.Length) (runs [][]vg.Point) {
	var run []vg.Point
	for i, v := range values {
		if i < len(p.X) && v != nil && (*v > 0 || !p.LogY) && *v >= 0 {
			run = append(run, vg.Point{X: x(p.X[i]), Y: y(*v)})
			continue
		}
		if run != nil {
			runs, run = append(runs, run), nil
		}
	}
	if run != nil {
		runs = append(runs, run)
	}
	return runs
}

func (f *figure) curve(s shape, ink color.NRGBA, runs [][]vg.Point) {
	for _, run := range runs {
		f.canvas.StrokeLines(draw.LineStyle{Color: ink, Width: 2}, run)
		for _, q := range run {
			f.mark(f.canvas, s, ink, q)
		}
	}
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

const (
	lineHead   vg.Length = 31
	lineHeight vg.Length = 74 // in reports
)

// Draw makes the picture.
func (t Timeline) Draw() (Picture, error) {
	t = labelled(t)
	if t.Height == 0 {
		t.Height = lineHeight
	}
	height := headingHeight(t.Words) + vg.Length(len(t.Lines))*(lineHead+t.Height) + axisHeight + 10
	return render(t.Words, height, func(f *figure) {
		for i, l := range t.Lines {
			name := f.bold(12)
			f.text(name, margin, f.top+23, l.Name)
			f.text(right(f.muted(11)), f.canvas.Max.X-margin, f.top+23, l.Note)
			f.top += lineHead
			t.panel(f, l, i == len(t.Lines)-1)
			f.top += t.Height
		}
	})
}

// span is the range of both axes over all lines.
func (t Timeline) span() (x0, x1, y1 float64) {
	first := true
	for _, l := range t.Lines {
		for i, x := range l.X {
			if first {
				x0, x1, first = x, x, false
			}
			x0, x1, y1 = min(x0, x), max(x1, x), max(y1, l.Y[i])
		}
	}
	if x1 <= x0 {
		x1 = x0 + 1
	}
	if y1 == 0 {
		y1 = 1
	}
	return x0, x1, y1
}

func (t Timeline) panel(f *figure, l TimeLine, last bool) {
	x0, x1, y1 := t.span()
	c := f.rest()
	c.Max.Y = f.canvas.Max.Y - f.top
	c.Min.Y = c.Max.Y - t.Height - axisHeight
	p := f.newPlot()
	// A little more than the data; otherwise the last label would make the last panel narrower.
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x0, x1+(x1-x0)*0.012, 0, y1*1.05
	p.Y.Ticks = roundTicks{n: 4}
	p.X.Ticks = bare{roundTicks{n: 10}}
	if last {
		p.X.Padding = 6 // keeps the first tick's label clear of the other axis's 0
		p.X.Ticks = roundTicks{n: 10}
	}
	ink := f.theme.colour(0)
	if l.Alarm {
		ink = f.theme.colour(1)
	}
	p.Below = func(c draw.Canvas) { t.shadeWarmup(f, c, p, x0) }
	p.Above = func(c draw.Canvas) { l.steps(c, p, ink) }
	data := f.drawTall(p, c, t.Height)
	if last {
		f.caption(data, t.XLabel)
	}
}

// bare ticks have no labels.
type bare struct{ plot.Ticker }

func (b bare) Ticks(lo, hi float64) []plot.Tick {
	ticks := b.Ticker.Ticks(lo, hi)
	for i := range ticks {
		ticks[i].Label = " "
	}
	return ticks
}

// shadeWarmup shades the warm-up.
func (t Timeline) shadeWarmup(f *figure, c draw.Canvas, p *plot.Plot, from float64) {
	if from >= t.WarmupTo {
		return
	}
	x, _ := p.Transforms(c)
	var path vg.Path
	path.Move(vg.Point{X: x(from), Y: c.Min.Y})
	path.Line(vg.Point{X: x(t.WarmupTo), Y: c.Min.Y})
	path.Line(vg.Point{X: x(t.WarmupTo), Y: c.Max.Y})
	path.Line(vg.Point{X: x(from), Y: c.Max.Y})
	path.Close()
	c.SetColor(f.theme.Shade)
	c.Fill(path)
}

// steps draws a filled stepped line: each rate applies to its whole bin.
func (s Points) steps(c draw.Canvas, p *plot.Plot, ink color.NRGBA) {
	if len(s.X) < 2 {
		return
	}
	x, y := p.Transforms(c)
	var line []vg.Point
	for i := range s.X {
		if i > 0 {
			line = append(line, vg.Point{X: x(s.X[i]), Y: y(s.Y[i-1])})
		}
		if n := len(line); n == 0 || line[n-1].Y != y(s.Y[i]) {
			line = append(line, vg.Point{X: x(s.X[i]), Y: y(s.Y[i])})
		}
	}
	area := vg.Path{}
	area.Move(vg.Point{X: line[0].X, Y: y(0)})
	for _, q := range line {
		area.Line(q)
	}
	area.Line(vg.Point{X: line[len(line)-1].X, Y: y(0)})
	area.Close()
	fill := ink
	fill.A = 0x59
	c.SetColor(fill)
	c.Fill(area)
	c.StrokeLines(draw.LineStyle{Color: ink, Width: 1.2}, line)
}

// Percentiles are lines of latency over percentiles, in panels side by side that share a
// logarithmic y axis. The x axis counts nines, so that the tail is as wide as the middle.
type Percentiles struct {
	Words
	YLabel string
	// At are the percentiles, such as 50 and 99.9, in rising order. Those with a label have a tick, and a
	// mark on each line.
	At     []float64
	Labels []string
	// Series are the lines' names, the same in every panel.
	Series []string
	// Panels stand two in a row; one without a name leaves its place empty.
	Panels []PercentilePanel
}

// PercentilePanel has one line for each series; a value is nil if unknown.
type PercentilePanel struct {
	Name  string
	Lines [][]*float64
}

const percentilesHeight vg.Length = 250

var lineShapes = []shape{disc, square, triangle, diamond, ring, cross, inverted}

// nines maps 90 to 1, 99 to 2 and 99.9 to 3.
func nines(p float64) float64 { return -math.Log10(1 - p/100) }

// Draw makes the picture.
func (d Percentiles) Draw() (Picture, error) {
	d = labelled(d)
	keys := func(t Theme) (out []key) {
		for i, name := range d.Series {
			out = append(out, key{name: name, shape: seriesShape(i, len(t.Series)), ink: t.colour(i), line: true})
		}
		return out
	}
	rows := vg.Length((len(d.Panels) + panelsInRow - 1) / panelsInRow)
	row := panelHead + 8 + percentilesHeight + axisHeight
	height := headingHeight(d.Words) + d.legendHeight(keys(Light())) + row*rows + rowGap*max(rows-1, 0) + 10
	return render(d.Words, height, func(f *figure) {
		f.legend(keys(f.theme))
		columns := vg.Length(min(len(d.Panels), panelsInRow))
		wide := (width - 2*margin - 16*(columns-1)) / max(columns, 1)
		for i, p := range d.Panels {
			if p.Name != "" {
				d.panel(f, p, margin+vg.Length(i%panelsInRow)*(wide+16), wide)
			}
			if i%panelsInRow == panelsInRow-1 {
				f.top += row + rowGap
			}
		}
	})
}

// span is the y axis's range.
func (d Percentiles) span() (lo, hi float64) {
	lo, hi = math.Inf(1), 0
	for _, p := range d.Panels {
		for _, l := range p.Lines {
			for _, v := range l {
				if v != nil && *v > 0 {
					lo, hi = min(lo, *v), max(hi, *v)
				}
			}
		}
	}
	if hi == 0 {
		return 1, 10
	}
	lo, hi = round125(lo, hi)
	if hi <= lo {
		hi = lo * 10
	}
	return lo, hi
}

func (d Percentiles) panel(f *figure, panel PercentilePanel, left, wide vg.Length) {
	c := f.rest()
	c.Min.X, c.Max.X = left, left+wide
	name := f.bold(13)
	panel.Name = fit(panel.Name, name, wide-60)
	f.canvas.FillText(name, vg.Point{X: left, Y: c.Max.Y - 18}, panel.Name)
	used := name.Width(panel.Name) + 12
	f.canvas.FillText(f.muted(12), vg.Point{X: left + used, Y: c.Max.Y - 18}, fit(d.YLabel, f.muted(12), wide-used))
	c.Max.Y -= panelHead + 8
	c.Min.Y = c.Max.Y - percentilesHeight - axisHeight
	p := f.newPlot()
	p.Y.Min, p.Y.Max = d.span()
	p.Y.Scale, p.Y.Ticks = logOnly{}, steps125{}
	if p.Y.Max/p.Y.Min > 1000 {
		p.Y.Ticks = decades{from: decadeAbove(p.Y.Min)}
	}
	p.X.Min, p.X.Max = nines(d.At[0]), nines(d.At[len(d.At)-1])
	var ticks plot.ConstantTicks
	for i, at := range d.At {
		if d.Labels[i] != "" {
			ticks = append(ticks, plot.Tick{Value: nines(at), Label: d.Labels[i]})
		}
	}
	p.X.Padding, p.Y.Padding = 6, 8 // room for the marks at both ends
	p.X.Ticks = ticks
	data := f.drawTall(p, c, percentilesHeight)
	f.caption(data, d.say("chart.percentile-requests"))
	x, y := p.Transforms(data)
	for i, l := range panel.Lines {
		d.line(f, i, l, x, y)
	}
}

func (d Percentiles) line(f *figure, series int, values []*float64, x, y func(float64) vg.Length) {
	var pts, marks []vg.Point
	for i, v := range values {
		if v != nil && *v > 0 {
			pts = append(pts, vg.Point{X: x(nines(d.At[i])), Y: y(*v)})
			if d.Labels[i] != "" {
				marks = append(marks, pts[len(pts)-1])
			}
		}
	}
	if len(pts) == 0 {
		return
	}
	ink := f.theme.colour(series)
	f.canvas.StrokeLines(draw.LineStyle{Color: ink, Width: 2}, pts)
	for _, q := range marks {
		f.mark(f.canvas, seriesShape(series, len(f.theme.Series)), ink, q)
	}
}
