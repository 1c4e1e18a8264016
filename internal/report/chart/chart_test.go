package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"io"
	"maps"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"h2lab/internal/base/labtest"
	"h2lab/internal/base/text"
	"h2lab/internal/base/texts"
)

func p(v float64) *float64 { return &v }

// words are those of all of these pictures.
var words = Words{Title: "A title that goes on & on <so> that it needs a second line of its own to be read in full, " +
	"unit and all", Subtitle: "How to read it", Desc: "What it says"}

// hard returns pictures of difficult data.
func hard() map[string]drawing {
	long := "a-topology-with-a-very-long-name-that-no-margin-was-made-for"
	line := TimeLine{Name: long, Note: "note",
		Points: Rate([]float64{-100, 0, 100, 200}, []int64{0, 5, 5, 1000000}, 50)}
	out := map[string]drawing{
		"bars": Bars{Words: words, XLabel: "things per second", Series: []string{"one", "two"},
			Panels: []Panel[BarGroup]{{Name: "panel", Rows: []BarGroup{
				{long, []Bar{{p(123456), p(100000), p(223456), ""}, {Note: "unsupported: " + long + long}}},
				{"nothing", []Bar{{}, {Value: p(0)}}}}}}},
		"no bars": Bars{Words: words, Series: []string{"one"}},
		"dots": Dots{Words: words, XLabel: "things", Series: []string{"a", "b", "c"},
			Panels: []Panel[DotRow]{{Rows: []DotRow{
				{long, []*float64{p(0), p(1), p(1234567)}, "1,234,567 × expected"},
				{"none", []*float64{nil, nil, nil}, ""}}}}},
		"diagram": Diagram{Words: words, Height: 200,
			Boxes:  []Box{{X: 10, Y: 10, Wide: 300, Tall: 90, Name: "name 名称", Lines: []string{"line", "第二行"}, Fill: 0.5}},
			Arrows: []Arrow{{X1: 310, Y1: 55, X2: 500, Y2: 55, Label: "一条连接", Dashed: true}, {X1: 5, Y1: 5, X2: 5, Y2: 5}},
			Texts:  []Text{{X: 600, Y: 60, Line: "large 大", Large: true}, {X: 500, Y: 120, Line: "left", Ink: Quiet, Left: true}}},
		"no dots": Dots{Words: words, Series: []string{"a"}},
		"timeline": Timeline{Words: words, XLabel: "seconds",
			Lines: []TimeLine{line, {Name: "flat", Alarm: true}}},
		"percentiles": Lines{Words: words, XLabel: "percentile", Labels: []string{"p50", "p99.9"}, Series: []string{long, "b"},
			Panels: []LinePanel{{Name: "l", YLabel: "milliseconds", LogY: true, X: []float64{50, 99.9},
				Curves: [][]*float64{{p(0.2), p(12345)}, {nil, nil}}}, {Name: "r", LogY: true, X: []float64{50, 99.9}}}},
		"curves": Lines{Words: words, XLabel: "percentile", Labels: []string{"p50", "", "p90", "p99", "p99.9", "p99.99"},
			Series: []string{"a", "b", "c", "d", "e", "f", "g", "nginx-1000-h2-upstream"},
			Panels: []LinePanel{
				curves("HTTP/1.1, k6-connection-per-vu", []*float64{p(0.001), p(2), p(3), p(40), p(500), p(12345)}, []*float64{p(1)},
					[]*float64{nil, nil, p(2)}, nil, []*float64{p(0)}),
				curves(long, []*float64{p(100), p(200), p(300), p(400), nil, nil}),
				{}, curves("HTTP/2, go-once", []*float64{p(7)}), curves("alone")}},
		"lines": Lines{Words: words, XLabel: "users", Series: []string{long, "b", "c", "d", "e", "f", "g", "h", "i"},
			Panels: []LinePanel{
				{Name: long, YLabel: "milliseconds", X: []float64{100, 200, 400, 800, 1200, 1600, 2000, 3000, 5000},
					Curves: [][]*float64{{p(0), p(12345678), nil, p(3), p(4), p(5)}, {nil, nil}, {p(1)}}},
				{Name: "r", LogY: true, YLabel: "s", X: []float64{1, 2}, Curves: [][]*float64{{p(0), p(0.001)}, {p(1e6)}}},
				{Name: "alone", X: []float64{0}, Curves: [][]*float64{{p(7)}}}, {Name: "empty"}, {}}},
		"heat": Heat{Words: words, XLabel: "round trip of " + long, YLabel: "backend", Classes: []float64{1, 2},
			Names: []string{"below", "between " + long, "above"}, Panels: []HeatPanel{
				{Name: long, Columns: []string{"0 ms", long, "80 ms"}, Rows: []string{"0 ms", long}, Cells: [][]HeatCell{
					{{Value: p(0), Text: "~ 0 %", Unsure: true}, {Value: p(1e9), Text: "1,000,000,000,000,000 ms"}, {Text: "–"}},
					{{Value: p(-5), Text: "−5 %", Calculated: true}}}},
				{Name: "no cells", Columns: []string{"a"}, Rows: []string{"b"}}, {}}},
		"no heat": Heat{Words: words, Names: []string{"all"}},
		"lines over delay": Lines{Words: words, XLabel: "ms", LogX: true, Series: []string{"a"},
			Panels: []LinePanel{{Name: "wide", X: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 40, 50},
				Curves: [][]*float64{{p(1), p(2), p(3)}}}}},
	}
	for name, d := range hardFields() {
		out["field "+name] = d
	}
	return out
}

