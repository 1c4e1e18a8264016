package chart

import (
	"image/color"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	format "h2lab/internal/base/text"
)

const titleSize = 16

// Liberation Sans has the widths of Arial and Helvetica, so the layout also fits in a viewer that has
// only those.
var (
	sans     = font.Font{Typeface: "Liberation", Variant: "Sans"}
	boldSans = font.Font{Typeface: "Liberation", Variant: "Sans", Weight: xfont.WeightBold}
)

func style(f font.Font, size vg.Length, c color.Color) draw.TextStyle {
	if f.Typeface == "" {
		f = sans
	}
	return draw.TextStyle{Color: c, Font: font.From(f, size), XAlign: draw.XLeft, YAlign: draw.YBottom,
		Handler: mixed{text.Plain{Fonts: fonts()}}}
}

func (f *figure) plain(size vg.Length) draw.TextStyle { return style(sans, size, f.theme.Text) }
func (f *figure) muted(size vg.Length) draw.TextStyle { return style(sans, size, f.theme.Muted) }
func (f *figure) bold(size vg.Length) draw.TextStyle  { return style(boldSans, size, f.theme.Text) }

func right(s draw.TextStyle) draw.TextStyle { s.XAlign = draw.XRight; return s }

// half of a digit's height, not of the line's
func middle(s draw.TextStyle) draw.TextStyle { s.YAlign = -0.42; return s }

// wrap breaks text into lines that fit, Chinese between characters; a word longer than a line stays whole.
func wrap(words string, size vg.Length, f font.Font, room vg.Length) []string {
	s := style(f, size, color.Black)
	return format.Fit(words, func(_ int, line string) bool { return s.Width(line) <= room })
}

// fit shortens text with an ellipsis until it fits.
func fit(words string, s draw.TextStyle, room vg.Length) string {
	if s.Width(words) <= room {
		return words
	}
	r := []rune(clip(words, 800)) // no glyph is narrower than a pixel
	for len(r) > 1 && s.Width(string(r)+"…") > room {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}
