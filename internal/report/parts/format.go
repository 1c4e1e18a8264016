package parts

import (
	"strings"
	"time"

	"h2lab/internal/base/text"
	"h2lab/internal/judge/core"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/report/markdown"
	"h2lab/internal/report/translations"
)

// Dash marks an unknown number, which is never written as 0.
const Dash = text.Unknown

// Number writes a value for a table.
func Number(v *float64) string { return text.Maybe(v, text.Number) }

// Measure writes a measured number in the same form as the others of its column.
func Measure(v *float64) string { return text.Maybe(v, text.Measured) }

// Whole rounds to a whole number, for counts.
func Whole(v *float64) string { return text.Maybe(v, text.Whole) }

// Percent writes a share.
func Percent(v *float64) string {
	return text.Maybe(v, func(v float64) string { return text.Decimals(v*100, 1) + Space + "%" })
}

// Interval writes lo and hi, or "" if they are unknown.
func Interval(lo, hi *float64, write func(*float64) string) string {
	if lo == nil || hi == nil {
		return ""
	}
	a, b := write(lo), write(hi)
	if a == b {
		return ""
	}
	return " (" + a + Dash + b + ")"
}

// Stacked puts the interval on a line below its median, so that tables don't break it elsewhere.
func Stacked(s string) string { return strings.Replace(s, " (", "<br>(", 1) }

// Space is a non-breaking space.
const Space = "\u00a0"

// TwoDigits writes a ratio.
func TwoDigits(v *float64) string {
	return text.Maybe(v, func(v float64) string { return text.Decimals(v, 2) })
}

// Times writes a ratio with its interval, and ~ if the difference isn't significant.
func Times(c *statistics.Comparison) string {
	if c == nil || c.Ratio == nil {
		return Dash
	}
	s := "×" + Space + TwoDigits(c.Ratio) + Interval(c.Lo, c.Hi, TwoDigits)
	if m := c.Mark(); m != "" {
		s = m + Space + s
	}
	return s
}

// Escape makes text safe for a cell or a line.
func Escape(s string) string { return markdown.Escape(s) }

// Code returns a code span.
func Code(s string) string { return markdown.Code(s) }

// longestMessage is how much of a message a cell shows; results.json has all of it.
const longestMessage = 2000

// Message returns a verbatim message for a cell.
func Message(s string) string { return Code(text.Clip(s, longestMessage)) }

// Block returns a fenced code block.
func Block(language, s string) string { return markdown.Block(language, s) }

// Or replaces an empty text.
func Or(s, other string) string {
	if strings.TrimSpace(s) == "" {
		return other
	}
	return s
}

// When writes a time.
func When(t time.Time) string {
	if t.IsZero() {
		return Dash
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// Plural writes a number with its noun, a text of the catalogue with one for 1.
func Plural(l translations.Language, n int, noun translations.Phrase) string {
	return l.Say(noun, core.Count(float64(n)))
}

// Seconds writes a duration.
func Seconds(s float64) string { return text.Seconds(s) }