// curves are a panel of latency over percentiles.
func curves(name string, values ...[]*float64) LinePanel {
	return LinePanel{Name: name, YLabel: "milliseconds (log scale)", LogY: true, X: []float64{50, 75, 90, 99, 99.9, 99.99},
		Curves: values}
}

func TestEveryPictureIsWellFormedScalesAndDescribesItself(t *testing.T) {
	for name, draw := range hard() {
		pic, err := draw.Draw()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, svg := range [][]byte{pic.Light, pic.Dark} {
			d := xml.NewDecoder(bytes.NewReader(svg))
			for {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			for _, want := range []string{`viewBox="0 0 800 `, `width="800"`, `role="img"`,
				"<title id=\"title\">A title that goes on &amp; on &lt;so&gt;", "What it says</desc>"} {
				if !bytes.Contains(svg, []byte(want)) {
					t.Errorf("%s lacks %s", name, want)
				}
			}
			if n, m := bytes.Count(svg, []byte("font-family:")), bytes.Count(svg, []byte(fallbacks)); n == 0 || n != m {
				t.Errorf("%s: %d of %d texts have font families to fall back on", name, m, n)
			}
			if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
				t.Errorf("%s has a number that is none", name)
			}
		}
	}
}

func TestTheSameInputGivesTheSameBytes(t *testing.T) {
	for name, draw := range hard() {
		a, _ := draw.Draw()
		b, _ := draw.Draw()
		if !bytes.Equal(a.Light, b.Light) || !bytes.Equal(a.Dark, b.Dark) {
			t.Errorf("%s was drawn in two ways", name)
		}
		if bytes.Equal(a.Light, a.Dark) {
			t.Errorf("%s looks the same on a light and on a dark page", name)
		}
	}
}

var written = regexp.MustCompile(`<text [^>]*?x="([-0-9.e+]+)" ` +
	`y="([-0-9.e+]+)"[^>]*?font-size:([0-9.]+)px[^>]*>([^<]*)</text>`)
var sized = regexp.MustCompile(`viewBox="0 0 (\d+) (\d+)"`)

func TestNoTextIsCutOffAtAnEdge(t *testing.T) {
	for name, draw := range hard() {
		insidePicture(t, name, draw)
	}
}

