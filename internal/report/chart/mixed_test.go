package chart

import (
	"image/color"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
		p, err := render(Words{Title: "t", Bare: true}, 100, func(f *figure) {
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
