// Package chart draws series of numbers as SVG pictures, each in a light and a dark version. Its
// input is labels and numbers; it has no types of servers or cells. Only the report packages call
// it. The texts that they give are in the page's language, which Words.Language names for the chart's own texts.
//
// The charts are drawn on gonum's vgsvg canvas; finish adds to its bytes what vgsvg lacks: a
// size that scales, a description for screen readers, and font fallbacks. The same input always
// gives the same bytes. docs/decisions/0002-charts.md has the reasons.
package chart

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	labels "gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
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
	Language texts.Language
}

// say returns one of the chart's own texts, as notMeasured, in its language.
func (w Words) say(p string) string { return w.Language.Say(p) }

// notMeasured stands in place of a mark without a value.
const notMeasured string = "chart.not-measured"

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

// render draws both versions: the heading, the legend, and below them the body, which is so high.
func render(w Words, l legend, height vg.Length, body func(*figure)) (p Picture, err error) {
	// gonum reports errors with fonts and sizes by panicking.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("drawing the chart %q: %v", w.Title, r)
		}
	}()
	height += w.headingHeight() + l.height(w.wide())
	one := func(t Theme) []byte {
		c := vgsvg.NewWith(vgsvg.UseWH(w.wide(), height))
		f := &figure{canvas: draw.New(c), theme: t, top: margin}
		f.fill(f.canvas.Path(), t.Background)
		f.heading(w)
		f.legend(l)
		body(f)
		return finish(c, w, height)
	}
	return Picture{Light: one(Light()), Dark: one(Dark())}, nil
}

// headingHeight is the height that heading takes at the top, including its margin.
func (w Words) headingHeight() vg.Length {
	if w.Bare {
		return margin
	}
	return margin + 24*vg.Length(len(w.titleLines())) + 17*vg.Length(len(w.subtitleLines())) + 6
}

func (w Words) titleLines() []string {
	return wrap(w.Title, style(boldSans, titleSize, color.Black), w.wide()-2*margin)
}

func (w Words) subtitleLines() []string {
	if w.Subtitle == "" {
		return nil
	}
	return wrap(w.Subtitle, style(sans, 12, color.Black), w.wide()-2*margin)
}

func (f *figure) heading(w Words) {
	if w.Bare {
		return
	}
	for _, line := range w.titleLines() {
		f.text(f.bold(titleSize), margin, f.top+18, line)
		f.top += 24
	}
	for _, line := range w.subtitleLines() {
		f.text(f.muted(12), margin, f.top+12, line)
		f.top += 17
	}
	f.top += 6
}