func insidePicture(t *testing.T, name string, d drawing) {
	t.Helper()
	pic, err := d.Draw()
	if err != nil {
		t.Fatal(err)
	}
	svg := string(pic.Light)
	box := sized.FindStringSubmatch(svg)
	h, _ := strconv.ParseFloat(box[2], 64)
	texts := written.FindAllStringSubmatch(svg, -1)
	if len(texts) < 3 {
		t.Fatalf("%s: only %d texts found", name, len(texts))
	}
	for _, m := range texts {
		x, _ := strconv.ParseFloat(m[1], 64)
		y, _ := strconv.ParseFloat(m[2], 64)
		size, _ := strconv.ParseFloat(m[3], 64)
		// The canvas's origin is at the bottom, and texts are flipped back: y is −height there.
		top := -y
		s := style(sans, vg.Length(size), color.Black)
		right := x + s.Width(m[4]).Points()
		if x < 0 || right > 800 || top < 0 || top+size > h {
			t.Errorf("%s: %q goes from %.0f to %.0f at height %.0f of %.0f", name, m[4], x, right, top, h)
		}
	}
}

func TestColoursHaveEnoughContrastInBothThemes(t *testing.T) {
	for _, theme := range []Theme{Light(), Dark()} {
		for name, c := range map[string]color.NRGBA{"text": theme.Text, "muted": theme.Muted} {
			if r := contrast(c, theme.Background); r < 4.5 {
				t.Errorf("%s: %s has %.2f:1, WCAG asks for 4.5:1", theme.Name, name, r)
			}
		}
		for i, c := range theme.Series {
			for _, ground := range []color.NRGBA{theme.Background, theme.Shade} {
				if r := contrast(c, ground); r < 3 {
					t.Errorf("%s: series %d has %.2f:1, WCAG asks for 3:1", theme.Name, i, r)
				}
			}
		}
	}
}

func TestZeroHasAPlaceOnALogarithmicAxis(t *testing.T) {
	normalize := logZero(1)
	last := -1.0
	for _, v := range []float64{0, 0.5, 1, 10, 100, 1000} {
		at := normalize(0, 1000, v)
		if at <= last || at < 0 || at > 1.0000001 {
			t.Errorf("%v is drawn at %v, the one before at %v", v, at, last)
		}
		last = at
	}
	if ticks := decades(1, 1000); len(ticks) != 4 || ticks[3].label != "1,000" {
		t.Errorf("ticks are %v", ticks)
	}
}

func TestRatesComeFromCountersByBin(t *testing.T) {
	for _, c := range []struct {
		what    string
		t       []float64
		counter []int64
		bin     float64
		x, y    string
	}{
		{"a burst", []float64{0, 50, 100, 150}, []int64{0, 0, 100, 100}, 50, "[0 0.05 0.1 0.15]", "[0 2000 0 0]"},
		{"a late reading spreads evenly", []float64{0, 200}, []int64{0, 20}, 100, "[0 0.1 0.2]", "[100 100 100]"},
		{"bins are counted from 0", []float64{-75, 75}, []int64{0, 150}, 50, "[-0.05 0 0.05]", "[1000 1000 1000]"},
		{"one reading has no rate", []float64{0}, []int64{9}, 50, "[]", "[]"},
	} {
		got := Rate(c.t, c.counter, c.bin)
		if x, y := fmt.Sprint(got.X), fmt.Sprint(got.Y); x != c.x || y != c.y {
			t.Errorf("%s: %s %s, want %s %s", c.what, x, y, c.x, c.y)
		}
	}
	for _, c := range []struct {
		gap, want float64
	}{{5, 20}, {50, 50}, {51, 50}, {60, 100}, {900, 1000}, {2500, 3000}} {
		if got := Bin([]float64{0, c.gap, 2 * c.gap}); got != c.want {
			t.Errorf("readings every %v ms go into bins of %v ms, want %v", c.gap, got, c.want)
		}
	}
}

func TestWordsAreWrappedAndShortened(t *testing.T) {
	s := style(sans, 12, color.Black)
	for _, l := range wrap(strings.Repeat("word ", 60), s, 200) {
		if s.Width(l) > 200 {
			t.Errorf("%q is too wide", l)
		}
	}
	if got := fit("a-very-long-name-indeed", s, 60); s.Width(got) > 60 || !strings.HasSuffix(got, "…") {
		t.Errorf("shortened to %q", got)
	}
}

