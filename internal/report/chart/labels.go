package chart

import "h2lab/internal/base/text"

// longestLabel is longer than any text of the reports.
const longestLabel = 2000

// labelled returns the chart with texts that fit a picture: one line each, without characters that
// XML forbids or that reverse the direction of text.
func labelled[T any](chart T) T {
	return text.Map(chart, func(s string) string { return text.Clip(text.Line(s), longestLabel) })
}

func clip(s string, most int) string { return text.Clip(s, most) }
