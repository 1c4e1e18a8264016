package runreport

import (
	"strings"
	"time"

	"h2lab/internal/base/numfmt"
	"h2lab/internal/judge/statistics"
	"h2lab/internal/report/markdown"
	"h2lab/internal/report/translations"
)

// dash marks an unknown number, which is never written as 0.
const dash = numfmt.Unknown

// number writes a value for a table.
func number(v *float64) string { return numfmt.Maybe(v, numfmt.Number) }

// measure writes a measured number in the same form as the others of its column.
func measure(v *float64) string { return numfmt.Maybe(v, numfmt.Measured) }

// whole rounds to a whole number, for counts.
func whole(v *float64) string { return numfmt.Maybe(v, numfmt.Whole) }

func integer[T int | int64 | uint64](v T) string { return numfmt.Count(v) }

// percent writes a share.
func percent(v *float64) string {
	return numfmt.Maybe(v, func(v float64) string { return numfmt.Decimals(v*100, 1) + space + "%" })
}

// interval writes lo and hi, or "" if they are unknown.
func interval(lo, hi *float64, write func(*float64) string) string {
	if lo == nil || hi == nil {
		return ""
	}
	a, b := write(lo), write(hi)
	if a == b {
		return ""
	}
	return " (" + a + dash + b + ")"
}

// stacked puts the interval on a line below its median, so that tables don't break it elsewhere.
func stacked(s string) string { return strings.Replace(s, " (", "<br>(", 1) }

// space is a non-breaking space.
const space = "\u00a0"

func twoDigits(v *float64) string {
	return numfmt.Maybe(v, func(v float64) string { return numfmt.Decimals(v, 2) })
}

// times writes a ratio with its interval, and ~ if the difference isn't significant.
func times(c *statistics.Comparison) string {
	if c == nil || c.Ratio == nil {
		return dash
	}
	s := "×" + space + twoDigits(c.Ratio) + interval(c.Lo, c.Hi, twoDigits)
	if m := c.Mark(); m != "" {
		s = m + space + s
	}
	return s
}

func escape(s string) string          { return markdown.Escape(s) }
func code(s string) string            { return markdown.Code(s) }
func block(language, s string) string { return markdown.Block(language, s) }

func or(s, other string) string {
	if strings.TrimSpace(s) == "" {
		return other
	}
	return s
}

func when(t time.Time) string {
	if t.IsZero() {
		return dash
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// noun is a counted thing, singular and plural.
type noun struct{ one, many translations.Phrase }

var (
	trials        = noun{"%s trial", "%s trials"}
	bytesOfBody   = noun{"%s byte", "%s bytes"}
	pools         = noun{"%s connection pool", "%s connection pools"}
	windows       = noun{"%s window", "%s windows"}
	framesBetween = noun{"%s frame", "%s frames"}
	sessions      = noun{"%s session was", "%s sessions were"}
)

func plural(l translations.Language, n int, of noun) string {
	if n == 1 {
		return l.Say(of.one, "1")
	}
	return l.Say(of.many, integer(n))
}

func (p *page) plural(n int, of noun) string { return plural(p.in.Language, n, of) }

func seconds(s float64) string { return numfmt.Seconds(s) }