// The number in a cell is legible on every colour, and a reader who sees no colours can order the cells: each class
// is darker than the one before on a light page, and lighter on a dark one.
func TestTheColoursOfAMapAreLegibleAndOrderedByLightness(t *testing.T) {
	for _, theme := range []Theme{Light(), Dark()} {
		steps := theme.steps()
		for i, c := range steps {
			if r := contrast(c, legible(c)); r < 4.5 {
				t.Errorf("%s: text on colour %d has %.2f:1, WCAG asks for 4.5:1", theme.Name, i, r)
			}
			if i == 0 {
				continue
			}
			if darker := luminance(c) < luminance(steps[i-1]); darker != (theme.Name == "light") ||
				contrast(c, steps[i-1]) < 1.15 {
				t.Errorf("%s: colours %d and %d differ by %.2f:1", theme.Name, i-1, i, contrast(c, steps[i-1]))
			}
		}
	}
}

func TestTheClassOfACellIsThatOfItsValue(t *testing.T) {
	d := Heat{Classes: []float64{1, 2, 3, 4, 5}}
	for v, class := range map[float64]int{-9: 0, 0.99: 0, 1: 1, 4.5: 4, 5: 5, 1e9: 5} {
		if fill := d.step(Light(), v); fill != Light().steps()[class] {
			t.Errorf("%v isn't in class %d", v, class)
		}
	}
}

// hardFields returns fields of difficult data.
func hardFields() map[string]Field {
	p := func(v float64) *float64 { return &v }
	many := Field{Words: words, XLabel: "times", One: "as needed", Columns: []string{"failed", "ran twice", "hung"}}
	for range 10 {
		panel := Panel[FieldRow]{Name: "Ecosystem"}
		for i := range 9 {
			panel.Rows = append(panel.Rows, FieldRow{Label: strings.Repeat("a-very-long-name", 2),
				Value: p(math.Pow(10, float64(i)-3)), Counts: []*float64{p(123456), nil, p(0)},
				Word: "duplicates requests", Mood: Mood(i % 3)})
		}
		many.Panels = append(many.Panels, panel)
	}
	return map[string]Field{
		"many":    many,
		"nothing": {Words: words, Columns: []string{"failed"}},
		"unknown": {Words: words, Columns: []string{"failed", "hung"},
			Panels: []Panel[FieldRow]{{Name: "", Rows: []FieldRow{{Label: "x",
				Note: strings.Repeat("no numbers at all ", 9)}, {}, {Value: p(0)}, {Value: p(1)}}}}},
	}
}

func TestNoTextOfAFieldIsCutOffOrOverlapsAnother(t *testing.T) {
	type box struct {
		left, right, base, size float64
		words                   string
	}
	for name, field := range hardFields() {
		pic, err := field.Draw()
		if err != nil {
			t.Fatal(err)
		}
		svg := string(pic.Light)
		height, _ := strconv.ParseFloat(sized.FindStringSubmatch(svg)[2], 64)
		var boxes []box
		for _, m := range written.FindAllStringSubmatch(svg, -1) {
			x, _ := strconv.ParseFloat(m[1], 64)
			y, _ := strconv.ParseFloat(m[2], 64)
			size, _ := strconv.ParseFloat(m[3], 64)
			b := box{x, x + style(sans, vg.Length(size), color.Black).Width(m[4]).Points(), -y, size, m[4]}
			if b.left < 0 || b.right > 800 || b.base < 0 || b.base+size > height {
				t.Errorf("%s: %q leaves the picture: %+v", name, b.words, b)
			}
			for _, o := range boxes {
				if b.left < o.right-1 && o.left < b.right-1 && math.Abs(b.base-o.base) < 0.7*min(b.size, o.size) {
					t.Errorf("%s: %q lies on %q", name, b.words, o.words)
				}
			}
			boxes = append(boxes, b)
		}
	}
}

func TestAChineseCharacterIsASquare(t *testing.T) {
	s := style(sans, 20, color.Black)
	for words, want := range map[string]vg.Length{
		"连接": 40, "连接，": 60, "": 0, "HTTP/2": s.Width("HTTP/2"), "HTTP/2 连接": s.Width("HTTP/2 ") + 40,
	} {
		if got := s.Width(words); got != want {
			t.Errorf("%q is %v wide, want %v", words, got, want)
		}
	}
}

