package chart

import "h2lab/internal/base/text"

// longestLabel is more than any of our own sentences has.
const longestLabel = 2000

// labelled is a chart whose words fit a picture: one line each, and nothing
// that XML forbids or that would turn the line round.
func labelled[T any](chart T) T {
	return text.Map(chart, func(s string) string { return text.Clip(text.Line(s), longestLabel) })
}

func clip(s string, most int) string { return text.Clip(s, most) }
