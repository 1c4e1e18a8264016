package chart

import (
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	format "h2lab/internal/base/text"
)

// mixed measures texts that have Chinese words too. Liberation Sans has no Han characters, so gonum
// measures each as its sign for a missing one. Every Chinese font draws a Han character and a
// full-width sign in a square of the font's size (W3C, Requirements for Chinese Text Layout, 2.1).
type mixed struct{ text.Plain }

// Box implements text.Handler.
func (m mixed) Box(words string, f font.Font) (width, height, depth vg.Length) {
	squares := 0
	rest := strings.Map(func(r rune) rune {
		if format.Wide(r) {
			squares++
			return -1
		}
		return r
	}, words)
	width, height, depth = m.Plain.Box(rest, f)
	return width + vg.Length(squares)*f.Size, height, depth
}

// Draw implements text.Handler. gonum aligns with the font's own width, so the difference is added here.
func (m mixed) Draw(c vg.Canvas, words string, s text.Style, at vg.Point) {
	ours, _, _ := m.Box(words, s.Font)
	gonums, _, _ := m.Plain.Box(words, s.Font)
	at.X += (ours - gonums) * vg.Length(s.XAlign)
	m.Plain.Draw(c, words, s, at)
}