// The right edge of a text that is aligned to the right is where it was placed, whatever its language.
func TestAlignmentUsesTheSameWidths(t *testing.T) {
	for _, words := range []string{"accepted", "接受的连接", "nginx-1000，一个连接池"} {
		p, err := render(Words{Title: "t", Bare: true}, legend{}, 100, func(f *figure) {
			f.text(right(f.plain(20)), 700, 50, words)
		})
		if err != nil {
			t.Fatal(err)
		}
		s := style(sans, 20, color.Black)
		s.XAlign = draw.XLeft
		x := between(string(p.Light), ` x="`, `"`)
		long := between(string(p.Light), `textLength="`, `"`)
		if got := number(t, x) + number(t, long); got < 699.9 || got > 700.1 {
			t.Errorf("%q ends at %v, want 700", words, got)
		}
	}
}

func between(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

type drawing interface{ Draw() (Picture, error) }

// inChinese is a chart in Chinese that has Chinese texts about as wide in place of its words.
func inChinese(d drawing) drawing {
	out := reflect.New(reflect.TypeOf(d)).Elem()
	out.Set(reflect.ValueOf(text.Map(d, func(s string) string {
		return latin.ReplaceAllStringFunc(s, func(word string) string {
			return string([]rune(strings.Repeat("请求，连接（上限）与“流”、", 1+len(word)/20))[:1+len(word)/2])
		})
	})))
	out.FieldByName("Language").SetString(string(texts.Chinese))
	return out.Interface().(drawing)
}

var latin = regexp.MustCompile(`[A-Za-z<>&][A-Za-z<>&-]*`)

// chineseCharts are the difficult charts of every kind in Chinese.
func chineseCharts() map[string]drawing {
	out := map[string]drawing{}
	for name, d := range hard() {
		out["Chinese "+name] = inChinese(d)
	}
	return out
}

// The texts that a chart writes of its own accord, as those of its legend, are in the language of the others.
func TestAChineseChartHasNoEnglishText(t *testing.T) {
	english := map[string]bool{notMeasured: true, untold: true, "chart.extrapolated": true, "clients.sound": true, "chart.fault": true}
	for name, d := range chineseCharts() {
		pic, err := d.Draw()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, svg := range [][]byte{pic.Light, pic.Dark} {
			for _, words := range labtest.ChartTexts(svg) {
				if latin.MatchString(words) {
					t.Errorf("%s: English in %q", name, words)
				}
				maps.DeleteFunc(english, func(p string, _ bool) bool {
					return words == texts.Chinese.Say(p)
				})
			}
			if !bytes.Contains(svg, []byte(`xml:lang="zh-CN"`)) || bytes.Contains(svg, []byte(fallbacks)) ||
				!bytes.Contains(svg, []byte(chineseFallbacks)) {
				t.Errorf("%s doesn't name its language and Chinese fonts", name)
			}
		}
	}
	if len(english) != 0 {
		t.Errorf("no chart writes %v", english)
	}
}

func TestNoChineseTextIsCutOffAtAnEdge(t *testing.T) {
	for name, d := range chineseCharts() {
		insidePicture(t, name, d)
	}
}

func TestChineseLinesBreakBetweenCharacters(t *testing.T) {
	for _, c := range []struct {
		words string
		room  float64
		want  string
	}{
		{"连接用完，就发通知", 48, "连接用/完，就发/通知"},
		{"连接（用完）就发", 36, "连接/（用/完）就/发"},
		{"发 GOAWAY。", 60, "发/GOAWAY。"},
		{"カタカナ 한국어", 24, "カタ/カナ/한국/어"},
	} {
		got := strings.Join(wrap(c.words, style(sans, 12, color.Black), vg.Length(c.room)), "/")
		if got != c.want {
			t.Errorf("%q in %v pixels is %q, want %q", c.words, c.room, got, c.want)
		}
	}
}
