package chart

import (
	"image/color"
	"math"
)

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
