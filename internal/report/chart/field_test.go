package chart

import (
	"bytes"
	"encoding/xml"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// hardFields returns fields of difficult data.
func hardFields() map[string]Field {
	p := func(v float64) *float64 { return &v }
	words := Words{Title: "A title <so>", Subtitle: "How to read it", Desc: "What it says"}
	many := Field{Words: words, XLabel: "times", One: "as needed", Columns: []string{"failed", "ran twice", "hung"}}
	for range 10 {
		panel := FieldPanel{Name: "Ecosystem"}
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
			Panels: []FieldPanel{{Name: "", Rows: []FieldRow{{Label: "x",
				Note: strings.Repeat("no numbers at all ", 9)}, {}, {Value: p(0)}, {Value: p(1)}}}}},
	}
}

func TestAFieldIsWellFormedAndAlwaysTheSame(t *testing.T) {
	for name, field := range hardFields() {
		a, err := field.Draw()
		b, _ := field.Draw()
		if err != nil || !bytes.Equal(a.Light, b.Light) || !bytes.Equal(a.Dark, b.Dark) ||
			bytes.Equal(a.Light, a.Dark) {
			t.Fatalf("%s: error %v, or drawn in two ways, or alike on light and dark", name, err)
		}
		for _, svg := range [][]byte{a.Light, a.Dark} {
			d := xml.NewDecoder(bytes.NewReader(svg))
			for err = error(nil); err == nil; {
				_, err = d.Token()
			}
			if err != io.EOF || bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
				t.Errorf("%s: not well formed, or a number that is none: %v", name, err)
			}
		}
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
