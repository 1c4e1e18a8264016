package runreport

import "h2lab/internal/report/parts"

// The formats of numbers and texts that all reports share.
var (
	number, measure, whole      = parts.Number, parts.Measure, parts.Whole
	percent, twoDigits, seconds = parts.Percent, parts.TwoDigits, parts.Seconds
	interval, stacked, times    = parts.Interval, parts.Stacked, parts.Times
	escape, code, block, or     = parts.Escape, parts.Code, parts.Block, parts.Or
	when                        = parts.When
)

const (
	dash  = parts.Dash
	space = parts.Space
)