// text writes on a baseline that is y below the top edge.
func (f *figure) text(s draw.TextStyle, x, y vg.Length, words string) {
	f.canvas.FillText(s, pt(x, f.canvas.Max.Y-y), words)
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

// fallbacks are added after the font that the layout was measured with, for viewers that lack it. A browser takes each
// character from the first family that has it (CSS Fonts 4, section 5), so in chineseFallbacks letters and digits have
// the widths of Liberation Sans and Han characters come from the font that the system brings: PingFang on macOS,
// Microsoft YaHei on Windows, Noto on Linux. Any other font is left to the browser's choice by the text's language:
// WenQuanYi has no bold face, and Chromium makes one only where the list doesn't name it (fontconfig promises one).
const (
	fallbacks        = "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"
	chineseFallbacks = "font-family:'Liberation Sans',Arial,Helvetica,'PingFang SC','Microsoft YaHei'," +
		"'Noto Sans CJK SC',sans-serif;"
)

// families returns the font families of a language, and the root element's attribute that names the language: a viewer
// chooses Chinese or Japanese forms of Han characters by it, and a screen reader its voice.
func families(l texts.Language) (families, attribute string) {
	if l == texts.Chinese {
		return chineseFallbacks, ` xml:lang="` + string(l) + `"`
	}
	return fallbacks, ""
}

// finish adds to the canvas's bytes what vgsvg lacks: a size in CSS pixels that scales down with
// the page, a title and a description for screen readers, fallback font families, and a length for
// each text.
func finish(c *vgsvg.Canvas, w Words, height vg.Length) []byte {
	width := w.wide()
	var raw bytes.Buffer
	if _, err := c.WriteTo(&raw); err != nil {
		panic(err) // a bytes.Buffer doesn't fail; if it ever does, render returns an error
	}
	drawing := raw.String()
	drawing = drawing[strings.Index(drawing, "<g "):] // remove vgsvg's own header
	fonts, language := families(w.Language)
	drawing = strings.NewReplacer(
		"font-family:Liberation Sans;font-variant:normal;", fonts,
		"font-weight:normal;font-style:normal;", "",
		"font-style:normal;", "",
	).Replace(drawing)
	drawing = textElement.ReplaceAllStringFunc(drawing, withLength)

	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg"%s width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" `+
		`style="max-width:100%%;height:auto" role="img" aria-labelledby="title desc">`+"\n",
		language, width.Points(), height.Points(), width.Points(), height.Points())
	fmt.Fprintf(&b, "<title id=\"title\">%s</title>\n", html.EscapeString(w.Title))
	fmt.Fprintf(&b, "<desc id=\"desc\">%s</desc>\n", html.EscapeString(strings.TrimSpace(w.Subtitle+w.say("join.sentences")+w.Desc)))
	b.WriteString(drawing)
	return b.Bytes()
}

// textElement matches a text as vgsvg writes it.
var textElement = regexp.MustCompile(`(<text )([^>]*?(font-weight:bold;)?font-size:([0-9.]+)px[^>]*>)([^<]*)(</text>)`)

// withLength adds the width that the layout used for a text. A viewer without Liberation Sans or
// Arial uses another font: DejaVu Sans and Verdana are 15 % to 25 % wider. With textLength the
// viewer fits the text to that width (SVG 1.1, section 10.4), so no text is cut off or overlaps
// another, whatever the font.
func withLength(element string) string {
	m := textElement.FindStringSubmatch(element)
	words := html.UnescapeString(m[5])
	size, err := strconv.ParseFloat(m[4], 64)
	if err != nil || strings.TrimSpace(words) == "" {
		return element
	}
	f := sans
	if m[3] != "" {
		f = boldSans
	}
	wide := style(f, vg.Length(size), color.Black).Width(words).Points()
	return fmt.Sprintf(`%stextLength="%.2f" lengthAdjust="spacingAndGlyphs" %s%s%s`, m[1], wide, m[2], m[5], m[6])
}

// Theme is a set of colours that are legible together on one background.
type Theme struct {
	Name       string
	Background color.NRGBA
	Text       color.NRGBA // titles, labels and values
	Muted      color.NRGBA // subtitles and axis labels
	Grid       color.NRGBA
	Shade      color.NRGBA // the warm-up behind a timeline
	// Series are the marks' colours in order. They come from Okabe and Ito's set, made darker or
	// lighter where the contrast is below 3:1 on the background (WCAG 2.2, 1.4.11); a test computes
	// every ratio.
	Series []color.NRGBA
}

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xff}
}

// Light is for a white page. The greys are those of GitHub's light theme.
func Light() Theme {
	return Theme{
		Name: "light", Background: rgb(0xffffff), Text: rgb(0x1f2328), Muted: rgb(0x59636e),
		Grid: rgb(0xd8dee4), Shade: rgb(0xf1f3f5),
		Series: []color.NRGBA{rgb(0x0072b2), rgb(0xd55e00), rgb(0x00805c), rgb(0xa8487f),
			rgb(0x8a6100), rgb(0x2a8fc4), rgb(0x4d5761)},
	}
}

// Dark is for a dark page. The greys are those of GitHub's dark theme.
func Dark() Theme {
	return Theme{
		Name: "dark", Background: rgb(0x0d1117), Text: rgb(0xe6edf3), Muted: rgb(0x9198a1),
		Grid: rgb(0x30363d), Shade: rgb(0x1b222b),
		Series: []color.NRGBA{rgb(0x56b4e9), rgb(0xf5893d), rgb(0x2fbf95), rgb(0xdb8fbd),
			rgb(0xf0d442), rgb(0x3f8fd0), rgb(0xb4bdc6)},
	}
}

// colour is the i-th series' colour; after the last one the set starts again.
func (t Theme) colour(i int) color.NRGBA { return t.Series[i%len(t.Series)] }

// contrast is the contrast ratio of two colours (WCAG 2.2, relative luminance).
func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

func luminance(c color.NRGBA) float64 {
	part := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*part(c.R) + 0.7152*part(c.G) + 0.0722*part(c.B)
}

// fonts are those that texts are measured with. gonum's canvas looks them up in its own cache.
var fonts = sync.OnceValue(func() *font.Cache {
	for f, ttf := range map[*font.Font][]byte{&sans: liberationsansregular.TTF, &boldSans: liberationsansbold.TTF} {
		face, err := opentype.Parse(ttf)
		if err != nil {
			panic(fmt.Errorf("the font %s: %w", f.Name(), err)) // render returns an error
		}
		font.DefaultCache.Add(font.Collection{{Font: *f, Face: face}})
	}
	return font.DefaultCache
})

const titleSize = 16

// Liberation Sans has the widths of Arial and Helvetica, so the layout also fits in a viewer that has
// only those.
var (
	sans     = font.Font{Typeface: "Liberation", Variant: "Sans"}
	boldSans = font.Font{Typeface: "Liberation", Variant: "Sans", Weight: xfont.WeightBold}
)

func style(f font.Font, size vg.Length, c color.Color) draw.TextStyle {
	return draw.TextStyle{Color: c, Font: font.From(f, size), XAlign: draw.XLeft, YAlign: draw.YBottom,
		Handler: mixed{labels.Plain{Fonts: fonts()}}}
}

func (f *figure) plain(size vg.Length) draw.TextStyle { return style(sans, size, f.theme.Text) }
func (f *figure) muted(size vg.Length) draw.TextStyle { return style(sans, size, f.theme.Muted) }
func (f *figure) bold(size vg.Length) draw.TextStyle  { return style(boldSans, size, f.theme.Text) }

func right(s draw.TextStyle) draw.TextStyle   { s.XAlign = draw.XRight; return s }
func centred(s draw.TextStyle) draw.TextStyle { s.XAlign = draw.XCenter; return s }

// half of a digit's height, not of the line's
func middle(s draw.TextStyle) draw.TextStyle { s.YAlign = -0.42; return s }

// wrap breaks text into lines that fit, Chinese between characters; a word longer than a line stays whole.
func wrap(words string, s draw.TextStyle, room vg.Length) []string {
	return text.Fit(words, func(_ int, line string) bool { return s.Width(line) <= room })
}

// fit shortens text with an ellipsis until it fits.
func fit(words string, s draw.TextStyle, room vg.Length) string {
	if s.Width(words) <= room {
		return words
	}
	r := []rune(text.Clip(words, 800)) // no glyph is narrower than a pixel
	for len(r) > 1 && s.Width(string(r)+"…") > room {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}

// labelled returns the chart with texts that fit a picture: one line each, without characters that
// XML forbids or that reverse the direction of text.
func labelled[T any](chart T) T {
	const longest = 2000 // longer than any text of the reports
	return text.Map(chart, func(s string) string { return text.Clip(text.Line(s), longest) })
}

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

// legend names the marks of a chart above its data, where nothing overlaps it.
type legend struct {
	keys []key
	mark vg.Length // room for a mark
	gap  vg.Length // after a name
}

// key is one entry of a legend; draw makes its mark around a place.
type key struct {
	name string
	draw func(f *figure, at vg.Point)
}

func legendOf(keys []key) legend { return legend{keys: keys, mark: 24, gap: 20} }

// ink is a colour of a theme.
type ink func(Theme) color.NRGBA

func seriesInk(i int) ink          { return func(t Theme) color.NRGBA { return t.colour(i) } }
func textInk(t Theme) color.NRGBA  { return t.Text }
func mutedInk(t Theme) color.NRGBA { return t.Muted }

// keyOf is the entry of a mark.
func keyOf(name string, s shape, i ink) key {
	return key{name, func(f *figure, at vg.Point) { f.mark(s, i, at) }}
}

const legendLine vg.Length = 22

// rows splits the keys into rows that fit the width.
func (l legend) rows(wide vg.Length) (rows [][]key) {
	var x vg.Length
	for _, k := range l.keys {
		w := l.wide(k)
		if len(rows) == 0 || x+w > wide-2*margin {
			rows, x = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
		x += w
	}
	return rows
}

func (l legend) wide(k key) vg.Length {
	return style(sans, 12, color.Black).Width(k.name) + l.mark + l.gap
}

func (l legend) height(wide vg.Length) vg.Length {
	if l.mark == 0 {
		return 0
	}
	return legendLine*vg.Length(len(l.rows(wide))) + 4
}

func (f *figure) legend(l legend) {
	top := f.top
	for _, row := range l.rows(f.canvas.Max.X) {
		x := margin
		for _, k := range row {
			k.draw(f, pt(x+8, f.canvas.Max.Y-f.top-9))
			f.text(f.plain(12), x+l.mark, f.top+13, k.name)
			x += l.wide(k)
		}
		f.top += legendLine
	}
	f.top = top + l.height(f.canvas.Max.X)
}

func pt(x, y vg.Length) vg.Point { return vg.Point{X: x, Y: y} }

func polygon(corners ...vg.Point) (p vg.Path) {
	p.Move(corners[0])
	for _, c := range corners[1:] {
		p.Line(c)
	}
	p.Close()
	return p
}

func rectangle(x, y, wide, tall vg.Length) vg.Path {
	return polygon(pt(x, y), pt(x+wide, y), pt(x+wide, y+tall), pt(x, y+tall))
}

func circle(at vg.Point, r vg.Length) vg.Path {
	var p vg.Path
	p.Move(pt(at.X+r, at.Y))
	p.Arc(at, r, 0, 6.283185307179586)
	p.Close()
	return p
}

func (f *figure) fill(p vg.Path, c color.NRGBA) {
	f.canvas.SetColor(c)
	f.canvas.Fill(p)
}

func (f *figure) outline(p vg.Path, c color.NRGBA, wide vg.Length, dashes ...vg.Length) {
	f.canvas.SetColor(c)
	f.canvas.SetLineWidth(wide)
	f.canvas.SetLineDash(dashes, 0)
	f.canvas.Stroke(p)
}

func (f *figure) hairline() draw.LineStyle { return draw.LineStyle{Color: f.theme.Grid, Width: 1} }

// corners are those of the marks that have some, around their place.
var corners = map[shape][]vg.Point{
	block:    {pt(-8, -5), pt(8, -5), pt(8, 5), pt(-8, 5)},
	square:   {pt(-4.5, -4.5), pt(4.5, -4.5), pt(4.5, 4.5), pt(-4.5, 4.5)},
	diamond:  {pt(-5, 0), pt(0, -5), pt(5, 0), pt(0, 5)},
	triangle: {pt(-5.5, -4.5), pt(5.5, -4.5), pt(0, 5.5)},
	inverted: {pt(-5.5, 4.5), pt(5.5, 4.5), pt(0, -5.5)},
}

// mark draws one mark. Marks have an edge in the background's colour, so that two marks at one
// position can be distinguished.
func (f *figure) mark(s shape, i ink, at vg.Point) {
	c := i(f.theme)
	edged := func(p vg.Path, c color.NRGBA) {
		f.fill(p, c)
		f.outline(p, f.theme.Background, 1)
	}
	switch s {
	case stroke:
		f.canvas.StrokeLine2(draw.LineStyle{Color: c, Width: 2.5}, at.X, at.Y-10, at.X, at.Y+10)
	case cross:
		l := draw.LineStyle{Color: c, Width: 2}
		f.canvas.StrokeLine2(l, at.X-4, at.Y-4, at.X+4, at.Y+4)
		f.canvas.StrokeLine2(l, at.X-4, at.Y+4, at.X+4, at.Y-4)
	case ring:
		edged(circle(at, 5.5), c)
		edged(circle(at, 2.5), f.theme.Background)
	case disc:
		edged(circle(at, 6), c)
	default:
		var around []vg.Point
		for _, d := range corners[s] {
			around = append(around, at.Add(d))
		}
		edged(polygon(around...), c)
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
